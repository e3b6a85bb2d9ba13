"""A report as a PDF, for files and courts; it says what the page says, without its pictures.

The fonts that every PDF reader has know Latin letters only; others are written as their code points, so that no name is
shown as another one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lexprint.errors import ExtraMissing
from lexprint.reports.markup import shown
from lexprint.reports.pictures import reading_of
from lexprint.reports.report import Evidence, Report
from lexprint.reports.signed_file import decimal_text
from lexprint.reports.wording import agreements, chance_in_words, date_in_words, explanation, headline, method

if TYPE_CHECKING:
    from fpdf import FPDF

FONT = "helvetica"
ACCEPTANCES = (
    "In brackets: of a hundred readers, about how many would accept the word there in place of the document's own, by an "
    "estimate."
)
_DASHES = str.maketrans({"–": "-", "—": "-", "…": "...", "“": '"', "”": '"', "‘": "'", "’": "'", "¹": "^1"})
_SIGNS = {"match": "agrees", "mismatch": "differs", "neither": "another word", "missing": "not there"}


def report_pdf(report: Report) -> bytes:
    """The whole report, on A4."""
    pdf = _new_pdf(report)
    _write(pdf, headline(report), size=17, style="B")
    for copy in report.accused:
        issued = "not recorded as issued" if copy.issued_at is None else f"issued on {date_in_words(copy.issued_at)}"
        _write(pdf, f"Copy {copy.number} is that of {copy.recipient}, {issued}.", size=12, style="B")
    _write(pdf, explanation(report), size=11)
    for agreement in agreements(report):
        _write(pdf, agreement, size=11)
    _write(pdf, report.statement, style="I")
    for note in report.notes:
        _write(pdf, f"Note: {note}")
    _write(pdf, "Origin and signature", size=12, style="B")
    for line in _origin(report):
        _write(pdf, line)
    for title, text in method(report):
        _write(pdf, f"{title} {text}")
    if report.evidence:
        _write(pdf, "The evidence, word by word", size=12, style="B")
        if report.has_acceptances:
            _write(pdf, ACCEPTANCES, size=8)
        for one in report.evidence:
            _write(pdf, _line(one, report), size=8)
    return bytes(pdf.output())


def _new_pdf(report: Report) -> FPDF:
    try:
        from fpdf import FPDF
    except ImportError as error:
        raise ExtraMissing("fpdf2", extra="pdf") from error
    pdf = FPDF(format="A4")
    pdf.set_title(f"Trace report {report.id}")
    pdf.set_creation_date(report.made_at)
    pdf.set_margin(18)
    pdf.set_auto_page_break(True, margin=18)
    pdf.add_page()
    return pdf


def _write(pdf: FPDF, text: str, *, size: float = 9.5, style: str = "") -> None:
    pdf.set_font(FONT, style, size)
    pdf.multi_cell(0, size * 0.5, _latin(text), new_x="LMARGIN", new_y="NEXT", align="L")
    pdf.ln(1.5)


def _latin(text: str) -> str:
    return shown(text).translate(_DASHES).encode("latin-1", "backslashreplace").decode("latin-1")


def _origin(report: Report) -> list[str]:
    lines = [f"Report {report.id}, made {report.made_at:%Y-%m-%d %H:%M:%S} UTC by lexprint {report.version}."]
    lines.append(f"Leak: {report.leak.words:,} words, SHA-256 {report.leak.digest}.")
    if report.document is not None:
        document = report.document
        lines.append(f"Document: {document.name}, version {document.version}, id {document.id}.")
        lines.append(
            f"{report.readable:,} of {document.sites:,} marked words can be read; {report.compared:,} copies compared."
        )
    lines += [
        f"Copy {copy.number}: {copy.matches:,} of {copy.readable:,} readable marked words agree; chance of error "
        f"{decimal_text(copy.family_p_value)}."
        for copy in report.accused
    ]
    lines.append(f"Limit set for it: {decimal_text(report.error_bound)}, {chance_in_words(report.error_bound)}.")
    if report.signature is None:
        lines.append("This report is not signed.")
    else:
        lines.append(
            f"What is signed (Ed25519) is the JSON file of this report, by the key {report.signature.signer.fingerprint}."
        )
    return lines


def _line(one: Evidence, report: Report) -> str:
    seen = "not there" if one.seen is None else f"'{one.seen}'"
    given = "; ".join(
        f"copy {copy.number} has '{word}': {_SIGNS[reading_of(one, number)]}"
        for number, (copy, word) in enumerate(zip(report.accused, one.given, strict=True))
        if word is not None
    )
    return f"{one.site}. {one.before}[{one.words_shown}]{one.after} - leak: {seen}; {given}"
