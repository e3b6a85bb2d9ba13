"""What people made of a report: its status and their notes, in order; nothing of it is in the report, which is signed.

Each is in the audit log by its digest, so that a status that was changed behind the log is noticed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias, cast, get_args

from lexprint.errors import InputError, RegistryError
from lexprint.registry.audit import REPORT_REVIEWED, review_digest, time_text
from lexprint.registry.packing import require_storable
from lexprint.registry.protocol import Registry

Status: TypeAlias = Literal["open", "confirmed", "dismissed"]
STATUSES: tuple[Status, ...] = get_args(Status)
LONGEST_NOTE = 10_000  # characters


@dataclass(frozen=True, slots=True)
class Review:
    """A status from some moment on, and why."""

    report_id: str
    number: int  # 1, 2, ... of the report
    status: Status
    note: str
    at: datetime


def status_of(reviews: Sequence[Review]) -> Status:
    """The last one of a report; one that nobody looked at is open."""
    return reviews[-1].status if reviews else "open"


def read_status(text: str) -> Status:
    if text not in STATUSES:
        raise InputError(f"{text} is no status", needed=f"one of {', '.join(STATUSES)}")
    return text


def reviews(registry: Registry) -> dict[str, list[Review]]:
    """Those of all reports that have any, the oldest first."""
    found: dict[str, list[Review]] = {}
    with registry.reading() as statements:
        rows = statements.rows("SELECT report_id, number, status, note, at FROM reviews ORDER BY report_id, number")
    for row in rows:
        found.setdefault(row["report_id"], []).append(Review(**{**row, "at": datetime.fromisoformat(row["at"])}))
    return found


def add_review(registry: Registry, report_id: str, *, status: Status | None = None, note: str = "") -> Review:
    """Say what became of a report, or add a note and leave the status as it is."""
    require_storable("the note", note)
    if status is None and not note.strip():
        raise InputError("neither a status nor a note was given", needed="one of them")
    if len(note) > LONGEST_NOTE:
        raise InputError(f"the note has {len(note):,} characters", needed=f"at most {LONGEST_NOTE:,}")
    at = datetime.now(UTC)
    with registry.writing() as statements:
        if not statements.rows("SELECT id FROM reports WHERE id = :id", id=report_id):
            raise RegistryError(f"report {report_id} is not stored; run: lexprint report list")
        before = statements.rows(
            "SELECT number, status FROM reviews WHERE report_id = :id ORDER BY number DESC LIMIT 1", id=report_id
        )
        number = before[0]["number"] + 1 if before else 1
        status = status or (before[0]["status"] if before else "open")
        kept: dict[str, Any] = {
            "report_id": report_id,
            "number": number,
            "status": status,
            "note": note,
            "at": time_text(at),
        }
        statements.change(
            "INSERT INTO reviews (report_id, number, status, note, at) "
            "VALUES (:report_id, :number, :status, :note, :at)",
            **kept,
        )
        details = {"report": report_id, "review": number, "status": status}
        statements.log(REPORT_REVIEWED, details | {"sha256": review_digest(**kept)})
    return Review(report_id, number, cast(Status, status), note, at)
