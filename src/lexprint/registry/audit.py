"""The audit log: each entry's hash covers the entry before it, and the last one is sealed with the owner's key.

Entries hold digests of what was stored, hence a changed codeword or report is noticed too. Names of those who were given copies are
only in those digests: the log is never pruned. Names of tokens are in it, and whose copies a token opens: who made it is evidence. There is one seal, made anew with every entry, so who lacks the key can neither
rebuild the log nor take its last entries away: the seals of shorter logs are gone. Who puts back an older copy of the whole
database brings its seal with it; that is noticed by a hash that was kept elsewhere.
"""

from __future__ import annotations

import hmac
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeAlias

from lexprint.registry.records import AuditEntry, BrokenEntry, DocumentRecord

if TYPE_CHECKING:
    from lexprint.coding.keys import Keyring, MasterKey

DOCUMENT_ADDED = "document added"
COPIES_PLANNED = "copies planned"
COPIES_ISSUED = "copies issued"
COPIES_AGAIN = "copies written again"  # of those that were recorded before, wherever to
REPORT_SAVED = "report saved"
TURN_TAKEN = "turn taken"
REPORT_REVIEWED = "report reviewed"
TOKEN_CREATED, TOKEN_REVOKED = "token created", "token revoked"
CASE_MADE, CASE_DOWNLOADED = "case made", "case downloaded"
EVIDENCE_LISTED = "evidence listed"  # all of it, also what reports leave out
# Those that speak of stored things.
STORED_EVENTS = (DOCUMENT_ADDED, COPIES_PLANNED, COPIES_ISSUED, REPORT_SAVED, TURN_TAKEN, REPORT_REVIEWED)
# Those that nobody does without the key.
OWNERS_EVENTS = (DOCUMENT_ADDED, COPIES_PLANNED, COPIES_ISSUED, REPORT_REVIEWED)

BEGINNING = "0" * 64  # what the first entry has for the hash before it
NO_KEY = ""  # of an entry that was written without one
PURPOSE = "audit log"  # of the derived key

Details: TypeAlias = Mapping[str, Any]
DigestOf: TypeAlias = Callable[[str, Details], str]  # of what is stored now of what an event's details speak of


@dataclass(frozen=True, slots=True)
class SealedHead:
    """The last entry that was written with a key, and what only that key can make of it."""

    sequence: int
    hash: str
    key_id: str
    seal: str

    @classmethod
    def of(cls, entry: AuditEntry, key: MasterKey) -> SealedHead:
        return cls(entry.sequence, entry.hash, key.id, _seal(key, entry.sequence, entry.hash))

    def is_made_by(self, key: MasterKey) -> bool:
        return self.key_id == key.id and hmac.compare_digest(self.seal, _seal(key, self.sequence, self.hash))


def _seal(key: MasterKey, sequence: int, entry_hash: str) -> str:
    return hmac.digest(key.derive(PURPOSE), canonical_json([sequence, entry_hash]).encode(), "sha256").hex()


def next_entry(
    last: tuple[int, str] | None, *, at: datetime, event: str, details: Mapping[str, object], key_id: str = NO_KEY
) -> AuditEntry:
    """The entry after the one with this sequence and hash, or the first."""
    sequence, previous = last or (0, BEGINNING)
    fields = (sequence + 1, time_text(at), event, canonical_json(details), key_id, previous)
    return AuditEntry(*fields, hash=_hash(*fields))


def first_broken(
    entries: Iterable[AuditEntry], *, digest_of: DigestOf, stored: Mapping[str, int]
) -> BrokenEntry | None:
    """The first entry that does not follow from those before it, or speaks of things that have changed.

    `stored` says how many things there are of each of `STORED_EVENTS`: none may be unknown to the log. Whether the log is
    the owner's is another question: see `first_unsealed`.
    """
    logged: Counter[str] = Counter()
    last: AuditEntry | None = None
    for entry in entries:
        expected = (last.sequence + 1, last.hash) if last else (1, BEGINNING)
        if entry.sequence != expected[0]:
            return BrokenEntry(expected[0], "it is missing")
        if entry.previous != expected[1]:
            return BrokenEntry(entry.sequence, "it does not follow from the entry before it")
        if not is_unchanged(entry):
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


def is_unchanged(entry: AuditEntry) -> bool:
    """Whether an entry is as it was hashed; whether it is in a log is another question."""
    fields = (entry.sequence, entry.at, entry.event, entry.details, entry.key_id, entry.previous)
    return entry.hash == _hash(*fields)


def first_unsealed(entries: Iterable[AuditEntry], head: SealedHead | None, keys: Keyring) -> BrokenEntry | None:
    """The first entry that the owner of the keys did not write, or that is gone; those without a key may be anybody's.

    `entries` reach back at least to the sealed one, in order.
    """
    sealed = 0 if head is None else head.sequence
    if head is not None and not any(head.is_made_by(key) for key in keys):
        return BrokenEntry(sealed, f"it is sealed with key {head.key_id}, which is not among the owner's keys")
    found: str | None = None
    for entry in entries:
        if entry.sequence > sealed and entry.key_id != NO_KEY:
            return BrokenEntry(entry.sequence, "it claims a key but is not sealed")
        if entry.sequence == sealed:
            found = entry.hash
    if head is not None and found is None:
        return BrokenEntry(sealed, "it is missing: the seal covers it")
    if head is not None and found != head.hash:
        return BrokenEntry(sealed, "it differs from the sealed entry: the log was rebuilt")
    return None


def first_keyless(entries: Iterable[AuditEntry]) -> BrokenEntry | None:
    """The first entry that claims what only the owner does, and was written without a key."""
    for entry in entries:
        if entry.event in OWNERS_EVENTS and entry.key_id == NO_KEY:
            return BrokenEntry(entry.sequence, f"it was written without the owner's key ({entry.event})")
    return None


def first_unexpected(entries: Iterable[AuditEntry], expected: str) -> BrokenEntry | None:
    """What is wrong if a hash that was noted down earlier is that of no entry."""
    count = 0
    for count, entry in enumerate(entries, 1):  # noqa: B007 # how many there were
        if hmac.compare_digest(entry.hash, expected):
            return None
    return BrokenEntry(
        count + 1, "it is missing: no entry has the expected hash, so the log was truncated or rolled back"
    )


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
    return _digest([canonical_json(written)])


def planned_digest(rows: Iterable[tuple[int, str, str, bytes, bytes]]) -> str:
    """Of what is fixed when copies are planned, by number: number, recipient, file name, salt and packed codeword."""
    return _digest(canonical_json([*named, salt.hex(), codeword.hex()]) for *named, salt, codeword in rows)


def issued_digest(rows: Iterable[tuple[int, str, str]]) -> str:
    """Of what is added when copies are issued, by number: number, digest and time."""
    return _digest(canonical_json(list(row)) for row in rows)


def report_digest(text: str) -> str:
    return _digest([text])


def turn_digest(*, turn: int, compared: int, digest: str, reading: bytes, traced_at: str) -> str:
    """Of a trace that was counted: how many of its document came before it, and what it read."""
    return _digest([canonical_json([turn, compared, digest, reading.hex(), traced_at])])


def review_digest(*, report_id: str, number: int, status: str, note: str, at: str) -> str:
    """Of what people made of a report."""
    return _digest([canonical_json([report_id, number, status, note, at])])


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
