"""`lexprint recover`: the way back."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run


@pytest.fixture
def marked(run: Run, folder: Path) -> Path:
    """A marked text and its record, `r.json`."""
    assert run("embed", "in.txt", "out.txt", "--bits", "10" * 8, "--record", "r.json").code == 0
    return folder / "out.txt"


def test_exact_with_the_record(run: Run, marked: Path, prose: str) -> None:
    """The original, byte for byte, and what had to be changed for it."""
    done = run("recover", marked, "back.txt", "--record", "r.json", "--json")
    assert Path("back.txt").read_bytes() == prose.encode()
    found = json.loads(done.output)
    assert found["exact"]
    assert found["edits"]
    text, shift = marked.read_text(), 0
    for edit in found["edits"]:
        start, end = (place + shift for place in edit["span"])
        text = text[:start] + edit["replacement"] + text[end:]
        shift += len(edit["replacement"]) - (end - start)
    assert text == prose


def test_most_probable_without_it(run: Run, marked: Path) -> None:
    """Only sites are touched, and the text says so."""
    done = run("recover", marked, "-")
    assert "most probable original" in done.errors
    sites = json.loads(run("extract", marked, "--json").output)["sites"]
    pairs = {frozenset(site["pair"]) for site in sites}
    words = zip(marked.read_text().split(), done.text.split(), strict=True)
    changed = [frozenset(word.strip(",.?!") for word in both) for both in words if both[0] != both[1]]
    assert changed
    assert set(changed) <= pairs


def test_the_record_of_another_text(run: Run, marked: Path) -> None:
    """A record restores its own copy only."""
    Path("other.txt").write_text(marked.read_text() + "More.")
    assert run("recover", "other.txt", "back.txt", "--record", "r.json").is_refusal(2, "another text")
    assert not Path("back.txt").exists()


@pytest.mark.parametrize("target", ["out.txt", "r.json", ".", "nowhere/back.txt"])
def test_targets_that_are_refused(run: Run, marked: Path, target: str) -> None:
    """Nothing that is read is written over."""
    before = marked.read_bytes(), Path("r.json").read_bytes()
    assert run("recover", marked, target, "--record", "r.json").is_refusal(2)
    assert before == (marked.read_bytes(), Path("r.json").read_bytes())
