"""The audit log: each entry's hash covers the entry before it, so nothing can be changed or left out unnoticed.

Entries hold digests of what was stored, hence a changed codeword or report is noticed too. Names of recipients are only in
those digests: the log is never pruned. Whoever can rewrite the whole database can rewrite the log; keep its last hash elsewhere.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, TypeAlias

from lexprint.tracing.records import AuditEntry, BrokenEntry, DocumentRecord

DOCUMENT_ADDED = "document added"
COPIES_PLANNED = "copies planned"
COPIES_ISSUED = "copies issued"
REPORT_SAVED = "report saved"
STORED_EVENTS = (DOCUMENT_ADDED, COPIES_PLANNED, COPIES_ISSUED, REPORT_SAVED)  # those that speak of stored things

BEGINNING = "0" * 64  # what the first entry has for the hash before it

Details: TypeAlias = Mapping[str, Any]
DigestOf: TypeAlias = Callable[[str, Details], str]  # of what is stored now of what an event's details speak of


def next_entry(last: tuple[int, str] | None, *, at: datetime, event: str, details: Mapping[str, object]) -> AuditEntry:
    """The entry after the one with this sequence and hash, or the first."""
    sequence, previous = last or (0, BEGINNING)
    fields = (sequence + 1, time_text(at), event, canonical_json(details), previous)
    return AuditEntry(*fields, hash=_hash(*fields))


def first_broken(
    entries: Iterable[AuditEntry], *, digest_of: DigestOf, stored: Mapping[str, int]
) -> BrokenEntry | None:
    """The first entry that does not follow from those before it, or speaks of things that have changed.

    `stored` says how many things there are of each of `STORED_EVENTS`: none may be unknown to the log.
    """
    logged: Counter[str] = Counter()
    last: AuditEntry | None = None
    for entry in entries:
        expected = (last.sequence + 1, last.hash) if last else (1, BEGINNING)
        if entry.sequence != expected[0]:
            return BrokenEntry(expected[0], "it is missing")
        if entry.previous != expected[1]:
            return BrokenEntry(entry.sequence, "it does not follow from the entry before it")
        if entry.hash != _hash(entry.sequence, entry.at, entry.event, entry.details, entry.previous):
            return BrokenEntry(entry.sequence, "it was changed")
        if entry.event in STORED_EVENTS:
            details = json.loads(entry.details)
            if digest_of(entry.event, details) != details["sha256"]:
                return BrokenEntry(entry.sequence, f"what it speaks of was changed ({entry.event})")
            logged[entry.event] += details["count"]
        last = entry
    for event in STORED_EVENTS:
        if logged[event] != stored[event]:
            reason = f"{stored[event]} are stored and {logged[event]} were logged ({event})"
            return BrokenEntry(last.sequence + 1 if last else 1, f"it is missing: {reason}")
    return None


def canonical_json(value: object) -> str:
    """One form for one value, in ASCII."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False, sort_keys=True, separators=(",", ":"))


def time_text(at: datetime) -> str:
    """In UTC and of one length, so that it sorts.

    >>> time_text(datetime(2026, 3, 1, 12, tzinfo=UTC))
    '2026-03-01T12:00:00.000000+00:00'
    """
    if at.tzinfo is None:
        raise ValueError("a time without a zone means another moment elsewhere")
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def document_digest(record: DocumentRecord) -> str:
    floats = {"biases": list(map(float, record.biases))}
    written = {**asdict(record), **floats, "created_at": time_text(record.created_at)}
    for site in written["sites"]:
        for later in ("further", "lures"):  # without them it is written as before there were such
            if not site[later]:
                del site[later]
    return _digest([canonical_json(written)])


def planned_digest(rows: Iterable[tuple[int, str, str, bytes]]) -> str:
    """Of what is fixed when copies are planned, by number: number, recipient, file name and packed codeword."""
    return _digest(canonical_json([*named, codeword.hex()]) for *named, codeword in rows)


def issued_digest(rows: Iterable[tuple[int, str, str]]) -> str:
    """Of what is added when copies are issued, by number: number, digest and time."""
    return _digest(canonical_json(list(row)) for row in rows)


def report_digest(text: str) -> str:
    return _digest([text])


def as_ranges(numbers: Iterable[int]) -> list[list[int]]:
    """First and last of each run, to say many numbers in few.

    >>> as_ranges([3, 1, 2, 7])
    [[1, 3], [7, 7]]
    """
    ranges: list[list[int]] = []
    for number in sorted(numbers):
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ranges


def _hash(*fields: object) -> str:
    """Of an entry's fields, from sequence to previous."""
    return _digest([canonical_json(fields)])


def _digest(lines: Iterable[str]) -> str:
    digest = sha256()
    for line in lines:
        digest.update(line.encode())
        digest.update(b"\n")
    return digest.hexdigest()
