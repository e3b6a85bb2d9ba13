"""`lexprint watch`: a folder whose new documents are issued."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from lexprint.cli import console, keys
from lexprint.cli.files import read_text_file
from lexprint.cli.issue import PROTECT, STRICTNESS, UNPROTECT, parse_options, profile_of, say_warnings
from lexprint.cli.registry import REGISTRY

if TYPE_CHECKING:
    from lexprint.workflows.issuing import Master


def watch(
    incoming: Path = typer.Argument(..., metavar="IN", help="Folder that documents are put into."),
    out: Path = typer.Argument(..., metavar="OUT", help="Folder that copies go to, in a folder for each document."),
    to: str = typer.Option(
        ..., "--to", metavar="FILE", help="Recipients: a CSV with a header, or one a line; read anew for each document."
    ),
    once: bool = typer.Option(False, "--once", help="End when nothing is left; exit code 1 if a file was refused."),
    every: float = typer.Option(1.0, "--every", min=0.05, help="Seconds between two looks."),
    settled: float = typer.Option(3.0, "--settled", min=0.0, help="Seconds in which a whole file has not changed."),
    registry: str = REGISTRY,
    key: Path | None = keys.KEY,
    protect: str | None = PROTECT,
    unprotect: list[str] = UNPROTECT,
    force: bool = console.FORCE,
    strictness: str | None = STRICTNESS,
    settings: Path | None = console.SETTINGS,
    profile: str | None = console.PROFILE,
    threads: int = console.THREADS,
) -> None:
    """Issue every document that is put into a folder, once, to the recipients on a list.

    A file that is still being written is waited for. One that was issued is moved to IN/issued; one that cannot be is named, and moved
    to IN/refused with the reason beside it. If it is interrupted, run the same command again.
    """
    from lexprint.registry.protocol import open_registry
    from lexprint.workflows import issuing
    from lexprint.workflows.copy_files import sole_writer
    from lexprint.workflows.recipients import read_recipients
    from lexprint.workflows.watching import FolderWatch

    def recipients() -> tuple[str, ...]:
        return read_recipients(read_text_file(to).text, name=Path(to).name)

    recipients()
    engine = console.build_engine(settings=settings, profile=profile_of(strictness, profile), threads=threads)
    options = parse_options(protect=protect, unprotect=unprotect, force=force, strictness=strictness)
    keyring = keys.load_keys(key)
    refused = 0

    def refuse(name: str, reason: str) -> None:
        nonlocal refused
        refused += 1
        console.say(f"{console.printable(name)} was not issued, and is in {incoming / 'refused'}: {reason}")

    with sole_writer(incoming), open_registry(registry, keys=keyring) as opened:

        def issue(master: Master, folder: Path) -> None:
            with console.progress(console.printable(master.name), engine) as bar:
                done = issuing.issue(
                    engine,
                    master,
                    recipients(),
                    keyring=keyring,
                    registry=opened,
                    folder=folder,
                    options=options,
                    on_progress=bar,
                    on_copies=bar.copies,
                )
            copies = "1 copy" if len(done.copies) == 1 else f"{len(done.copies):,} copies"
            console.say(f"{copies} of {console.printable(master.name)} in {folder}; document {done.document.id}")
            say_warnings(done.warnings, of=master.name)

        watching = FolderWatch(incoming, out, issue, on_refused=refuse, settled_seconds=settled)
        while watching.look() or not once:
            time.sleep(every)
    if refused:
        raise typer.Exit(1)
