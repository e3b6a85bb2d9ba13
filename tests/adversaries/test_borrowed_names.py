"""A recipient who calls themselves nearly as somebody else, so that a report on them is held against the other."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.adversaries.office import Office

from lexprint.registry.protocol import Registry, open_registry
from lexprint.reports.report import Report
from lexprint.workflows.tracing import trace


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    with open_registry(str(tmp_path / "registry.db")) as opened:
        yield opened


def notes_on_names(report: Report) -> list[str]:
    return [note for note in report.notes if "looks like" in note]


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("\u0410da Bell", "U+0410"),
        ("Ada Be\u00adll", "U+00AD"),
        ("Ada Be\u200bll", "U+200B"),
        ("Ad\u00e0 Bell", "U+00E0"),
        ("Ada Be1l", "U+0031"),
        ("Ada Bell\u3164", "U+3164"),
        ("Ada\u2800Bell", "U+2800"),
        ("ꓮda Bell", "U+A4EE"),
        ("Ada Beꓡꓡ", "U+A4E1"),
    ],
)
def test_a_name_that_looks_like_anothers(registry: Registry, tmp_path: Path, name: str, written: str) -> None:
    """What is signed says that there are two, and how the name of the one is written; of the other it says the same."""
    office = Office(registry, tmp_path)
    office.issue(["Ada Bell"], seed=2, name="minutes")
    leak = office.copy(name)
    report = trace(registry, leak)
    assert [copy.recipient for copy in report.accused] == [name]
    (note,) = notes_on_names(report)
    assert f"copy 1, and is somebody else: it is written with {written}." in note
    (note,) = notes_on_names(trace(registry, office.copy("Ada Bell")))
    assert "it is written with the letters A to Z alone" in note


@pytest.mark.parametrize(
    ("name", "double"),
    [("Ada Bell", "Ada BeIl"), ("Ian Bell", "lan Bell"), ("Vera Arno", "Vera Amo"), ("Walt Dee", "VValt Dee")],
)
def test_a_name_in_plain_letters_that_looks_like_anothers(
    registry: Registry, tmp_path: Path, name: str, double: str
) -> None:
    """A capital I for a small l, two letters for one: both are told apart by the copy."""
    office = Office(registry, tmp_path)
    office.issue([name], seed=2, name="minutes")
    assert len(notes_on_names(trace(registry, office.copy(double)))) == 1


def test_no_word_of_names_that_cannot_be_mistaken(registry: Registry, tmp_path: Path) -> None:
    """One person with several copies, under several spellings, is no double of themselves."""
    office = Office(registry, tmp_path)
    office.issue(["Zo\u00eb Bell"], seed=2, name="minutes")
    office.issue(["Ida Bell", "Ada Belt", "Lan Hall", "Ian Hall"])
    assert notes_on_names(trace(registry, office.copy("ZOE\u0308 bell"))) == []
