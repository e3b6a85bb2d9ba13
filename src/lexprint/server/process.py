"""The service as a process: where it listens, how many of it there are, and how it ends."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from lexprint.coding.keys import Keyring, load_keyring
from lexprint.cores import available_cores
from lexprint.engine import Engine
from lexprint.errors import InputError, SecretError
from lexprint.registry.protocol import open_registry
from lexprint.reports.timestamps import require_authority
from lexprint.server.access import Access, is_loopback
from lexprint.server.app import create_app
from lexprint.server.connections import Watch, make_room
from lexprint.server.limits import Limits
from lexprint.server.tokens import create_link
from lexprint.settings import load_settings
from lexprint.workflows.scratch import remove_abandoned

OPTIONS = "LEXPRINT_SERVE"  # how further processes learn the options
KEEP_ALIVE_SECONDS = 15
FEW_CORES = 2  # of which the models get all
# After this long a thread at work lets others have their turn; usual is fifty times as much. Their priority stays that of the
# event loop: a thread of low priority that holds the interpreter's lock and is kept waiting by other programs holds up the
# loop too.
SWITCH_SECONDS = 0.0001
BACKLOG = 128  # connections that wait to be accepted; as many are accepted at once, before any is closed to make room
LINK = "login="  # before the code, in the address
OPENING_SECONDS = 30.0  # that a browser may take to open a file


@dataclass(frozen=True, kw_only=True)
class ServeOptions:
    """Plain values, which another process can be told."""

    host: str = "127.0.0.1"
    port: int = 8400
    registry: str = field(default="lexprint.db", repr=False)  # may hold a password
    key: str | None = None  # file of the key; None: none at hand
    has_key: bool = False
    authority: str | None = None  # URL of the one that timestamps reports; None: nobody does
    access: Access = "tokens"
    workers: int = 1
    profile: str | None = None
    settings: str | None = None
    threads: int = 0
    limits: Mapping[str, float] = field(default_factory=dict)
    webhook_hosts: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.access == "open" and not is_loopback(self.host):
            raise InputError(f"{self.host} is not loopback", needed="tokens for every request")
        if self.authority is not None:
            require_authority(self.authority)
            if not self.has_key:
                raise SecretError(
                    "reports that are not signed cannot be stamped", needed="a key; run: lexprint key new"
                )


def serve(options: ServeOptions) -> None:
    """Listen until a signal ends it; what is at work is finished or parked first."""
    common: dict[str, Any] = {
        "host": options.host,
        "port": options.port,
        "log_level": "warning",
        "server_header": False,
        "proxy_headers": False,
        "backlog": BACKLOG,
        "timeout_keep_alive": KEEP_ALIVE_SECONDS,
        "timeout_graceful_shutdown": int(_limits(options).shutdown_seconds),
        "http": BoundedConnection,
        "ws": "none",
    }
    if options.workers == 1:
        app = app_of(options)
        _Server(uvicorn.Config(app, **common), app.state.service.stopping).run()
        return
    os.environ[OPTIONS] = json.dumps(asdict(options))
    uvicorn.run("lexprint.server.process:app_from_environment", factory=True, workers=options.workers, **common)


class BoundedConnection(H11Protocol):
    """A connection that is watched."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        super().connection_made(transport)
        self.watch = Watch(self)
        make_room(self.watch, [one.watch for one in self.connections if isinstance(one, BoundedConnection)])

    def connection_lost(self, exc: Exception | None) -> None:
        self.watch.end()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self.watch.received += len(data)
        super().data_received(data)

    def on_response_complete(self) -> None:
        self.watch.begin()
        super().on_response_complete()


class _Server(uvicorn.Server):
    """Tells the service as soon as it is to stop: whoever follows a job would else hold the door open."""

    def __init__(self, config: uvicorn.Config, stopping: threading.Event) -> None:
        super().__init__(config)
        self._stopping = stopping

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._stopping.set()
        super().handle_exit(sig, frame)


def app_from_environment() -> FastAPI:
    """For a worker process, which is started anew."""
    return app_of(ServeOptions(**json.loads(os.environ[OPTIONS])))


def app_of(options: ServeOptions) -> FastAPI:
    """The application of this process."""
    sys.setswitchinterval(SWITCH_SECONDS)
    remove_abandoned()
    settings = load_settings(profile=options.profile, file=None if options.settings is None else Path(options.settings))
    keyring = _keyring(options)
    return create_app(
        Engine(settings=settings, threads=options.threads or model_threads(available_cores(), workers=options.workers)),
        open_registry(options.registry, keys=keyring),
        keyring=keyring,
        access=options.access,
        limits=_limits(options),
        authority=options.authority,
        webhook_hosts=options.webhook_hosts,
    )


def model_threads(cores: int, *, workers: int) -> int:
    """Threads of one process's models when nobody has said how many: one core is left to whoever answers requests.

    Two cores are too few for that: a memo would take half as long again, and requests are answered in between.

    >>> [model_threads(cores, workers=1) for cores in (1, 2, 8)], model_threads(8, workers=3)
    ([1, 2, 7], 2)
    """
    return max(1, (cores if cores <= FEW_CORES else cores - 1) // workers)


def _keyring(options: ServeOptions) -> Keyring | None:
    if not options.has_key:
        return None
    return load_keyring(None if options.key is None else Path(options.key), environment=os.environ)


def _limits(options: ServeOptions) -> Limits:
    return Limits(**options.limits)  # type: ignore[arg-type] # whole numbers stay whole


def browser_url(options: ServeOptions) -> str:
    """Where a browser on this machine finds the page; a link may follow it, after `#`.

    >>> browser_url(ServeOptions(host="::", port=8400))
    'http://[::1]:8400/'
    """
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(options.host, options.host)
    return f"http://{f'[{host}]' if ':' in host else host}:{options.port}/"


def new_link(options: ServeOptions) -> str:
    """For the operator's browser: signs in once, within minutes. The code is not sent with a request for the page."""
    with open_registry(options.registry) as registry:
        return f"{browser_url(options)}#{LINK}{create_link(registry)}"


def open_page(options: ServeOptions, url: str) -> None:
    """In the user's browser, once the service answers.

    By way of a private file: what is on the command line of a browser can be read by every user of the machine.
    """

    def wait() -> None:
        for _ in range(100):
            try:
                socket.create_connection((options.host, options.port), timeout=1).close()
            except OSError:
                threading.Event().wait(0.1)
                continue
            with TemporaryDirectory(prefix="lexprint-") as folder:
                page = Path(folder) / "open.html"
                page.write_text(f'<!doctype html><meta http-equiv="refresh" content="0; url={escape(url)}">')
                webbrowser.open(page.as_uri())
                threading.Event().wait(OPENING_SECONDS)
            return

    threading.Thread(target=wait, daemon=True).start()
