"""What became of a report: a status and notes, which are no part of what was signed."""

from __future__ import annotations

from lexprint.errors import InputError
from lexprint.registry.protocol import Registry
from lexprint.registry.reviews import Review, Status, add_review
from lexprint.reports.report import Report


def review_report(registry: Registry, report: Report, *, status: Status | None = None, note: str = "") -> Review:
    """Keep a note or a status; only a signed report that names a copy can be confirmed."""
    if status == "confirmed" and (not report.accused or report.signature is None):
        why = "is not signed" if report.accused else "names no copy, so there is nothing to confirm"
        raise InputError(f"report {report.id} {why}", needed="another status")
    return add_review(registry, report.id, status=status, note=note)
