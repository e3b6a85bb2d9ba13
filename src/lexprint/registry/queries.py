"""What is asked of the tables, each question within a transaction that somebody else has begun."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

import sqlalchemy as sql
from sqlalchemy.engine import Connection, Row

from lexprint.errors import UnknownDocument
from lexprint.registry import audit, packing
from lexprint.registry.audit import (
    COPIES_ISSUED,
    COPIES_PLANNED,
    DOCUMENT_ADDED,
    REPORT_REVIEWED,
    REPORT_SAVED,
    TURN_TAKEN,
)
from lexprint.registry.records import (
    Codewords,
    DocumentRecord,
    DocumentSummary,
    IssuedCopy,
    LikelyDocument,
    RecipientSummary,
)
from lexprint.registry.tables import COPIES, DOCUMENTS, RECIPIENTS, REPORTS, REVIEWS, SHINGLES, TRACES

ASKED_AT_ONCE = 500  # values in one statement; old SQLite takes no more than 999
RANKED_POSTINGS = 50_000  # rows looked at to rank documents; the rarest shingles, which tell most, come first

_Value = TypeVar("_Value")


# Documents


def serial_of(connection: Connection, document_id: str) -> int:
    return serial_and_sites(connection, document_id)[0]


def serial_and_sites(connection: Connection, document_id: str) -> tuple[int, int]:
    query = sql.select(DOCUMENTS.c.serial, DOCUMENTS.c.site_count).where(DOCUMENTS.c.id == document_id)
    row = connection.execute(query).one_or_none()
    if row is None:
        raise UnknownDocument(document_id)
    return row.serial, row.site_count


def newest_document(connection: Connection, *, text: str | None = None, **wanted: object) -> DocumentRecord | None:
    """The newest whose columns have these values, and that says this if a text is given."""
    conditions = [DOCUMENTS.c[column] == value for column, value in wanted.items()]
    found = connection.execute(sql.select(DOCUMENTS.c.serial, DOCUMENTS.c.text).where(*conditions)).all()
    serials = [row.serial for row in found if text is None or packing.unpack_text(row.text) == text]
    if not serials:
        return None
    return _document(connection.execute(sql.select(DOCUMENTS).where(DOCUMENTS.c.serial == max(serials))).one())


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
        canary=row.canary,
    )


def summaries(connection: Connection, condition: sql.ColumnElement[bool]) -> list[DocumentSummary]:
    """Documents without text and sites, oldest first."""
    made = sql.select(
        COPIES.c.document,
        sql.func.count().label("planned"),
        sql.func.count(COPIES.c.issued_at).label("issued"),
    )
    wanted = sql.select(DOCUMENTS.c.serial).where(condition)  # not the copies of all documents there are
    counts = made.where(COPIES.c.document.in_(wanted)).group_by(COPIES.c.document).subquery()
    version = sql.func.row_number().over(partition_by=DOCUMENTS.c.name, order_by=DOCUMENTS.c.serial)
    small = [column for column in DOCUMENTS.c if not isinstance(column.type, sql.LargeBinary)]
    query = (
        sql.select(*small, version.label("version"), counts.c.planned, counts.c.issued)
        .join_from(DOCUMENTS, counts, counts.c.document == DOCUMENTS.c.serial, isouter=True)
        .where(condition)
        .order_by(DOCUMENTS.c.serial)
    )
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


def reports_with_documents(*columns: sql.ColumnElement[Any]) -> sql.Select[Any]:
    """Reports beside the documents they speak of, if any."""
    return sql.select(*columns).join_from(REPORTS, DOCUMENTS, REPORTS.c.document == DOCUMENTS.c.serial, isouter=True)


# Copies


def copies(connection: Connection, document_id: str, numbers: Collection[int] | None) -> list[IssuedCopy]:
    """By number: all, or those asked for that exist."""
    query = (
        sql.select(COPIES, RECIPIENTS.c.name)
        .join_from(COPIES, RECIPIENTS, COPIES.c.recipient == RECIPIENTS.c.serial)
        .order_by(COPIES.c.number)
    )
    serial, sites = serial_and_sites(connection, document_id)
    query = query.where(COPIES.c.document == serial)
    rows = (
        connection.execute(query).all()
        if numbers is None
        else list(in_chunks(connection, query, COPIES.c.number, sorted(numbers)))
    )
    symbols = packing.unpack_codewords([row.codeword for row in rows], sites=sites)
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
        for row, codeword in zip(rows, symbols, strict=True)
    ]


def codewords(connection: Connection, document_id: str) -> tuple[list[int], Codewords]:
    query = sql.select(COPIES.c.number, COPIES.c.codeword).order_by(COPIES.c.number)
    serial, sites = serial_and_sites(connection, document_id)
    rows = connection.execute(query.where(COPIES.c.document == serial)).all()
    return [number for number, _ in rows], packing.unpack_codewords([codeword for _, codeword in rows], sites=sites)


def recipients(connection: Connection) -> list[RecipientSummary]:
    query = (
        sql.select(RECIPIENTS.c.name, sql.func.count(), sql.func.count(COPIES.c.issued_at))
        .join_from(RECIPIENTS, COPIES, COPIES.c.recipient == RECIPIENTS.c.serial)
        .group_by(RECIPIENTS.c.serial, RECIPIENTS.c.name)
    )
    rows = connection.execute(query).all()
    # Sorted here: databases differ in how they order letters.
    return sorted((RecipientSummary(*row) for row in rows), key=lambda recipient: recipient.name)


def recipients_by_person(connection: Connection, people: Sequence[str]) -> dict[str, Row[Any]]:
    rows = in_chunks(connection, sql.select(RECIPIENTS), RECIPIENTS.c.person, people)
    return {row.person: row for row in rows}


# The wording of documents


def likely_documents(connection: Connection, shingles: Sequence[int], *, limit: int) -> list[LikelyDocument]:
    hashes, document = SHINGLES.c.hash, SHINGLES.c.document
    count = sql.select(hashes, sql.func.count()).group_by(hashes)
    frequencies = dict(in_chunks(connection, count, hashes, sorted(set(shingles))))
    weights: dict[int, float] = defaultdict(float)
    for shingle, serial in in_chunks(connection, sql.select(hashes, document), hashes, _rarest(frequencies)):
        weights[serial] += 1 / frequencies[shingle]
    likeliest = sorted(weights, key=lambda serial: (-weights[serial], -serial))  # of twins, the newer
    named = _first_wordings(connection, likeliest, limit=limit)
    shared: dict[int, int] = defaultdict(int)
    for some in _chunks(list(named)):
        query = sql.select(document, sql.func.count()).where(document.in_(some)).group_by(document)
        for serial, common in in_chunks(connection, query, hashes, sorted(frequencies)):
            shared[serial] += common
    return [LikelyDocument(row.id, shared[serial], row.wording) for serial, row in named.items()]


def _rarest(frequencies: Mapping[int, int]) -> list[int]:
    """Shingles that few documents have, as many as can be looked up quickly; at least one."""
    chosen: list[int] = []
    postings = 0
    for shingle in sorted(frequencies, key=lambda shingle: (frequencies[shingle], shingle)):
        postings += frequencies[shingle]
        if chosen and postings > RANKED_POSTINGS:
            break
        chosen.append(shingle)
    return chosen


def _first_wordings(connection: Connection, serials: Sequence[int], *, limit: int) -> dict[int, Row[Any]]:
    """All documents of the first so many different wordings, in this order; ids and wordings by serial."""
    columns = sql.select(DOCUMENTS.c.serial, DOCUMENTS.c.id, DOCUMENTS.c.wording)
    wordings: dict[str, None] = {}
    for some in _chunks(serials):
        found = {row.serial: row.wording for row in in_chunks(connection, columns, DOCUMENTS.c.serial, some)}
        wordings |= dict.fromkeys(found[serial] for serial in some)
        if len(wordings) >= limit:
            break
    rows = in_chunks(connection, columns, DOCUMENTS.c.wording, list(wordings)[:limit])
    place = {serial: index for index, serial in enumerate(serials)}
    return {row.serial: row for row in sorted(rows, key=lambda row: place.get(row.serial, len(place)))}


# The audit log


def stored_counts(connection: Connection) -> dict[str, int]:
    """How many things there are of each kind that the log speaks of."""
    counted = {
        DOCUMENT_ADDED: sql.select(sql.func.count()).select_from(DOCUMENTS),
        COPIES_PLANNED: sql.select(sql.func.count()).select_from(COPIES),
        COPIES_ISSUED: sql.select(sql.func.count(COPIES.c.issued_at)),
        REPORT_SAVED: sql.select(sql.func.count()).select_from(REPORTS),
        TURN_TAKEN: sql.select(sql.func.count()).select_from(TRACES),
        REPORT_REVIEWED: sql.select(sql.func.count()).select_from(REVIEWS),
    }
    return {event: connection.scalar(query) or 0 for event, query in counted.items()}


def stored_digest(connection: Connection, event: str, details: audit.Details) -> str:
    """Of what is stored now of what an event speaks of; empty if it is gone or cannot be read."""
    if event == REPORT_SAVED:
        text = connection.scalar(sql.select(REPORTS.c.text).where(REPORTS.c.id == details["report"]))
        return "" if text is None else audit.report_digest(text)
    if event == REPORT_REVIEWED:
        return _digest_of_review(connection, details["report"], details["review"])
    asked = DOCUMENTS if event == DOCUMENT_ADDED else DOCUMENTS.c.serial  # a document is long
    row = connection.execute(sql.select(asked).where(DOCUMENTS.c.id == details["document"])).one_or_none()
    if row is None:
        return ""
    if event == DOCUMENT_ADDED:
        try:
            return audit.document_digest(_document(row))
        except ValueError:
            return ""
    if event == TURN_TAKEN:
        return _digest_of_turn(connection, row.serial, details["turn"])
    columns: tuple[sql.ColumnElement[Any], ...] = (COPIES.c.number, COPIES.c.digest, COPIES.c.issued_at)
    if event == COPIES_PLANNED:
        columns = (COPIES.c.number, RECIPIENTS.c.name, COPIES.c.file_name, COPIES.c.salt, COPIES.c.codeword)
    query = (
        sql.select(*columns)
        .join_from(COPIES, RECIPIENTS, COPIES.c.recipient == RECIPIENTS.c.serial)
        .where(COPIES.c.document == row.serial)
        .order_by(COPIES.c.number)
    )
    rows: Iterator[Any] = (
        tuple(found)
        for first, last in details["numbers"]
        for found in connection.execute(query.where(COPIES.c.number.between(first, last)))
    )
    return audit.planned_digest(rows) if event == COPIES_PLANNED else audit.issued_digest(rows)


def _digest_of_review(connection: Connection, report_id: str, number: int) -> str:
    query = sql.select(REVIEWS).where(REVIEWS.c.report_id == report_id, REVIEWS.c.number == number)
    found = connection.execute(query).mappings().one_or_none()
    return "" if found is None else audit.review_digest(**dict(found))


def _digest_of_turn(connection: Connection, document: int, turn: int) -> str:
    query = sql.select(TRACES).where(TRACES.c.document == document, TRACES.c.turn == turn)
    found = connection.execute(query).one_or_none()
    if found is None:
        return ""
    columns = ("turn", "compared", "digest", "traced_at")
    return audit.turn_digest(reading=bytes(found.reading), **{name: getattr(found, name) for name in columns})


# Many values at once


def in_chunks(
    connection: Connection, query: sql.Select[Any], column: sql.ColumnElement[Any], values: Sequence[object]
) -> Iterator[Any]:
    """Rows of a query for any number of values, asked for by and by."""
    for some in _chunks(values):
        yield from connection.execute(query.where(column.in_(some))).all()


def _chunks(values: Sequence[_Value]) -> Iterator[Sequence[_Value]]:
    for start in range(0, len(values), ASKED_AT_ONCE):
        yield values[start : start + ASKED_AT_ONCE]
