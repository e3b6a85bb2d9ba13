"""`lexprint registry`: what was issued, to whom, and whether the record of it still holds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.table import Table
from rich.text import Text

from lexprint.cli import console, keys
from lexprint.cli.files import read_bytes
from lexprint.errors import InputError, RegistryError, SecretError, UnknownDocument

if TYPE_CHECKING:
    from lexprint.coding.keys import Keyring
    from lexprint.registry.protocol import Registry
    from lexprint.registry.records import AuditEntry, DocumentSummary, IssuedCopy

REGISTRY = typer.Option(
    "lexprint.db",
    "--registry",
    envvar="LEXPRINT_REGISTRY",
    help="File of the registry, or the URL of a PostgreSQL database.",
)

CERTIFICATES = typer.Option(
    None, "--certificates", metavar="FILE", help="Trusted root certificates of the timestamp authority, as PEM."
)
_HASH = re.compile("[0-9a-f]{64}")
WIDE = 10_000  # columns, where the output is no terminal and nothing need be folded

app = typer.Typer(help="See what was issued, and whether the record of it still holds.", no_args_is_help=True)


@app.command("list")
def list_documents(registry: str = REGISTRY, as_json: bool = console.AS_JSON) -> None:
    """List the documents that copies were made of."""
    with _opened(registry) as opened:
        found = opened.documents()
    if as_json:
        console.print_json([_document_json(document) for document in found])
        return
    header = ("document", "name", "version", "registered", "words", "sites", "copies", "issued")
    rows = [
        (one.id, one.name, one.version, _minute(one.created_at), one.words, one.sites, one.planned, one.issued)
        for one in found
    ]
    _print_table(header, rows)
    console.say(console.counted(len(found), "document"))


@app.command("show")
def show(
    document: str = typer.Argument(..., metavar="DOCUMENT", help="Its id, the beginning of it, or its name."),
    registry: str = REGISTRY,
    as_json: bool = console.AS_JSON,
) -> None:
    """Show a document and its copies; of a name, the newest version."""
    with _opened(registry) as opened:
        summary = _chosen(opened.documents(), document)
        copies = opened.copies(summary.id)
    if as_json:
        console.print_json({**_document_json(summary), "copies": [_copy_json(copy) for copy in copies]})
        return
    facts = {
        "document": summary.id,
        "name": summary.name,
        "version": summary.version,
        "registered": _minute(summary.created_at),
        "file": f"SHA-256 {summary.digest}",
        "copies": f"{summary.planned:,}, of which {summary.issued:,} issued",
        "scheme": f"{summary.issuing}, {summary.code} code",
        "capacity": f"{console.counted(summary.sites, 'site')} in {console.counted(summary.words, 'word')}",
        "key": summary.key_id,
        "fingerprint": summary.fingerprint,
    }
    _print_table(("", ""), list(facts.items()))
    if copies:
        console.print_line("")
        header = ("copy", "recipient", "file", "issued", "SHA-256")
        rows = [
            (one.number, one.recipient, one.file_name, _minute(one.issued_at), (one.digest or "")[:12])
            for one in copies
        ]
        _print_table(header, rows)


@app.command("recipients")
def recipients(registry: str = REGISTRY, as_json: bool = console.AS_JSON) -> None:
    """List who was given copies, over all documents."""
    with _opened(registry) as opened:
        found = opened.recipients()
    if as_json:
        console.print_json([asdict(one) for one in found])
        return
    _print_table(("recipient", "copies", "issued"), [(one.name, one.planned, one.issued) for one in found])
    console.say(console.counted(len(found), "recipient"))


@app.command("audit")
def audit(registry: str = REGISTRY, as_json: bool = console.AS_JSON) -> None:
    """Print the log of all that was done, oldest first."""
    with _opened(registry) as opened:
        entries = opened.audit()
    if as_json:
        console.print_json([asdict(entry) for entry in entries])
        return
    header = ("entry", "time (UTC)", "event", "details", "hash")
    rows = [(one.sequence, one.at[:19].replace("T", " "), one.event, one.details, one.hash[:12]) for one in entries]
    _print_table(header, rows)
    console.say("to see whether it holds, run: lexprint registry verify")


@app.command("stamp")
def stamp(
    registry: str = REGISTRY,
    key: Path | None = keys.KEY,
    authority: str = typer.Option(
        ..., "--authority", metavar="URL", envvar="LEXPRINT_AUTHORITY", help="Timestamp authority (RFC 3161)."
    ),
) -> None:
    """Obtain an RFC 3161 timestamp for the current head of the audit log; only a hash leaves this machine."""
    from lexprint.reports.timestamps import stamp_log

    with _opened(registry, keys.load_keys(key)) as opened:
        entry = stamp_log(opened, authority)
    console.print_line(f"the log was stamped up to entry {entry.sequence - 1:,}; last hash {entry.hash}")


@app.command("verify")
def verify(
    registry: str = REGISTRY,
    key: Path | None = keys.KEY,
    expect: str | None = typer.Option(
        None, "--expect", metavar="HASH", help="Head hash noted earlier; it must still be in the log."
    ),
    certificates: Path | None = CERTIFICATES,
    as_json: bool = console.AS_JSON,
) -> None:
    """Verify the audit log, and the documents, copies and reports it covers, with the owner's key.

    The key detects entries that anyone else forged, altered or removed. Keep the head hash that is printed in another
    place: --expect also detects a rollback to an older copy of the whole database. Exit code 1 if verification fails.
    """
    if expect is not None and not _HASH.fullmatch(expect.lower()):
        raise InputError("--expect is no hash", needed="64 hexadecimal digits, as lexprint registry verify prints them")
    keyring = keys.keys_at_hand(key)
    if keyring is None and expect is None:
        raise SecretError(
            "without a key, a rebuilt log cannot be told from the original",
            needed="the owner's key file, or --expect with a head hash noted earlier",
        )
    with _opened(registry, keyring) as opened:
        broken = opened.verify_audit(expected=expect and expect.lower())
        entries = opened.audit()
    stamped = None if broken or certificates is None else _last_stamped(entries, certificates)
    last = entries[-1].hash if entries else None
    keyless = sum(not entry.key_id for entry in entries)
    if as_json:
        found = {"holds": broken is None, "entries": len(entries), "without_key": keyless, "last_hash": last}
        times = stamped and {"entry": stamped[0], "at": stamped[1].isoformat()}
        console.print_json({**found, "broken": broken and asdict(broken), "stamped": times})
        if broken:
            raise typer.Exit(1)
    elif broken:
        raise RegistryError(
            f"entry {broken.sequence} of the audit log does not hold: {broken.reason}; compare with a backup"
        )
    else:
        console.print_line(f"the log holds: {len(entries):,} entries, last hash {last or 'none'}")
        if stamped is not None:
            console.print_line(f"up to entry {stamped[0]:,} it existed by {stamped[1]:%Y-%m-%d %H:%M:%S} UTC")
        if keyless:
            console.say(f"entries written without a key, of unverified origin: {keyless:,}")


@app.command("export")
def export(
    folder: Path = typer.Option(..., "--csv", metavar="FOLDER", help="Folder to write the files to; made if need be."),
    registry: str = REGISTRY,
    key: Path | None = keys.KEY,
    force: bool = typer.Option(
        False, "--force", help="Also if the audit log does not hold, or no key can show that it does."
    ),
) -> None:
    """Export the issued copies and the custody log as CSV, for e-discovery.

    copies.csv has document, recipient, time and SHA-256 of every issued copy; custody-log.csv is the audit log; verification.csv
    says whether the log holds. No keys, texts or marks are exported. The same registry gives the same files. A cell that a
    spreadsheet would take for a formula begins with an apostrophe.
    """
    from lexprint.workflows.copy_files import sole_writer, write_together
    from lexprint.workflows.custody import custody_files

    keyring = keys.keys_at_hand(key)
    if keyring is None and not force:
        raise SecretError(
            "without a key, a rebuilt log cannot be told from the original", needed="the owner's key file, or --force"
        )
    with _opened(registry, keyring) as opened:
        broken = opened.verify_audit()
        if broken and not force:
            raise RegistryError(
                f"entry {broken.sequence} of the audit log does not hold: {broken.reason}; compare with a backup, or use --force"
            )
        files = custody_files(opened, broken, is_sealed=keyring is not None)
    with sole_writer(folder):
        write_together(folder, files)
    if broken:
        console.say(f"warning: entry {broken.sequence} of the audit log does not hold: {broken.reason}")
    console.say(f"{', '.join(files)} written to {folder}")


def _last_stamped(entries: Sequence[AuditEntry], certificates: Path) -> tuple[int, datetime]:
    from lexprint.reports.timestamps import last_stamped, read_certificates

    roots = read_certificates(read_bytes(certificates), name=certificates.name)
    found = last_stamped(entries, roots)
    if found is None:
        raise RegistryError("the audit log was never stamped; run: lexprint registry stamp")
    return found


def _opened(registry: str, keyring: Keyring | None = None) -> Registry:
    from lexprint.registry.protocol import open_existing_registry

    return open_existing_registry(registry, keys=keyring)


def document_id(registry: Registry, wanted: str) -> str:
    """Of a document that is named by its id, the beginning of it, or its name; of a name, the newest version."""
    return _chosen(registry.documents(), wanted).id


def _chosen(documents: Sequence[DocumentSummary], wanted: str) -> DocumentSummary:
    by_id = [one for one in documents if wanted and one.id.startswith(wanted)]
    if len(by_id) > 1 and all(one.id != wanted for one in by_id):
        raise RegistryError(f"{len(by_id)} documents have ids that begin with {wanted}; run: lexprint registry list")
    found = by_id or [one for one in documents if one.name == wanted]
    if not found:
        raise UnknownDocument(console.printable(wanted))
    return found[-1]


def _print_table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Numbers to the right; nothing is cut off where the output is no terminal."""
    table = Table(box=None, pad_edge=False, show_header=any(header))
    columns = list(zip(*rows, strict=True))
    for number, name in enumerate(header):
        is_number = bool(columns) and all(isinstance(value, int) for value in columns[number])
        table.add_column(name, justify="right" if is_number else "left", overflow="fold")
    for row in rows:
        cells = (f"{value:,}" if isinstance(value, int) else str(value) for value in row)
        table.add_row(*(Text(console.printable(cell)) for cell in cells))
    out = console.Output()
    if not out.is_terminal:
        out.width = WIDE
    out.print(table)


def _minute(at: datetime | None) -> str:
    return "" if at is None else f"{at:%Y-%m-%d %H:%M}"


def _document_json(document: DocumentSummary) -> dict[str, object]:
    return {**asdict(document), "created_at": document.created_at.isoformat()}


def _copy_json(copy: IssuedCopy) -> dict[str, object]:
    return {
        "number": copy.number,
        "recipient": copy.recipient,
        "file_name": copy.file_name,
        "digest": copy.digest,
        "issued_at": None if copy.issued_at is None else copy.issued_at.isoformat(),
        "codeword": "".join(map(str, copy.codeword)),
    }
