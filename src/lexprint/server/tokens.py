"""Tokens: who may ask the service for what, until when.

Only a digest of a token is kept. It is 32 random bytes, so a plain SHA-256 is as good as a slow hash and costs no time.
A link is a token that opens nothing but one session of a browser, once.
"""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, Literal, TypeAlias, get_args

from lexprint.errors import InputError, RegistryError
from lexprint.registry.audit import TOKEN_CREATED, TOKEN_REVOKED, time_text
from lexprint.registry.packing import require_storable
from lexprint.registry.protocol import Registry
from lexprint.registry.statements import Statements

Scope: TypeAlias = Literal["copies", "mark", "trace", "admin"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
TokenKind: TypeAlias = Literal["api", "link", "session"]
LINK_LIFETIME = timedelta(minutes=10)
SESSION_LIFETIME = timedelta(days=30)

_CANCEL_JOBS = (
    "UPDATE jobs SET state = 'cancelled', request = '', result = NULL, finished_at = :now "
    "WHERE owner = :owner AND state IN ('queued', 'running')"
)
_PREFIX = "lxp"  # begins every token, so that scanners for leaked secrets can know it
_FORM = re.compile(rf"{_PREFIX}_([0-9a-f]{{12}})_([A-Za-z0-9_-]{{43}})")


@dataclass(frozen=True, slots=True)
class Token:
    """What is kept of a token: never the token."""

    id: str  # twelve hexadecimal digits; may be shown
    kind: TokenKind
    name: str
    scopes: frozenset[Scope]
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    recipient: str | None = None  # whose copies alone it opens; None: anybody's

    def is_valid(self, at: datetime) -> bool:
        return self.revoked_at is None and (self.expires_at is None or at < self.expires_at)

    def opens_routes(self, at: datetime) -> bool:
        """A link opens a session, and nothing else."""
        return self.kind != "link" and self.is_valid(at)


def token_json(token: Token) -> dict[str, object]:
    """What commands print and the service answers of a token."""
    return {
        "id": token.id,
        "kind": token.kind,
        "name": token.name,
        "scopes": sorted(token.scopes),
        "recipient": token.recipient,
        "created_at": token.created_at.isoformat(),
        "expires_at": token.expires_at and token.expires_at.isoformat(),
        "revoked_at": token.revoked_at and token.revoked_at.isoformat(),
    }


def create_token(
    registry: Registry,
    name: str,
    *,
    scopes: Collection[Scope],
    expires_at: datetime | None = None,
    kind: TokenKind = "api",
    recipient: str | None = None,
    by: str | None = None,
) -> tuple[str, Token]:
    """A new token, which is shown this once, and what is kept of it.

    `by` is the id of its maker's token; without one a command on the registry's machine made it. The log has both, with name and
    recipient: who fetches something with a token "of Ada" is Ada only if nobody made it in her name.
    """
    if recipient is not None:
        require_storable("the name of a recipient", recipient)
        if set(scopes) != {"copies"}:
            raise InputError("a token for one recipient opens their copies alone", needed="the scope copies, no other")
    with registry.writing() as statements:
        return _create(statements, name, scopes=scopes, expires_at=expires_at, kind=kind, recipient=recipient, by=by)


def create_link(registry: Registry, *, scopes: Collection[Scope] = SCOPES) -> str:
    """What a browser can exchange for a session with these scopes, once and soon."""
    expires_at = datetime.now(UTC) + LINK_LIFETIME
    return create_token(registry, "one-time link", scopes=scopes, expires_at=expires_at, kind="link")[0]


def open_session(registry: Registry, link: str) -> tuple[str, Token] | None:
    """A session for whoever shows a link first; None for everybody else, and if it has expired."""
    found = find_token(registry, link)
    now = datetime.now(UTC)
    if found is None or found.kind != "link" or not found.is_valid(now):
        return None
    with registry.writing() as statements:
        if not statements.change(
            "UPDATE tokens SET revoked_at = :now WHERE id = :id AND revoked_at IS NULL", id=found.id, now=time_text(now)
        ):
            return None
        expires_at = now + SESSION_LIFETIME
        return _create(
            statements, "browser session", scopes=found.scopes, expires_at=expires_at, kind="session", by=found.id
        )


def _create(
    statements: Statements,
    name: str,
    *,
    scopes: Collection[Scope],
    expires_at: datetime | None,
    kind: TokenKind,
    recipient: str | None = None,
    by: str | None = None,
) -> tuple[str, Token]:
    require_storable("the name of a token", name)
    unknown = set(scopes) - set(SCOPES)
    if unknown or not scopes:
        raise InputError("a token needs scopes that exist", needed=f"one or more of {', '.join(SCOPES)}")
    now = datetime.now(UTC)
    if expires_at is not None and expires_at <= now:
        raise InputError("the token would have expired already", needed="a moment to come")
    token = Token(secrets.token_hex(6), kind, name, frozenset(scopes), now, expires_at, recipient=recipient)
    written = f"{_PREFIX}_{token.id}_{secrets.token_urlsafe(32)}"
    statements.change(
        "INSERT INTO tokens (id, kind, name, hash, scopes, recipient, created_at, expires_at) "
        "VALUES (:id, :kind, :name, :hash, :scopes, :recipient, :created_at, :expires_at)",
        id=token.id,
        kind=kind,
        name=name,
        hash=_digest(written),
        scopes=" ".join(sorted(token.scopes)),
        recipient=recipient,
        created_at=time_text(now),
        expires_at=None if expires_at is None else time_text(expires_at),
    )
    details = {"token": token.id, "kind": kind, "name": name, "scopes": sorted(token.scopes), "recipient": recipient}
    statements.log(TOKEN_CREATED, details | {"by": _maker(statements, by)})
    return written, token


def _maker(statements: Statements, by: str | None) -> dict[str, str]:
    """As the log has it."""
    if by is None:
        return {"command": "lexprint"}
    names = statements.rows("SELECT kind, name FROM tokens WHERE id = :id", id=by)
    return {"token": by, **(dict(names[0]) if names else {})}


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


def revoke_token(registry: Registry, token_id: str, *, by: str | None = None) -> Token:
    """From now on it opens nothing; revoking it again changes nothing.

    What was asked for with it and is not done yet is cancelled, unless its holder signs out.
    """
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
            if by != token_id:
                statements.change(_CANCEL_JOBS, owner=token_id, now=time_text(datetime.now(UTC)))
            statements.log(TOKEN_REVOKED, {"token": token_id, "by": _maker(statements, by)})
    return _token(rows[0])


class UnknownToken(RegistryError):
    """No token has that id."""

    def __init__(self, token_id: str) -> None:
        super().__init__(f"token {token_id} is not known; run: lexprint token list")
        self.token_id = token_id


def _token(row: Mapping[str, Any]) -> Token:
    scopes = frozenset(scope for scope in SCOPES if scope in row["scopes"].split())
    return Token(
        row["id"],
        row["kind"],
        row["name"],
        scopes,
        _time(row["created_at"]),
        _moment(row["expires_at"]),
        _moment(row["revoked_at"]),
        row["recipient"],
    )


def delete_old_sessions(registry: Registry, *, before: datetime) -> None:
    """Links and sessions that ended before then: they are many, and nobody will ask about them."""
    with registry.writing() as statements:
        statements.change(
            "DELETE FROM tokens WHERE kind <> 'api' AND (expires_at < :before OR revoked_at < :before)",
            before=time_text(before),
        )


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _moment(text: str | None) -> datetime | None:
    return None if text is None else _time(text)


def _digest(written: str) -> str:
    return sha256(written.encode()).hexdigest()
