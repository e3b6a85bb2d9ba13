"""`lexprint capacity`: figures and heat map."""

import json
import re
from pathlib import Path

import pytest
from tests.cli.conftest import Run

COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def test_figures_for_machines(run: Run, folder: Path) -> None:
    """Bits, bits per word and mean SR, in all and by paragraph, and every site."""
    found = json.loads(run("capacity", "in.txt", "--json").output)
    assert found["bits"] == len(found["sites"]) == sum(paragraph["bits"] for paragraph in found["paragraphs"]) > 0
    assert found["bits_per_word"] == pytest.approx(found["bits"] / found["words"])
    assert len(found["paragraphs"]) == 3
    entailments = [site["entailment"] for site in found["sites"]]
    assert found["mean_entailment"] == pytest.approx(sum(entailments) / len(entailments))
    assert len(run("extract", "in.txt").text.strip()) == found["bits"]


def test_a_heat_map_without_colour(run: Run, folder: Path) -> None:
    """In a pipe each site stands in brackets with the other word and its SR, below a bar per paragraph."""
    done = run("capacity", "in.txt")
    sites = json.loads(run("capacity", "in.txt", "--json").output)["sites"]
    joined = done.text.replace("\n", " ")
    assert joined.count("|") == len(sites)
    assert f"[{sites[0]['found']}|" in joined
    assert done.text.count("█") > 3
    assert "\x1b" not in done.text


@pytest.mark.parametrize(("columns", "beside"), [("80", False), ("120", True)])
def test_a_heat_map_in_colour(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, columns: str, beside: bool
) -> None:
    """In a terminal sites are coloured; the other word stands beside them if there is room, else below."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", columns)
    done = run("capacity", "in.txt", "--paragraphs", 1)
    sites = json.loads(run("capacity", "in.txt", "--json").output)["sites"]
    plain = COLOUR.sub("", done.text)
    other = next(word for word in sites[0]["pair"] if word != sites[0]["word"])
    assert "\x1b[30;48;5;" in done.text
    assert (f"{sites[0]['found']}/{other}" in plain) is beside
    assert other in plain
    assert "2 more paragraphs" in plain


def test_a_text_that_carries_nothing(run: Run, folder: Path) -> None:
    """No site is an answer, not a division by zero."""
    done = run("capacity", "-", given=b"Too short.\n\nYes.")
    assert done.code == 0
    assert "0 bits in 5 words" in done.text


def test_nothing_steers_the_terminal(run: Run, folder: Path) -> None:
    """Control characters of the text are not printed."""
    assert "\x1b" not in run("capacity", "-", given=b"A \x1b[31mred\x07 word.").text


def test_bad_input_is_one_sentence(run: Run, folder: Path) -> None:
    """Exit code 2 for what cannot be read."""
    assert run("capacity", "none.txt").is_refusal(2, "not there")
    assert run("capacity", "-").is_refusal(2, "empty")


def test_progress_appears_only_when_it_takes_long(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bar is drawn on standard error once the work lasts, and taken away at the end."""
    from lexprint.cli import console

    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(console, "BAR_AFTER_SECONDS", 3600.0)
    assert "measuring" not in run("capacity", "in.txt").errors
    monkeypatch.setattr(console, "BAR_AFTER_SECONDS", 0.0)
    done = run("capacity", "in.txt")
    assert "measuring" in done.errors
    assert "measuring" not in done.text
