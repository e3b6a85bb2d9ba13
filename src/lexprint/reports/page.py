"""A report as one page that a lawyer can read: self-contained HTML, light or dark, that prints well on A4.

Names and words that others wrote cannot become markup: the template (`page.html`) escapes every value, and a content policy
forbids scripts and outside resources besides.
"""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from functools import cache
from importlib import resources

from jinja2 import Environment, StrictUndefined, Template

from lexprint.reports.markup import page_text, shown
from lexprint.reports.pictures import MEANINGS, Reading, picture_of_agreement, picture_of_sites, reading_of
from lexprint.reports.report import Report
from lexprint.reports.signed_file import decimal_text
from lexprint.reports.wording import (
    agreements,
    chance_in_words,
    counted,
    date_in_words,
    explanation,
    headline,
    method,
)

POLICY = "default-src 'none'; style-src 'unsafe-inline'"

_SIGNS: dict[Reading, str] = {"match": "=", "mismatch": "≠", "neither": "?", "missing": "–", "untold": "–"}


def report_page(report: Report) -> str:
    """The whole page."""
    pictures = (picture_of_sites(report), picture_of_agreement(report)) if report.evidence else ()
    page: str = _template().render(
        report=report,
        policy=POLICY,
        style=_resource("page.css"),
        headline=headline(report),
        explanation=explanation(report),
        agreements=agreements(report),
        facts=_facts(report),
        pictures="".join(map(page_text, pictures)),
        places=counted(len(report.evidence), "place"),
        method=method(report),
        words=counted(report.leak.words, "word"),
    )
    return page


@cache
def _template() -> Template:
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {
        "shown": shown,
        "moment": _moment,
        "date": date_in_words,
        "chance": chance_in_words,
        "decimal": decimal_text,
    }
    environment.globals |= {"reading_of": reading_of, "meanings": MEANINGS, "signs": _SIGNS}
    return environment.from_string(_resource("page.html"))


def _resource(name: str) -> str:
    return resources.files("lexprint.reports").joinpath(name).read_text(encoding="utf-8")


def _facts(report: Report) -> list[tuple[str, str]]:
    """Figures with what they are."""
    if report.document is None:
        return []
    compared = (f"{report.compared:,}", "copy compared" if report.compared == 1 else "copies compared")
    if not report.document.sites:
        return [compared]
    agreeing = (f"{report.readable:,} of {report.document.sites:,}", "marked words can be read in the leak")
    if len(report.accused) == 1:
        copy = report.accused[0]
        agreeing = (f"{copy.matches:,} of {copy.readable:,}", "readable marked words agree with the copy")
    return [
        agreeing,
        compared,
        (_percent(report.covered_share), "of the document is in the leak"),
        (_percent(report.edited_share), "of that part was changed"),
    ]


def _percent(share: Decimal) -> str:
    return f"{share * 100:.0f} %"


def _moment(time: datetime) -> str:
    return f"{date_in_words(time)}, {time:%H:%M} UTC"
