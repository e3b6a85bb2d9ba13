"""`lexprint diff`: what changed, side by side."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run


def test_swapped_words_side_by_side(run: Run, folder: Path) -> None:
    """Sentences that differ stand beside each other, what changed between signs."""
    (folder / "a.txt").write_text("A big house. Nothing here. He left at once.")
    (folder / "b.txt").write_text("A large house.\nNothing  here. He left quickly.")
    done = run("diff", "a.txt", "b.txt")
    assert done.code == 0
    assert "A [-big-] house." in done.text
    assert "A {+large+} house." in done.text
    assert "He left [-at once-]." in done.text
    assert "Nothing" not in done.text
    assert "2 changes, 3 of 12 words" in done.text


def test_what_embedding_did(run: Run, folder: Path) -> None:
    """As JSON: as many changes as words were swapped, each with both spans."""
    record = json.loads(run("embed", "in.txt", "out.txt", "--bits", "01" * 2, "--json").output)
    swapped = [(site["found"], site["written"]) for site in record["sites"] if site["found"] != site["written"]]
    found = json.loads(run("diff", "in.txt", "out.txt", "--json").output)
    assert [(change["text"], change["other_text"]) for change in found["changes"]] == swapped
    start, end = found["changes"][0]["other_span"]
    assert (folder / "out.txt").read_text()[start:end] == swapped[0][1]


def test_added_and_removed_sentences(run: Run, folder: Path) -> None:
    """What stands in one text only has an empty side."""
    (folder / "a.txt").write_text("One here. Two here.")
    (folder / "b.txt").write_text("One here. Two here. Three more.")
    assert "{+Three more.+}" in run("diff", "a.txt", "b.txt").text.replace("\n", " ")
    (folder / "none.txt").write_text("")
    assert "[-One here. Two here.-]" in run("diff", "a.txt", "none.txt").text
    assert "{+One here. Two here.+}" in run("diff", "none.txt", "a.txt").text


def test_spacing_does_not_count(run: Run, folder: Path) -> None:
    """A re-flowed text has the same words."""
    done = run("diff", "in.txt", "-", given=(folder / "in.txt").read_bytes().replace(b" ", b"\r\n"))
    assert (done.code, done.text) == (0, "the words are the same\n")


def test_colour_instead_of_signs(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a terminal what changed is coloured."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    (folder / "a.txt").write_text("A big house.")
    (folder / "b.txt").write_text("A large house.")
    done = run("diff", "a.txt", "b.txt")
    assert "\x1b[30;41mbig" in done.text
    assert "\x1b[30;42mlarge" in done.text
    assert "[-" not in done.text


def test_bad_input_is_one_sentence(run: Run, folder: Path) -> None:
    """Exit code 2 for what cannot be read."""
    assert run("diff", "in.txt", "none.txt").is_refusal(2, "not there")
    assert run("diff", "-", "-").is_refusal(2, "both texts")
