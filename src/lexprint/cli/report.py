"""`lexprint report`: verify, list and show what tracing found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.table import Table
from rich.text import Text

from lexprint.cli import console, keys
from lexprint.cli.files import PIPE, read_bytes, require_writable, write_bytes
from lexprint.cli.registry import REGISTRY, WIDE
from lexprint.errors import BadSignature, InputError, ReportError

if TYPE_CHECKING:
    from lexprint.tracing.records import StoredReport
    from lexprint.tracing.report import Report

app = typer.Typer(help="Verify, list and show the reports of traced leaks.", no_args_is_help=True)

SHOWN = 5  # copies of the ranking
PUBLIC_KEY_DIGITS = 64


@app.command("verify")
def verify(
    file: str = typer.Argument(..., metavar="FILE", help="A report as JSON."),
    key: Path | None = typer.Option(None, "--key", metavar="FILE", help="The issuer's key file."),
    public_key: str | None = typer.Option(None, "--public-key", metavar="HEX", help="The issuer's public key."),
) -> None:
    """Say whether a report is as it was signed, and by whom.

    Without a key this shows only that nothing was changed since somebody signed it. Exit code 1 if the signature does not
    fit, or if there is none.
    """
    from lexprint.tracing.report import read_report, require_signer

    if key is not None and public_key is not None:
        raise InputError("--key and --public-key were both given", needed="one of the two")
    known = _public_keys(key, public_key)
    name = Path(file).name
    report = read_report(read_bytes(Path(file)), name=name)
    if known:
        require_signer(report, known, name=name)
    if report.signature is None:
        raise ReportError(f"{name} is not signed; needed: a report that was traced with a master key")
    signature = report.signature
    if known:
        console.print_line(f"valid: {name} is as it was signed with key {signature.key_id}")
    else:
        console.print_line(f"intact: nothing in {name} was changed since it was signed with key {signature.key_id}")
        console.print_line(f"public key {signature.public_key}")
        console.print_line(
            "This alone does not prove who signed it: compare the public key with the issuer's, or verify again with "
            "--public-key or --key."
        )


def _public_keys(key: Path | None, public_key: str | None) -> list[str]:
    if key is not None:
        from lexprint.tracing.report import public_key_of

        return [public_key_of(one) for one in keys.load_keys(key)]
    if public_key is None:
        return []
    try:
        length = len(bytes.fromhex(public_key))
    except ValueError:
        length = 0
    if 2 * length != PUBLIC_KEY_DIGITS:
        needed = f"{PUBLIC_KEY_DIGITS} hexadecimal digits, as lexprint report public-key prints them"
        raise InputError("--public-key is no public key", needed=needed)
    return [bytes.fromhex(public_key).hex()]


@app.command("public-key")
def public_key(key: Path | None = keys.KEY) -> None:
    """Print the public key that verifies your reports; give it to whoever is to verify them.

    Standard output has the key that signs now; after rotations, those of older reports are named on standard error.
    """
    from lexprint.tracing.report import public_key_of

    newest, *older = keys.load_keys(key)
    console.print_line(public_key_of(newest))
    for one in older:
        console.say(f"older key {one.id}: {public_key_of(one)}")


@app.command("list")
def list_reports(registry: str = REGISTRY, as_json: bool = console.AS_JSON) -> None:
    """List the reports in the registry, oldest first.

    One that was tampered with or cannot be read is listed as such.
    """
    from lexprint.tracing.registry import open_existing_registry

    with open_existing_registry(registry) as opened:
        lines = [_line(opened.report(summary.id)) for summary in opened.reports()]
    if as_json:
        console.print_json(lines)
        return
    table = Table(box=None, pad_edge=False)
    for title in ("report", "saved", "document", "verdict", "copies", "signed with"):
        table.add_column(title)
    for line in lines:
        copies = ", ".join(map(str, line["accused"]))
        cells = (line["id"], line["saved_at"][:16], line["name"], line["verdict"], copies, line["key_id"])
        table.add_row(*(Text(console.printable(cell or "-")) for cell in cells))
    out = console.Output()
    if not out.is_terminal:
        out.width = WIDE
    if lines:
        out.print(table)
    console.say(f"{console.counted(len(lines), 'report')} in the registry")


def _line(stored: StoredReport) -> dict[str, Any]:
    found = {"id": stored.id, "saved_at": stored.saved_at.isoformat(), "document": stored.document_id}
    try:
        report = _read_stored(stored)
    except BadSignature:
        return found | {"name": None, "verdict": "bad signature", "accused": [], "key_id": None}
    except ReportError:
        return found | {"name": None, "verdict": "unreadable", "accused": [], "key_id": None}
    return found | {
        "name": report.document and report.document.name,
        "verdict": report.verdict,
        "accused": [copy.number for copy in report.accused],
        "key_id": report.signature and report.signature.key_id,
    }


@app.command("show")
def show(
    report_id: str = typer.Argument(..., metavar="ID", help="As lexprint report list prints it."),
    html: str | None = typer.Option(None, "--html", metavar="FILE", help="Write the page there instead."),
    registry: str = REGISTRY,
    as_json: bool = typer.Option(False, "--json", help="Print the signed JSON instead."),
) -> None:
    """Show a report of the registry; its signature is checked on the way."""
    from lexprint.tracing.registry import open_existing_registry

    if html is not None:
        require_writable(html)
    with open_existing_registry(registry) as opened:
        report = _read_stored(opened.report(report_id))
    if html is not None:
        write_page(report, html)
    if as_json:
        write_signed(report, PIPE)
    elif html is None:
        print_report(report)


def _read_stored(stored: StoredReport) -> Report:
    from lexprint.tracing.report import read_report

    return read_report(stored.text.encode(), name=f"report {stored.id}")


def write_page(report: Report, target: str) -> None:
    from lexprint.tracing.report_page import report_page

    write_bytes(target, report_page(report).encode())


def write_signed(report: Report, target: str) -> None:
    """The JSON that the signature is of."""
    from lexprint.tracing.report import report_bytes

    write_bytes(target, report_bytes(report))


def print_report(report: Report) -> None:
    """The verdict and its grounds, in the terminal."""
    from lexprint.tracing.report_wording import explanation, headline

    out = console.Output()
    out.print(Text(headline(report), style="bold green" if report.accused else "bold yellow"))
    for copy in report.accused:
        issued = "not recorded as issued" if copy.issued_at is None else f"issued on {copy.issued_at:%Y-%m-%d}"
        out.print(Text(f"Copy {copy.number} is that of {console.printable(copy.recipient or '')}, {issued}."))
    out.print(Text(explanation(report)))
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
    if report.ranking:
        out.print(_ranking(report))
        out.print()


def _ranking(report: Report) -> Table:
    from lexprint.tracing.report import decimal_text

    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    table.add_column("copy", justify="right")
    table.add_column("agrees")
    table.add_column("chance of error")
    accused = {copy.number for copy in report.accused}
    best = report.ranking[: max(SHOWN, len(accused))]
    for copy in best:
        style = "bold" if copy.number in accused else "dim"
        agrees = f"{copy.matches:,} of {copy.readable:,}"
        table.add_row(str(copy.number), agrees, decimal_text(copy.family_p_value), style=style)
    table.caption = f"best {len(best)} of {report.compared:,} compared"
    table.caption_justify = "left"
    return table
