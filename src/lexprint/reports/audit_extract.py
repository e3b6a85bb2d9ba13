"""What the audit log says of a report and its document, for those who have the report and not the registry.

It goes on to the moment at which it is made: who traced the leak, and what became of the report, is known only after it was saved. Of
tokens that did something in it, it tells who made them. What the log says of single copies that the report does not name is left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import pairwise
from typing import Any

import msgspec

from lexprint.errors import RegistryError, ReportError
from lexprint.registry.audit import (
    CASE_DOWNLOADED,
    CASE_MADE,
    REPORT_SAVED,
    TOKEN_CREATED,
    TOKEN_REVOKED,
    is_unchanged,
    report_digest,
)
from lexprint.registry.records import AuditEntry
from lexprint.reports.report import Report
from lexprint.reports.signatures import canonical_json
from lexprint.reports.signed_file import report_bytes

_OF_TOKENS = (TOKEN_CREATED, TOKEN_REVOKED)
_OF_CASES = (CASE_MADE, CASE_DOWNLOADED)  # which say nothing of the leak, and would make each case another one


def extract_bytes(entries: Iterable[AuditEntry], report: Report) -> bytes:
    """The extract as a file; `entries` are the log from its beginning."""
    extract = _selected(list(entries), report)
    if not any(_is_of_saving(entry, report) for entry in extract):
        raise RegistryError(f"report {report.id} is not in the audit log; run: lexprint registry verify")
    return canonical_json([asdict(one) for one in extract]) + b"\n"


def require_extract(content: bytes, report: Report, *, name: str) -> list[AuditEntry]:
    """The entries; refuses what cannot be the extract for this report: each is as it was hashed, and one saved this report."""
    try:
        extract = msgspec.convert(json.loads(content), list[AuditEntry])
        is_fitting = (
            content == canonical_json([asdict(one) for one in extract]) + b"\n"
            and all(is_unchanged(entry) for entry in extract)
            and _selected(extract, report) == extract
            and _is_in_order(extract)
            and [_is_of_saving(entry, report) for entry in extract].count(True) == 1
        )
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError, msgspec.ValidationError):
        is_fitting = False
    if not is_fitting:
        raise ReportError(f"the audit extract in {name} does not fit the report; needed: the case as it was made")
    return extract


def _selected(entries: Sequence[AuditEntry], report: Report) -> list[AuditEntry]:
    """Those of the report and its document, and how the tokens that they speak of came about; in order."""
    about = [_is_about(entry, report) for entry in entries]
    tokens = {
        json.loads(entry.details).get("token") for entry, is_about in zip(entries, about, strict=True) if is_about
    }
    selected: list[AuditEntry] = []
    for entry, is_about in zip(reversed(entries), reversed(about), strict=True):  # a token is younger than its maker's
        details: dict[str, Any] = json.loads(entry.details) if entry.event in _OF_TOKENS else {}
        is_of_token = details.get("token") in tokens and bool(details)
        if is_of_token:
            tokens.add(details.get("by", {}).get("token"))
        if is_about or is_of_token:
            selected.append(entry)
    return selected[::-1]


def _is_in_order(extract: Sequence[AuditEntry]) -> bool:
    return all(
        one.sequence < other.sequence and (one.sequence + 1 < other.sequence or other.previous == one.hash)
        for one, other in pairwise(extract)
    )


def _is_about(entry: AuditEntry, report: Report) -> bool:
    """Of the report or its document; of copies, only where one that is named is among them."""
    details: dict[str, Any] = json.loads(entry.details)
    if entry.event in _OF_CASES:
        return False
    ranges = _copies_in(details)
    if ranges and not any(low <= copy.number <= high for low, high in ranges for copy in report.accused):
        return False
    is_of_document = report.document is not None and details.get("document") == report.document.id
    return is_of_document or details.get("report") == report.id


def _copies_in(details: Mapping[str, Any]) -> list[list[int]]:
    """Ranges of the copies that an entry speaks of: those it is about, or those that some report names."""
    if "numbers" in details:
        return list(details["numbers"])
    named = [details["number"]] if "number" in details else details.get("accused", ())
    return [[one, one] for one in named]


def _is_of_saving(entry: AuditEntry, report: Report) -> bool:
    if entry.event != REPORT_SAVED:
        return False
    details = json.loads(entry.details)
    return (details["report"], details["sha256"]) == (report.id, report_digest(report_bytes(report).decode()))
