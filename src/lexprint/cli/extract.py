"""`lexprint extract`: bits out of a text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from lexprint.cli import console
from lexprint.cli.files import read_json_file, read_text_file
from lexprint.errors import InputError

if TYPE_CHECKING:
    from lexprint.watermark.records import Record
    from lexprint.workflows import Extracted


def extract(
    source: str = typer.Argument(..., metavar="IN", help="A text file, or - for standard input."),
    message: bool = typer.Option(False, "--message", help="Print what the bits say as text."),
    fingerprint: str | None = typer.Option(None, "--fingerprint", help="That of the copy; refuse to read any other."),
    record: str | None = typer.Option(None, "--record", help="The record of the copy; names what marked it."),
    settings: Path | None = console.SETTINGS,
    profile: str | None = console.PROFILE,
    gap: int | None = console.GAP,
    threads: int = console.THREADS,
    batch_size: int = console.BATCH_SIZE,
    as_json: bool = console.AS_JSON,
) -> None:
    """Read the bits of a text.

    Every text says something: whether it was ever marked, bits alone do not tell. Exit code 1 if a message was asked for
    and the bits are no text.
    """
    from lexprint import workflows

    given = read_text_file(source)
    marked_with = _marked_with(fingerprint, record)
    engine = console.build_engine(settings=settings, profile=profile, gap=gap, threads=threads, batch_size=batch_size)
    with console.progress("reading") as on_progress:
        found = workflows.extract(engine, given.text, marked_with=marked_with, on_progress=on_progress)
    if as_json:
        console.print_json(workflows.as_json(found))
    elif message and found.message is not None:
        console.print_line(found.message)
    elif not message:
        console.print_line("".join(map(str, found.bits)))
    console.say(_summary(found, marked_with))
    if message and found.message is None:
        console.say("lexprint: the bits are no text; needed: a text marked with --message, and what marked it")
        raise typer.Exit(1)


def _marked_with(fingerprint: str | None, record: str | None) -> Record | str | None:
    if fingerprint is not None and record is not None:
        raise InputError("--fingerprint and --record were both given", needed="one of the two")
    return fingerprint if record is None else load_record(record)


def load_record(name: str) -> Record:
    """The record in a file."""
    from lexprint.watermark.records import read_record

    return read_record(read_json_file(name), name=Path(name).name)


def _summary(found: Extracted, marked_with: Record | str | None) -> str:
    parts = [f"{console.counted(len(found.sites), 'bit')} in {console.counted(found.words, 'word')}"]
    if found.sites:
        parts.append(f"least reliability {min(site.clearance for site in found.sites):.4f}")
    if marked_with is not None and not isinstance(marked_with, str):
        agreeing = sum(one == other for one, other in zip(marked_with.bits, found.bits, strict=False))
        parts.append(f"{agreeing} of the record's {len(marked_with.bits)} bits agree")
    return f"{', '.join(parts)}; fingerprint {found.fingerprint}"
