"""What e-discovery asks for, as CSV: which copies were issued, to whom and when, and the log of all that was done.

Neither keys nor texts nor codewords are in it. The same registry gives the same bytes.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from datetime import datetime

from lexprint.registry.audit import time_text
from lexprint.registry.protocol import Registry
from lexprint.registry.records import BrokenEntry

COPIES, LOG, VERIFICATION = "copies.csv", "custody-log.csv", "verification.csv"

_FORMULAS = ("=", "+", "-", "@", "\t", "\r")  # what makes a spreadsheet take a cell for a formula


def custody_files(registry: Registry, broken: BrokenEntry | None, *, is_sealed: bool) -> dict[str, bytes]:
    """The files by name; `broken` is what the check of the log found, `is_sealed` whether it was made with the owner's key."""
    copies = [
        (
            document.id,
            document.name,
            document.version,
            document.digest,
            copy.number,
            copy.recipient,
            copy.file_name,
            _time(copy.issued_at),
            copy.digest or "",
        )
        for document in sorted(registry.documents(), key=lambda document: (document.created_at, document.id))
        for copy in registry.copies(document.id)
        if copy.is_issued
    ]
    entries = registry.audit()
    log = [(one.sequence, one.at, one.event, one.details, one.previous, one.hash) for one in entries]
    checked = [
        ("the log holds", "no" if broken else "yes"),
        ("checked with the owner's key", "yes" if is_sealed else "no"),
        ("entries", len(entries)),
        ("last hash", entries[-1].hash if entries else ""),
        ("first entry that does not hold", broken.sequence if broken else ""),
        ("reason", broken.reason if broken else ""),
    ]
    header = "document name version document_sha256 copy recipient file issued_at sha256".split()
    return {
        COPIES: _csv(header, copies),
        LOG: _csv("entry at event details previous_hash hash".split(), log),
        VERIFICATION: _csv(["check", "result"], checked),
    }


def _csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """As RFC 4180 has it, in UTF-8; no cell begins like a formula."""
    target = io.StringIO(newline="")
    writer = csv.writer(target, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return target.getvalue().encode("utf-8", "replace")


def _cell(value: object) -> str:
    text = str(value)
    return f"'{text}" if text.startswith(_FORMULAS) else text


def _time(at: datetime | None) -> str:
    return "" if at is None else time_text(at)
