"""API tokens: who may ask the service for what, until when.

Only a digest of a token is kept. It is 32 random bytes, so a plain SHA-256 is as good as a slow hash and costs no time.
"""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Literal, TypeAlias, get_args

from lexprint.errors import InputError, RegistryError
from lexprint.tracing.audit import time_text
from lexprint.tracing.packing import require_storable
from lexprint.tracing.registry import Registry

Scope: TypeAlias = Literal["mark", "trace", "admin"]
SCOPES: tuple[Scope, ...] = get_args(Scope)

_PREFIX = "lxp"  # begins every token, so that scanners for leaked secrets can know it
_FORM = re.compile(rf"{_PREFIX}_([0-9a-f]{{12}})_([A-Za-z0-9_-]{{43}})")


@dataclass(frozen=True, slots=True)
class Token:
    """What is kept of a token: never the token."""

    id: str  # twelve hexadecimal digits; may be shown
    name: str
    scopes: frozenset[Scope]
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None

    def is_valid(self, at: datetime) -> bool:
        return self.revoked_at is None and (self.expires_at is None or at < self.expires_at)


def create_token(
    registry: Registry, name: str, *, scopes: Collection[Scope], expires_at: datetime | None = None
) -> tuple[str, Token]:
    """A new token, which is shown this once, and what is kept of it."""
    require_storable("the name of a token", name)
    unknown = set(scopes) - set(SCOPES)
    if unknown or not scopes:
        raise InputError("a token needs scopes that exist", needed=f"one or more of {', '.join(SCOPES)}")
    now = datetime.now(UTC)
    if expires_at is not None and expires_at <= now:
        raise InputError("the token would have expired already", needed="a moment to come")
    token = Token(secrets.token_hex(6), name, frozenset(scopes), now, expires_at)
    written = f"{_PREFIX}_{token.id}_{secrets.token_urlsafe(32)}"
    with registry.writing() as statements:
        statements.change(
            "INSERT INTO tokens (id, name, hash, scopes, created_at, expires_at) "
            "VALUES (:id, :name, :hash, :scopes, :created_at, :expires_at)",
            id=token.id,
            name=name,
            hash=_digest(written),
            scopes=" ".join(sorted(token.scopes)),
            created_at=time_text(now),
            expires_at=None if expires_at is None else time_text(expires_at),
        )
        statements.log("token created", {"token": token.id, "scopes": sorted(token.scopes)})
    return written, token


def find_token(registry: Registry, written: str) -> Token | None:
    """What is known of a token that somebody shows; None if it is none of ours."""
    form = _FORM.fullmatch(written)
    if form is None:
        return None
    with registry.reading() as statements:
        rows = statements.rows("SELECT * FROM tokens WHERE id = :id", id=form[1])
    if not rows or not hmac.compare_digest(rows[0]["hash"], _digest(written)):
        return None
    return _token(rows[0])


def list_tokens(registry: Registry) -> list[Token]:
    """All of them, oldest first; revoked and expired ones too."""
    with registry.reading() as statements:
        return [_token(row) for row in statements.rows("SELECT * FROM tokens ORDER BY serial")]


def revoke_token(registry: Registry, token_id: str) -> Token:
    """From now on it opens nothing; revoking it again changes nothing."""
    with registry.writing() as statements:
        changed = statements.change(
            "UPDATE tokens SET revoked_at = :at WHERE id = :id AND revoked_at IS NULL",
            id=token_id,
            at=time_text(datetime.now(UTC)),
        )
        rows: Sequence[Mapping[str, Any]] = statements.rows("SELECT * FROM tokens WHERE id = :id", id=token_id)
        if not rows:
            raise UnknownToken(token_id)
        if changed:
            statements.log("token revoked", {"token": token_id})
    return _token(rows[0])


class UnknownToken(RegistryError):
    """No token has that id."""

    def __init__(self, token_id: str) -> None:
        super().__init__(f"token {token_id} is not known; run: lexprint token list")
        self.token_id = token_id


def _token(row: Mapping[str, Any]) -> Token:
    scopes = frozenset(scope for scope in SCOPES if scope in row["scopes"].split())
    return Token(
        row["id"], row["name"], scopes, _time(row["created_at"]), _moment(row["expires_at"]), _moment(row["revoked_at"])
    )


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _moment(text: str | None) -> datetime | None:
    return None if text is None else _time(text)


def _digest(written: str) -> str:
    return sha256(written.encode()).hexdigest()
