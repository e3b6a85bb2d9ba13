"""Who asks: a token is needed on every route, as `Authorization: Bearer`, or as the two halves of a browser's session.

`lexprint serve --no-tokens` lets whoever comes from this machine mark and trace without one, never administer. A page of some other
site, opened on the same machine, can send requests to loopback too: so the names of host and origin must be those of
loopback then. A proxy that hides itself cannot be told from a user; tokens can.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from ipaddress import ip_address
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

from anyio import CapacityLimiter, to_thread
from starlette.requests import Request

from lexprint.registry.protocol import Registry
from lexprint.server.logins import LoginFailed
from lexprint.server.problems import Refusal
from lexprint.server.sessions import session_token
from lexprint.server.tokens import Scope, find_token

Access: TypeAlias = Literal["tokens", "open"]  # open: not needed on this machine, to mark and to trace
LOCAL = "local"  # the owner of what is made without a token
OPEN_SCOPES: frozenset[Scope] = frozenset({"mark", "trace"})

_BY_PROXY = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")


@dataclass(frozen=True, slots=True)
class Caller:
    """On whose behalf something is done."""

    id: str  # of the token
    scopes: frozenset[Scope]
    is_session: bool = False  # of a browser that came by a link
    recipient: str | None = None  # whose copies alone the token is for; None: anybody's


async def admit(
    request: Request, registry: Registry, *, access: Access, scopes: frozenset[Scope], threads: CapacityLimiter
) -> Caller:
    """The caller, if one of these scopes is theirs; tokens are looked up by threads that do nothing else."""
    shown = _shown(request)
    if shown is None:
        if access == "open" and scopes & OPEN_SCOPES and _is_local(request):
            return Caller(LOCAL, OPEN_SCOPES)
        headers = {"WWW-Authenticate": 'Bearer realm="lexprint"'}
        raise Refusal(401, "a token is needed; make one with: lexprint token new", code="Unauthorized", headers=headers)
    token = await to_thread.run_sync(find_token, registry, shown, limiter=threads)
    if token is None or not token.opens_routes(datetime.now(UTC)):
        raise LoginFailed("the token is unknown, expired or revoked; make one with: lexprint token new", shown=shown)
    if not token.scopes & scopes:
        raise Refusal(403, f"the token lacks the scope {' or '.join(sorted(scopes))}", code="Forbidden")
    return Caller(token.id, token.scopes, is_session=token.kind == "session", recipient=token.recipient)


def _shown(request: Request) -> str | None:
    """The token that comes with a request; empty if what comes is none."""
    written = request.headers.get("authorization")
    if written is None:
        return session_token(request)
    kind, _, secret = written.partition(" ")
    return secret.strip() if kind.lower() == "bearer" else ""


def require_same_origin(request: Request) -> None:
    """Refuse what a page of another site sends: browsers say so, and older ones at least say whose page it was.

    A proxy may rewrite the host, so that is compared only where there is nothing better.
    """
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    is_foreign = origin is not None and _place(origin) != request.headers.get("host", "").lower()
    if is_foreign if site is None else site not in ("same-origin", "none"):
        raise Refusal(403, "this came from a page of another site", code="Forbidden")


def is_loopback(host: str) -> bool:
    """Whether a host is this machine for itself.

    >>> [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "lexprint.example")]
    [True, True, True, False, False]
    """
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _is_local(request: Request) -> bool:
    headers = request.headers
    if any(name in headers for name in _BY_PROXY) or headers.get("sec-fetch-site") in ("cross-site", "same-site"):
        return False
    host, origin = headers.get("host", ""), headers.get("origin")
    return is_loopback(_host_name(f"//{host}")) and (origin is None or _place(origin) == host.lower())


def _place(origin: str) -> str:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


def _host_name(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""
