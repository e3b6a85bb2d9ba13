"""Every table of the database, declared once: what SQLAlchemy asks is what migrations have made."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sql
from sqlalchemy import BigInteger, Column, Index, Integer, LargeBinary, Table, Text

METADATA = sql.MetaData()


def _key() -> Column[int]:
    """A key that counts up; SQLite knows it by the type alone."""
    return Column("serial", BigInteger().with_variant(Integer, "sqlite"), sql.Identity(), primary_key=True)


def _big(name: str, *constraints: Any, **options: Any) -> Column[int]:
    return Column(name, BigInteger, *constraints, **{"nullable": False, **options})


def _text(name: str, *constraints: Any, **options: Any) -> Column[str]:
    return Column(name, Text, *constraints, **{"nullable": False, **options})


def _bytes(name: str, **options: Any) -> Column[bytes]:
    return Column(name, LargeBinary, **{"nullable": False, **options})


def _document(**options: Any) -> Column[int]:
    return _big("document", sql.ForeignKey("documents.serial"), **options)


def _by_key(name: str, *columns: Any) -> Table:
    """A table whose rows SQLite keeps in order of their key."""
    return Table(name, METADATA, *columns, sqlite_with_rowid=False)


MIGRATIONS = Table("migrations", METADATA, _text("name", primary_key=True), _text("applied_at"))
REGISTRY = Table("registry", METADATA, _text("id", primary_key=True))

DOCUMENTS = Table(
    "documents",
    METADATA,
    _key(),
    _text("id", unique=True),
    _text("name"),
    _bytes("text"),
    _text("digest"),
    _text("issuing"),
    _text("code"),
    _bytes("sites"),
    _bytes("biases"),
    Column("site_count", Integer, nullable=False),
    Column("word_count", Integer, nullable=False),
    _text("key_id"),
    _text("fingerprint"),
    _text("canary"),
    _text("wording"),
    _text("created_at"),
    _text("error_bound"),  # promised when copies were issued, as Python writes the number
    Index("documents_by_name", "name"),
    Index("documents_by_digest", "digest"),
    Index("documents_by_wording", "wording"),
)

RECIPIENTS = Table("recipients", METADATA, _key(), _text("person", unique=True), _text("name"))

COPIES = _by_key(
    "copies",
    _document(primary_key=True),
    _big("number", primary_key=True),
    _big("recipient", sql.ForeignKey("recipients.serial")),
    _bytes("salt"),
    _bytes("codeword"),
    _text("file_name"),
    _text("digest", nullable=True),
    _text("issued_at", nullable=True),
    sql.UniqueConstraint("document", "recipient"),
    sql.CheckConstraint("(digest IS NULL) = (issued_at IS NULL)"),
    Index("copies_by_recipient", "recipient"),
)

SHINGLES = _by_key("shingles", _big("hash", primary_key=True), _document(primary_key=True))

REPORTS = Table(
    "reports", METADATA, _key(), _text("id", unique=True), _document(nullable=True), _text("text"), _text("saved_at")
)

# What people made of reports: a status from then on, and a note.
REVIEWS = Table(
    "reviews",
    METADATA,
    _text("report_id", sql.ForeignKey("reports.id"), primary_key=True),
    _big("number", primary_key=True),
    _text("status"),
    _text("note"),
    _text("at"),
)

# What was read in leaks of each document, by turn: each new reading is one more chance to err.
TRACES = Table(
    "traces",
    METADATA,
    _document(primary_key=True),
    _big("turn", primary_key=True),
    _big("compared"),
    _text("digest"),
    _bytes("reading"),
    _text("traced_at"),
)

# What was found in texts, sealed with the texts themselves.
ANALYSES = Table("analyses", METADATA, _text("name", primary_key=True), _bytes("content"), _text("kept_at"))

# Copies that were sent by mail.
DELIVERIES = Table(
    "deliveries",
    METADATA,
    _text("document_id", sql.ForeignKey("documents.id"), primary_key=True),
    _big("number", primary_key=True),
    _text("address"),
    _text("message_id"),
    _text("state"),
    _text("at"),
)

AUDIT = Table(
    "audit",
    METADATA,
    _big("sequence", primary_key=True, autoincrement=False),
    _text("at"),
    _text("event"),
    _text("details"),
    _text("key_id"),
    _text("previous", unique=True),
    _text("hash"),
)
AUDIT_HEAD = Table("audit_head", METADATA, _big("sequence"), _text("hash"), _text("key_id"), _text("seal"))

# What the HTTP service keeps: who may use it, files that came in or went out, long work, and answers already given.
TOKENS = Table(
    "tokens",
    METADATA,
    _key(),
    _text("id", unique=True),
    _text("kind"),
    _text("name"),
    _text("hash"),
    _text("scopes"),
    _text("recipient", nullable=True),
    _text("created_at"),
    _text("expires_at", nullable=True),
    _text("revoked_at", nullable=True),
)
FILES = Table(
    "files",
    METADATA,
    _key(),
    _text("id", unique=True),
    _text("owner"),
    _text("name"),
    _text("kind"),
    _text("digest"),
    _big("size"),
    _bytes("content"),
    _text("created_at"),
    _text("expires_at", nullable=True),
    Index("files_by_digest", "digest"),
)
JOBS = Table(
    "jobs",
    METADATA,
    _key(),
    _text("id", unique=True),
    _text("owner"),
    _text("verb"),
    _text("request"),
    _text("state"),
    _big("done"),
    _big("total"),
    _text("doing", nullable=True),
    Column("attempts", Integer, nullable=False),
    _text("runner", nullable=True),
    _text("leased_until", nullable=True),
    _text("result", nullable=True),
    _text("problem", nullable=True),
    _text("created_at"),
    _text("finished_at", nullable=True),
    Index("jobs_by_state", "state", "serial"),
)
WEBHOOKS = Table(
    "webhooks",
    METADATA,
    _key(),
    _text("id", unique=True),
    _text("url"),
    _text("events"),
    _text("key_id"),
    _big("cursor"),
    Column("attempts", Integer, nullable=False),
    _text("tried_since", nullable=True),
    _text("due_at"),
    _text("leased_until", nullable=True),
    _text("created_at"),
)
ANSWERS = Table(
    "answers",
    METADATA,
    _text("owner", primary_key=True),
    _text("request_key", primary_key=True),
    _text("request_digest"),
    Column("status", Integer),
    _text("media_type", nullable=True),
    _bytes("body", nullable=True),
    _text("asked_at"),
)

# The database itself refuses to change an entry of the log. INSERT OR REPLACE deletes without asking SQLite's triggers.
_REFUSE = "BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END"
_NEXT = "(SELECT coalesce(max(sequence), 0) + 1 FROM audit)"
APPEND_ONLY = {
    "sqlite": f"""
        CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit {_REFUSE}
        CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit {_REFUSE}
        CREATE TRIGGER audit_in_order BEFORE INSERT ON audit WHEN NEW.sequence <> {_NEXT} {_REFUSE}
    """,
    "postgresql": """
        CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'the audit log is append-only'; END $$
        CREATE TRIGGER audit_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
    """,
}  # a statement a line
