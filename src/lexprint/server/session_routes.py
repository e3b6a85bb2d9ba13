"""Signing in and out, for browsers: `POST /v1/session` is open to whoever shows a token or a one-time link."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from typing import Any

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from lexprint.registry.protocol import Registry
from lexprint.server import token_schemas
from lexprint.server.access import require_same_origin
from lexprint.server.guarding import guarded_router, service_of
from lexprint.server.logins import LoginFailed
from lexprint.server.problems import Refusal
from lexprint.server.routes import TheCaller, TheService
from lexprint.server.sessions import HEADER, delete_cookie, page_half, set_cookie
from lexprint.server.tokens import Token, find_token, open_session, revoke_token

LARGEST_BODY = 1_000  # bytes, before anybody is known


class _SmallRoute(APIRoute):
    """For strangers: nothing large is read for them, and what fails is counted."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        answer = super().get_route_handler()

        async def guarded(request: Request) -> Response:
            require_same_origin(request)
            length = request.headers.get("content-length", "")
            if not length.isdigit():
                raise Refusal(411, "the length of the body is not said", code="NoLength")
            if int(length) > LARGEST_BODY:
                raise Refusal(413, f"the body has more than {LARGEST_BODY} bytes", code="TooLarge")
            try:
                return await answer(request)
            except LoginFailed as failed:
                service_of(request).failed_logins.note(request, failed)
                raise

        return guarded


entrance = APIRouter(prefix="/v1", route_class=_SmallRoute)
everybody = guarded_router("mark", "trace", "admin")


@entrance.post("/session", response_model=token_schemas.SessionInfo)
async def sign_in(asked: token_schemas.SessionRequest, request: Request, service: TheService) -> Response:
    """Exchange a token, or the code of a one-time link, for a session of this browser.

    Half of its token is set as a cookie; the other half is in the answer, to be sent as `X-Lexprint-Session`.
    """
    opened = await run_in_threadpool(_opened, service.registry, asked)
    if opened is None:
        what = "the link was used or has expired" if asked.code else "the token is unknown, expired or revoked"
        needed = "lexprint token link" if asked.code else "lexprint token new"
        raise LoginFailed(f"{what}; make another with: {needed}", shown=asked.code or asked.token or "")
    written, token = opened
    found = token_schemas.SessionInfo(
        session=page_half(written), scopes=sorted(token.scopes), expires_at=token.expires_at, name=token.name
    )
    response = JSONResponse(found.model_dump(mode="json"))
    set_cookie(response, request, written, token)
    return response


def _opened(registry: Registry, asked: token_schemas.SessionRequest) -> tuple[str, Token] | None:
    if asked.code is not None:
        return open_session(registry, asked.code)
    written = (asked.token or "").strip()
    token = find_token(registry, written)
    return None if token is None or not token.opens_routes(datetime.now(UTC)) else (written, token)


@everybody.get("/session", response_model=token_schemas.CallerInfo)
def show_session(caller: TheCaller) -> dict[str, object]:
    """What whoever asks may do, so that a page offers nothing else."""
    return {"id": caller.id, "scopes": sorted(caller.scopes)}


@everybody.delete("/session", status_code=204)
def sign_out(request: Request, service: TheService, caller: TheCaller) -> Response:
    """End the session of this browser; one that began with a link opens nothing any more."""
    if HEADER not in request.headers:
        raise Refusal(409, "no session was shown; a token is ended with: lexprint token revoke", code="NoSession")
    if caller.is_session:
        revoke_token(service.registry, caller.id, by=caller.id)
    response = Response(status_code=204)
    delete_cookie(response, request, caller.id)
    return response
