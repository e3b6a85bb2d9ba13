"""Blind copies: traced by the number they carry, with the key, and never without."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.fakes import FakeEngine

from lexprint.coding.framed import CopyNumber
from lexprint.coding.keys import Keyring, MasterKey
from lexprint.settings import Settings, SubstitutionSettings
from lexprint.testing import fake_text
from lexprint.tracing.records import DocumentRecord, IssuedCopy
from lexprint.tracing.registry import Registry, open_registry
from lexprint.tracing.report import Report
from lexprint.tracing.report_page import report_page
from lexprint.workflows.payloads import embed_payload, extract_payload
from lexprint.workflows.tracing import trace

DAY = datetime(2026, 1, 31, tzinfo=UTC)
KEY, OTHER = (MasterKey(bytes([number]) * 32, created_at=DAY) for number in range(2))
MASTER = fake_text(words=1000, seed=7)


@pytest.fixture(scope="module")
def engine() -> FakeEngine:
    """One that finds many sites."""
    return FakeEngine(settings=Settings(substitution=SubstitutionSettings(proposals=8)))


@pytest.fixture(scope="module")
def leak(engine: FakeEngine) -> str:
    """Copy 2."""
    return embed_payload(engine, MASTER, CopyNumber(2), key=KEY).text


@pytest.fixture
def registry(tmp_path: Path, engine: FakeEngine) -> Iterator[Registry]:
    """With a document of three blind copies."""
    with open_registry(str(tmp_path / "registry.db")) as opened:
        register(opened, engine, number=1, recipients=["Ann", "Ben", "Cal"])
        yield opened


def register(registry: Registry, engine: FakeEngine, *, number: int, recipients: list[str]) -> None:
    document_id = f"{number:016x}"
    record = DocumentRecord(
        id=document_id,
        name="memo.docx",
        text=MASTER,
        digest="0" * 64,
        issuing="blind",
        code="independent",
        sites=(),
        biases=(),
        key_id=KEY.id,
        fingerprint=engine.fingerprint,
        created_at=DAY,
    )
    copies = [
        IssuedCopy(document_id, one, name, (), f"memo-{one}.docx") for one, name in enumerate(recipients, start=1)
    ]
    registry.add_document(record, copies)
    registry.mark_issued(document_id, [(copy.number, "ab" * 32) for copy in copies], DAY)


def numbers(report: Report) -> list[tuple[int, str | None]]:
    return [(copy.number, copy.recipient) for copy in report.accused]


def test_the_number_is_read(registry: Registry, engine: FakeEngine, leak: str) -> None:
    """With the key among others; the page explains blind marks and has no pictures of sites."""
    report = trace(registry, leak, keys=Keyring((OTHER, KEY)), engine=engine)
    assert (report.verdict, numbers(report)) == ("one copy", [(2, "Ben")])
    assert report.accused[0].family_p_value <= report.error_bound
    assert report.signature is not None
    page = report_page(report)
    assert "carries its number in its wording" in page
    assert "<svg" not in page


def test_copies_that_say_their_number_as_text(registry: Registry, engine: FakeEngine) -> None:
    """As they did before numbers of copies had a code of their own."""
    earlier = embed_payload(engine, MASTER, "3", key=KEY).text
    assert numbers(trace(registry, earlier, keys=Keyring((KEY,)), engine=engine)) == [(3, "Cal")]


def test_without_the_key(registry: Registry, engine: FakeEngine, leak: str) -> None:
    """Inconclusive, and it says which key is missing; the same with other keys and without an engine."""
    for keys, used in ((None, engine), (Keyring((OTHER,)), engine), (Keyring((KEY,)), None)):
        report = trace(registry, leak, keys=keys, engine=used)
        assert report.verdict == "inconclusive"
        assert any(KEY.id in note for note in report.notes)


def test_the_unmarked_master(registry: Registry, engine: FakeEngine) -> None:
    """Nothing found is nobody named."""
    report = trace(registry, MASTER, keys=Keyring((KEY,)), engine=engine)
    assert (report.verdict, report.accused, report.compared) == ("inconclusive", (), 3)


def test_a_number_that_was_never_given(registry: Registry, engine: FakeEngine) -> None:
    """A payload of some other use of the key accuses nobody."""
    marked = embed_payload(engine, MASTER, "ACME", key=KEY).text
    report = trace(registry, marked, keys=Keyring((KEY,)), engine=engine)
    assert report.verdict == "inconclusive"
    assert any("not the number of a registered copy" in note for note in report.notes)


def test_a_copy_that_is_not_registered(registry: Registry, engine: FakeEngine) -> None:
    """As after the loss of a registry: its number is found, and nobody has it."""
    marked = embed_payload(engine, MASTER, CopyNumber(9), key=KEY).text
    report = trace(registry, marked, keys=Keyring((KEY,)), engine=engine)
    assert report.verdict == "inconclusive"
    assert any("not the number of a registered copy" in note for note in report.notes)


def test_a_part_that_only_the_registry_makes_enough(registry: Registry, engine: FakeEngine, leak: str) -> None:
    """Who does not know the copies cannot tell the number from so few words."""
    for end in range(200, len(leak), 50):
        part = leak[:end]
        found = trace(registry, part, keys=Keyring((KEY,)), engine=engine)
        if found.accused:
            break
    assert numbers(found) == [(2, "Ben")]
    assert extract_payload(engine, part, keys=[KEY]).payload is None


def test_the_same_number_in_two_versions(registry: Registry, engine: FakeEngine, leak: str) -> None:
    """If the wording does not tell which version it is, and their recipients differ, nobody is named unless asked."""
    register(registry, engine, number=2, recipients=["Ann", "Dan", "Cal"])
    report = trace(registry, leak, keys=Keyring((KEY,)), engine=engine)
    assert report.verdict == "inconclusive"
    assert any("different recipients" in note for note in report.notes)
    assert b"Ben" not in repr(report).encode()
    asked = trace(registry, leak, keys=Keyring((KEY,)), engine=engine, document_id=f"{1:016x}")
    assert numbers(asked) == [(2, "Ben")]


def test_the_same_recipient_in_two_versions(registry: Registry, engine: FakeEngine, leak: str) -> None:
    """Where all versions say the same there is nothing to doubt."""
    register(registry, engine, number=2, recipients=["Eve", "Ben", "Dan"])
    assert numbers(trace(registry, leak, keys=Keyring((KEY,)), engine=engine)) == [(2, "Ben")]
