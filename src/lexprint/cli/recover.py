"""`lexprint recover`: back to the original."""

from __future__ import annotations

from pathlib import Path

import typer

from lexprint.cli import console
from lexprint.cli.extract import load_record
from lexprint.cli.files import PIPE, open_file, require_writable, write_bytes
from lexprint.errors import InputError


def recover(
    source: str = typer.Argument(
        ..., metavar="IN", help="The marked copy: Word, HTML, Markdown or plain text; or - for standard input."
    ),
    target: str = typer.Argument(..., metavar="OUT", help="Where the original goes, or - for standard output."),
    record: str | None = typer.Option(
        None, "--record", metavar="FILE", help="The record of the copy: restores it exactly."
    ),
    settings: Path | None = console.SETTINGS,
    profile: str | None = console.PROFILE,
    gap: int | None = console.GAP,
    threads: int = console.THREADS,
    batch_size: int = console.BATCH_SIZE,
    as_json: bool = typer.Option(False, "--json", help="Print what was changed as JSON."),
) -> None:
    """Restore the original of a marked copy: exactly with its record, else the most probable one.

    With a record no model is asked, and the text must be that of the marked copy, unchanged.
    """
    with console.getting_ready():
        from lexprint import workflows

        if target == PIPE and as_json:
            raise InputError("two things would go to standard output", needed="a file for the text")
        require_writable(target, source, *([] if record is None else [record]))
        given = open_file(source)
        given.require_writable(target)
    if record is not None:
        found = workflows.restore(given.text, load_record(record))
    else:
        engine = console.build_engine(
            settings=settings, profile=profile, gap=gap, threads=threads, batch_size=batch_size
        )
        with console.progress("recovering", engine) as on_progress:
            found = workflows.recover(engine, given.text, protected=given.protected, on_progress=on_progress)
    write_bytes(target, given.with_edits(found.edits, target=target), mode=given.mode)
    if as_json:
        console.print_json(workflows.as_json(found))
    kind = "exact" if found.is_exact else "most probable"
    console.say(f"{kind} original: {len(found.edits)} of {found.sites} sites changed; fingerprint {found.fingerprint}")
