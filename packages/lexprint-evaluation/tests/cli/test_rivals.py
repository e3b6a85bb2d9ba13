"""`lexprint evaluate rivals`, `ablations` and `recoverability`, on fakes and data of the test's own."""

import json
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import PowerCut, Run
from tiny_wordnet import write_wordnet

from lexprint.testing import fake_text
from lexprint_evaluation import ablations, comparison, schemes as ways


@pytest.fixture
def data(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two novels of the fakes' words and a small WordNet's."""
    (folder / "data" / "novels").mkdir(parents=True)
    for seed, name in enumerate(("dracula", "other_tale")):
        text = fake_text(words=500, seed=seed).replace(" of ", " film ").replace(" with ", " big ")
        (folder / "data" / "novels" / f"{name}.txt").write_text(text)
    (folder / "wordnet").mkdir()
    monkeypatch.setenv("LEXPRINT_WORDNET", str(write_wordnet(folder / "wordnet")))
    monkeypatch.setenv("LEXPRINT_DATA", str(folder / "data"))
    ways.topkara.cache_clear()
    return folder / "data"


def test_rivals_stand_beside(run: Run, data: Path) -> None:
    """One row for each method, the paper's figures, examples, both files, and nothing left to resume."""
    done = run(
        "evaluate", "rivals", "--sentences", 12, "--methods", "topkara,paper", "--output", "out", "--examples", 2
    )
    assert done.code == 0, done.errors
    assert "| topkara" in done.text
    assert "0.8691" in done.text
    assert "### Dracula" in done.text
    assert "seed 1" in done.errors
    result = json.loads(Path("out/rivals.json").read_bytes())
    assert [(row["method"], row["title"]) for row in result["rows"]] == [
        ("topkara", "Dracula"),
        ("topkara", "Other Tale"),
        ("paper", "Dracula"),
        ("paper", "Other Tale"),
    ]
    assert all(row["bit_errors"] == 0 and row["bits"] > 0 for row in result["rows"])
    assert [path.name for path in sorted(Path("out").iterdir())] == ["rivals.json", "rivals.md", "rivals.svg"]


def test_a_run_that_was_cut_goes_on(run: Run, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that were measured are not measured again, and the table is the one of a run without a break."""
    asked = ("evaluate", "rivals", "--sentences", 8, "--methods", "topkara,paper", "--json", "--output")
    cut = PowerCut(comparison.compare, after=3)
    with monkeypatch.context() as power:
        power.setattr(comparison, "compare", cut)
        assert run(*asked, "out").code == 130
    rest = PowerCut(comparison.compare, after=1)  # of four rows one is left
    with monkeypatch.context() as power:
        power.setattr(comparison, "compare", rest)
        resumed = run(*asked, "out")
    assert (resumed.code, rest.calls) == (0, 1)
    assert [path.name for path in sorted(Path("out").iterdir())] == ["rivals.json", "rivals.md", "rivals.svg"]
    assert resumed.text == run(*asked, "other").text


def test_rivals_write_as_little_as_we_do(run: Run, data: Path) -> None:
    """A second table in which no rival writes more bits than ours did, on the same sentences."""
    done = run("evaluate", "rivals", "--sentences", 12, "--methods", "topkara,lexprint", "--output", "out")
    assert done.code == 0, done.errors
    assert "At equal payload" in done.text
    result = json.loads(Path("out/rivals.json").read_bytes())
    ours = {row["title"]: row["bits_of_parts"] for row in result["rows"] if row["method"] == "lexprint"}
    assert {row["title"] for row in result["equal_payload"]} == set(ours) != set()
    for row in result["equal_payload"]:
        assert all(one <= other for one, other in zip(row["bits_of_parts"], ours[row["title"]], strict=True))
        assert row["bits"] > 0
        assert row["bit_errors"] == 0


def test_a_cut_run_of_ablations_goes_on(run: Run, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same with the two tables that share their rows' code."""
    asked = ("evaluate", "ablations", "--sentences", 8, "--sets", "dracula", "--profiles", "paper", "--output", "out")
    for after, code in ((2, 130), (1, 0)):  # three rows
        with monkeypatch.context() as power:
            power.setattr(ablations, "ablate", PowerCut(ablations.ablate, after=after))
            assert run(*asked).code == code


def test_ablations_lose_bits(run: Run, data: Path) -> None:
    """Three rows for a set, of which the first reads everything."""
    done = run("evaluate", "ablations", "--sentences", 20, "--sets", "dracula", "--profiles", "paper", "--json")
    rows = json.loads(done.output)["rows"]
    assert [row["tests"] for row in rows] == ["both tests", "without synchronicity", "without substitutability"]
    assert rows[0]["bit_errors"] == 0 < rows[1]["bit_errors"]


def test_recovered_words_are_counted(run: Run, data: Path) -> None:
    """Beside the paper's share."""
    done = run("evaluate", "recoverability", "--sentences", 12, "--sets", "dracula", "--profiles", "paper")
    assert done.code == 0, done.errors
    assert "0.819" in done.text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["rivals", "--methods", "papyrus"], ["papyrus", "topkara"]),
        (["rivals", "--methods", "awt"], ["train-awt"]),
        (["ablations", "--profiles", "topkara"], ["topkara"]),
        (["recoverability", "--sets", "frankenstein"], ["frankenstein"]),
    ],
)
def test_bad_input_is_one_sentence(run: Run, data: Path, arguments: list[str], words: list[str]) -> None:
    """Exit code 2, before anything is measured."""
    assert run("evaluate", *arguments).is_refusal(2, *words)


def test_training_needs_torch(run: Run, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it one sentence says what to install."""
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "lexprint_evaluation.rivals.awt", raising=False)
    monkeypatch.delattr("lexprint_evaluation.rivals.awt", raising=False)  # whatever test has loaded it before
    assert run("evaluate", "train-awt", "--output", "awt.pt").is_refusal(3, "pip install 'lexprint-evaluation[awt]'")
