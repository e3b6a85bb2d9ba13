"""Who asks: a token is needed on every route, unless the service is bound to loopback and the request comes from there.

A page of some other site, opened on the same machine, can send requests to loopback too: so without a token the names of host
and origin must be those of loopback, and a request that came by a proxy needs a token.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from ipaddress import ip_address
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from lexprint.server.problems import Refusal
from lexprint.tracing.registry import Registry
from lexprint.tracing.tokens import SCOPES, Scope, find_token

Access: TypeAlias = Literal["tokens", "loopback"]  # whether a token is always needed
LOCAL = "local"  # the owner of what is made without a token

_BY_PROXY = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")


@dataclass(frozen=True, slots=True)
class Caller:
    """On whose behalf something is done."""

    id: str  # of the token
    scopes: frozenset[Scope]


async def admit(request: Request, registry: Registry, *, access: Access, scopes: frozenset[Scope]) -> Caller:
    """The caller, if one of these scopes is theirs."""
    written = request.headers.get("authorization")
    if written is None and access == "loopback" and _is_local(request):
        return Caller(LOCAL, frozenset(SCOPES))
    kind, _, secret = (written or "").partition(" ")
    token = await run_in_threadpool(find_token, registry, secret.strip()) if kind.lower() == "bearer" else None
    if token is None or not token.is_valid(datetime.now(UTC)):
        found = "a token is needed" if written is None else "the token is unknown, expired or revoked"
        raise Refusal(
            401,
            f"{found}; make one with: lexprint token new",
            code="Unauthorized",
            headers={"WWW-Authenticate": 'Bearer realm="lexprint"'},
        )
    if not token.scopes & scopes:
        raise Refusal(403, f"the token lacks the scope {' or '.join(sorted(scopes))}", code="Forbidden")
    return Caller(token.id, token.scopes)


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
