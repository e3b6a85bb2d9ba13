"""What the audit log says of a report and its document, for those who have the report and not the registry.

It ends with the entry that says that the report was saved, so the same report always has the same extract. What the log says
of single copies that the report does not name is left out, and the log holds no names of people.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import pairwise
from typing import Any

import msgspec

from lexprint.errors import RegistryError, ReportError
from lexprint.registry.audit import REPORT_SAVED, is_unchanged, report_digest
from lexprint.registry.records import AuditEntry
from lexprint.reports.report import Report
from lexprint.reports.signatures import canonical_json
from lexprint.reports.signed_file import report_bytes


def extract_bytes(entries: Iterable[AuditEntry], report: Report) -> bytes:
    """The extract as a file; `entries` are the log from its beginning."""
    extract: list[AuditEntry] = []
    for entry in entries:
        if _is_about(entry, report):
            extract.append(entry)
        if _is_of_saving(entry, report):
            return canonical_json([asdict(one) for one in extract]) + b"\n"
    raise RegistryError(f"report {report.id} is not in the audit log; run: lexprint registry verify")


def require_extract(content: bytes, report: Report, *, name: str) -> None:
    """Refuse what cannot be the extract for this report: each entry is as it was hashed, and the last saved this report."""
    try:
        extract = msgspec.convert(json.loads(content), list[AuditEntry])
        is_fitting = (
            bool(extract)
            and content == canonical_json([asdict(one) for one in extract]) + b"\n"
            and all(is_unchanged(entry) and _is_about(entry, report) for entry in extract)
            and _is_in_order(extract)
            and [_is_of_saving(entry, report) for entry in extract].index(True) == len(extract) - 1
        )
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError, msgspec.ValidationError):
        is_fitting = False
    if not is_fitting:
        raise ReportError(f"the audit extract in {name} does not fit the report; needed: the case as it was made")


def _is_in_order(extract: Sequence[AuditEntry]) -> bool:
    return all(
        one.sequence < other.sequence and (one.sequence + 1 < other.sequence or other.previous == one.hash)
        for one, other in pairwise(extract)
    )


def _is_about(entry: AuditEntry, report: Report) -> bool:
    """Of the report or its document; of single copies, only those that are named."""
    details: dict[str, Any] = json.loads(entry.details)
    number = details.get("number")
    if number is not None and number not in [copy.number for copy in report.accused]:
        return False
    is_of_document = report.document is not None and details.get("document") == report.document.id
    return is_of_document or details.get("report") == report.id


def _is_of_saving(entry: AuditEntry, report: Report) -> bool:
    if entry.event != REPORT_SAVED:
        return False
    details = json.loads(entry.details)
    return (details["report"], details["sha256"]) == (report.id, report_digest(report_bytes(report).decode()))
