"""`lexprint pan`: the shared task "Text Watermarking" of PAN at CLEF 2026, in the organisers' formats."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import typer

from lexprint.cli import console, files
from lexprint.errors import FormatError, InputError

if TYPE_CHECKING:
    from lexprint.coding.keys import MasterKey

Row: TypeAlias = dict[str, Any]

app = typer.Typer(help="Mark and detect in the formats of the PAN shared task.", no_args_is_help=True)

# Both commands have it, and the organisers give them nothing else; whoever wants a secret gives --key.
PUBLIC_SECRET = sha256(b"lexprint, PAN at CLEF 2026, text watermarking").digest()

IN = typer.Argument(..., metavar="IN", help="Folder with *.jsonl, or one such file.")
OUT = typer.Argument(..., metavar="OUT", help="Folder for the result, made if missing; or the name of a .jsonl file.")
KEY = typer.Option(None, "--key", metavar="FILE", help="Key file; default: the key that comes with the package.")
PROFILE = typer.Option(None, "--profile", metavar="NAME", help="Named settings; default: presence.")


@app.callback()
def group() -> None:
    """Mark and detect in the formats of the PAN shared task."""


@app.command("watermark")
def watermark(
    source: Path = IN,
    target: Path = OUT,
    key: Path | None = KEY,
    profile: str | None = PROFILE,
    threads: int = console.THREADS,
    cache: Path | None = console.CACHE,
) -> None:
    """Mark the text of every row; ids and all other fields stay.

    Rows are {"id": ..., "text": ...}, and so is the result: watermark.jsonl in the folder OUT.
    """
    from lexprint.workflows.presence import PROFILE as USUAL, mark_presence

    secret = key_for(key)
    engine = console.build_engine(profile=profile or USUAL, threads=threads, cache=cache)
    made = _each(source, lambda row: {**row, "text": mark_presence(engine, row["text"], key=secret)})
    name = write_rows(target, "watermark", made)
    console.say(f"wrote {console.counted(len(made), 'text')} to {name}, fingerprint {engine.fingerprint}")


@app.command("detect")
def detect(
    source: Path = IN,
    target: Path = OUT,
    key: Path | None = KEY,
    profile: str | None = PROFILE,
    threads: int = console.THREADS,
    cache: Path | None = console.CACHE,
) -> None:
    """Say of every row whether its text is marked: the row without "text" and with "label", 1.0 or 0.0.

    The result is detect.jsonl in the folder OUT. A text without a mark has label 1.0 with a chance of at most 5 %.
    """
    from lexprint.workflows.presence import PROFILE as USUAL, detect_presence

    secret = key_for(key)
    engine = console.build_engine(profile=profile or USUAL, threads=threads, cache=cache)

    def labelled(row: Row) -> Row:
        found = detect_presence(engine, row["text"], key=secret)
        kept = {name: value for name, value in row.items() if name != "text"}
        return {**kept, "label": 1.0 if found.is_marked else 0.0}

    made = _each(source, labelled)
    name = write_rows(target, "detect", made)
    marked = sum(row["label"] == 1.0 for row in made)
    console.say(f"{marked} of {console.counted(len(made), 'text')} marked; wrote {name}")


def _each(source: Path, change: Callable[[Row], Row]) -> list[Row]:
    """What becomes of every row, under a bar."""
    rows, made = read_rows(source), []
    with console.progress("reading", unit="texts") as on_progress:
        for row in rows:
            made.append(change(row))
            on_progress(len(made), len(rows))
    return made


def key_for(path: Path | None) -> MasterKey:
    """The newest key of the file, or the public one."""
    from lexprint.cli.keys import load_keys
    from lexprint.coding.keys import MasterKey

    if path is not None:
        return load_keys(path).newest
    return MasterKey(PUBLIC_SECRET, created_at=datetime(2026, 1, 1, tzinfo=UTC))


def read_rows(source: Path) -> list[Row]:
    """The rows of all files, by name; each has an id and a text."""
    paths = sorted(source.glob("*.jsonl")) if source.is_dir() else [source]
    if not paths:
        raise InputError(f"the folder {source} has no .jsonl file", needed='files with rows {"id": ..., "text": ...}')
    rows = []
    for path in paths:
        for number, line in enumerate(files.read_bytes(path).splitlines(), start=1):
            if line.strip():
                rows.append(_row(line, name=f"{path.name}, line {number}"))
    return rows


def _row(line: bytes, *, name: str) -> Row:
    needed = 'one JSON object such as {"id": "7", "text": "..."}'
    try:
        row = json.loads(line)
    except ValueError as error:
        raise FormatError(name, found="no JSON", needed=needed) from error
    if not isinstance(row, dict) or "id" not in row or not isinstance(row.get("text"), str):
        raise FormatError(name, found="no row with an id and a text", needed=needed)
    return row


def write_rows(target: Path, name: str, rows: Iterable[Row]) -> Path:
    """One file, whole or not at all."""
    if target.suffix == ".jsonl":
        path = target
    else:
        try:
            target.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"the folder {target} cannot be made", needed="the name of a folder") from error
        path = target / f"{name}.jsonl"
    content = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    files.write_bytes(str(path), content.encode("utf-8", "surrogatepass"))
    return path
