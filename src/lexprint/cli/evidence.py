"""`lexprint report evidence`: every word that was read in a leak, for a court."""

from __future__ import annotations

from pathlib import Path

import typer

from lexprint.cli import console, keys
from lexprint.cli.files import READABLE, open_file, require_writable
from lexprint.cli.registry import REGISTRY
from lexprint.cli.report import read_stored, require_report_name, write_report


def evidence(
    report_id: str = typer.Argument(..., metavar="ID", help="As lexprint report list prints it."),
    target: str = typer.Argument(..., metavar="FILE", help="The .html, .json or .pdf to write."),
    leak: str = typer.Option(..., "--leak", metavar="FILE", help=f"The file that was traced. {READABLE}"),
    key: Path | None = keys.KEY,
    registry: str = REGISTRY,
) -> None:
    """List every marked word that can be read in a leak, with what the named copies have there, and sign it.

    Reports list only where the leak is like the copy; what else was read is counted. This lists it all, also what speaks for the
    recipient, for a court and those who are heard there: whoever reads it could write passages in the name of the copy. Needs the key
    that signed the report, and is in the audit log.
    """
    from lexprint.registry.protocol import open_existing_registry
    from lexprint.workflows.whole_evidence import list_evidence

    require_report_name(target, option="FILE")
    require_writable(target, leak)
    given = open_file(leak)
    keyring = keys.keys_at_hand(key)
    with open_existing_registry(registry, keys=keyring) as opened:
        report = read_stored(opened.report(report_id), {one.public_key.fingerprint for one in keyring or ()})
        whole = list_evidence(opened, report, given.text, leak=given.content, leak_name=given.name, keys=keyring)
    write_report(whole, target)
    console.say(
        f"all {len(whole.evidence):,} words of report {report_id} were written to {target}, as report {whole.id}"
    )
