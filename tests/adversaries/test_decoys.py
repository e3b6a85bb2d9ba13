"""Documents registered to draw attention away from another one: the leak's own is compared all the same."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from tests.adversaries.office import Office
from tests.tracing.masters import make_text
from tests.workflows.leaks import issue

from lexprint.registry.protocol import Registry, open_registry
from lexprint.tracing import finding
from lexprint.tracing.finding import COMPARED
from lexprint.workflows.tracing import trace


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    with open_registry(str(tmp_path / "registry.db")) as opened:
        yield opened


@pytest.mark.parametrize("decoys", [8, 20])
def test_the_same_text_under_many_names(registry: Registry, tmp_path: Path, decoys: int) -> None:
    """An untouched leak of the first still names its recipient, whichever was registered last."""
    office = Office(registry, tmp_path)
    leak = office.copy("Ada")
    for number in range(decoys):
        office.issue([f"Decoy {number}"], name=f"decoy-{number}")
    report = trace(registry, leak)
    assert [copy.recipient for copy in report.accused] == ["Ada"]
    assert report.documents == decoys + 1
    assert report.compared_in_all == decoys + 1
    last = office.copy(f"Decoy {decoys - 1}", name=f"decoy-{decoys - 1}")
    assert [copy.recipient for copy in trace(registry, last).accused] == [f"Decoy {decoys - 1}"]


def test_many_versions_of_a_text(registry: Registry) -> None:
    """Versions that differ in a word or two are compared up to a number, and the report says which were not."""
    first = issue(registry, number=1)
    for number in range(2, COMPARED + 6):
        issue(registry, number=number, name=f"decoy {number}", copies=3, text=f"{first.record.text} Number {number}.")
    report = trace(registry, first.copy(9))
    if not report.accused:
        assert any("were not compared" in note and "--document" in note for note in report.notes)
    asked = trace(registry, first.copy(9), document_id=first.record.id)
    assert [copy.number for copy in asked.accused] == [9]


def test_decoys_are_no_reason_to_name_anybody(registry: Registry) -> None:
    """However many copies are compared, a text that was never marked names nobody."""
    text = make_text(600, Random(3))
    for number in range(1, 10):
        issue(registry, number=number, name=f"decoy {number}", text=text)
    report = trace(registry, text)
    assert (report.verdict, report.documents, report.compared_in_all) == ("inconclusive", 9, 450)


def test_a_long_document_beside_the_leak(registry: Registry) -> None:
    """Whoever adds all of a handbook to a leaked page is named all the same."""
    page = issue(registry, number=1, words=400)
    handbook = issue(registry, number=2, words=5_000, name="handbook", copies=3)
    report = trace(registry, f"{handbook.record.text}\n\n{page.copy(9)}")
    assert [copy.number for copy in report.accused] == [9]
    assert report.document is not None
    assert report.document.id == page.record.id
    assert (report.documents, report.compared_in_all) == (2, 53)


def test_many_documents_beside_the_leak(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor do six, each so much longer than the next one that only one at a time is comparable."""
    monkeypatch.setattr(finding, "COMPARABLE", 1)  # so that a few words more are much longer
    page = issue(registry, number=1, words=300)
    beside = [issue(registry, number=number, words=210 + 6 * number, copies=1).record.text for number in range(2, 8)]
    report = trace(registry, "\n\n".join([*beside, page.copy(9)]))
    assert (report.documents, report.compared_in_all) == (7, 56)
    assert [copy.number for copy in report.accused] == [9]


def test_more_documents_beside_the_leak_than_can_be_compared(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then the report says that the leak's own was not."""
    monkeypatch.setattr(finding, "COMPARABLE", 1)
    monkeypatch.setattr(finding, "COMPARED", 6)
    page = issue(registry, number=1, words=300)
    beside = [issue(registry, number=number, words=210 + 6 * number, copies=1).record.text for number in range(2, 8)]
    report = trace(registry, "\n\n".join([*beside, page.copy(9)]))
    assert (report.documents, report.accused) == (6, ())
    assert any("were not compared" in note and page.record.id in note for note in report.notes)
