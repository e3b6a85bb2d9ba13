"""The way into every route: token, scope, rate, and answers that were given before.

Routes are made on a router that knows its scopes, so a new route cannot forget them.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, ClassVar

from fastapi import APIRouter, Security
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from lexprint.registry.audit import time_text
from lexprint.registry.protocol import Registry
from lexprint.server.access import Caller, admit
from lexprint.server.logins import LoginFailed
from lexprint.server.problems import Refusal
from lexprint.server.service import Service
from lexprint.server.tokens import Scope

LONGEST_KEY = 128
_BEARER = HTTPBearer(auto_error=False, description="An API token, from `lexprint token new`.")


class GuardedRoute(APIRoute):
    """A route that is open to callers with one of its scopes."""

    scopes: ClassVar[frozenset[Scope]] = frozenset()
    keeps_answers: ClassVar[bool] = True  # for who sends a request again; never if an answer may hold a secret
    is_idempotent: ClassVar[bool] = False  # whether that is the same by itself

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        answer = super().get_route_handler()

        async def guarded(request: Request) -> Response:
            service = service_of(request)
            try:
                caller = await admit(
                    request,
                    service.registry,
                    access=service.access,
                    scopes=self.scopes,
                    threads=service.lookups,
                )
            except LoginFailed as failed:
                service.failed_logins.note(request, failed)
                raise
            request.state.caller = caller
            service.rates.require(caller.id)
            key = request.headers.get("idempotency-key")
            if request.method != "POST" or key is None or self.is_idempotent:
                return await answer(request)
            return await _once(request, answer, service, caller, key, keeps_answer=self.keeps_answers)

        return guarded


def guarded_router(*scopes: Scope, keeps_answers: bool = True, is_idempotent: bool = False) -> APIRouter:
    """Routes for callers with any of these scopes."""
    known = {"scopes": frozenset(scopes), "keeps_answers": keeps_answers, "is_idempotent": is_idempotent}
    route = type("Route", (GuardedRoute,), known)
    return APIRouter(prefix="/v1", route_class=route, dependencies=[Security(_BEARER)])


def service_of(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


# FastAPI takes dependencies that do not await to a thread each; these have nothing to wait for.


async def the_service(request: Request) -> Service:
    return service_of(request)


async def the_caller(request: Request) -> Caller:
    caller: Caller = request.state.caller
    return caller


async def _once(
    request: Request,
    answer: Callable[[Request], Coroutine[Any, Any, Response]],
    service: Service,
    caller: Caller,
    key: str,
    *,
    keeps_answer: bool,
) -> Response:
    """The answer that the same request had before; else a new one, which is kept if it was a success and is no secret."""
    if not key.isascii() or not key.isprintable() or not 0 < len(key) <= LONGEST_KEY:
        raise Refusal(422, f"the Idempotency-Key needs 1 to {LONGEST_KEY} printable characters", code="BadKey")
    digest = sha256(f"{request.url.path}\n{request.headers.get('prefer', '')}\n".encode())
    digest.update(await request.body())
    registry, seconds = service.registry, service.limits.seconds
    known = await run_in_threadpool(_reserve, registry, caller.id, key, digest.hexdigest(), seconds)
    if known is not None:
        return known
    try:
        response = await answer(request)
    except BaseException:
        await run_in_threadpool(_release, registry, caller.id, key)
        raise
    body = getattr(response, "body", None)
    if response.status_code < 300 and isinstance(body, bytes):
        await run_in_threadpool(_keep, registry, caller.id, key, response, body if keeps_answer else None)
    else:
        await run_in_threadpool(_release, registry, caller.id, key)
    return response


def _reserve(registry: Registry, owner: str, key: str, digest: str, seconds: float) -> Response | None:
    """The kept answer; else the key is ours, unless somebody has it who may still be at work."""
    now = datetime.now(UTC)
    with registry.writing() as statements:
        rows = statements.rows(
            "SELECT * FROM answers WHERE owner = :owner AND request_key = :key", owner=owner, key=key
        )
        if rows and rows[0]["status"] is None and rows[0]["asked_at"] < time_text(now - timedelta(seconds=2 * seconds)):
            statements.change("DELETE FROM answers WHERE owner = :owner AND request_key = :key", owner=owner, key=key)
            rows = []  # whoever had it was killed
        if not rows:
            statements.change(
                "INSERT INTO answers (owner, request_key, request_digest, asked_at) VALUES (:owner, :key, :digest, :now)",
                owner=owner,
                key=key,
                digest=digest,
                now=time_text(now),
            )
            return None
    (row,) = rows
    if row["request_digest"] != digest:
        raise Refusal(422, "this Idempotency-Key was used for another request", code="KeyReused")
    if row["status"] is None:
        raise Refusal(409, "the same request is being answered; try again soon", code="InProgress")
    if row["body"] is None:
        raise Refusal(
            409, "this was done before, and its answer is shown once; revoke it and ask anew", code="ShownOnce"
        )
    headers = {"Idempotency-Replayed": "true"}
    return Response(bytes(row["body"]), row["status"], headers, row["media_type"])


def _keep(registry: Registry, owner: str, key: str, response: Response, body: bytes | None) -> None:
    with registry.writing() as statements:
        statements.change(
            "UPDATE answers SET status = :status, media_type = :media_type, body = :body "
            "WHERE owner = :owner AND request_key = :key",
            owner=owner,
            key=key,
            status=response.status_code,
            media_type=response.headers.get("content-type"),
            body=body,
        )


def _release(registry: Registry, owner: str, key: str) -> None:
    with registry.writing() as statements:
        statements.change(
            "DELETE FROM answers WHERE owner = :owner AND request_key = :key AND status IS NULL", owner=owner, key=key
        )
