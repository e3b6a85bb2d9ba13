"""The registry in SQLite or PostgreSQL, one implementation for both.

Writers queue: SQLite's take its write lock when they begin, PostgreSQL's an advisory lock, both before they read anything.
So a check made inside a write still holds when it commits, and the audit log never forks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypeVar

import sqlalchemy as sql
from sqlalchemy.engine import URL, Connection, Engine, Row
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from lexprint.errors import ExtraMissing, RegistryConflict, RegistryError, UnknownDocument
from lexprint.text.segmentation import segment
from lexprint.tracing import audit, migrations, packing
from lexprint.tracing.audit import COPIES_ISSUED, COPIES_PLANNED, DOCUMENT_ADDED, REPORT_SAVED, time_text
from lexprint.tracing.audit_table import AuditTable, entries
from lexprint.tracing.databases import Place, create_private, explain, prepare_postgresql, prepare_sqlite, read_location
from lexprint.tracing.leak_text import wording_digest
from lexprint.tracing.migrations import APPLICATION_ID, SCHEMA, Dialect
from lexprint.tracing.records import (
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
from lexprint.tracing.shingles import kept_shingles, shingles
from lexprint.tracing.statements import Statements

if TYPE_CHECKING:
    from lexprint.coding.keys import Keyring

ASKED_AT_ONCE = 500  # values in one statement; old SQLite takes no more than 999
RANKED_POSTINGS = 50_000  # rows looked at to rank documents; the rarest shingles, which tell most, come first
WRITERS_LOCK = 0x6C65787072696E74  # "lexprint"; the number of PostgreSQL's advisory lock


_Value = TypeVar("_Value")


def _whole(*names: str) -> list[sql.ColumnClause[int]]:
    return [sql.column(name, sql.BigInteger) for name in names]


def _words(*names: str) -> list[sql.ColumnClause[str]]:
    return [sql.column(name, sql.Text) for name in names]


def _bytes(*names: str) -> list[sql.ColumnClause[bytes]]:
    return [sql.column(name, sql.LargeBinary) for name in names]


_MIGRATIONS = sql.table("migrations", *_words("name", "applied_at"))
_REGISTRY = sql.table("registry", *_words("id"))
_DOCUMENTS = sql.table(
    "documents",
    *_whole("serial", "site_count", "word_count"),
    *_words("id", "name", "digest", "issuing", "code", "key_id", "fingerprint", "wording", "created_at", "error_bound"),
    *_bytes("text", "sites", "biases"),
)
_RECIPIENTS = sql.table("recipients", *_whole("serial"), *_words("person", "name"))
_COPIES = sql.table(
    "copies",
    *_whole("document", "number", "recipient"),
    *_words("file_name", "digest", "issued_at"),
    *_bytes("salt", "codeword"),
)
_SHINGLES = sql.table("shingles", *_whole("hash", "document"))
_REPORTS = sql.table("reports", *_whole("serial", "document"), *_words("id", "text", "saved_at"))


class SqlRegistry:
    """See `Registry` for what each method promises."""

    def __init__(self, place: Place, keys: Keyring | None) -> None:
        self._place = place
        self._engine = _engine(place)
        self._audit_table = AuditTable(keys)

    @classmethod
    def opened(cls, location: str, *, keys: Keyring | None = None) -> Self:
        """Made where there is none yet."""
        place = read_location(location)
        if place.path:
            create_private(place.path)
        registry = cls(place, keys)
        with registry._closed_on_failure():
            registry._migrate()
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
            if not registry._applied():
                raise missing
            registry._migrate()
        return registry

    @contextmanager
    def _closed_on_failure(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @cached_property
    def id(self) -> str:
        with self._reading() as connection:
            return str(connection.scalar(sql.select(_REGISTRY.c.id)))

    # Writing

    def add_document(self, record: DocumentRecord, copies: Sequence[IssuedCopy]) -> None:
        packing.require_storable("the name of a document", record.name)
        rows = packing.copy_rows(record.id, copies)
        packing.require_codewords(copies, sites=len(record.sites))
        found = kept_shingles(shingles(record.text))
        values = {
            **{name: getattr(record, name) for name in ("id", "name", "digest", "issuing", "code", "key_id")},
            "fingerprint": record.fingerprint,
            "created_at": time_text(record.created_at),
            "error_bound": repr(record.error_bound),
            "text": packing.pack_text(record.text),
            "sites": packing.pack_sites(record.sites),
            "biases": packing.pack_biases(record.biases),
            "site_count": len(record.sites),
            "word_count": segment(record.text).word_count,
            "wording": wording_digest(record.text),
        }
        with self._writing() as connection:
            if connection.scalar(sql.select(_DOCUMENTS.c.id).where(_DOCUMENTS.c.id == record.id)) is not None:
                raise RegistryConflict(
                    f"document {record.id} is registered already; run: lexprint registry show {record.id}"
                )
            connection.execute(sql.insert(_DOCUMENTS), values)
            serial = _serial(connection, record.id)
            if found:
                connection.execute(sql.insert(_SHINGLES), [{"hash": one, "document": serial} for one in found])
            self._log(connection, DOCUMENT_ADDED, {"document": record.id, "sha256": audit.document_digest(record)})
            self._insert_copies(connection, record.id, serial, rows)

    def plan_copies(self, document_id: str, copies: Sequence[IssuedCopy]) -> None:
        rows = packing.copy_rows(document_id, copies)
        with self._writing() as connection:
            serial, sites = _serial_and_sites(connection, document_id)
            packing.require_codewords(copies, sites=sites)
            self._insert_copies(connection, document_id, serial, rows)

    def _insert_copies(
        self, connection: Connection, document_id: str, serial: int, rows: Sequence[packing.CopyRow]
    ) -> None:
        if not rows:
            return
        planned = connection.execute(
            sql.select(_COPIES.c.number, _RECIPIENTS.c.person)
            .join_from(_COPIES, _RECIPIENTS, _COPIES.c.recipient == _RECIPIENTS.c.serial)
            .where(_COPIES.c.document == serial)
        )
        packing.require_new_copies(document_id, rows, [(number, person) for number, person in planned])
        numbers, people = [row.number for row in rows], [packing.person(row.recipient) for row in rows]
        known = _recipients(connection, people)
        new = [
            {"person": person, "name": row.recipient}
            for person, row in zip(people, rows, strict=True)
            if person not in known
        ]
        if new:
            connection.execute(sql.insert(_RECIPIENTS), new)
            known = _recipients(connection, people)
        rows = [row._replace(recipient=known[person].name) for person, row in zip(people, rows, strict=True)]
        connection.execute(
            sql.insert(_COPIES),
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
        with self._writing() as connection:
            serial = _serial(connection, document_id)
            query = sql.select(_COPIES.c.number, _COPIES.c.digest).where(_COPIES.c.document == serial)
            known: dict[int, str | None] = dict(_each_chunk(connection, query, _COPIES.c.number, list(given)))
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
                sql.update(_COPIES)
                .where(_COPIES.c.document == serial, _COPIES.c.number == sql.bindparam("of_number"))
                .values(digest=sql.bindparam("new_digest"), issued_at=issued_at),
                [{"of_number": number, "new_digest": digest} for number, digest, _ in rows],
            )
            numbers = audit.as_ranges(number for number, *_ in rows)
            details = {"numbers": numbers, "count": len(rows), "sha256": audit.issued_digest(rows)}
            self._log(connection, COPIES_ISSUED, {"document": document_id, **details})

    def save_report(self, report_id: str, document_id: str | None, text: str, at: datetime) -> None:
        packing.require_storable("a report", text)
        packing.require_storable("the id of a report", report_id)
        with self._writing() as connection:
            if connection.scalar(sql.select(_REPORTS.c.id).where(_REPORTS.c.id == report_id)) is not None:
                raise RegistryError(f"report {report_id} is stored already; give the new one another id")
            serial = None if document_id is None else _serial(connection, document_id)
            values = {"id": report_id, "document": serial, "text": text, "saved_at": time_text(at)}
            connection.execute(sql.insert(_REPORTS), values)
            details = {"report": report_id, "document": document_id, "sha256": audit.report_digest(text)}
            self._log(connection, REPORT_SAVED, details)

    def record_event(self, event: str, details: Mapping[str, object]) -> AuditEntry:
        packing.require_storable("an event", event)
        if event in audit.STORED_EVENTS:
            raise ValueError(f"{event!r} is logged by the method that stores it")
        with self._writing() as connection:
            return self._log(connection, event, details)

    # Reading

    def document(self, document_id: str) -> DocumentRecord:
        found = self._record(_DOCUMENTS.c.id == document_id)
        if found is None:
            raise UnknownDocument(document_id)
        return found

    def find_document(
        self,
        *,
        digest: str,
        issuing: Issuing,
        fingerprint: str,
        name: str | None = None,
        code: Code | None = None,
        key_id: str | None = None,
    ) -> DocumentRecord | None:
        wanted = {"digest": digest, "issuing": issuing, "fingerprint": fingerprint}
        wanted |= {
            column: value for column, value in (("name", name), ("code", code), ("key_id", key_id)) if value is not None
        }
        return self._record(*(_DOCUMENTS.c[column] == value for column, value in wanted.items()))

    def _record(self, *conditions: sql.ColumnElement[bool]) -> DocumentRecord | None:
        """The newest that fits."""
        query = sql.select(_DOCUMENTS).where(*conditions).order_by(_DOCUMENTS.c.serial.desc()).limit(1)
        with self._reading() as connection:
            row = connection.execute(query).one_or_none()
            return None if row is None else _document(row)

    def documents(self) -> list[DocumentSummary]:
        return self._summaries(sql.true())

    def versions(self, name: str) -> list[DocumentSummary]:
        return self._summaries(_DOCUMENTS.c.name == name)

    def _summaries(self, condition: sql.ColumnElement[bool]) -> list[DocumentSummary]:
        made = sql.select(
            _COPIES.c.document,
            sql.func.count().label("planned"),
            sql.func.count(_COPIES.c.issued_at).label("issued"),
        )
        wanted = sql.select(_DOCUMENTS.c.serial).where(condition)  # not the copies of all documents there are
        counts = made.where(_COPIES.c.document.in_(wanted)).group_by(_COPIES.c.document).subquery()
        version = sql.func.row_number().over(partition_by=_DOCUMENTS.c.name, order_by=_DOCUMENTS.c.serial)
        small = [column for column in _DOCUMENTS.c if not isinstance(column.type, sql.LargeBinary)]
        query = (
            sql.select(*small, version.label("version"), counts.c.planned, counts.c.issued)
            .join_from(_DOCUMENTS, counts, counts.c.document == _DOCUMENTS.c.serial, isouter=True)
            .where(condition)
            .order_by(_DOCUMENTS.c.serial)
        )
        with self._reading() as connection:
            return [
                DocumentSummary(
                    id=row.id,
                    name=row.name,
                    version=row.version,
                    issuing=row.issuing,
                    code=row.code,
                    digest=row.digest,
                    key_id=row.key_id,
                    fingerprint=row.fingerprint,
                    created_at=datetime.fromisoformat(row.created_at),
                    words=row.word_count,
                    sites=row.site_count,
                    planned=row.planned or 0,
                    issued=row.issued or 0,
                )
                for row in connection.execute(query)
            ]

    def copies(self, document_id: str, *, numbers: Collection[int] | None = None) -> list[IssuedCopy]:
        query = (
            sql.select(_COPIES, _RECIPIENTS.c.name)
            .join_from(_COPIES, _RECIPIENTS, _COPIES.c.recipient == _RECIPIENTS.c.serial)
            .order_by(_COPIES.c.number)
        )
        with self._reading() as connection:
            serial, sites = _serial_and_sites(connection, document_id)
            asked = (
                [sql.true()] if numbers is None else [_COPIES.c.number.in_(some) for some in _chunks(sorted(numbers))]
            )
            rows = [
                row
                for condition in asked
                for row in connection.execute(query.where(_COPIES.c.document == serial, condition))
            ]
            bits = packing.unpack_codewords([row.codeword for row in rows], sites=sites)
        return [
            IssuedCopy(
                document_id,
                row.number,
                row.name,
                tuple(codeword.tobytes()),
                row.file_name,
                row.digest,
                None if row.issued_at is None else datetime.fromisoformat(row.issued_at),
                row.salt,
            )
            for row, codeword in zip(rows, bits, strict=True)
        ]

    def codewords(self, document_id: str) -> tuple[list[int], Codewords]:
        query = sql.select(_COPIES.c.number, _COPIES.c.codeword).order_by(_COPIES.c.number)
        with self._reading() as connection:
            serial, sites = _serial_and_sites(connection, document_id)
            rows = connection.execute(query.where(_COPIES.c.document == serial)).all()
            codewords = packing.unpack_codewords([codeword for _, codeword in rows], sites=sites)
        return [number for number, _ in rows], codewords

    def recipients(self) -> list[RecipientSummary]:
        query = (
            sql.select(_RECIPIENTS.c.name, sql.func.count(), sql.func.count(_COPIES.c.issued_at))
            .join_from(_RECIPIENTS, _COPIES, _COPIES.c.recipient == _RECIPIENTS.c.serial)
            .group_by(_RECIPIENTS.c.serial, _RECIPIENTS.c.name)
        )
        with self._reading() as connection:
            # Sorted here: databases differ in how they order letters.
            rows = connection.execute(query).all()
        return sorted((RecipientSummary(*row) for row in rows), key=lambda one: one.name)

    def likely_documents(self, shingles: Sequence[int], *, limit: int) -> list[LikelyDocument]:
        asked = sorted(set(shingles))
        hashes, document = _SHINGLES.c.hash, _SHINGLES.c.document
        with self._reading() as connection:
            count = sql.select(hashes, sql.func.count()).group_by(hashes)
            frequencies = dict(_each_chunk(connection, count, hashes, asked))
            weights: dict[int, float] = defaultdict(float)
            telling = _rarest(frequencies)
            for one, serial in _each_chunk(connection, sql.select(hashes, document), hashes, telling):
                weights[serial] += 1 / frequencies[one]
            # Of twins, the newer.
            named = _first_wordings(connection, sorted(weights, key=lambda one: (-weights[one], -one)), limit=limit)
            likeliest = list(named)
            shared: dict[int, int] = defaultdict(int)
            for some in _chunks(likeliest):
                query = sql.select(document, sql.func.count()).where(document.in_(some)).group_by(document)
                for serial, found in _each_chunk(connection, query, hashes, sorted(frequencies)):
                    shared[serial] += found
        return [LikelyDocument(row.id, shared[serial], row.wording) for serial, row in named.items()]

    def report(self, report_id: str) -> StoredReport:
        columns = (_REPORTS.c.id, _DOCUMENTS.c.id, _REPORTS.c.text, _REPORTS.c.saved_at)
        with self._reading() as connection:
            query = _with_document(sql.select(*columns)).where(_REPORTS.c.id == report_id)
            row = connection.execute(query).one_or_none()
        if row is None:
            raise RegistryError(f"report {report_id} is not stored; run: lexprint report list")
        name, document_id, text, saved_at = row
        return StoredReport(name, document_id, text, datetime.fromisoformat(saved_at))

    def reports(self) -> list[ReportSummary]:
        query = _with_document(sql.select(_REPORTS.c.id, _DOCUMENTS.c.id, _REPORTS.c.saved_at))
        with self._reading() as connection:
            return [
                ReportSummary(report_id, document_id, datetime.fromisoformat(saved_at))
                for report_id, document_id, saved_at in connection.execute(query.order_by(_REPORTS.c.serial))
            ]

    def audit(self) -> list[AuditEntry]:
        with self._reading() as connection:
            return list(entries(self._statements(connection)))

    def verify_audit(self, *, expected: str | None = None) -> BrokenEntry | None:
        with self._reading() as connection:
            counted = {
                DOCUMENT_ADDED: sql.select(sql.func.count()).select_from(_DOCUMENTS),
                COPIES_PLANNED: sql.select(sql.func.count()).select_from(_COPIES),
                COPIES_ISSUED: sql.select(sql.func.count(_COPIES.c.issued_at)),
                REPORT_SAVED: sql.select(sql.func.count()).select_from(_REPORTS),
            }
            stored = {event: connection.scalar(query) or 0 for event, query in counted.items()}
            statements = self._statements(connection)
            broken = audit.first_broken(
                entries(statements),
                digest_of=lambda event, details: _digest_of(connection, event, details),
                stored=stored,
            )
            broken = broken or self._audit_table.first_foreign(statements)
            if broken is None and expected is not None:
                broken = audit.first_unexpected(entries(statements), expected)
            return broken

    def _log(self, connection: Connection, event: str, details: Mapping[str, object]) -> AuditEntry:
        return self._audit_table.append(self._statements(connection), event, details)

    def _statements(self, connection: Connection) -> _SqlStatements:
        return _SqlStatements(connection, self._audit_table)

    # Transactions

    @contextmanager
    def writing(self) -> Iterator[Statements]:
        with self._writing() as connection:
            yield self._statements(connection)

    @contextmanager
    def reading(self) -> Iterator[Statements]:
        with self._reading() as connection:
            yield self._statements(connection)

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        """All of it or nothing, one writer at a time."""
        with (
            _translated(self._place),
            self._engine.execution_options(lexprint_begin="BEGIN IMMEDIATE").begin() as connection,
        ):
            if self._place.dialect == "postgresql":
                connection.execute(
                    sql.select(sql.func.pg_advisory_xact_lock(sql.literal(WRITERS_LOCK, sql.BigInteger)))
                )
            yield connection

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        """One moment's state, however many questions are asked."""
        engine = self._engine
        if self._place.dialect == "postgresql":
            engine = engine.execution_options(isolation_level="REPEATABLE READ")
        try:
            with _translated(self._place), engine.connect() as connection:
                yield connection
        except ValueError as error:  # a column that cannot be unpacked
            raise RegistryError(f"the registry {self._place.shown} is damaged; restore it from a backup") from error

    def _applied(self) -> set[str]:
        with self._reading() as connection:
            return _applied(connection)

    def _migrate(self) -> None:
        if not migrations.pending(self._applied()):
            return
        dialect = self._place.dialect
        with self._writing() as connection:
            applied = _applied(connection)  # by now another process may have done it
            if not applied:
                _begin_schema(connection, dialect)
            for name, migration in migrations.pending(applied):
                migration(connection, dialect)
                connection.execute(sql.insert(_MIGRATIONS), {"name": name, "applied_at": time_text(datetime.now(UTC))})


@dataclass(frozen=True)
class _SqlStatements:
    """See `Statements` for what each method promises."""

    connection: Connection
    audit_table: AuditTable

    def rows(self, statement: str, **values: object) -> list[Mapping[str, Any]]:
        return [dict(row) for row in self.connection.execute(sql.text(statement), values).mappings()]

    def change(self, statement: str, **values: object) -> int:
        return self.connection.execute(sql.text(statement), values).rowcount

    def log(self, event: str, details: Mapping[str, object]) -> None:
        packing.require_storable("an event", event)
        if event in audit.STORED_EVENTS:
            raise ValueError(f"{event!r} is logged by the method that stores it")
        self.audit_table.append(self, event, details)


def _begin_schema(connection: Connection, dialect: Dialect) -> None:
    if dialect == "sqlite":
        connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
    elif not connection.exec_driver_sql(f"SELECT 1 FROM pg_namespace WHERE nspname = '{SCHEMA}'").scalar():
        connection.exec_driver_sql(f"CREATE SCHEMA {SCHEMA}")
    connection.exec_driver_sql("CREATE TABLE migrations (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL)")


# PostgreSQL's to_regclass would be shorter, but may answer from a cache that is older than the wait for the lock.
_HAS_MIGRATIONS: dict[str, str] = {
    "sqlite": "SELECT 1 FROM sqlite_master WHERE name = 'migrations'",
    "postgresql": f"SELECT 1 FROM pg_tables WHERE schemaname = '{SCHEMA}' AND tablename = 'migrations'",
}


def _applied(connection: Connection) -> set[str]:
    if not connection.exec_driver_sql(_HAS_MIGRATIONS[connection.dialect.name]).scalar():
        return set()
    return set(connection.scalars(sql.select(_MIGRATIONS.c.name)))


# Rows


def _serial(connection: Connection, document_id: str) -> int:
    return _serial_and_sites(connection, document_id)[0]


def _serial_and_sites(connection: Connection, document_id: str) -> tuple[int, int]:
    query = sql.select(_DOCUMENTS.c.serial, _DOCUMENTS.c.site_count).where(_DOCUMENTS.c.id == document_id)
    row = connection.execute(query).one_or_none()
    if row is None:
        raise UnknownDocument(document_id)
    return row.serial, row.site_count


def _recipients(connection: Connection, people: Sequence[str]) -> dict[str, Row[Any]]:
    rows = _each_chunk(connection, sql.select(_RECIPIENTS), _RECIPIENTS.c.person, people)
    return {row.person: row for row in rows}


def _document(row: Row[Any]) -> DocumentRecord:
    return DocumentRecord(
        id=row.id,
        name=row.name,
        text=packing.unpack_text(row.text),
        digest=row.digest,
        issuing=row.issuing,
        code=row.code,
        sites=packing.unpack_sites(row.sites),
        biases=packing.unpack_biases(row.biases),
        key_id=row.key_id,
        fingerprint=row.fingerprint,
        created_at=datetime.fromisoformat(row.created_at),
        error_bound=float(row.error_bound),
    )


def _with_document(query: sql.Select[Any]) -> sql.Select[Any]:
    """Reports beside the documents they speak of, if any."""
    return query.join_from(_REPORTS, _DOCUMENTS, _REPORTS.c.document == _DOCUMENTS.c.serial, isouter=True)


def _digest_of(connection: Connection, event: str, details: audit.Details) -> str:
    """Of what is stored now; empty if it is gone or cannot be read."""
    if event == REPORT_SAVED:
        text = connection.scalar(sql.select(_REPORTS.c.text).where(_REPORTS.c.id == details["report"]))
        return "" if text is None else audit.report_digest(text)
    row = connection.execute(sql.select(_DOCUMENTS).where(_DOCUMENTS.c.id == details["document"])).one_or_none()
    if row is None:
        return ""
    if event == DOCUMENT_ADDED:
        try:
            return audit.document_digest(_document(row))
        except ValueError:
            return ""
    columns: tuple[sql.ColumnElement[Any], ...] = (_COPIES.c.number, _COPIES.c.digest, _COPIES.c.issued_at)
    if event == COPIES_PLANNED:
        columns = (_COPIES.c.number, _RECIPIENTS.c.name, _COPIES.c.file_name, _COPIES.c.salt, _COPIES.c.codeword)
    query = (
        sql.select(*columns)
        .join_from(_COPIES, _RECIPIENTS, _COPIES.c.recipient == _RECIPIENTS.c.serial)
        .where(_COPIES.c.document == row.serial)
        .order_by(_COPIES.c.number)
    )
    rows: Iterator[Any] = (
        tuple(found)
        for first, last in details["numbers"]
        for found in connection.execute(query.where(_COPIES.c.number.between(first, last)))
    )
    return audit.planned_digest(rows) if event == COPIES_PLANNED else audit.issued_digest(rows)


def _each_chunk(
    connection: Connection, query: sql.Select[Any], column: sql.ColumnElement[Any], values: Sequence[object]
) -> Iterator[Any]:
    """Rows of a query for any number of values, asked for by and by."""
    for some in _chunks(values):
        yield from connection.execute(query.where(column.in_(some))).all()


def _chunks(values: Sequence[_Value]) -> Iterator[Sequence[_Value]]:
    for start in range(0, len(values), ASKED_AT_ONCE):
        yield values[start : start + ASKED_AT_ONCE]


def _first_wordings(connection: Connection, serials: Sequence[int], *, limit: int) -> dict[int, Row[Any]]:
    """All documents of the first so many different wordings, in this order; ids and wordings by serial."""
    columns = sql.select(_DOCUMENTS.c.serial, _DOCUMENTS.c.id, _DOCUMENTS.c.wording)
    wordings: dict[str, None] = {}
    for some in _chunks(serials):
        found = {row.serial: row.wording for row in _each_chunk(connection, columns, _DOCUMENTS.c.serial, some)}
        wordings |= dict.fromkeys(found[serial] for serial in some)
        if len(wordings) >= limit:
            break
    rows = _each_chunk(connection, columns, _DOCUMENTS.c.wording, list(wordings)[:limit])
    place = {serial: index for index, serial in enumerate(serials)}
    return {row.serial: row for row in sorted(rows, key=lambda row: place.get(row.serial, len(place)))}


def _rarest(frequencies: Mapping[int, int]) -> list[int]:
    """Shingles that few documents have, as many as can be looked up quickly; at least one."""
    chosen: list[int] = []
    postings = 0
    for shingle in sorted(frequencies, key=lambda one: (frequencies[one], one)):
        postings += frequencies[shingle]
        if chosen and postings > RANKED_POSTINGS:
            break
        chosen.append(shingle)
    return chosen


# Connections


def _engine(place: Place) -> Engine:
    """Without a limit to connections: a thread that waits for one would not be in the database's own queue."""
    arguments = dict(place.connect_arguments)
    if place.path:
        url = URL.create("sqlite", database=str(place.path))
        engine = sql.create_engine(url, connect_args=arguments, max_overflow=-1)
        sql.event.listen(engine, "connect", lambda connection, _: prepare_sqlite(connection, place))
        sql.event.listen(engine, "begin", _begin_sqlite)
        return engine
    try:
        engine = sql.create_engine(place.url, connect_args=arguments, max_overflow=-1, pool_pre_ping=True)
    except ImportError as error:
        raise ExtraMissing("psycopg", extra="postgres") from error
    except SQLAlchemyError as error:
        raise RegistryError(f"the URL of {place.shown} cannot be understood; needed: a URL") from error
    sql.event.listen(engine, "connect", lambda connection, _: prepare_postgresql(connection))
    return engine


def _begin_sqlite(connection: Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get("lexprint_begin", "BEGIN"))


@contextmanager
def _translated(place: Place) -> Iterator[None]:
    """Whatever the database says becomes one sentence."""
    try:
        yield
    except DBAPIError as error:
        raise RegistryError(explain(place, error.orig)) from error
    except SQLAlchemyError as error:
        raise RegistryError(f"the registry {place.shown} failed ({type(error).__name__})") from error
