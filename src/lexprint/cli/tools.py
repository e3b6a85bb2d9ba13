"""`lexprint mcp`: the verbs as tools for programs that speak the Model Context Protocol."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import typer

from lexprint.cli import console, keys
from lexprint.cli.registry import REGISTRY
from lexprint.errors import ExtraMissing, InputError


def mcp(
    folder: Path = typer.Option(
        Path(),
        "--folder",
        metavar="FOLDER",
        help="The only folder whose files tools may read and write; else this one.",
    ),
    registry: str = REGISTRY,
    key: Path | None = keys.KEY,
    settings: Path | None = console.SETTINGS,
    profile: str | None = console.PROFILE,
    threads: int = console.THREADS,
) -> None:
    """Offer the verbs as tools over standard input and output (MCP), until the input ends.

    Needs `pip install 'lexprint[mcp]'`. Files are named relative to the folder, and nothing outside it is read or written; no file is
    overwritten. Whoever uses the tools issues and traces with the registry and key of this command.
    """
    from lexprint.library import Lexprint

    if not folder.is_dir():
        raise InputError(f"{folder} is no folder", needed="one that is there")
    server = _import_server()
    engine = console.build_engine(settings=settings, profile=profile, threads=threads)
    with Lexprint(registry=registry, keys=keys.keys_at_hand(key), engine=engine) as lexprint:
        server.build_server(lexprint, folder.resolve()).run()


def _import_server() -> Any:
    try:
        return import_module("lexprint.cli.tool_server")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "lexprint":
            raise
        raise ExtraMissing("mcp", extra="mcp") from error
