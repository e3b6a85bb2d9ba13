"""A report as one page that a lawyer can read: self-contained HTML, light or dark, that prints well on A4.

Names and words that others wrote cannot become markup (see `markup`), and a content policy forbids scripts and outside
resources besides.
"""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from importlib import resources
from xml.etree.ElementTree import Element

from lexprint.reports.markup import Node, element, foreign, page_text, shown
from lexprint.reports.pictures import MEANINGS, Reading, picture_of_agreement, picture_of_sites, reading_of
from lexprint.reports.report import Evidence, Report
from lexprint.reports.signatures import Signature
from lexprint.reports.signed_file import decimal_text
from lexprint.reports.wording import chance_in_words, counted, date_in_words, explanation, headline, method

POLICY = "default-src 'none'; style-src 'unsafe-inline'"

_SIGNS: dict[Reading, str] = {"match": "=", "mismatch": "≠", "neither": "?", "missing": "–"}
_DOUBTFUL = "an editor may well have put this word there"


def report_page(report: Report) -> str:
    """The whole page."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", **{"http-equiv": "Content-Security-Policy", "content": POLICY}),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="robots", content="noindex"),
        element("title", f"Trace report {shown(report.id)}"),
        element("style", resources.files("lexprint.reports").joinpath("page.css").read_text(encoding="utf-8")),
    )
    main = element(
        "main",
        _masthead(report),
        _verdict(report),
        *_facts(report),
        element("p", shown(report.statement), class_="statement"),
        *_notes(report),
        *_pictures(report),
        *_evidence(report),
        *_method(report),
        *_origin(report),
    )
    return f"<!doctype html>\n{page_text(element('html', head, element('body', main), lang='en'))}\n"


def _masthead(report: Report) -> Element:
    name = element("span", element("b", "lexprint"), " · trace report")
    made = element("span", f"Report {shown(report.id)} · {_moment(report.made_at)}")
    return element("header", name, made, class_="masthead")


def _verdict(report: Report) -> Element:
    parts = [element("h1", headline(report)), *_recipients(report), element("p", explanation(report))]
    if report.document is not None:
        version = f", version {report.document.version}, registered on {date_in_words(report.document.created_at)}."
        parts.append(element("p", "Document: ", foreign(report.document.name), version, class_="soft"))
    if report.signature is None:
        parts.append(element("p", "This report is not signed.", class_="soft"))
    return element("section", *parts, class_="verdict named" if report.accused else "verdict")


def _recipients(report: Report) -> list[Element]:
    if not report.accused:
        return []
    if len(report.accused) == 1:
        copy = report.accused[0]
        name = element("strong", foreign(copy.recipient))
        if copy.issued_at is None:
            return [element("p", "That copy was made for ", name, "; that it was handed over is not recorded.")]
        return [element("p", "That copy was issued to ", name, f" on {date_in_words(copy.issued_at)}.")]
    rows = [
        _row(
            "td",
            str(copy.number),
            foreign(copy.recipient),
            date_in_words(copy.issued_at) if copy.issued_at else "not recorded",
            f"{copy.matches:,} of {copy.readable:,}",
            chance_in_words(copy.family_p_value),
        )
        for copy in report.accused
    ]
    head = element("thead", _row("th", "Copy", "Issued to", "On", "Agrees", "Chance of error"))
    return [element("table", head, element("tbody", *rows), class_="recipients")]


def _row(tag: str, *cells: Node) -> Element:
    return element("tr", *(element(tag, cell) for cell in cells))


def _facts(report: Report) -> list[Element]:
    if report.document is None:
        return []
    facts = [(f"{report.compared:,}", "copy compared" if report.compared == 1 else "copies compared")]
    if report.document.sites:
        agreeing = (f"{report.readable:,} of {report.document.sites:,}", "marked words can be read in the leak")
        if len(report.accused) == 1:
            copy = report.accused[0]
            agreeing = (f"{copy.matches:,} of {copy.readable:,}", "readable marked words agree with the copy")
        facts = [
            agreeing,
            *facts,
            (_percent(report.covered_share), "of the document is in the leak"),
            (_percent(report.edited_share), "of that part was changed"),
        ]
    pairs = (element("div", element("dt", label), element("dd", value)) for value, label in facts)
    return [element("dl", *pairs, class_="facts")]


def _notes(report: Report) -> list[Element]:
    if not report.notes:
        return []
    return [element("ul", *(element("li", foreign(note)) for note in report.notes), class_="notes")]


def _pictures(report: Report) -> list[Element]:
    if not report.evidence:
        return []
    return [element("h2", "The evidence at a glance"), picture_of_sites(report), picture_of_agreement(report)]


def _evidence(report: Report) -> list[Element]:
    if not report.evidence:
        return []
    copies = [f"Copy {copy.number}" for copy in report.accused]
    titles = ("In the document", "The words", "In the leak", *copies)
    head = element("tr", element("th", "No.", class_="number"), *(element("th", title) for title in titles))
    body = element("tbody", *(_evidence_row(evidence) for evidence in report.evidence))
    table = element("table", element("thead", head), body, class_="evidence wide" if len(copies) > 1 else "evidence")
    title = f"The evidence, word by word ({counted(len(report.evidence), 'place')})"
    return [element("h2", title), element("div", table, class_="scroll")]


def _evidence_row(evidence: Evidence) -> Element:
    context = element(
        "td",
        f"… {shown(evidence.before)}" if evidence.before else "",
        element("mark", shown(evidence.word)),
        f"{shown(evidence.after)} …" if evidence.after else "",
        class_="context",
    )
    seen = element("td", "not there", class_="absent")
    if evidence.seen is not None:
        kind = "readable" if evidence.symbol is not None else "neither"
        doubt = [element("small", " counts less", title=_DOUBTFUL)] if evidence.is_doubtful else []
        seen = element("td", element("bdi", shown(evidence.seen), class_=f"seen {kind}"), *doubt, class_="word")
    given = []
    for accused, word in enumerate(evidence.given):
        reading = reading_of(evidence, accused)
        sign = element("b", _SIGNS[reading], class_=reading, title=MEANINGS[reading])
        given.append(element("td", sign, f" {shown(word)}", class_="word"))
    number = element("td", f"{evidence.site:,}", class_="number")
    pair = element("td", shown(" / ".join(evidence.words)), class_="word pair")
    return element("tr", number, context, pair, seen, *given)


def _method(report: Report) -> list[Element]:
    paragraphs = [element("p", element("strong", title), f" {text}") for title, text in method(report)]
    if not paragraphs:
        return []
    return [element("section", element("h2", "How this was established"), *paragraphs, class_="method")]


def _origin(report: Report) -> list[Element]:
    leak = element("span", f"{counted(report.leak.words, 'word')}, SHA-256 ", _code(report.leak.digest))
    entries: list[tuple[str, Node]] = [("Leak", leak)]
    if report.document is not None:
        described = f", version {report.document.version}, registered {_moment(report.document.created_at)}, id "
        name = foreign(report.document.name)
        entries.append(("Document", element("span", name, described, _code(report.document.id))))
    for copy in report.accused:
        chances = f"{decimal_text(copy.family_p_value)}; for this copy alone {decimal_text(copy.p_value)}"
        entries.append((f"Chance of error, copy {copy.number}", chances))
    bound = f"{decimal_text(report.error_bound)} over all copies, {chance_in_words(report.error_bound)}"
    entries.append(("Limit set for it", bound))
    entries.append(
        ("Made", f"{_moment(report.made_at)}, by lexprint {shown(report.version)}, report {shown(report.id)}")
    )
    entries.append(("Signature", _signature(report.signature, report.id)))
    parts = [element(tag, node) for term, value in entries for tag, node in (("dt", term), ("dd", value))]
    return [element("h2", "Origin and signature"), element("dl", *parts, class_="origin")]


def _signature(signature: Signature | None, report_id: str) -> Node:
    if signature is None:
        return "None: no key was at hand when the leak was traced, so nothing shows whether this report was changed."
    return element(
        "span",
        "Ed25519, by the key with the fingerprint ",
        _code(signature.signer.fingerprint),
        ". This page only shows the report; what is signed is its JSON file, which the issuer writes with ",
        _code(f"lexprint report show {report_id} --json"),
        " and anyone verifies with ",
        _code("lexprint report verify FILE --trust …"),
        ". Ask the issuer for the fingerprint by another way than the report.",
    )


def _code(text: str) -> Element:
    return element("code", shown(text))


def _percent(share: Decimal) -> str:
    return f"{share * 100:.0f} %"


def _moment(time: datetime) -> str:
    return f"{date_in_words(time)}, {time:%H:%M} UTC"
