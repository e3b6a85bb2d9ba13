"""`lexprint serve`: the page and the HTTP interface."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import typer

from lexprint.cli import console, keys
from lexprint.errors import ExtraMissing, InputError

MEGABYTE = 1 << 20


def serve(
    host: str = typer.Option(
        "127.0.0.1", "--host", help="Address to listen on; the default is reached from this machine alone."
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
    authority: str | None = typer.Option(
        None,
        "--authority",
        metavar="URL",
        envvar="LEXPRINT_AUTHORITY",
        help="RFC 3161 timestamp authority, to timestamp every signed report; a leak is not traced without its answer.",
    ),
    workers: int = typer.Option(1, "--workers", min=1, max=64, help="Processes; each loads the models for itself."),
    no_tokens: bool = typer.Option(
        False,
        "--no-tokens",
        help="Let whoever is on this machine mark and trace without a token; loopback addresses only.",
    ),
    no_link: bool = typer.Option(False, "--no-link", help="Print no link to sign in with, where output goes to a log."),
    open_page: bool = typer.Option(False, "--open", help="Open the page in your browser, signed in."),
    most_megabytes: int = typer.Option(32, "--most-megabytes", min=1, help="Largest body of a request."),
    seconds: float = typer.Option(60.0, "--seconds", help="Longest time for a request; jobs have no limit."),
    requests_per_minute: int = typer.Option(
        600, "--requests-per-minute", min=1, help="Requests that one token may make in a minute."
    ),
    waiting: int = typer.Option(8, "--waiting", min=1, help="Requests that may wait for the models; then 429."),
    webhook_host: list[str] = typer.Option(
        [],
        "--webhook-host",
        metavar="HOST",
        help="Host that webhooks may name though it is not public, or without TLS; may be given more than once.",
    ),
    settings: Path | None = console.SETTINGS,
    profile: str | None = console.PROFILE,
    threads: int = typer.Option(
        0, "--threads", min=0, help="Threads of the models; 0: one per core but one, of two cores both."
    ),
) -> None:
    """Serve the page and the HTTP interface.

    Every request needs a token. The link that is printed signs your browser in, once, within ten minutes; tokens for others and for
    programs are made with `lexprint token new`. To be reached from other machines, bind it to their network, and put a
    proxy with TLS before it. SIGTERM or Ctrl-C ends it; interrupted jobs resume when it starts again.
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
        authority=authority,
        access="open" if no_tokens else "tokens",
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
        webhook_hosts=webhook_host,
    )
    url = process.browser_url(options)
    console.say(f"lexprint is at {url} ; Ctrl-C ends it")
    if keyring is None:
        console.say("there is no key: leaks can be traced, but nothing can be issued or signed; run: lexprint key new")
    if no_tokens:
        console.say(
            f"WARNING: --no-tokens opens marking, issuing and tracing, with all documents and recipients, to every user and program of "
            f"this machine, and to whoever reaches port {port} through a proxy or tunnel; only administration needs a token"
        )
    elif open_page or not no_link:
        url = process.new_link(options)
        console.say(f"sign in with this link, once, within ten minutes; then: lexprint token link\n\n    {url}\n")
    if open_page:
        process.open_page(options, url)
    process.serve(options)


def _import_server() -> Any:
    try:
        return import_module("lexprint.server.process")
    except ModuleNotFoundError as error:
        missing = (error.name or "fastapi").partition(".")[0]
        if missing == "lexprint":
            raise
        raise ExtraMissing(missing, extra="server") from error
