"""Files that came in or are to go out: kept in the database, so that one backup holds all of it."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import PurePath
from typing import Any

from lexprint.registry.audit import time_text
from lexprint.registry.protocol import Registry
from lexprint.registry.statements import Statements
from lexprint.server.access import Caller
from lexprint.server.limits import Limits
from lexprint.server.problems import Refusal, not_found

SERVICE = "service"  # owner of what documents are made of; handed out by way of the document only
LONGEST_NAME = 120
_UNSAFE = re.compile(r"[\x00-\x1f\x7f/\\\ud800-\udfff]+")


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file without its content."""

    id: str
    name: str
    kind: str  # the format, as people call it
    digest: str  # SHA-256
    size: int
    created_at: datetime
    content: bytes = field(repr=False)


def safe_name(name: str | None) -> str:
    """A name that is no path and steers nothing.

    >>> safe_name("C:\\\\memos\\\\../Q3 memo.docx")
    'Q3 memo.docx'
    """
    parts = [part.strip() for part in _UNSAFE.split(name or "") if part.strip(" .")]
    return parts[-1][-LONGEST_NAME:] if parts else "document.txt"


def add_file(registry: Registry, caller: Caller, content: bytes, *, name: str, kind: str, limits: Limits) -> StoredFile:
    """Keep a file for some days, for whoever sent it; refused where they keep too much already."""
    expires_at = datetime.now(UTC) + timedelta(days=limits.file_days)
    return _add(registry, caller.id, content, name=name, kind=kind, expires_at=expires_at, most=limits.kept_bytes)


def keep_forever(registry: Registry, content: bytes, *, name: str, kind: str) -> None:
    """Keep what copies are made of, or a copy that could not be made again; once is enough for each format.

    The same bytes say something else as another format: who comes first does not decide what those of others are read as.
    """
    kept = find_kept(registry, sha256(content).hexdigest())
    if not any((one.kind, PurePath(one.name).suffix) == (kind, PurePath(name).suffix) for one in kept):
        _add(registry, SERVICE, content, name=name, kind=kind, expires_at=None)


def _add(
    registry: Registry,
    owner: str,
    content: bytes,
    *,
    name: str,
    kind: str,
    expires_at: datetime | None,
    most: int | None = None,
) -> StoredFile:
    now = datetime.now(UTC)
    file = StoredFile(secrets.token_hex(16), name, kind, sha256(content).hexdigest(), len(content), now, content)
    with registry.writing() as statements:
        if most is not None:
            _require_room(statements, owner, len(content), most=most)
        statements.change(
            "INSERT INTO files (id, owner, name, kind, digest, size, content, created_at, expires_at) "
            "VALUES (:id, :owner, :name, :kind, :digest, :size, :content, :created_at, :expires_at)",
            id=file.id,
            owner=owner,
            name=name,
            kind=kind,
            digest=file.digest,
            size=file.size,
            content=content,
            created_at=time_text(now),
            expires_at=None if expires_at is None else time_text(expires_at),
        )
    return file


def _require_room(statements: Statements, owner: str, size: int, *, most: int) -> None:
    """Nobody fills the disk of all others; files whose days are over count until they are deleted, as they take room."""
    (found,) = statements.rows("SELECT coalesce(sum(size), 0) AS kept FROM files WHERE owner = :owner", owner=owner)
    kept = int(found["kept"])
    if kept + size > most:
        raise Refusal(
            413, f"this token keeps {kept:,} bytes, and may keep {most:,}; delete files that nobody needs", code="Full"
        )


def find_file(registry: Registry, owner: str, file_id: str) -> StoredFile:
    """A file of one's own, unless its days are over."""
    with registry.reading() as statements:
        rows = statements.rows(
            "SELECT * FROM files WHERE id = :id AND owner = :owner AND (expires_at IS NULL OR expires_at > :now)",
            id=file_id,
            owner=owner,
            now=time_text(datetime.now(UTC)),
        )
    if not rows:
        raise not_found("file", file_id)
    return _file(rows[0])


def find_kept(registry: Registry, digest: str) -> list[StoredFile]:
    """The bytes that are kept under this digest, once for each format that they were sent as."""
    with registry.reading() as statements:
        rows = statements.rows(
            "SELECT * FROM files WHERE digest = :digest AND owner = :owner ORDER BY id", digest=digest, owner=SERVICE
        )
    return list(map(_file, rows))


def delete_file(registry: Registry, owner: str, file_id: str) -> None:
    with registry.writing() as statements:
        if not statements.change("DELETE FROM files WHERE id = :id AND owner = :owner", id=file_id, owner=owner):
            raise not_found("file", file_id)


def _file(row: Mapping[str, Any]) -> StoredFile:
    created_at = datetime.fromisoformat(row["created_at"])
    return StoredFile(
        row["id"], row["name"], row["kind"], row["digest"], row["size"], created_at, bytes(row["content"])
    )
