"""What the measuring commands share: where data comes from, and where tables go."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from lexprint.cli.console import json_text, print_json, print_line
from lexprint.cli.files import write_bytes
from lexprint.errors import InputError

if TYPE_CHECKING:
    from lexprint.evaluation.checkpoint import Checkpoint

DATA = typer.Option(None, "--data", metavar="FOLDER", help="Folder with the data; default: the variable LEXPRINT_DATA.")
SETS = typer.Option([], "--sets", help="Names of sets, also with commas; default: all there are.")
OUTPUT = typer.Option(None, "--output", metavar="FOLDER", help="Folder for the tables, as JSON and as Markdown.")
AS_JSON = typer.Option(False, "--json", help="Print JSON instead of Markdown.")


def report(name: str, result: object, table: str, *, output: Path | None, as_json: bool) -> None:
    """Print one form, and write both where a folder was given."""
    if output is not None:
        _make(output)
        write_bytes(str(output / f"{name}.json"), json_text(result).encode())
        write_bytes(str(output / f"{name}.md"), table.encode())
    if as_json:
        print_json(result)
    else:
        print_line(table.rstrip("\n"))


def open_checkpoint(name: str, output: Path | None) -> Checkpoint:
    """What was measured before a run was cut short; nothing is kept where no folder was given."""
    from lexprint.evaluation.checkpoint import Checkpoint

    if output is None:
        return Checkpoint(None)
    _make(output)
    return Checkpoint(output / f"{name}.partial.jsonl")


def listed(given: list[str]) -> list[str]:
    """Names that were given one by one or with commas."""
    return [name for one in given for name in one.split(",") if name]


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"the folder {folder} cannot be made", needed="the name of a folder") from error
