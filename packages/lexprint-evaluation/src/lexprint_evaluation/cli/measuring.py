"""What the measuring commands share: where data comes from, and where tables go."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import typer

from lexprint.cli import console
from lexprint.cli.console import json_text, print_json, print_line
from lexprint.cli.files import write_bytes
from lexprint.errors import InputError

if TYPE_CHECKING:
    from lexprint.engine import Engine
    from lexprint_evaluation.checkpoint import Checkpoint

DATA = typer.Option(None, "--data", metavar="FOLDER", help="Folder with the data; default: the variable LEXPRINT_DATA.")
SETS = typer.Option([], "--sets", help="Names of sets, also with commas; default: all there are.")
OUTPUT = typer.Option(None, "--output", metavar="FOLDER", help="Folder for the tables, as JSON, Markdown and SVG.")
AWT = typer.Option(None, "--awt", metavar="FILE", help="A trained AWT, to be measured too.")
CACHE = typer.Option(
    None, "--cache", metavar="FILE", help="Keep the models' answers there for other tables; else LEXPRINT_CACHE."
)
AS_JSON = typer.Option(False, "--json", help="Print JSON instead of Markdown.")


# What changes no figure, or is another on every machine.
UNSAID = frozenset({"data", "output", "folder", "threads", "workers", "batch_size", "cache", "as_json"})


def report(
    context: typer.Context, result: Mapping[str, object], table: str, *, output: Path | None, as_json: bool
) -> None:
    """Print one form, and write both where a folder was given; JSON also says when, where and how."""
    whole = {
        **result,
        "machine": machine(),
        "date": datetime.now(UTC).date().isoformat(),
        "command": command_of(context),
    }
    if output is not None:
        _make(output)
        write_bytes(str(output / f"{context.info_name}.json"), json_text(whole).encode())
        write_bytes(str(output / f"{context.info_name}.md"), table.encode())
    if as_json:
        print_json(whole)
    else:
        print_line(table.rstrip("\n"))


def plots() -> ModuleType:
    """What draws; matplotlib takes its time to load."""
    from lexprint_evaluation import plots

    return plots


def draw(context: typer.Context, output: Path | None, plot: Callable[[], bytes]) -> None:
    """Put the picture of a table beside it."""
    if output is not None:
        write_bytes(str(output / f"{context.info_name}.svg"), plot())


def command_of(context: typer.Context) -> str:
    """What to type to measure the same again, wherever the data is there."""
    return " ".join(["lexprint evaluate", f"{context.info_name}", "--data FOLDER", *_options(context)])


def _options(context: typer.Context) -> Iterator[str]:
    for option in context.command.params:
        value, default = context.params.get(f"{option.name}"), option.get_default(context)
        if option.name in UNSAID or value in (None, default):
            continue
        if isinstance(value, list | tuple):
            value = ",".join(listed([str(one) for one in value]))
            if value == ",".join(default or ()):
                continue
        if isinstance(value, Path):
            value = value.name
        yield option.opts[0] if value is True else f"{option.opts[0]} {_quoted(str(value))}"


def _quoted(value: str) -> str:
    return f"'{value}'" if not value or " " in value else value


def machine() -> str:
    """Kind and number of processors, and Python: seeds give the same figures on the same kind."""
    return f"{processor()}, {os.cpu_count()} processors, Python {platform.python_version()}"


def processor() -> str:
    """What the processor calls itself, or at least its architecture."""
    with suppress(OSError, UnicodeDecodeError):
        for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return f"{line.partition(':')[2].strip()} ({platform.machine()})"
    return platform.processor() or platform.machine()


def begin(
    name: str,
    *,
    output: Path | None,
    cache: Path | None,
    threads: int,
    profile: str | None = None,
    settings: Path | None = None,
) -> tuple[Checkpoint, Engine]:
    """What was measured before a run was interrupted, and an engine that keeps its answers until the table is written."""
    checkpoint = open_checkpoint(name, output)
    kept = remembering(checkpoint, cache)
    return checkpoint, console.build_engine(settings=settings, profile=profile, threads=threads, cache=kept)


def open_checkpoint(name: str, output: Path | None) -> Checkpoint:
    """What was measured before a run was interrupted; nothing is kept where no folder was given."""
    from lexprint_evaluation.checkpoint import Checkpoint

    if output is None:
        return Checkpoint(None)
    _make(output)
    return Checkpoint(output / f"{name}.partial.jsonl")


def remembering(checkpoint: Checkpoint, cache: Path | None) -> Path | None:
    """The file for models' answers: the one that was named, or one that lasts until the table is written."""
    return cache if cache is not None or "LEXPRINT_CACHE" in os.environ else checkpoint.answers


def listed(given: list[str]) -> list[str]:
    """Names that were given one by one or with commas."""
    return [name for one in given for name in one.split(",") if name]


def with_awt(names: list[str], awt: Path | None) -> list[str]:
    """AWT is measured too where its file is given."""
    return [*names, "awt"] if awt is not None and "awt" not in names else names


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"the folder {folder} cannot be made", needed="the name of a folder") from error
