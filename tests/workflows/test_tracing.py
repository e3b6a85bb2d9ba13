"""Tracing: from a leak to a report that is kept, whatever the leak is."""

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from tests.tracing.masters import copy_of, edited, excerpt, make_record, make_text, salts
from tests.workflows.leaks import issue

from lexprint.coding.codewords import codewords
from lexprint.coding.keys import Keyring, MasterKey
from lexprint.errors import InputError, SettingsError, UnknownDocument
from lexprint.registry.protocol import Registry, open_registry
from lexprint.registry.records import IssuedCopy
from lexprint.reports.signed_file import read_report, report_bytes, require_signer
from lexprint.text.pairs import Figures
from lexprint.workflows.tracing import trace

AT = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)
OLD, NEW = (MasterKey(bytes([one] * 32), created_at=AT) for one in (1, 2))
UNRELATED = make_text(400, random.Random(99))


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    """An empty registry in a file."""
    with open_registry(str(tmp_path / "registry.db")) as opened:
        yield opened


def test_the_right_copy_is_named(registry: Registry) -> None:
    """With its recipient, the date, an exact chance of error and evidence for every site that can be read."""
    issued = issue(registry)
    leak = edited(issued.copy(17), random.Random(1), share=0.05)
    report = trace(registry, leak, at=AT)
    (accused,) = report.accused
    assert (report.verdict, accused.number, accused.recipient) == ("one copy", 17, "Recipient 17")
    assert accused.issued_at == datetime(2026, 2, 3, 12, 0, tzinfo=UTC)
    assert accused.family_p_value <= report.error_bound == Decimal("1E-6")
    assert report.document is not None
    assert (report.document.id, report.document.name, report.document.version) == (issued.record.id, "memo.docx", 1)
    assert (report.made_at, report.leak.digest) == (AT, sha256(leak.encode()).hexdigest())
    assert (report.compared, report.compared_in_all, report.turn) == (50, 50, 1)
    assert report.matches_needed is not None
    assert report.matches_needed <= accused.matches
    assert len(report.evidence) == report.readable <= len(issued.record.sites)
    assert report.notes == ()
    assert 0 < report.edited_share < Decimal("0.2")


def test_evidence_has_the_acceptance_of_each_word(registry: Registry) -> None:
    """As it was registered; none where it is not known, for a report claims nothing else."""
    made = make_record(600)
    known = replace(made.sites[0], figures=(Figures(0.97, 0.91239),))
    record = replace(made, id="a" * 16, sites=(known, *made.sites[1:]))
    rows = codewords(b"secret", salts([1]), np.array(record.biases))
    registry.add_document(record, [IssuedCopy(record.id, 1, "Ada", tuple(map(int, rows[0])), "memo.docx")])
    evidence = trace(registry, copy_of(record, rows[0])).evidence
    assert [one.acceptances for one in evidence[:2]] == [(Decimal("0.9124"),), ()]


def test_evidence_is_true(registry: Registry) -> None:
    """Each entry says what stands in the master, in the leak and in the copy."""
    issued = issue(registry)
    leak = issued.copy(17)
    report = trace(registry, leak)
    for evidence, site, bit in zip(report.evidence, issued.record.sites, issued.codewords[16], strict=True):
        assert (evidence.symbol, evidence.given) == (bit, (site.words[bit],))
        assert evidence.seen == site.words[bit]
        assert issued.record.text[evidence.offset :].startswith(evidence.word)
        whole = f"{evidence.before}{evidence.word}{evidence.after}"
        assert whole in " ".join(issued.record.text.split())
    assert report.accused[0].matches == report.readable == len(report.evidence)


def test_only_the_accused_are_named(registry: Registry) -> None:
    """The report speaks of nobody else."""
    issued = issue(registry)
    report = trace(registry, issued.copy(17))
    assert report_bytes(report).count(b"Recipient") == 1


def test_an_unrelated_text(registry: Registry) -> None:
    """No document is an outcome, and it is kept as well."""
    issue(registry)
    report = trace(registry, UNRELATED)
    assert (report.verdict, report.document, report.accused) == ("no document", None, ())
    assert registry.report(report.id).document_id is None


def test_an_empty_registry(registry: Registry) -> None:
    """Nothing to compare with: no document."""
    assert trace(registry, UNRELATED).verdict == "no document"


def test_a_few_common_passages_are_no_document(registry: Registry) -> None:
    """Wording that any text may share does not make it a leak."""
    issued = issue(registry)
    phrase = " ".join(issued.record.text.split()[100:105])
    assert trace(registry, f"{UNRELATED} {phrase}").verdict == "no document"


def test_an_unmarked_text(registry: Registry) -> None:
    """The master itself accuses nobody, and the report says what it seems to be."""
    issued = issue(registry)
    report = trace(registry, issued.record.text)
    assert (report.verdict, report.accused) == ("inconclusive", ())
    assert report.document is not None
    assert any("may come from the master itself" in note for note in report.notes)


def test_a_copy_that_was_never_issued(registry: Registry) -> None:
    """Another row of coins accuses nobody, and is not taken for the master."""
    issued = issue(registry)
    report = trace(registry, replace(issued, codewords=1 - issued.codewords).copy(3))
    assert report.verdict == "inconclusive"
    assert not any("master" in note for note in report.notes)


def test_too_little_is_left(registry: Registry) -> None:
    """A short excerpt names nobody and says how many marked words would be needed."""
    issued = issue(registry)
    report = trace(registry, excerpt(issued.copy(17), random.Random(2), words=60))
    assert report.verdict == "inconclusive"
    assert report.matches_needed is None
    assert any("about 27 are needed" in note for note in report.notes)


def test_an_older_version(registry: Registry) -> None:
    """The leak is of version 1 though version 2 is nearly the same text; its copies are compared too."""
    first = issue(registry, number=1)
    changed = first.record.text.replace(". ", ". Moreover, ", 2)
    second = issue(registry, number=2, text=changed)
    report = trace(registry, first.copy(9))
    assert report.document is not None
    assert (report.document.id, report.document.version, report.accused[0].number) == (first.record.id, 1, 9)
    assert any(note.startswith("Leak of an older version: it is of version 1, and version 2") for note in report.notes)
    assert any(second.record.id in note for note in report.notes)
    newer = trace(registry, second.copy(9))
    assert newer.document is not None
    assert (newer.document.version, newer.accused[0].number) == (2, 9)
    assert not any("older version" in note for note in newer.notes)


def test_the_bound_holds_for_all_documents_together(registry: Registry) -> None:
    """With two documents tried, each copy has its part of the bound, and the stated chance is that of all."""
    first = issue(registry, number=1)
    alone = trace(registry, first.copy(9))
    issue(registry, number=2, text=first.record.text)
    both = trace(registry, first.copy(9))
    assert both.accused[0].p_value == alone.accused[0].p_value
    assert both.accused[0].family_p_value >= Decimal("1.9") * alone.accused[0].family_p_value
    assert (both.error_bound, both.documents, alone.documents) == (alone.error_bound, 2, 1)
    assert (both.compared_in_all, alone.compared_in_all) == (100, 50)
    tight = 1.5 * float(alone.accused[0].family_p_value)
    assert trace(registry, first.copy(9), error_bound=tight, document_id=first.record.id).verdict == "one copy"
    assert trace(registry, first.copy(9), error_bound=tight).verdict == "inconclusive"


def test_two_documents_in_one_leak(registry: Registry) -> None:
    """The surer one is reported, the other one mentioned, with what to do."""
    first = issue(registry, number=1, words=800)
    second = issue(registry, number=2, name="minutes.docx", words=600)
    report = trace(registry, f"{first.copy(5)}\n\n{second.copy(6)}")
    assert report.document is not None
    assert (report.document.id, report.accused[0].number) == (first.record.id, 5)
    assert any(f"--document {second.record.id}" in note for note in report.notes)
    other = trace(registry, f"{first.copy(5)}\n\n{second.copy(6)}", document_id=second.record.id)
    assert [copy.number for copy in other.accused] == [6]


def test_several_copies(registry: Registry) -> None:
    """Two colluders under a code made for them; each column of the evidence is one of them."""
    issued = issue(registry, code="tardos", words=3_000)
    report = trace(registry, issued.mixed_from([11, 22]))
    assert report.verdict == "several copies"
    assert {copy.number for copy in report.accused} == {11, 22}
    assert report.matches_needed is None
    for place, copy in enumerate(report.accused):
        row = issued.codewords[copy.number - 1]
        words = [site.words[bit] for site, bit in zip(issued.record.sites, row, strict=True)]
        given = [(words[evidence.site - 1], evidence.given[place]) for evidence in report.evidence]
        told = [(word, shown) for word, shown in given if shown is not None]
        assert len(told) > 0.3 * len(words)
        assert all(word == shown for word, shown in told)


def test_a_copy_that_was_only_planned(registry: Registry) -> None:
    """Its file may exist though the process was killed before it said so."""
    issued = issue(registry)
    report = trace(registry, issued.copy(50))
    assert (report.accused[0].number, report.accused[0].issued_at) == (50, None)
    assert any("Copy 50 was planned" in note for note in report.notes)


def test_signed_by_the_newest_key(registry: Registry) -> None:
    """And kept as it was signed, character for character."""
    issued = issue(registry)
    report = trace(registry, issued.copy(17), keys=Keyring((NEW, OLD)))
    require_signer(report, [NEW.public_key.fingerprint], name="it")
    assert read_report(registry.report(report.id).text.encode()) == report
    assert trace(registry, issued.copy(17)).signature is None


def test_every_trace_is_logged(registry: Registry) -> None:
    """Which leak, which document, which verdict and copies; the chain of the log holds."""
    issued = issue(registry)
    named, unnamed = trace(registry, issued.copy(17)), trace(registry, UNRELATED)
    traced = [json.loads(entry.details) for entry in registry.audit() if entry.event == "leak traced"]
    assert [(one["report"], one["document"], one["accused"]) for one in traced] == [
        (named.id, issued.record.id, [17]),
        (unnamed.id, None, []),
    ]
    assert traced[0]["leak"] == named.leak.digest
    assert registry.verify_audit() is None
    assert [one.id for one in registry.reports()] == [named.id, unnamed.id]


def test_the_digest_of_the_file(registry: Registry) -> None:
    """Where there is a file, its digest is reported and not that of its text."""
    assert trace(registry, UNRELATED, leak_digest="ab" * 32).leak.digest == "ab" * 32


@pytest.mark.parametrize("error_bound", [0.0, 1.0, -1e-6, float("nan")])
def test_impossible_bounds(registry: Registry, error_bound: float) -> None:
    """A bound is a probability."""
    with pytest.raises(SettingsError, match="error_bound"):
        trace(registry, UNRELATED, error_bound=error_bound)


def test_what_cannot_be_traced(registry: Registry) -> None:
    """An empty leak, and a document that is not there; nothing is kept of it."""
    with pytest.raises(InputError, match="empty"):
        trace(registry, " \n")
    with pytest.raises(UnknownDocument):
        trace(registry, UNRELATED, document_id="f" * 16)
    assert registry.reports() == []


def test_any_characters_can_be_reported(registry: Registry) -> None:
    """Half of a surrogate pair, NUL and look-alikes in a leak do no harm."""
    issued = issue(registry)
    words = issued.copy(17).split(" ")
    words[::40] = ["\ud800\x00\u202e<b>"] * len(words[::40])
    report = trace(registry, " ".join(words))
    assert report.accused[0].number == 17
    assert read_report(registry.report(report.id).text.encode()) == report
