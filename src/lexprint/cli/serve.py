"""`lexprint serve`: the page and the HTTP interface."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import typer

from lexprint.cli import console, keys
from lexprint.errors import ExtraMissing, InputError

LOOPBACK = ("127.0.0.1", "::1", "localhost")
MEGABYTE = 1 << 20


def serve(
    host: str = typer.Option(
        "127.0.0.1", "--host", help="Address to listen on; any but this machine alone needs tokens."
    ),
    port: int = typer.Option(8400, "--port", min=1, max=65535, help="Port to listen on."),
    registry: str = typer.Option(
        "lexprint.db",
        "--registry",
        "--database-url",
        envvar="LEXPRINT_REGISTRY",
        help="File of the registry, or the URL of a PostgreSQL database.",
    ),
    key: Path | None = keys.KEY,
    workers: int = typer.Option(1, "--workers", min=1, max=64, help="Processes; each loads the models for itself."),
    always_tokens: bool = typer.Option(False, "--always-tokens", help="Ask for a token on this machine too."),
    open_page: bool = typer.Option(False, "--open", help="Open the page in your browser."),
    most_megabytes: int = typer.Option(32, "--most-megabytes", min=1, help="Largest body of a request."),
    seconds: float = typer.Option(60.0, "--seconds", help="Longest time for a request; jobs have no limit."),
    requests_per_minute: int = typer.Option(
        600, "--requests-per-minute", min=1, help="Requests that one token may make in a minute."
    ),
    waiting: int = typer.Option(8, "--waiting", min=1, help="Requests that may wait for the models; then 429."),
    settings: Path | None = console.SETTINGS,
    profile: str | None = console.PROFILE,
    threads: int = typer.Option(0, "--threads", min=0, help="Threads of the models; 0: one per core but one."),
) -> None:
    """Serve the page and the HTTP interface.

    On this machine alone no token is needed. To be reached from others, bind it to their network, make tokens with
    `lexprint token new`, and put a proxy with TLS before it. SIGTERM or Ctrl-C ends it; jobs go on when it starts again.
    """
    if seconds <= 0:
        raise InputError(f"--seconds is {seconds:g}", needed="a number above 0")
    # By name: the command line and the server are both leaves, and do not know each other.
    process = _import_server()
    keyring = keys.keys_at_hand(key)
    options = process.ServeOptions(
        host=host,
        port=port,
        registry=registry,
        key=None if key is None else str(key),
        has_key=keyring is not None,
        access="tokens" if always_tokens or host.lower() not in LOOPBACK else "loopback",
        workers=workers,
        profile=profile,
        settings=None if settings is None else str(settings),
        threads=threads,
        limits={
            "body_bytes": most_megabytes * MEGABYTE,
            "seconds": seconds,
            "requests_per_minute": requests_per_minute,
            "waiting": waiting,
        },
    )
    shown = f"[{host}]" if ":" in host else host
    console.say(f"lexprint is at http://{shown}:{port}/ ; Ctrl-C ends it")
    if keyring is None:
        console.say("there is no key: leaks can be traced, but nothing can be issued or signed; run: lexprint key new")
    if options.access == "tokens":
        console.say("every request needs a token; run: lexprint token new NAME --scope mark --scope trace")
    if open_page:
        process.open_page(options)
    process.serve(options)


def _import_server() -> Any:
    try:
        return import_module("lexprint.server.process")
    except ModuleNotFoundError as error:
        missing = (error.name or "fastapi").partition(".")[0]
        if missing == "lexprint":
            raise
        raise ExtraMissing(missing, extra="server") from error
