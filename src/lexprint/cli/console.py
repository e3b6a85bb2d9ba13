"""What the commands share: reading texts, printing JSON, progress."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from lexprint.errors import FormatError


def read_text(argument: str) -> str:
    """The argument itself, or standard input for `-`."""
    if argument != "-":
        return argument
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError("standard input", found="not UTF-8", needed="text in UTF-8") from error


def read_text_file(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise FormatError(path.name, found="not readable", needed="a file that exists and may be read") from error
    except UnicodeDecodeError as error:
        raise FormatError(path.name, found="not UTF-8", needed="a text file in UTF-8") from error


def print_json(value: object) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


@contextmanager
def progress(label: str, total: int) -> Iterator[Progress]:
    """A bar on standard error, so that standard output stays clean for pipes."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        bar.add_task(label, total=total)
        yield bar
