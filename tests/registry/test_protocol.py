"""What every registry promises, on SQLite and on PostgreSQL."""

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta, timezone
from itertools import count, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from tests.registry.registered import NOON, SITES, codeword, copies, document_id, file_digest, record

from lexprint.errors import InputError, RegistryError, UnknownDocument
from lexprint.registry.packing import person
from lexprint.registry.protocol import Registry, open_existing_registry, open_registry
from lexprint.registry.records import RecipientSummary
from lexprint.testing import fake_text
from lexprint.text.segmentation import segment
from lexprint.text.shingles import shingles

ROOT = Path(__file__).parent.parent.parent

# No lone surrogates, no NUL: neither can be kept in a database's text.
NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


def test_documents_come_back(registry: Registry) -> None:
    """A document and its copies are after registration what they were before."""
    registry.add_document(record(1), copies(1, 1, 3))
    assert registry.document(document_id(1)) == record(1)
    assert registry.copies(document_id(1)) == copies(1, 1, 3)
    assert registry.copies(document_id(1), numbers=[3, 1, 9]) == [*copies(1, 1, 1), *copies(1, 3, 3)]


def test_registries_last(location: str) -> None:
    """What one process closes, another finds."""
    with open_registry(location) as registry:
        registry.add_document(record(1), copies(1, 1, 2))
    with open_existing_registry(location) as registry:
        assert registry.document(document_id(1)) == record(1)
        assert registry.verify_audit() is None


def test_looking_makes_no_registry(location: str) -> None:
    """Whoever only looks is told that there is nothing."""
    with pytest.raises(RegistryError, match=r"there is no registry at .*lexprint issue"):
        open_existing_registry(location)
    if "://" not in location:
        assert not Path(location).exists()


def test_summaries_count_versions_and_copies(registry: Registry) -> None:
    """Documents of one name are versions; copies are counted when planned and when issued."""
    registry.add_document(record(1), copies(1, 1, 3))
    registry.add_document(record(2, name="other.txt"), [])
    registry.add_document(record(3), copies(3, 1, 2))
    registry.mark_issued(document_id(1), [(2, file_digest(1, 2))], NOON)
    found = [(one.id, one.version, one.planned, one.issued, one.sites) for one in registry.documents()]
    first, third = (document_id(1), 1, 3, 1, SITES), (document_id(3), 2, 2, 0, SITES)
    assert found == [first, (document_id(2), 1, 0, 0, SITES), third]
    assert [one.id for one in registry.versions("memo.docx")] == [document_id(1), document_id(3)]
    assert registry.versions("unknown") == []
    assert registry.documents()[0].words == segment(record(1).text).word_count
    assert registry.documents()[0].created_at == NOON


def test_taken_ids_are_refused(registry: Registry) -> None:
    """A second document of the same id changes nothing."""
    registry.add_document(record(1), copies(1, 1, 2))
    with pytest.raises(RegistryError, match="registered already"):
        registry.add_document(record(1, name="another"), copies(1, 3, 4))
    assert registry.document(document_id(1)) == record(1)
    assert registry.copies(document_id(1)) == copies(1, 1, 2)


def test_more_copies_of_a_known_document(registry: Registry) -> None:
    """New numbers and recipients are added; taken ones are refused, together with all that came with them."""
    registry.add_document(record(1), copies(1, 1, 2))
    registry.plan_copies(document_id(1), copies(1, 3, 5))
    assert registry.copies(document_id(1)) == copies(1, 1, 5)
    with pytest.raises(RegistryError, match="number 5 already"):
        registry.plan_copies(document_id(1), copies(1, 5, 6))
    taken = replace(copies(1, 7, 7)[0], recipient="Recipient 2")
    with pytest.raises(RegistryError, match="recipient Recipient 2 already"):
        registry.plan_copies(document_id(1), [*copies(1, 6, 6), taken])
    with pytest.raises(RegistryError, match="number 8 already"):
        registry.plan_copies(document_id(1), [*copies(1, 8, 8), replace(copies(1, 8, 8)[0], recipient="else")])
    with pytest.raises(UnknownDocument):
        registry.plan_copies(document_id(2), copies(2, 1, 1))
    assert registry.copies(document_id(1)) == copies(1, 1, 5)
    registry.plan_copies(document_id(1), [])
    assert len(registry.audit()) == 3


def test_wrong_codewords_are_our_own_bug(registry: Registry) -> None:
    """A copy has a bit for every site of its own document, and is not issued before it is planned."""
    with pytest.raises(ValueError, match="19 bits for 20 sites"):
        registry.add_document(record(1), copies(1, 1, 1, sites=SITES - 1))
    with pytest.raises(ValueError, match="not a planned copy"):
        registry.add_document(record(1), copies(2, 1, 1))
    with pytest.raises(ValueError, match="not a planned copy"):
        registry.add_document(record(1), [replace(copies(1, 1, 1)[0], issued_at=NOON)])
    assert registry.documents() == []


def test_issuing_is_said_once(registry: Registry) -> None:
    """Saying it again keeps the first time and logs nothing; another digest is refused."""
    registry.add_document(record(1), copies(1, 1, 3))
    said = [(number, file_digest(1, number)) for number in (1, 2)]
    registry.mark_issued(document_id(1), said, NOON)
    entries = registry.audit()
    registry.mark_issued(document_id(1), said, NOON + timedelta(hours=1))
    assert registry.audit() == entries
    first, second, third = registry.copies(document_id(1))
    assert (first.digest, first.issued_at, third.digest, third.issued_at) == (file_digest(1, 1), NOON, None, None)
    assert (first.is_issued, second.is_issued, third.is_issued) == (True, True, False)
    with pytest.raises(RegistryError, match=r"copy 2 .* another file"):
        registry.mark_issued(document_id(1), [(3, "c" * 64), (2, "d" * 64)], NOON)
    with pytest.raises(RegistryError, match=r"copy 4 .* never planned"):
        registry.mark_issued(document_id(1), [(3, "c" * 64), (4, "d" * 64)], NOON)
    with pytest.raises(UnknownDocument):
        registry.mark_issued(document_id(2), [(1, "c" * 64)], NOON)
    assert not registry.copies(document_id(1), numbers=[3])[0].is_issued


def test_times_come_back_in_utc(registry: Registry) -> None:
    """The same moment, whatever zone it was given in; without a zone it is refused."""
    east = NOON.astimezone(timezone(timedelta(hours=5, minutes=45)))
    registry.add_document(replace(record(1), created_at=east), [])
    found = registry.document(document_id(1)).created_at
    assert (found, found.utcoffset()) == (NOON, timedelta(0))
    with pytest.raises(ValueError, match="zone"):
        registry.add_document(replace(record(2), created_at=NOON.replace(tzinfo=None)), [])


def test_finding_what_was_interrupted(registry: Registry) -> None:
    """The newest document of the same file, issuing and fingerprint; narrower if asked."""
    wanted = {"digest": record(1).digest, "issuing": "registered", "fingerprint": record(1).fingerprint}
    assert registry.find_document(**wanted) is None  # type: ignore[arg-type]
    registry.add_document(record(1), [])
    newer = replace(record(2, name="renamed"), digest=record(1).digest)
    registry.add_document(newer, [])
    assert registry.find_document(**wanted) == newer  # type: ignore[arg-type]
    assert registry.find_document(**wanted, name="memo.docx", code="tardos") == record(1)  # type: ignore[arg-type]
    assert registry.find_document(**wanted | {"issuing": "blind"}) is None  # type: ignore[arg-type]


def test_codewords_row_by_row(registry: Registry) -> None:
    """All copies, planned or issued, in order of their numbers."""
    registry.add_document(record(1), copies(1, 5, 8))
    registry.plan_copies(document_id(1), copies(1, 1, 4))
    registry.mark_issued(document_id(1), [(2, "a" * 64)], NOON)
    numbers, codewords = registry.codewords(document_id(1))
    assert numbers == list(range(1, 9))
    assert codewords.dtype == np.uint8
    assert [tuple(row) for row in codewords] == [codeword(1, number) for number in numbers]
    with pytest.raises(UnknownDocument):
        registry.codewords(document_id(2))


@pytest.mark.parametrize(("sites", "planned"), [(0, 2), (0, 0), (SITES, 0)])
def test_blind_documents_have_no_codewords(registry: Registry, sites: int, planned: int) -> None:
    """No sites or no copies: an empty matrix of the right shape."""
    registry.add_document(record(1, sites=sites), copies(1, 1, planned, sites=sites))
    numbers, codewords = registry.codewords(document_id(1))
    assert (len(numbers), codewords.shape) == (planned, (planned, sites))
    assert registry.copies(document_id(1)) == copies(1, 1, planned, sites=sites)


def test_recipients_over_all_documents(registry: Registry) -> None:
    """One recipient is one, however many copies they were given."""
    registry.add_document(record(1), copies(1, 1, 2))
    registry.add_document(record(2), copies(2, 2, 3))
    registry.mark_issued(document_id(2), [(2, "a" * 64)], NOON)
    expected = [("Recipient 1", 1, 0), ("Recipient 2", 2, 1), ("Recipient 3", 1, 0)]
    assert registry.recipients() == [RecipientSummary(*one) for one in expected]


def test_likely_documents(registry: Registry) -> None:
    """A leaked part finds its document; wording that all documents share does not mislead it."""
    foreword = fake_text(words=200, seed=99)
    texts = [f"{foreword} {fake_text(words=300, seed=seed)}" for seed in range(6)]
    for number, text in enumerate(texts, start=1):
        registry.add_document(record(number, text=text), [])
    leak = f"{foreword.upper()} {' '.join(texts[3].split()[-80:])}"
    found = registry.likely_documents(shingles(leak), limit=3)
    assert found[0].document_id == document_id(4)
    assert len(found) == 3
    assert found[0].shared > found[1].shared > 0
    assert registry.likely_documents(shingles("Nothing of the kind was ever registered here."), limit=3) == []
    assert registry.likely_documents([], limit=3) == []


def test_documents_with_the_same_words_count_as_one(registry: Registry) -> None:
    """However many names a text bears, all of them are found, and other documents besides."""
    text, other = fake_text(words=300, seed=1), f"{fake_text(words=280, seed=1)} {fake_text(words=100, seed=2)}"
    for number in range(1, 8):
        registry.add_document(record(number, name=f"name {number}", text=text.upper() if number % 2 else text), [])
    registry.add_document(record(8, text=other), [])
    found = registry.likely_documents(shingles(text), limit=2)
    assert {one.document_id for one in found} == {document_id(number) for number in range(1, 9)}
    assert len({one.wording for one in found}) == 2
    assert len(registry.likely_documents(shingles(text), limit=1)) == 7


def test_extreme_shingles(registry: Registry) -> None:
    """Every signed number of 64 bits can be looked up."""
    assert registry.likely_documents([-(2**63), -1, 0, 1, 2**63 - 1], limit=1) == []


def test_reports_come_back(registry: Registry) -> None:
    """A report is kept character for character, with or without a document."""
    registry.add_document(record(1), [])
    registry.save_report("r1", document_id(1), '{"verdict": "one copy", "mark": "\u00a7\\u0000"}', NOON)
    registry.save_report("r2", None, "{}", NOON)
    assert registry.report("r1").text == '{"verdict": "one copy", "mark": "\u00a7\\u0000"}'
    assert (registry.report("r1").document_id, registry.report("r2").document_id) == (document_id(1), None)
    assert [(one.id, one.document_id, one.saved_at) for one in registry.reports()] == [
        ("r1", document_id(1), NOON),
        ("r2", None, NOON),
    ]
    with pytest.raises(RegistryError, match="stored already"):
        registry.save_report("r1", None, "{}", NOON)
    with pytest.raises(RegistryError, match="not stored"):
        registry.report("r3")
    with pytest.raises(UnknownDocument):
        registry.save_report("r3", document_id(2), "{}", NOON)


def test_every_write_is_logged(registry: Registry) -> None:
    """One entry for each thing done, chained, without names or text."""
    registry.add_document(record(1), copies(1, 1, 2))
    registry.plan_copies(document_id(1), copies(1, 3, 3))
    registry.mark_issued(document_id(1), [(1, "a" * 64)], NOON)
    registry.save_report("r1", document_id(1), "{}", NOON)
    entry = registry.record_event("trace made", {"document": document_id(1), "verdict": "inconclusive"})
    entries = registry.audit()
    assert [one.event for one in entries] == [
        *("document added", "copies planned", "copies planned", "copies issued", "report saved", "trace made")
    ]
    assert [one.sequence for one in entries] == [1, 2, 3, 4, 5, 6]
    assert entries[-1] == entry
    assert all(later.previous == earlier.hash for earlier, later in pairwise(entries))
    logged = " ".join(one.details for one in entries)
    assert "Recipient" not in logged
    assert record(1).text[:20] not in logged
    assert registry.verify_audit() is None


def test_reserved_events(registry: Registry) -> None:
    """Only storing a thing says that it was stored."""
    with pytest.raises(ValueError, match="logged by the method"):
        registry.record_event("copies issued", {})


def test_unknown_documents(registry: Registry) -> None:
    """The message says which, and how to see what there is."""
    with pytest.raises(UnknownDocument, match="lexprint registry list"):
        registry.document(document_id(7))
    with pytest.raises(UnknownDocument):
        registry.copies(document_id(7))


@pytest.mark.parametrize("name", ["a\0b", "half \ud83d pair"])
def test_names_that_no_database_keeps(registry: Registry, name: str) -> None:
    """Refused on both alike, so that a registry can be moved from one to the other."""
    with pytest.raises(InputError, match="name of a document"):
        registry.add_document(record(1, name=name), [])
    (copy,) = copies(1, 1, 1)
    for wrong in (replace(copy, recipient=name), replace(copy, file_name=name)):
        with pytest.raises(InputError, match="name of a"):
            registry.add_document(record(1), [wrong])
    with pytest.raises(InputError, match="a report"):
        registry.save_report("r", None, name, NOON)
    assert registry.audit() == []


_numbers: Iterator[int] = count(1)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=NAMES,
    recipients=st.lists(NAMES, unique_by=person, max_size=3),
    text=st.text() | st.text(st.sampled_from("ab \0\ud800é‐\n\r")),
    biases=st.lists(st.floats(0, 1), min_size=2, max_size=2),
)
def test_any_unicode_comes_back(
    registry: Registry, name: str, recipients: list[str], text: str, biases: list[float]
) -> None:
    """Any name that a database can keep, as it was written at first, and any text at all."""
    number = next(_numbers)
    document = replace(record(number, name=name, text=text, sites=2), biases=tuple(biases))
    planned = [
        replace(copy, recipient=recipient, file_name=recipient[::-1])
        for copy, recipient in zip(copies(number, 1, len(recipients), sites=2), recipients, strict=True)
    ]
    known = {person(one.name): one.name for one in registry.recipients()}
    registry.add_document(document, planned)
    assert registry.document(document.id) == document
    assert registry.copies(document.id) == [
        replace(copy, recipient=known.get(person(copy.recipient), copy.recipient)) for copy in planned
    ]
    assert document.id in {one.id for one in registry.versions(name)}
    assert set(map(person, recipients)) <= {person(one.name) for one in registry.recipients()}
    assert registry.verify_audit() is None


def test_threads_share_a_registry(registry: Registry) -> None:
    """Several threads write at once; nothing is lost and the log does not fork."""

    def write(number: int) -> None:
        registry.add_document(record(number), copies(number, 1, 2))
        registry.mark_issued(document_id(number), [(1, "a" * 64)], NOON)

    with ThreadPoolExecutor(max_workers=6) as pool:
        list(pool.map(write, range(1, 13)))
    assert {one.id for one in registry.documents()} == {document_id(number) for number in range(1, 13)}
    assert len(registry.audit()) == 36
    assert registry.verify_audit() is None


def run_writers(*arguments: object) -> str:
    """Processes that write at once or are killed, in an interpreter of their own: it forks."""
    command = [sys.executable, "-W", "error", "-m", "tests.registry.crashing", *map(str, arguments)]
    environment = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}"}
    finished = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def test_processes_write_at_once(location: str) -> None:
    """Three processes make the registry and write to it at once; nothing is lost and the log does not fork."""
    assert "42 steps by 3 writers" in run_writers("together", location, 3, 2)


def test_killed_writers(location: str) -> None:
    """What a killed process was told is done is there, and nothing is there by half."""
    assert "survived 4 kills" in run_writers("kill", location, 4, 1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 3])
def test_many_killed_writers(location: str, seed: int) -> None:
    """The same for sixty kills, from the making of the registry on."""
    assert "survived 60 kills" in run_writers("kill", location, 60, seed)
