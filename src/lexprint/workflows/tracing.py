"""From a leak to a report: which document it is of, and whose copy it was.

No model is loaded for copies whose sites are registered; only blind copies are read by one, and with their key.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from lexprint.errors import InputError, SecretError, SettingsError
from lexprint.text.span import Span
from lexprint.tracing.leak_text import find_words
from lexprint.tracing.records import LikelyDocument
from lexprint.tracing.registry import Registry
from lexprint.tracing.report import Leak, Report, report_bytes, sign, stamp
from lexprint.tracing.shingles import shingles
from lexprint.tracing.verdict import ERROR_BOUND, trace_document
from lexprint.workflows.report_contents import Traced, build_report

if TYPE_CHECKING:
    from lexprint.coding.keys import Keyring
    from lexprint.engine import Engine

CANDIDATES = 8  # documents that are compared with a leak, if so many are about equally likely: versions of one, mostly
COMPARABLE = 3  # a candidate shares at least one in so many of the passages that the likeliest one shares


def trace(
    registry: Registry,
    leak_text: str,
    *,
    error_bound: float = ERROR_BOUND,
    document_id: str | None = None,
    leak_digest: str | None = None,
    protected: Sequence[Span] = (),
    keys: Keyring | None = None,
    engine: Engine | None = None,
    at: datetime | None = None,
    authority: str | None = None,
) -> Report:
    """Find the document that a leak is of and the copy it was made from; the report is kept in the registry.

    With keys the report is signed, and blind copies can be read, for which `engine` is needed too. `leak_digest` is the
    SHA-256 of the leak's file, for reports that a court can match with it; `protected` are the parts that its format
    protects, which the marks of blind copies leave out. `authority` is the URL of a timestamp authority that is to confirm
    when the signed report was made. That no document matches, or no copy stands out, is an outcome and no error.
    """
    if not leak_text.strip():
        raise InputError("the leak is empty", needed="a text")
    if not 0.0 < error_bound < 1.0:
        raise SettingsError("error_bound", error_bound, needed="a probability between 0 and 1")
    if authority is not None and keys is None:
        raise SecretError("a report that is not signed cannot be stamped", needed="a key; run: lexprint key new")
    leak = Leak(leak_digest or _digest(leak_text), len(find_words(leak_text)))
    candidates = _candidates(registry, leak_text) if document_id is None else [LikelyDocument(document_id, 0)]
    bound = error_bound / max(1, len(candidates))  # whichever documents are tried, the bound holds for all together
    traced = [
        _traced(registry, candidate, leak_text, error_bound=bound, protected=protected, keys=keys, engine=engine)
        for candidate in candidates
    ]
    if document_id is not None:
        traced = [replace(one, shared=None) for one in traced]
    traced = _without_ambiguity(registry, traced)
    report = build_report(registry, leak, traced, error_bound=error_bound, at=at or datetime.now(UTC))
    if keys is not None:
        report = sign(report, keys.newest)
        report = report if authority is None else stamp(report, authority)
    _keep(registry, report)
    return report


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _candidates(registry: Registry, leak_text: str) -> list[LikelyDocument]:
    """Documents that share as much wording with the leak as the likeliest one, or not much less."""
    likely = registry.likely_documents(shingles(leak_text), limit=CANDIDATES)
    most = max((one.shared for one in likely), default=0)
    return [one for one in likely if one.shared * COMPARABLE >= most]


def _traced(
    registry: Registry,
    candidate: LikelyDocument,
    leak_text: str,
    *,
    error_bound: float,
    protected: Sequence[Span],
    keys: Keyring | None,
    engine: Engine | None,
) -> Traced:
    record = registry.document(candidate.document_id)
    if record.issuing == "blind":
        from lexprint.workflows.blind_tracing import trace_blind

        finding, remarks = trace_blind(
            registry, record, leak_text, error_bound=error_bound, keys=keys, engine=engine, protected=protected
        )
        return Traced(record, finding, candidate.shared, remarks)
    numbers, codewords = registry.codewords(record.id)
    finding = trace_document(leak_text, record, numbers, codewords, error_bound=error_bound)
    return Traced(record, finding, candidate.shared)


def _without_ambiguity(registry: Registry, traced: Sequence[Traced]) -> list[Traced]:
    """Blind copies of several versions carry the same numbers: one is named only if that is the same recipient in all."""
    blind = [one for one in traced if one.record.issuing == "blind" and one.finding.accused]
    recipients = {
        copy.recipient
        for one in blind
        for copy in registry.copies(one.record.id, numbers=[suspect.number for suspect in one.finding.accused])
    }
    if len(recipients) < 2:
        return list(traced)
    remark = (
        "A copy's number was found, but several documents that are as likely have a copy of that number, for different "
        "recipients: trace the leak again with --document if it is known which document it is of."
    )
    return [
        replace(one, finding=replace(one.finding, verdict="inconclusive", accused=(), ranking=()), remarks=(remark,))
        if one in blind
        else one
        for one in traced
    ]


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
