"""The application: `create_app(engine, registry)` puts the parts together; classes of errors become statuses here."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from importlib import resources
from pathlib import PurePath
from typing import Any

import anyio.to_thread
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from lexprint import __version__
from lexprint.coding.keys import Keyring
from lexprint.engine import Engine
from lexprint.errors import LexprintError
from lexprint.registry.protocol import Registry
from lexprint.server import (
    case_routes,
    copy_routes,
    page_routes,
    record_routes,
    routes,
    schemas,
    session_routes,
    webhook_routes,
)
from lexprint.server.access import Access, Caller
from lexprint.server.framing import Framing
from lexprint.server.job_runner import JobRunner
from lexprint.server.job_store import Job
from lexprint.server.limits import Limits, OnPart, OnProgress
from lexprint.server.problems import MEDIA_TYPE, Refusal, problem, problem_of, status_of
from lexprint.server.retention import Retention
from lexprint.server.service import RECORD_THREADS, Service
from lexprint.server.verbs import VERBS, Answer, Desk
from lexprint.server.webhook_sender import WebhookSender

ROUTERS = (
    routes.marking,
    routes.tracing,
    routes.shared,
    record_routes.marking,
    record_routes.administration,
    record_routes.open_routes,
    case_routes.searching,
    case_routes.reviewing,
    case_routes.packing,
    copy_routes.fetching,
    page_routes.reading,
    page_routes.verifying,
    webhook_routes.administration,
    session_routes.entrance,
    session_routes.everybody,
)
MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
}
PAGE_FOLDER = resources.files("lexprint.server").joinpath("page")
PAGE = {
    "/" if file.name == "index.html" else f"/{file.name}": (file.name, MEDIA_TYPES[PurePath(file.name).suffix])
    for file in sorted(PAGE_FOLDER.iterdir(), key=lambda file: file.name)
}


def create_app(
    engine: Engine,
    registry: Registry,
    *,
    keyring: Keyring | None = None,
    access: Access = "tokens",
    limits: Limits | None = None,
    authority: str | None = None,
    webhook_hosts: Sequence[str] = (),
) -> FastAPI:
    """The service over these; it works on queued jobs from its start to its end."""
    service = Service(
        engine=engine,
        registry=registry,
        keyring=keyring,
        access=access,
        limits=limits or Limits(),
        authority=authority,
        webhook_hosts=tuple(webhook_hosts),
    )

    def work(job: Job, on_progress: OnProgress, on_part: OnPart) -> Answer:
        request, verb = VERBS[job.verb]
        desk = Desk(service, Caller(job.owner, frozenset()), service.engine_of_jobs, on_part)
        return verb(desk, request.model_validate_json(job.request), on_progress)

    retention = Retention(registry, every_seconds=service.limits.retention_seconds)
    runner = JobRunner(
        registry, work, new_job=service.new_job, lease_seconds=service.limits.lease_seconds, doing=service.loading
    )
    sender = WebhookSender(service)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = RECORD_THREADS
        retention.start()
        runner.start()
        sender.start()
        try:
            yield
        finally:
            service.close()
            await run_in_threadpool(lambda: runner.stop(seconds=service.limits.shutdown_seconds))
            await run_in_threadpool(lambda: service.loader.stop(seconds=service.limits.shutdown_seconds))
            await run_in_threadpool(lambda: retention.stop(seconds=1.0))
            await run_in_threadpool(lambda: sender.stop(seconds=1.0))

    app = FastAPI(
        title="lexprint", version=__version__, lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None
    )
    app.state.service = service
    for router in ROUTERS:
        app.router.routes.extend(router.routes)  # as they are: some versions of FastAPI would hide them from a walk
    _add_page(app, service)
    for kind, answer in _ANSWERS.items():
        app.add_exception_handler(kind, answer)
    app.add_middleware(Framing, metrics=service.metrics, body_bytes=service.limits.body_bytes)
    app.openapi = lambda: _schema(app)  # type: ignore[method-assign] # as FastAPI's documentation has it
    return app


def _add_page(app: FastAPI, service: Service) -> None:
    """Whoever opens it is expected to mark something soon."""
    for path, (name, media_type) in PAGE.items():
        send = _page(name, media_type, on_sent=service.expect_marking if path == "/" else None)
        app.add_api_route(path, send, include_in_schema=False)


def _page(name: str, media_type: str, *, on_sent: Callable[[], None] | None = None) -> Any:
    content = PAGE_FOLDER.joinpath(name).read_bytes()

    async def send() -> Response:
        if on_sent is not None:
            on_sent()
        return Response(content, media_type=media_type)

    return send


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, LexprintError)
    return _problem(problem_of(error), status_of(error))


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = error.code if isinstance(error, Refusal) else "Http"
    found = problem(error.status_code, error.detail, code=code)
    return _problem(found, error.status_code, dict(error.headers or {}))


async def _misunderstood(request: Request, error: Exception) -> Response:
    """Where and what, never the value: it may be a document."""
    assert isinstance(error, RequestValidationError)
    wrong = [{"at": [*map(str, one["loc"])], "what": one["msg"]} for one in error.errors()]
    return _problem(problem(422, "the request is not as it should be", code="BadRequest") | {"errors": wrong}, 422)


_ANSWERS = {LexprintError: _refused, HTTPException: _http_error, RequestValidationError: _misunderstood}


def _problem(found: dict[str, object], status: int, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse(found, status, headers, MEDIA_TYPE)


def _schema(app: FastAPI) -> dict[str, Any]:
    """FastAPI's own, with problems as what every route may answer."""
    if app.openapi_schema is None:
        schema = get_openapi(title="lexprint", version=__version__, routes=app.routes)
        described = schemas.Problem.model_json_schema()
        schema["components"]["schemas"]["Problem"] = described
        content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
        for path in schema["paths"].values():
            for operation in path.values():
                operation["responses"].pop("422", None)
                operation["responses"]["default"] = {"description": "What went wrong", "content": content}
        for name in ("HTTPValidationError", "ValidationError"):
            schema["components"]["schemas"].pop(name, None)
        app.openapi_schema = schema
    return app.openapi_schema
