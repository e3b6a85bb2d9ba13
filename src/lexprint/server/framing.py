"""What every request and response passes: limits to the body, security headers, counting, and the last resort."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Mapping

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lexprint.server.metrics import Metrics
from lexprint.server.problems import MEDIA_TYPE, Refusal, places, problem

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
_ENCODED = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
_LOG = logging.getLogger("lexprint.server")


class Framing:
    """Stands around the whole application."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics, body_bytes: int) -> None:
        self._app, self._metrics, self._body_bytes = app, metrics, body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.perf_counter(), 0

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                present = {name.lower() for name, _ in message["headers"]}
                added = [header for header in _ENCODED if header[0] not in present]
                message = {**message, "headers": [*message["headers"], *added]}
            await send(message)

        try:
            announced = dict(scope["headers"]).get(b"content-length", b"0")
            if announced.isdigit() and int(announced) > self._body_bytes:
                await _send(send_with_headers, self._too_large)
                return
            await self._app(scope, self._bounded(receive), send_with_headers)
        except Exception as error:  # noqa: BLE001 # the edge: nothing but the place may be told, for messages may quote text
            _LOG.error("%s in %s\n%s", type(error).__name__, scope["path"], places(error))
            if status == 0:
                await _send(send_with_headers, Refusal(500, "something went wrong inside the service", code="Bug"))
        finally:
            route = getattr(scope.get("route"), "path", "other")
            seconds = time.perf_counter() - began
            self._metrics.observe(method=_method(scope), route=route, status=status, seconds=seconds)

    def _bounded(self, receive: Receive) -> Receive:
        """What is too much, though it was not announced, is refused when it comes."""
        received = 0

        async def receive_bounded() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self._body_bytes:
                raise self._too_large
            return message

        return receive_bounded

    @property
    def _too_large(self) -> Refusal:
        return Refusal(413, f"the body has more than {self._body_bytes} bytes", code="TooLarge")


def _method(scope: Scope) -> str:
    known = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
    return scope["method"] if scope["method"] in known else "other"


async def _send(send: Send, refusal: Refusal) -> None:
    body = json.dumps(problem(refusal.status_code, refusal.detail, code=refusal.code)).encode()
    headers = [(b"content-type", MEDIA_TYPE.encode()), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": refusal.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": body})
