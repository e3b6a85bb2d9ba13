"""The audit log in the database: appending to it, sealing its head, and finding the first entry that does not hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from lexprint.errors import RegistryError
from lexprint.registry import audit
from lexprint.registry.audit import SealedHead
from lexprint.registry.records import AuditEntry, BrokenEntry
from lexprint.registry.statements import Statements

if TYPE_CHECKING:
    from lexprint.coding.keys import Keyring


@dataclass(frozen=True)
class AuditTable:
    """The log of one registry; with keys, what is appended is sealed."""

    keys: Keyring | None

    def append(self, statements: Statements, event: str, details: Mapping[str, object]) -> AuditEntry:
        """Within a write. Refused if the log is not as its owner left it, for a new seal would hide that."""
        if event in audit.STORED_EVENTS:
            details = {"count": 1, **details}
        if self.keys is not None:
            self._require_sealed(statements)
        last = statements.rows("SELECT sequence, hash FROM audit ORDER BY sequence DESC LIMIT 1")
        entry = audit.next_entry(
            (last[0]["sequence"], last[0]["hash"]) if last else None,
            at=datetime.now(UTC),
            event=event,
            details=details,
            key_id=audit.NO_KEY if self.keys is None else self.keys.newest.id,
        )
        _insert(statements, "audit", entry)
        if self.keys is not None:
            statements.change("DELETE FROM audit_head")
            _insert(statements, "audit_head", SealedHead.of(entry, self.keys.newest))
        return entry

    def _require_sealed(self, statements: Statements) -> None:
        assert self.keys is not None
        head = _head(statements)
        since = entries(statements, since=0 if head is None else head.sequence)
        broken = audit.first_unsealed(since, head, self.keys)
        if broken is not None:
            raise RegistryError(
                f"nothing was written, for entry {broken.sequence} of the audit log does not hold: {broken.reason}; "
                "run: lexprint registry verify, and compare with a backup"
            )

    def first_foreign(self, statements: Statements, log: Sequence[AuditEntry]) -> BrokenEntry | None:
        """The first entry of the whole log that is not the owner's and should be; none without keys."""
        if self.keys is None:
            return None
        return audit.first_unsealed(log, _head(statements), self.keys) or audit.first_keyless(log)


def entries(statements: Statements, *, since: int = 0) -> Iterator[AuditEntry]:
    """In order, from that one on."""
    for row in statements.rows("SELECT * FROM audit WHERE sequence >= :since ORDER BY sequence", since=since):
        yield AuditEntry(**row)


def _head(statements: Statements) -> SealedHead | None:
    rows = statements.rows("SELECT * FROM audit_head")
    return SealedHead(**rows[0]) if rows else None


def _insert(statements: Statements, table: str, row: AuditEntry | SealedHead) -> None:
    names = [field.name for field in fields(row)]
    values = ", ".join(f":{name}" for name in names)
    statements.change(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({values})", **asdict(row))
