"""`lexprint embed`: bits into a text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from lexprint.cli import console
from lexprint.cli.files import PIPE, read_text_file, require_writable, write_bytes
from lexprint.errors import InputError

if TYPE_CHECKING:
    from lexprint.engine import Engine
    from lexprint.workflows import Embedded


def embed(
    source: str = typer.Argument(..., metavar="IN", help="A text file, or - for standard input."),
    target: str = typer.Argument(..., metavar="OUT", help="Where the marked text goes, or - for standard output."),
    bits: str | None = typer.Option(None, "--bits", help="What to write, as zeros and ones."),
    message: str | None = typer.Option(None, "--message", help="What to write, as text; each byte takes eight bits."),
    record: str | None = typer.Option(None, "--record", help="File for what reading and exact restoring need."),
    settings: Path | None = console.SETTINGS,
    profile: str | None = console.PROFILE,
    gap: int | None = console.GAP,
    threads: int = console.THREADS,
    batch_size: int = console.BATCH_SIZE,
    as_json: bool = typer.Option(False, "--json", help="Print the record on standard output."),
) -> None:
    """Write bits or a message into a text, by swapping a few words.

    The marked text is read back before it is written. Everything but the swapped words stays as it was, byte for byte.
    Keep the record: with it the original can be restored exactly.
    """
    if (bits is None) == (message is None):
        raise InputError(
            "neither --bits nor --message was given" if bits is None else "--bits and --message were both given",
            needed="one of the two",
        )
    if [target, record, PIPE if as_json else None].count(PIPE) > 1:
        raise InputError("two things would go to standard output", needed="--record FILE, or a file for the text")
    require_writable(target, source)
    if record is not None:
        require_writable(record, source, target)
    given = read_text_file(source)
    engine = console.build_engine(settings=settings, profile=profile, gap=gap, threads=threads, batch_size=batch_size)
    marked = _marked(engine, given.text, bits=bits, message=message)
    _write(marked, given.encoded(marked.text), target=target, record=record, mode=given.mode, as_json=as_json)


def _marked(engine: Engine, text: str, *, bits: str | None, message: str | None) -> Embedded:
    from lexprint import workflows

    with console.progress("marking") as on_progress:
        if message is not None:
            return workflows.embed_message(engine, text, message, on_progress=on_progress)
        return workflows.embed(engine, text, _parse_bits(bits or ""), on_progress=on_progress)


def _parse_bits(given: str) -> list[int]:
    if not given or set(given) - set("01"):
        found = "--bits holds other characters than 0 and 1" if given else "--bits is empty"
        raise InputError(found, needed="zeros and ones, such as 10110")
    return [int(bit) for bit in given]


def _write(
    marked: Embedded, content: bytes, *, target: str, record: str | None, mode: int | None, as_json: bool
) -> None:
    """The record first: a marked text without its record could not be restored."""
    from lexprint.workflows import as_json as json_of

    value = json_of(marked)
    if record is not None:
        write_bytes(record, console.json_text(value).encode(), mode=mode)
    write_bytes(target, content, mode=mode)
    if as_json:
        console.print_json(value)
    kept = marked.record
    written, sites, words = console.counted(len(kept.bits), "bit"), len(kept.sites), console.counted(kept.words, "word")
    swapped = console.counted(len(kept.edits), "word")
    console.say(f"{written} written to {sites:,} sites of {words}, {swapped} swapped; fingerprint {kept.fingerprint}")
