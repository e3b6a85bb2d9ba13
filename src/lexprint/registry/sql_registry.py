"""The registry in SQLite or PostgreSQL, one implementation for both: what is written, and what each question needs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Self

import sqlalchemy as sql
from sqlalchemy.engine import Connection

from lexprint.errors import RegistryConflict, RegistryError, UnknownDocument
from lexprint.registry import audit, migrations, packing, queries
from lexprint.registry.audit import (
    COPIES_ISSUED,
    COPIES_PLANNED,
    DOCUMENT_ADDED,
    REPORT_REVIEWED,
    REPORT_SAVED,
    TURN_TAKEN,
    Details,
    DigestOf,
    time_text,
)
from lexprint.registry.audit_table import AuditTable, entries
from lexprint.registry.connections import Transactions
from lexprint.registry.databases import Location, create_private, read_location
from lexprint.registry.records import (
    AuditEntry,
    BrokenEntry,
    Code,
    Codewords,
    DocumentRecord,
    DocumentSummary,
    IssuedCopy,
    Issuing,
    LikelyDocument,
    RecipientSummary,
    ReportSummary,
    StoredReport,
)
from lexprint.registry.statements import Statements
from lexprint.registry.tables import COPIES, DOCUMENTS, RECIPIENTS, REGISTRY, REPORTS, SHINGLES
from lexprint.text.leak_text import wording_digest
from lexprint.text.segmentation import segment
from lexprint.text.shingles import kept_shingles, shingles

if TYPE_CHECKING:
    from lexprint.coding.keys import Keyring

_IN_PLAIN_SQL = (TURN_TAKEN, REPORT_REVIEWED)  # which `trace_turns` and `reviews` store


class SqlRegistry:
    """See `Registry` for what each method promises."""

    def __init__(self, place: Location, keys: Keyring | None) -> None:
        self._transactions = Transactions(place)
        self._audit_table = AuditTable(keys)

    @classmethod
    def opened(cls, location: str, *, keys: Keyring | None = None) -> Self:
        """Made where there is none yet."""
        place = read_location(location)
        if place.path:
            create_private(place.path)
        registry = cls(place, keys)
        with registry._closed_on_failure():
            registry._migrate(registry._applied())
        return registry

    @classmethod
    def found(cls, location: str, *, keys: Keyring | None = None) -> Self:
        """Only where there is one."""
        place = read_location(location)
        missing = RegistryError(f"there is no registry at {place.shown}; run: lexprint issue, which makes one")
        if place.is_vacant:
            raise missing
        registry = cls(place, keys)
        with registry._closed_on_failure():
            applied = registry._applied()
            if not applied:
                raise missing
            registry._migrate(applied)
        return registry

    @contextmanager
    def _closed_on_failure(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.close()
            raise

    def _applied(self) -> set[str]:
        with self._transactions.reading() as connection:
            return migrations.applied(connection)

    def _migrate(self, applied: Collection[str]) -> None:
        if migrations.pending(applied):
            with self._transactions.writing() as connection:
                migrations.migrate(connection)

    def close(self) -> None:
        self._transactions.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @cached_property
    def id(self) -> str:
        with self._transactions.reading() as connection:
            return str(connection.scalar(sql.select(REGISTRY.c.id)))

    # Writing

    def add_document(self, record: DocumentRecord, copies: Sequence[IssuedCopy]) -> None:
        packing.require_storable("the name of a document", record.name)
        rows = packing.copy_rows(record.id, copies)
        packing.require_codewords(copies, sites=len(record.sites))
        kept = kept_shingles(shingles(record.text))
        values = {
            **{name: getattr(record, name) for name in ("id", "name", "digest", "issuing", "code", "key_id")},
            **{name: getattr(record, name) for name in ("fingerprint", "canary")},
            "created_at": time_text(record.created_at),
            "error_bound": repr(record.error_bound),
            "text": packing.pack_text(record.text),
            "sites": packing.pack_sites(record.sites),
            "biases": packing.pack_biases(record.biases),
            "site_count": len(record.sites),
            "word_count": segment(record.text).word_count,
            "wording": wording_digest(record.text),
        }
        with self._transactions.writing() as connection:
            if connection.scalar(sql.select(DOCUMENTS.c.id).where(DOCUMENTS.c.id == record.id)) is not None:
                raise RegistryConflict(
                    f"document {record.id} is registered already; run: lexprint registry show {record.id}"
                )
            connection.execute(sql.insert(DOCUMENTS), values)
            serial = queries.serial_of(connection, record.id)
            if kept:
                connection.execute(sql.insert(SHINGLES), [{"hash": shingle, "document": serial} for shingle in kept])
            self._log(connection, DOCUMENT_ADDED, {"document": record.id, "sha256": audit.document_digest(record)})
            self._insert_copies(connection, record.id, serial, rows)

    def plan_copies(self, document_id: str, copies: Sequence[IssuedCopy]) -> None:
        rows = packing.copy_rows(document_id, copies)
        with self._transactions.writing() as connection:
            serial, sites = queries.serial_and_sites(connection, document_id)
            packing.require_codewords(copies, sites=sites)
            self._insert_copies(connection, document_id, serial, rows)

    def _insert_copies(
        self, connection: Connection, document_id: str, serial: int, rows: Sequence[packing.CopyRow]
    ) -> None:
        if not rows:
            return
        planned = connection.execute(
            sql.select(COPIES.c.number, RECIPIENTS.c.person)
            .join_from(COPIES, RECIPIENTS, COPIES.c.recipient == RECIPIENTS.c.serial)
            .where(COPIES.c.document == serial)
        )
        packing.require_new_copies(document_id, rows, [(number, person) for number, person in planned])
        numbers, people = [row.number for row in rows], [packing.person(row.recipient) for row in rows]
        known = queries.recipients_by_person(connection, people)
        new = [
            {"person": person, "name": row.recipient}
            for person, row in zip(people, rows, strict=True)
            if person not in known
        ]
        if new:
            connection.execute(sql.insert(RECIPIENTS), new)
            known = queries.recipients_by_person(connection, people)
        rows = [row._replace(recipient=known[person].name) for person, row in zip(people, rows, strict=True)]
        connection.execute(
            sql.insert(COPIES),
            [
                {**row._asdict(), "document": serial, "recipient": known[person].serial}
                for person, row in zip(people, rows, strict=True)
            ],
        )
        details = {"numbers": audit.as_ranges(numbers), "count": len(rows), "sha256": audit.planned_digest(rows)}
        self._log(connection, COPIES_PLANNED, {"document": document_id, **details})

    def mark_issued(self, document_id: str, copies: Sequence[tuple[int, str]], at: datetime) -> None:
        issued_at = time_text(at)
        given = {int(number): digest for number, digest in copies}
        if len(given) < len(set(copies)):
            raise ValueError("a copy has one digest")
        with self._transactions.writing() as connection:
            serial = queries.serial_of(connection, document_id)
            query = sql.select(COPIES.c.number, COPIES.c.digest).where(COPIES.c.document == serial)
            known: dict[int, str | None] = dict(queries.in_chunks(connection, query, COPIES.c.number, list(given)))
            for number, digest in given.items():
                if number not in known:
                    raise RegistryError(f"copy {number} of document {document_id} was never planned")
                if known[number] not in (None, digest):
                    raise RegistryError(
                        f"copy {number} of document {document_id} was issued as another file "
                        f"(SHA-256 {str(known[number])[:12]}, not {digest[:12]}); keep the file that was sent"
                    )
            rows = [(number, digest, issued_at) for number, digest in sorted(given.items()) if known[number] is None]
            if not rows:
                return
            connection.execute(
                sql.update(COPIES)
                .where(COPIES.c.document == serial, COPIES.c.number == sql.bindparam("of_number"))
                .values(digest=sql.bindparam("new_digest"), issued_at=issued_at),
                [{"of_number": number, "new_digest": digest} for number, digest, _ in rows],
            )
            numbers = audit.as_ranges(number for number, *_ in rows)
            details = {"numbers": numbers, "count": len(rows), "sha256": audit.issued_digest(rows)}
            self._log(connection, COPIES_ISSUED, {"document": document_id, **details})

    def save_report(self, report_id: str, document_id: str | None, text: str, at: datetime) -> None:
        packing.require_storable("a report", text)
        packing.require_storable("the id of a report", report_id)
        with self._transactions.writing() as connection:
            if connection.scalar(sql.select(REPORTS.c.id).where(REPORTS.c.id == report_id)) is not None:
                raise RegistryError(f"report {report_id} is stored already; give the new one another id")
            serial = None if document_id is None else queries.serial_of(connection, document_id)
            values = {"id": report_id, "document": serial, "text": text, "saved_at": time_text(at)}
            connection.execute(sql.insert(REPORTS), values)
            details = {"report": report_id, "document": document_id, "sha256": audit.report_digest(text)}
            self._log(connection, REPORT_SAVED, details)

    def record_event(self, event: str, details: Mapping[str, object]) -> AuditEntry:
        with self.writing() as statements:
            return statements.log(event, details)

    # Reading

    def document(self, document_id: str) -> DocumentRecord:
        with self._transactions.reading() as connection:
            record = queries.newest_document(connection, id=document_id)
        if record is None:
            raise UnknownDocument(document_id)
        return record

    def find_document(
        self,
        *,
        digest: str,
        issuing: Issuing,
        fingerprint: str,
        name: str | None = None,
        code: Code | None = None,
        text: str | None = None,
    ) -> DocumentRecord | None:
        wanted = {"digest": digest, "issuing": issuing, "fingerprint": fingerprint}
        optional = {"name": name, "code": code}
        wanted |= {column: value for column, value in optional.items() if value is not None}
        with self._transactions.reading() as connection:
            return queries.newest_document(connection, text=text, **wanted)

    def documents(self) -> list[DocumentSummary]:
        with self._transactions.reading() as connection:
            return queries.summaries(connection, sql.true())

    def versions(self, name: str) -> list[DocumentSummary]:
        with self._transactions.reading() as connection:
            return queries.summaries(connection, DOCUMENTS.c.name == name)

    def copies(self, document_id: str, *, numbers: Collection[int] | None = None) -> list[IssuedCopy]:
        with self._transactions.reading() as connection:
            return queries.copies(connection, document_id, numbers)

    def codewords(self, document_id: str) -> tuple[list[int], Codewords]:
        with self._transactions.reading() as connection:
            return queries.codewords(connection, document_id)

    def recipients(self) -> list[RecipientSummary]:
        with self._transactions.reading() as connection:
            return queries.recipients(connection)

    def likely_documents(self, shingles: Sequence[int], *, limit: int) -> list[LikelyDocument]:
        with self._transactions.reading() as connection:
            return queries.likely_documents(connection, shingles, limit=limit)

    def report(self, report_id: str) -> StoredReport:
        query = queries.reports_with_documents(REPORTS.c.id, DOCUMENTS.c.id, REPORTS.c.text, REPORTS.c.saved_at)
        with self._transactions.reading() as connection:
            row = connection.execute(query.where(REPORTS.c.id == report_id)).one_or_none()
        if row is None:
            raise RegistryError(f"report {report_id} is not stored; run: lexprint report list")
        name, document_id, text, saved_at = row
        return StoredReport(name, document_id, text, datetime.fromisoformat(saved_at))

    def reports(self) -> list[ReportSummary]:
        query = queries.reports_with_documents(REPORTS.c.id, DOCUMENTS.c.id, REPORTS.c.saved_at)
        with self._transactions.reading() as connection:
            return [
                ReportSummary(report_id, document_id, datetime.fromisoformat(saved_at))
                for report_id, document_id, saved_at in connection.execute(query.order_by(REPORTS.c.serial))
            ]

    def secret(self, purpose: str) -> bytes:
        keys = self._audit_table.keys
        return b"" if keys is None else keys.newest.derive(purpose)

    def audit(self) -> list[AuditEntry]:
        with self.reading() as statements:
            return list(entries(statements))

    def verify_audit(self, *, expected: str | None = None) -> BrokenEntry | None:
        with self._transactions.reading() as connection:
            broken = self._first_broken(connection, partial(queries.stored_digest, connection))
            if broken is None and expected is not None:
                broken = audit.first_unexpected(entries(self._statements(connection)), expected)
            return broken

    def verify_document(self, document_id: str | None) -> BrokenEntry | None:
        with self._transactions.reading() as connection:

            def digest_of(event: str, details: Details) -> str:
                is_of_it = details.get("document") == document_id and event not in (REPORT_SAVED, REPORT_REVIEWED)
                return queries.stored_digest(connection, event, details) if is_of_it else str(details["sha256"])

            return self._first_broken(connection, digest_of)

    def _first_broken(self, connection: Connection, digest_of: DigestOf) -> BrokenEntry | None:
        statements, stored = self._statements(connection), queries.stored_counts(connection)
        log = list(entries(statements))
        broken = audit.first_broken(log, digest_of=digest_of, stored=stored)
        return broken or self._audit_table.first_foreign(statements, log)

    # Transactions of others

    @contextmanager
    def writing(self) -> Iterator[Statements]:
        with self._transactions.writing() as connection:
            yield self._statements(connection)

    @contextmanager
    def reading(self) -> Iterator[Statements]:
        with self._transactions.reading() as connection:
            yield self._statements(connection)

    def _log(self, connection: Connection, event: str, details: Mapping[str, object]) -> None:
        self._audit_table.append(self._statements(connection), event, details)

    def _statements(self, connection: Connection) -> _SqlStatements:
        return _SqlStatements(connection, self._audit_table)


@dataclass(frozen=True)
class _SqlStatements:
    """See `Statements` for what each method promises."""

    connection: Connection
    audit_table: AuditTable

    def rows(self, statement: str, **values: object) -> list[Mapping[str, Any]]:
        return [dict(row) for row in self.connection.execute(sql.text(statement), values).mappings()]

    def change(self, statement: str, **values: object) -> int:
        return self.connection.execute(sql.text(statement), values).rowcount

    def log(self, event: str, details: Mapping[str, object]) -> AuditEntry:
        packing.require_storable("an event", event)
        if event in audit.STORED_EVENTS and event not in _IN_PLAIN_SQL:
            raise ValueError(f"{event!r} is logged by the method that stores it")
        return self.audit_table.append(self, event, details)
