"""Blind copies: traced by the number they carry, with the key, and never without."""

from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from tests.fakes import FakeEngine
from tests.tracing.masters import salts

from lexprint.coding.copy_marks import PURPOSE
from lexprint.coding.keys import Keyring, MasterKey
from lexprint.errors import AnswersDiffer
from lexprint.registry.protocol import Registry, open_registry
from lexprint.registry.records import DocumentRecord, IssuedCopy
from lexprint.reports.page import report_page
from lexprint.reports.report import Report
from lexprint.settings import Settings, SubstitutionSettings
from lexprint.testing import fake_text
from lexprint.text.editing import apply_edits
from lexprint.tracing.trace_turns import Reading
from lexprint.workflows.blind_marking import mark_copies
from lexprint.workflows.blind_tracing import BlindReader, BlindReading
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
    """Copy 2 of document 1."""
    return marked(engine, number=1, salt=salts([2])[0])


def marked(engine: FakeEngine, *, number: int, salt: bytes, text: str = MASTER) -> str:
    """A copy of that document with that salt."""
    secret = KEY.derive(PURPOSE, document=f"{number:016x}")
    (edits,) = mark_copies(engine, text, [salt], secret=secret, needed=1, recipients=1)
    return apply_edits(text, edits)


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
        canary=engine.canary,
    )
    copies = [
        IssuedCopy(document_id, one, name, (), f"memo-{one}.docx", salt=salts([one])[0])
        for one, name in enumerate(recipients, start=1)
    ]
    registry.add_document(record, copies)
    registry.mark_issued(document_id, [(copy.number, "ab" * 32) for copy in copies], DAY)


def numbers(report: Report) -> list[tuple[int, str | None]]:
    return [(copy.number, copy.recipient) for copy in report.accused]


def test_the_copy_is_named(registry: Registry, engine: FakeEngine, leak: str) -> None:
    """With the key among others; the page explains blind marks and has no pictures of sites."""
    report = trace(registry, leak, keys=Keyring((OTHER, KEY)), engine=engine)
    assert (report.verdict, numbers(report)) == ("one copy", [(2, "Ben")])
    assert report.accused[0].family_p_value <= report.error_bound
    assert report.signature is not None
    page = report_page(report)
    assert "a random number that belongs to the copy" in page
    assert "<svg" not in page


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


def test_a_machine_that_answers_otherwise_is_refused(registry: Registry, engine: FakeEngine, leak: str) -> None:
    """The record of a blind copy says what the models answered where it was marked."""
    other = FakeEngine(settings=engine.settings)
    vars(other)["canary"] = "0" * 16
    with pytest.raises(AnswersDiffer, match=r"^the models answer otherwise here .* on another machine$"):
        trace(registry, leak, keys=Keyring((KEY,)), engine=other)


def test_a_payload_of_the_key_is_no_copy(registry: Registry, engine: FakeEngine) -> None:
    """Some other use of the key accuses nobody."""
    payload = embed_payload(engine, MASTER, "ACME", key=KEY).text
    report = trace(registry, payload, keys=Keyring((KEY,)), engine=engine)
    assert report.verdict == "inconclusive"


def test_a_copy_that_is_not_registered(registry: Registry, engine: FakeEngine) -> None:
    """As after the loss of a registry: it is said to be none of those that are recorded."""
    unknown = marked(engine, number=1, salt=salts([9])[0])
    report = trace(registry, unknown, keys=Keyring((KEY,)), engine=engine)
    assert report.verdict == "inconclusive"


def test_copies_are_nothing_without_the_registry(engine: FakeEngine, leak: str) -> None:
    """Whoever has the key alone reads no payload in them."""
    assert extract_payload(engine, leak, keys=[KEY]).payload is None


def test_a_part_is_enough(registry: Registry, engine: FakeEngine, leak: str) -> None:
    """About half of the text names the copy, edited words cost little."""
    half = leak[: len(leak) * 2 // 3]
    words = half.split(" ")
    words[::29] = ["strange"] * len(words[::29])
    for part in (half, " ".join(words)):
        assert numbers(trace(registry, part, keys=Keyring((KEY,)), engine=engine)) == [(2, "Ben")]


def test_the_same_text_in_two_versions(registry: Registry, engine: FakeEngine, leak: str) -> None:
    """Copies of the same number in another document have other marks: the right one is named."""
    register(registry, engine, number=2, recipients=["Eve", "Dan", "Cal"])
    report = trace(registry, leak, keys=Keyring((KEY,)), engine=engine)
    assert (numbers(report), report.documents) == ([(2, "Ben")], 2)
    assert report.document is not None
    assert report.document.id == f"{1:016x}"
    other = marked(engine, number=2, salt=salts([2])[0])
    assert numbers(trace(registry, other, keys=Keyring((KEY,)), engine=engine)) == [(2, "Dan")]


def test_two_who_mix_their_copies(registry: Registry, engine: FakeEngine, leak: str) -> None:
    """Sentences of two copies in turn: both are named, or one of them, and nobody else."""
    other = marked(engine, number=1, salt=salts([3])[0])
    pieces = [pair[index % 2] for index, pair in enumerate(zip(leak.split(". "), other.split(". "), strict=True))]
    named = {name for _, name in numbers(trace(registry, ". ".join(pieces), keys=Keyring((KEY,)), engine=engine))}
    assert named <= {"Ben", "Cal"}


def test_texts_of_one_short_hash_are_two_questions() -> None:
    """Whoever finds two texts whose hashes begin alike, which takes a second, gets no second answer for one turn."""
    seen: dict[bytes, str] = {}
    for number in range(1 << 20):
        text = f"A leak, {number}"
        if (other := seen.setdefault(blake2b(text.encode(), digest_size=4).digest(), text)) != text:
            break
    readings = [
        BlindReading(cast(BlindReader, SimpleNamespace(leak_text=one)), (), (), 1.0, 0.0) for one in (text, other)
    ]
    assert len({Reading.of(one.marks).digest for one in readings}) == 2
