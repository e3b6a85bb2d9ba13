"""From a leak to a report: which document it is of, and whose copy it was.

No model is loaded for copies whose sites are registered; only blind copies are read by one, and with their key. What is read
in a leak depends on the leak and the document alone; how well copies agree with it is told only of those that are named.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from lexprint.errors import InputError, SecretError, SettingsError
from lexprint.registry.protocol import Registry
from lexprint.registry.records import DocumentRecord
from lexprint.reports.contents import Traced, build_report
from lexprint.reports.report import Leak, Report
from lexprint.reports.signed_file import report_bytes, sign, stamp
from lexprint.text.segmentation import segment
from lexprint.text.span import Span
from lexprint.tracing.finding import Candidates, find_candidates
from lexprint.tracing.leads import Lead, lead_of
from lexprint.tracing.trace_turns import Mark, Reading, next_turn, share_of_turn, take_turn
from lexprint.tracing.verdict import ERROR_BOUND, Finding, Shown, Suspect, judge, observe
from lexprint.workflows.unaltered import require_unaltered

if TYPE_CHECKING:
    from lexprint.coding.keys import Keyring
    from lexprint.engine import Engine
    from lexprint.workflows.blind_tracing import BlindReader


def trace(
    registry: Registry,
    leak_text: str,
    *,
    error_bound: float | None = None,
    document_id: str | None = None,
    leak_digest: str | None = None,
    protected: Sequence[Span] = (),
    remarks: Sequence[str] = (),
    keys: Keyring | None = None,
    engine: Engine | Callable[[], Engine] | None = None,
    at: datetime | None = None,
    authority: str | None = None,
) -> Report:
    """Find the document that a leak is of and the copy it was made from; the report is kept in the registry.

    With keys the report is signed, and blind copies can be read, for which `engine` is needed too, or what makes one. `leak_digest` is the
    SHA-256 of the leak's file, for reports that a court can match with it; `protected` are the parts that its format
    protects, which the marks of blind copies leave out, and `remarks` what a reader of the report should know of how the
    file was read. `authority` is the URL of a timestamp authority that is to confirm
    when the signed report was made. That no document matches, or no copy stands out, is an outcome and no error. Before anybody is
    named, the records of the document are held against the audit log.

    Without `error_bound`, it is what was promised when the document was issued; where several documents are compared, the
    least of their promises: nobody loosens the bound of a document by registering another one beside it.

    The bound holds for all copies of all documents that are compared, and for all leaks of a document that are ever traced
    with it, together.
    """
    if error_bound is not None and not 0.0 < error_bound < 1.0:
        raise SettingsError("error_bound", error_bound, needed="a probability between 0 and 1")
    if authority is not None and keys is None:
        raise SecretError("a report that is not signed cannot be stamped", needed="a key; run: lexprint key new")
    at = at or datetime.now(UTC)
    tracer = _tracer(registry, leak_text, protected=protected, keys=keys, engine=engine)
    candidates, questions = _questions(tracer, document_id)
    if error_bound is None:
        error_bound = min((one.record.error_bound for one in questions), default=ERROR_BOUND)
    in_all = sum(len(one.numbers) for one in questions)
    traced = []
    for question in questions:
        bound = error_bound * len(question.numbers) / max(in_all, 1)  # every copy has the same part of it
        turn = None
        if question.may_accuse(bound * share_of_turn(1)):
            turn = take_turn(registry, question.record.id, question.reading, compared=len(question.numbers), at=at)
        share = turn.share if turn else share_of_turn(next_turn(registry, question.record.id))
        finding = question.judged(bound * share)
        traced.append(Traced(question.record, finding, question.shared, turn, question.remarks))
    leak = Leak(leak_digest or _digest(leak_text), segment(leak_text).word_count)
    report = build_report(
        registry, leak, traced, candidates.left_out, error_bound=error_bound, at=at, remarks=tuple(remarks)
    )
    if report.document is not None and report.accused:
        require_unaltered(registry, report.document.id)
    if keys is not None:
        report = sign(report, keys.newest)
        report = report if authority is None else stamp(report, authority)
    _keep(registry, report)
    return report


@dataclass(frozen=True)
class Ranking:
    """The copies that agree best with a leak, and what the first of them is worth."""

    copies: tuple[Suspect, ...]
    lead: Lead


def rank_copies(
    registry: Registry,
    leak_text: str,
    *,
    document_id: str,
    protected: Sequence[Span] = (),
    keys: Keyring | None = None,
    engine: Engine | Callable[[], Engine] | None = None,
) -> Ranking:
    """How well the copies of a document agree with a leak, best first, named or not; and what that is worth.

    For those who hold the registry anyway: whoever may ask this can write a text that points to any copy. It accuses nobody,
    is in no report, and is logged.
    """
    tracer = _tracer(registry, leak_text, protected=protected, keys=keys, engine=engine)
    question = tracer.question(document_id, shared=None)
    registry.record_event("copies ranked", {"document": document_id, "leak": _digest(leak_text)})
    bound = question.record.error_bound * share_of_turn(next_turn(registry, document_id))
    finding = question.judged(bound)
    best = [one.number for one in finding.ranking[:1]]
    codeword = [symbol for copy in registry.copies(document_id, numbers=best) for symbol in copy.codeword]
    return Ranking(finding.ranking, lead_of(finding, question.shown, codeword, error_bound=bound))


@dataclass(frozen=True)
class _Question:
    """A document that a leak is compared with, and what the leak shows of it."""

    record: DocumentRecord
    numbers: Sequence[int]  # of its copies
    reading: Reading
    shown: Shown | None  # None: nothing could be read, for want of a key
    judged: Callable[[float], Finding]  # by the error bound
    shared: int | None  # passages; None: the user named the document
    remarks: tuple[str, ...] = ()

    def may_accuse(self, bound: float) -> bool:
        """Whether a copy that agrees everywhere would be named; if not, asking is no risk to anybody."""
        return self.shown is not None and len(self.numbers) * self.shown.least_p_value <= bound


@dataclass(frozen=True)
class _Tracer:
    """A leak, and with what it is read."""

    registry: Registry
    leak_text: str
    keys: Keyring | None
    protected: Sequence[Span]
    engine: Engine | Callable[[], Engine] | None  # None: there is none at hand

    @cached_property
    def reader(self) -> BlindReader:
        """Models are loaded when a blind copy is to be read, and else not even their code."""
        from lexprint.workflows.blind_tracing import BlindReader

        assert self.engine is not None
        engine = self.engine() if callable(self.engine) else self.engine
        return BlindReader(engine, self.leak_text, self.protected)

    def question(self, document_id: str, *, shared: int | None) -> _Question:
        record = self.registry.document(document_id)
        return (self._blind if record.issuing == "blind" else self._registered)(record, shared)

    def _registered(self, record: DocumentRecord, shared: int | None) -> _Question:
        numbers, codewords = self.registry.codewords(record.id)
        observed = observe(self.leak_text, record)
        marks = (Mark(one.site, one.symbol, one.is_doubtful) for one in observed.observations if one.symbol is not None)
        return _Question(
            record,
            numbers,
            Reading.of(marks),
            Shown.of(observed, record),
            lambda bound: judge(observed, record, numbers, codewords, error_bound=bound),
            shared,
        )

    def _blind(self, record: DocumentRecord, shared: int | None) -> _Question:
        from lexprint.workflows.blind_tracing import judge_blind, nothing_read

        copies = self.registry.copies(record.id)
        numbers = [copy.number for copy in copies]
        key = next((key for key in self.keys or () if key.id == record.key_id), None)
        if key is None or self.engine is None:
            remark = f"Its copies are blind: their mark is read with master key {record.key_id}, which is not at hand."
            unread = nothing_read(record, len(copies))
            return _Question(record, numbers, Reading.of(()), None, unread, shared, (remark,))
        read, found = self.reader.read(record), key
        return _Question(
            record,
            numbers,
            Reading.of(read.marks),
            read.shown,
            lambda bound: judge_blind(read, record, copies, key=found, error_bound=bound),
            shared,
        )


def _tracer(
    registry: Registry,
    leak_text: str,
    *,
    protected: Sequence[Span],
    keys: Keyring | None,
    engine: Engine | Callable[[], Engine] | None,
) -> _Tracer:
    if not leak_text.strip():
        raise InputError("the leak is empty", needed="a text")
    return _Tracer(registry, leak_text, keys, protected, engine)


def _questions(tracer: _Tracer, document_id: str | None) -> tuple[Candidates, list[_Question]]:
    if document_id is not None:
        return Candidates(()), [tracer.question(document_id, shared=None)]
    candidates = find_candidates(tracer.registry, tracer.leak_text)
    return candidates, [tracer.question(one.document_id, shared=one.shared) for one in candidates.documents]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _keep(registry: Registry, report: Report) -> None:
    document_id = None if report.document is None else report.document.id
    registry.record_event(
        "leak traced",
        {
            "report": report.id,
            "leak": report.leak.digest,
            "document": document_id,
            "verdict": report.verdict,
            "accused": [copy.number for copy in report.accused],
        },
    )
    registry.save_report(report.id, document_id, report_bytes(report).decode(), report.made_at)
