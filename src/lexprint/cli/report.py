"""`lexprint report`: verify, list and show what tracing found."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.table import Table
from rich.text import Text

from lexprint.cli import console, keys
from lexprint.cli.files import PIPE, read_bytes, read_standard_input, require_writable, write_bytes
from lexprint.cli.registry import CERTIFICATES, REGISTRY, WIDE
from lexprint.errors import (
    FormatError,
    InputError,
    ReportError,
    SecretError,
    UnknownDocument,
)

if TYPE_CHECKING:
    from lexprint.coding.keys import Keyring
    from lexprint.registry.protocol import Registry
    from lexprint.registry.records import StoredReport
    from lexprint.registry.reviews import Review
    from lexprint.reports.report import Report
    from lexprint.workflows.report_search import ListedReport

UNSIGNED = "This report is not signed: whoever could write to the registry may have written it."

app = typer.Typer(help="Verify, list and show the reports of traced leaks.", no_args_is_help=True)


@app.command("verify")
def verify(
    file: str = typer.Argument(..., metavar="FILE", help="A report as JSON, or a case as ZIP."),
    trust: list[str] = typer.Option(
        [],
        "--trust",
        metavar="FILE|FINGERPRINT",
        help="The issuer's public key, or its fingerprint; else the key at hand. May be given more than once.",
    ),
    certificates: Path | None = CERTIFICATES,
) -> None:
    """Verify that a report, or a case with all that is in it, is unaltered and signed with a trusted key.

    Obtain the issuer's key, which `lexprint key public` prints, independently of the report. Exit code 1 if the signature is
    invalid, missing or made with another key; 3 if no trusted key is given or at hand.
    """
    from lexprint.reports.signed_file import require_signer

    trusted = trusted_fingerprints(trust)
    name = Path(file).name
    content = read_bytes(Path(file))
    report = _read(content, name=name)
    if report.signature is not None and not trusted:
        raise SecretError(
            f"the signer of {name} cannot be verified without a trusted key",
            needed="--trust with the issuer's public key file or its fingerprint",
        )
    require_signer(report, trusted, name=name)
    assert report.signature is not None
    stamped = _stamped(report, certificates, name=name)
    console.print_line(f"valid: {name} is as it was signed with key {report.signature.key_id}{stamped}")
    for line in _said_of(content, name=name):
        console.print_line(line)


def _said_of(content: bytes, *, name: str) -> list[str]:
    """What had become of the report when its case was made."""
    from lexprint.workflows.cases import is_case, status_in_case

    if not is_case(content):
        return []
    status, notes = status_in_case(content, name=name)
    return [f"status when the case was made: {status}", *(f"note: {console.printable(note)}" for note in notes)]


def _read(content: bytes, *, name: str) -> Report:
    from lexprint.reports.signed_file import read_report
    from lexprint.workflows.cases import is_case, read_case

    return read_case(content, name=name) if is_case(content) else read_report(content, name=name)


@app.command("case")
def case(
    report_id: str = typer.Argument(..., metavar="ID", help="As lexprint report list prints it."),
    target: str = typer.Argument(..., metavar="FILE", help="The .zip to write."),
    leak: str = typer.Option(..., "--leak", metavar="FILE", help="The file that was traced, or - for standard input."),
    key: Path | None = keys.KEY,
    registry: str = REGISTRY,
) -> None:
    """Pack leak, report (HTML, JSON, PDF), signature, public key, timestamp and audit extract into one ZIP file.

    lexprint report verify verifies all of it. The extract is what the audit log says of document and report by now: who traced the
    leak, who made the tokens that fetched the copy, what became of the report, with every note. Of other copies it tells no more than numbers.
    """
    from lexprint.registry.protocol import open_existing_registry

    require_writable(target, leak)
    content = read_standard_input() if leak == PIPE else read_bytes(Path(leak))
    keyring = keys.keys_at_hand(key)
    with open_existing_registry(registry) as opened:
        report = read_stored(opened.report(report_id), {one.public_key.fingerprint for one in keyring or ()})
    write_case(report, content, target, leak_name=Path(leak).name, registry=registry, keyring=keyring)
    console.say(f"the case of report {report_id} was written to {target}; run: lexprint report verify {target}")


def write_case(
    report: Report, leak: bytes, target: str, *, leak_name: str, registry: str, keyring: Keyring | None
) -> None:
    from lexprint.registry.protocol import open_existing_registry
    from lexprint.workflows.cases import make_case

    with open_existing_registry(registry, keys=keyring) as opened:
        made = make_case(opened, report, leak, leak_name=leak_name, keys=keyring)
    write_bytes(target, made)


def _stamped(report: Report, certificates: Path | None, *, name: str) -> str:
    """What is known of when a report was made; its own word for it is only its signer's."""
    from lexprint.reports.signed_file import stamped_bytes

    if report.timestamp is None and certificates is not None:
        raise ReportError(f"{name} has no timestamp; needed: a report that was traced with --authority")
    if report.timestamp is None:
        return ""
    from lexprint.reports.timestamps import read_certificates, verified_time

    if certificates is None:
        return "; its timestamp was not verified: use --certificates"
    roots = read_certificates(read_bytes(certificates), name=certificates.name)
    at = verified_time(report.timestamp, stamped_bytes(report), roots)
    return f", and existed by {at:%Y-%m-%d %H:%M:%S} UTC"


def trusted_fingerprints(trust: Sequence[str]) -> set[str]:
    """Of the keys that are named, else of those at hand."""
    if trust:
        return {fingerprint for one in trust for fingerprint in _fingerprints(one)}
    return {key.public_key.fingerprint for key in keys.keys_at_hand(None) or ()}


def _fingerprints(trust: str) -> list[str]:
    """Of a file with public keys, of a key file, or the one that is meant itself."""
    from lexprint.coding.public_keys import FINGERPRINT_DIGITS, read_public_keys

    digits = trust.replace(":", "").lower()
    if not Path(trust).exists() and re.fullmatch(f"[0-9a-f]{{{FINGERPRINT_DIGITS}}}", digits):
        return [digits]
    if not Path(trust).exists():
        needed = f"a file with a public key, or a fingerprint of {FINGERPRINT_DIGITS} hexadecimal digits"
        raise InputError(f"--trust {trust} is neither a file nor a fingerprint", needed=needed)
    try:
        found = read_public_keys(read_bytes(Path(trust)).decode("utf-8", "replace"))
    except ValueError as error:
        raise FormatError(trust, found="no public key", needed="what lexprint key public printed") from error
    return [key.fingerprint for key in found] or [key.public_key.fingerprint for key in keys.load_keys(Path(trust))]


@app.command("list")
def list_reports(
    document: str | None = typer.Option(None, "--document", metavar="DOCUMENT", help="Only of this id or name."),
    copy: int | None = typer.Option(None, "--copy", metavar="NUMBER", help="Only those that name this copy."),
    since: datetime | None = typer.Option(
        None, "--since", formats=["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"], help="Only those saved from then on, in UTC."
    ),
    status: str | None = typer.Option(None, "--status", help="Only open, confirmed or dismissed ones."),
    registry: str = REGISTRY,
    as_json: bool = console.AS_JSON,
) -> None:
    """List the reports in the registry, oldest first.

    One that was tampered with or cannot be read is listed as such.
    """
    from lexprint.registry.protocol import open_existing_registry
    from lexprint.registry.reviews import read_status
    from lexprint.workflows.report_search import ReportQuery, search_reports

    wanted_status = None if status is None else read_status(status)
    trusted = trusted_fingerprints(())
    with open_existing_registry(registry) as opened:
        ids = None if document is None else _documents(opened, document)
        query = ReportQuery(documents=ids, copy=copy, since=since, status=wanted_status)
        lines = [_line(one) for one in search_reports(opened, query, trusted=trusted)]
    if as_json:
        console.print_json(lines)
        return
    table = Table(box=None, pad_edge=False)
    for title in ("report", "saved (UTC)", "document", "leak", "verdict", "copies", "status", "signed with"):
        table.add_column(title)
    for line in lines:
        copies = ", ".join(map(str, line["accused"]))
        saved, leak = line["saved_at"][:19].replace("T", " "), (line["leak"] or "")[:12]
        cells = (line["id"], saved, line["name"], leak, line["verdict"], copies, line["status"], line["key_id"])
        table.add_row(*(Text(console.printable(cell or "-")) for cell in cells))
    out = console.Output()
    if not out.is_terminal:
        out.width = WIDE
    if lines:
        out.print(table)
    console.say(f"{console.counted(len(lines), 'report')} in the registry")


def _documents(registry: Registry, document: str) -> set[str]:
    """All versions of a name, or the one with this id."""
    found = {one.id for one in registry.documents() if document in (one.id, one.name)}
    if not found:
        raise UnknownDocument(document)
    return found


@app.command("note")
def note(
    report_id: str = typer.Argument(..., metavar="ID", help="As lexprint report list prints it."),
    text: str = typer.Argument("", metavar="[NOTE]", help="What is to be remembered of it."),
    status: str | None = typer.Option(None, "--status", help="open, confirmed or dismissed; else it stays."),
    key: Path | None = keys.KEY,
    registry: str = REGISTRY,
) -> None:
    """Keep a note on a report, or what became of it; the report itself does not change.

    Only a signed report that names a copy can be confirmed. Notes and statuses are in the audit log by their digests, sealed
    with the key.
    """
    from lexprint.registry.protocol import open_existing_registry
    from lexprint.registry.reviews import read_status
    from lexprint.workflows.statuses import review_report

    wanted = None if status is None else read_status(status)
    with open_existing_registry(registry, keys=keys.load_keys(key)) as opened:
        report = read_stored(opened.report(report_id), trusted_fingerprints(()))
        review = review_report(opened, report, status=wanted, note=text)
    console.say(f"report {report_id} is {review.status}")


def _line(one: ListedReport) -> dict[str, Any]:
    report = one.report
    return {
        "id": one.stored.id,
        "saved_at": one.stored.saved_at.isoformat(),
        "document": one.stored.document_id,
        "name": report and report.document and report.document.name,
        "leak": report and report.leak.digest,
        "verdict": one.verdict,
        "accused": one.accused,
        "key_id": report and report.signature and report.signature.key_id,
        "status": one.status,
    }


@app.command("show")
def show(
    report_id: str = typer.Argument(..., metavar="ID", help="As lexprint report list prints it."),
    html: str | None = typer.Option(None, "--html", metavar="FILE", help="Write the page there instead."),
    registry: str = REGISTRY,
    as_json: bool = typer.Option(False, "--json", help="Print the signed JSON instead."),
) -> None:
    """Show a report of the registry; its signature is checked on the way, with the key at hand if there is one."""
    from lexprint.registry.protocol import open_existing_registry
    from lexprint.registry.reviews import reviews

    if html is not None:
        require_writable(html)
    with open_existing_registry(registry) as opened:
        report = read_stored(opened.report(report_id), trusted_fingerprints(()))
        said = reviews(opened).get(report_id, [])
    if html is not None:
        write_page(report, html)
    if as_json:
        write_signed(report, PIPE)
    elif html is None:
        if report.signature is None:
            console.print_line(UNSIGNED)
        print_report(report)
        _print_reviews(said)


def _print_reviews(said: Sequence[Review]) -> None:
    """Apart from what is signed."""
    if said:
        console.print_line("\nNot part of the signed report:")
    for one in said:
        note = console.printable(" ".join(one.note.split()))
        console.print_line(f"{one.at:%Y-%m-%d %H:%M} UTC  {one.status}{f': {note}' if note else ''}")


def read_stored(stored: StoredReport, trusted: Collection[str]) -> Report:
    """An unsigned one says so; without a key, who signed it is not known."""
    from lexprint.reports.signed_file import read_report, require_signer

    name = f"report {stored.id}"
    report = read_report(stored.text.encode(), name=name)
    if trusted and report.signature is not None:
        require_signer(report, trusted, name=name)
    return report


def write_page(report: Report, target: str) -> None:
    from lexprint.reports.page import report_page

    write_bytes(target, report_page(report).encode())


def write_pdf(report: Report, target: str) -> None:
    from lexprint.reports.pdf import report_pdf

    write_bytes(target, report_pdf(report))


def require_report_name(target: str, *, option: str) -> None:
    if Path(target).suffix.lower() not in _WRITERS:
        raise InputError(
            f"{option} {target} is none of the forms of a report", needed="a name that ends in .html, .json or .pdf"
        )


def write_report(report: Report, target: str) -> None:
    """In the form that the ending of the name says."""
    _WRITERS[Path(target).suffix.lower()](report, target)


def write_signed(report: Report, target: str) -> None:
    """The JSON that the signature is of."""
    from lexprint.reports.signed_file import report_bytes

    write_bytes(target, report_bytes(report))


_WRITERS = {".html": write_page, ".htm": write_page, ".json": write_signed, ".pdf": write_pdf}


def print_report(report: Report) -> None:
    """The verdict and its grounds, in the terminal."""
    from lexprint.reports.wording import agreements, explanation, headline

    out = console.Output()
    out.print(Text(headline(report), style="bold green" if report.accused else "bold yellow"))
    for copy in report.accused:
        issued = "not recorded as issued" if copy.issued_at is None else f"issued on {copy.issued_at:%Y-%m-%d}"
        out.print(Text(f"Copy {copy.number} is that of {console.printable(copy.recipient)}, {issued}."))
    out.print(Text(explanation(report)))
    for agreement in agreements(report):
        out.print(Text(agreement))
    if report.document is not None:
        _print_grounds(report, out)
    for note in report.notes:
        out.print(Text(f"Note: {console.printable(note)}", style="yellow"))
    if report.accused:
        out.print(Text(report.statement))


def _print_grounds(report: Report, out: console.Output) -> None:
    document = report.document
    assert document is not None
    name = console.printable(document.name)
    out.print()
    out.print(Text(f"Document   {name}, version {document.version} ({document.id})"))
    if document.sites:
        read = f"{report.readable:,} of {console.counted(document.sites, 'marked word')} can be read"
        out.print(Text(f"Evidence   {read}"))
        covered, edited = (f"{part * 100:.0f} %" for part in (report.covered_share, report.edited_share))
        out.print(Text(f"Leak       holds {covered} of the document; {edited} of that part was changed"))
    out.print()
    if report.accused:
        out.print(_agreement(report))
        out.print()


def _agreement(report: Report) -> Table:
    from lexprint.reports.signed_file import decimal_text
    from lexprint.reports.wording import counted

    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    table.add_column("copy", justify="right")
    table.add_column("agrees")
    table.add_column("chance of error")
    for copy in report.accused:
        agrees = f"{copy.matches:,} of {copy.readable:,}"
        table.add_row(str(copy.number), agrees, decimal_text(copy.family_p_value), style="bold")
    table.caption = f"{counted(report.compared, 'copy', 'copies')} compared"
    table.caption_justify = "left"
    return table
