"""Browsers sign in once; then one half of a token is in a cookie, the other with the page.

A cookie is sent to every port of a host, and by requests that another site makes: it opens nothing by itself. The page keeps the
other half where only pages of this very service can read it, and sends it as a header, which no other site can. Scripts cannot
read the cookie, so neither can what might be slipped into the page.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from starlette.requests import Request
from starlette.responses import Response

from lexprint.server.tokens import SESSION_LIFETIME, Token

HEADER = "X-Lexprint-Session"
COOKIE = "lexprint_"  # and the token's id: services on several ports of a host share its cookies

# Of 43 characters with six bits each; neither half can be guessed.
_WRITTEN = re.compile(r"lxp_([0-9a-f]{12})_([A-Za-z0-9_-]{21})([A-Za-z0-9_-]{22})")
_PAGE_HALF = re.compile(r"([0-9a-f]{12})\.([A-Za-z0-9_-]{22})")
_COOKIE_HALF = re.compile(r"[A-Za-z0-9_-]{21}")


def session_token(request: Request) -> str | None:
    """The token whose halves come with a request; None if the page did not send its half."""
    shown = request.headers.get(HEADER)
    if shown is None:
        return None
    page = _PAGE_HALF.fullmatch(shown)
    cookie = request.cookies.get(f"{COOKIE}{page[1]}", "") if page else ""
    return f"lxp_{page[1]}_{cookie}{page[2]}" if page and _COOKIE_HALF.fullmatch(cookie) else ""


def page_half(written: str) -> str:
    """What the page keeps of a token."""
    token_id, _, rest = _halves(written)
    return f"{token_id}.{rest}"


def set_cookie(response: Response, request: Request, written: str, token: Token) -> None:
    """Hand the browser its half, for as long as the token lasts, but no longer than a session."""
    token_id, half, _ = _halves(written)
    left = SESSION_LIFETIME if token.expires_at is None else min(SESSION_LIFETIME, token.expires_at - datetime.now(UTC))
    response.set_cookie(
        f"{COOKIE}{token_id}",
        half,
        max_age=max(0, int(left.total_seconds())),
        path="/v1",
        httponly=True,
        samesite="strict",
        secure=_is_encrypted(request),
    )


def delete_cookie(response: Response, request: Request, token_id: str) -> None:
    response.delete_cookie(
        f"{COOKIE}{token_id}", path="/v1", httponly=True, samesite="strict", secure=_is_encrypted(request)
    )


def _halves(written: str) -> tuple[str, str, str]:
    found = _WRITTEN.fullmatch(written)
    assert found is not None, "only tokens that were found come here"
    return found[1], found[2], found[3]


def _is_encrypted(request: Request) -> bool:
    """By itself or by a proxy before it; who claims it falsely only keeps their own cookie to themselves."""
    return "https" in (request.url.scheme, request.headers.get("x-forwarded-proto", "").lower())
