"""`lexprint batch`: folders and tables from the command line, exit codes and reports."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from lexprint.cli import console
from lexprint.errors import SettingsError
from lexprint.registry.protocol import open_registry
from lexprint.testing import fake_text
from lexprint.workflows import strictness


@pytest.fixture
def corpus(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LEXPRINT_PROFILE", "paper")  # which finds many sites, and never changes
    (folder / "in").mkdir()
    for number in range(3):
        (folder / "in" / f"{number}.txt").write_text(fake_text(words=300, seed=number))
    return folder


def test_a_folder_is_marked(run: Run, corpus: Path) -> None:
    """Each file as `lexprint embed` marks it; a second run has nothing to do."""
    done = run("batch", "embed", "in", "out", "--message", "A", "--workers", 1)
    assert (done.code, done.output) == (0, b"")
    assert "3 documents marked" in done.errors
    assert run("embed", "in/1.txt", "alone.txt", "--message", "A").code == 0
    assert (corpus / "out" / "1.txt").read_bytes() == (corpus / "alone.txt").read_bytes()
    assert run("extract", "out/2.txt", "--message").text == "A\n"
    assert "3 were done before" in run("batch", "embed", "in", "out", "--message", "A", "--workers", 2).errors


def test_some_failed(run: Run, corpus: Path) -> None:
    """Exit code 1, a table for people, and all of it as JSON."""
    (corpus / "in" / "short.txt").write_text("Too short.")
    done = run("batch", "embed", "in", "out", "--message", "A", "--workers", 2, "--report", "r.json", "--json")
    assert done.code == 1
    report = json.loads(done.output)
    assert report == json.loads((corpus / "r.json").read_bytes())
    assert (report["done"], report["failed"]) == (3, 1)
    assert report["failures"][0]["name"] == "short.txt"
    assert "CapacityError" in done.errors
    assert sorted(path.name for path in (corpus / "out").glob("*.txt")) == ["0.txt", "1.txt", "2.txt"]


def test_each_row_its_payload(run: Run, corpus: Path) -> None:
    """A table with a text and an account in each row, under the newest key."""
    run("key", "new")
    rows = [{"account": 100 + number, "text": fake_text(words=1200, seed=number)} for number in range(2)]
    (corpus / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    asked = ("--payload-column", "account", "--payload-bits", 16, "--workers", 1)
    assert run("batch", "embed", "in.jsonl", "out.jsonl", *asked).code == 0
    for line in (corpus / "out.jsonl").read_text().splitlines():
        row = json.loads(line)
        (corpus / "leak.txt").write_text(row["text"])
        assert f"{row['account']}" in run("extract", "leak.txt", "--payload", "--payload-bits", 16).text


def test_copies_of_a_folder(run: Run, corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As `lexprint issue` makes them, and `lexprint trace` knows them."""
    monkeypatch.setenv("LEXPRINT_PROFILE", "lexprint")
    for number in range(2):
        (corpus / "in" / f"{number}.txt").write_text(fake_text(words=900, seed=number))
    (corpus / "in" / "2.txt").unlink()
    (corpus / "people.txt").write_text("Ada\nBo\n")
    run("key", "new")
    done = run("batch", "issue", "in", "out", "--to", "people.txt", "--workers", 1)
    assert (done.code, "2 documents issued" in done.errors) == (0, True), done.errors
    assert b"Bo" in run("trace", "out/1.txt/1-0002-Bo.txt").output


def test_a_folder_is_analysed(run: Run, corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same JSON as `lexprint analyse --json` prints."""
    monkeypatch.setenv("LEXPRINT_PROFILE", "lexprint")
    assert run("batch", "analyse", "in", "out", "--workers", 1).code == 0
    found = json.loads((corpus / "out" / "1.txt.json").read_bytes())
    assert found == json.loads(run("analyse", "in/1.txt", "--json").output)


def test_a_folder_is_taken_as_strictly_as_a_document(run: Run, corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For looking and for issuing: what a contract turns on stays, and other words are as with careful."""
    monkeypatch.delenv("LEXPRINT_PROFILE")
    for number in (0, 2):
        (corpus / "in" / f"{number}.txt").unlink()
    (corpus / "people.txt").write_text("Ada\nBo\n")
    (corpus / "in" / "1.txt").write_text(fake_text(words=900, seed=1))
    careful = json.loads(run("analyse", "in/1.txt", "--json", "--strictness", "careful").output)
    monkeypatch.setattr(strictness, "listed", lambda _: (careful["sites"][0]["word"],))
    legal = json.loads(run("analyse", "in/1.txt", "--json", "--strictness", "legal").output)
    assert len(legal["sites"]) < len(careful["sites"])
    assert run("batch", "analyse", "in", "out", "--workers", 1, "--strictness", "legal").code == 0
    assert json.loads((corpus / "out" / "1.txt.json").read_bytes()) == legal
    run("key", "new")
    issue = ("batch", "issue", "in", "copies", "--to", "people.txt", "--workers", 1)
    assert run(*issue, "--strictness", "lax").is_refusal(2, "legal, careful, dense")
    assert run(*issue, "--strictness", "legal").code == 0
    with open_registry("lexprint.db") as registry:
        (document,) = registry.documents()
        assert document.sites == len(legal["sites"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["embed", "in", "out"], ["0 were given"]),
        (["embed", "in", "out", "--message", "A", "--payload", "B"], ["2 were given"]),
        (["embed", "in", "out", "--message", "A", "--key", "k"], ["--payload"]),
        (["embed", "in", "in/out", "--message", "A"], ["in each other"]),
        (["embed", "none", "out", "--message", "A"], ["none is not there"]),
        (["embed", "none.jsonl", "out.jsonl", "--message", "A"], ["none.jsonl is not there"]),
        (["embed", "t.jsonl", "out", "--message", "A"], [".jsonl"]),
        (["embed", "t.jsonl", "out.jsonl", "--message", "A", "--records", "r"], ["--records is for files"]),
        (["embed", "in", "out", "--message", "A", "--engine", "spark"], ["local or ray"]),
        (["embed", "in", "out", "--message", "A", "--address", "here:6379"], ["--engine ray"]),
        (["issue", "in", "out", "--to", "p.txt", "--code", "best"], ["--code best is unknown"]),
        (["analyse", "in", "out", "--unprotect", "all"], ["--unprotect all is unknown"]),
    ],
)
def test_bad_input_is_one_sentence(run: Run, corpus: Path, arguments: list[str], words: list[str]) -> None:
    """Any usage error gives one sentence and exit code 2, before any model is loaded."""
    (corpus / "t.jsonl").write_text('{"text": "x"}\n')
    (corpus / "p.txt").write_text("Ada\n")
    assert run("batch", *arguments).is_refusal(2, *words)
    assert not (corpus / "out").exists()


def test_answers_are_kept_where_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nowhere, in the file of the environment, or in that of the option."""
    assert console.build_engine().cache is None
    monkeypatch.setenv("LEXPRINT_CACHE", "usual")
    monkeypatch.setenv("LEXPRINT_CACHE_MEGABYTES", "7")
    engine = console.build_engine()
    assert (engine.cache, engine.cache_megabytes) == (Path("usual"), 7)
    assert console.build_engine(cache=Path("other")).cache == Path("other")
    monkeypatch.setenv("LEXPRINT_CACHE_MEGABYTES", "much")
    with pytest.raises(SettingsError, match="LEXPRINT_CACHE_MEGABYTES"):
        console.build_engine()
