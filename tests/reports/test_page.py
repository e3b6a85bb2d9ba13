"""The page of a report: self-contained, in plain words, and safe whatever stands in it."""

import re
from dataclasses import replace
from decimal import Decimal
from html.parser import HTMLParser

import pytest
from hypothesis import given, strategies as st
from tests.reports.reports import nothing_found, report_of

from lexprint.reports.page import report_page
from lexprint.reports.report import Report
from lexprint.reports.signatures import Signature

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>&amp;</style></title>\u202e\x1b[31m"


class Page(HTMLParser):
    """What a browser would see."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.texts: list[str] = []
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert self._open == [], "every element is closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag != "meta":
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] != "style":
            self.texts.append(data)

    @property
    def text(self) -> str:
        return "".join(self.texts)


def hostile_report(text: str) -> Report:
    report = report_of(recipients=(text,), sites=4)
    assert report.document is not None
    return replace(
        report,
        id=text,
        version=text,
        document=replace(report.document, name=text, id=text),
        leak=replace(report.leak, digest=text),
        evidence=tuple(replace(one, before=text, word=text, after=text, seen=text) for one in report.evidence),
        notes=(text,),
        statement=text,
        signature=Signature(text, "00" * 32),
    )


def all_outcomes() -> list[Report]:
    one = report_of()
    assert one.document is not None
    return [
        one,
        replace(one, document=replace(one.document, code="tardos"), matches_needed=None),
        replace(one, document=replace(one.document, issuing="blind", sites=0), evidence=()),
        report_of(recipients=("Ann", "Ben"), verdict="several copies"),
        report_of(recipients=(), verdict="inconclusive"),
        nothing_found(),
    ]


def test_hostile_text_stays_text() -> None:
    """A recipient's name or a leak's words add no element and no attribute, and can be read as they are."""
    page, plain = Page(report_page(hostile_report(HOSTILE))), Page(report_page(hostile_report("harmless")))
    assert page.tags == plain.tags
    assert [name for name, _ in page.attributes] == [name for name, _ in plain.attributes]
    assert "<script>alert(1)</script>" in page.text
    assert not {"script", "img", "iframe", "object", "link", "form", "a"} & set(page.tags)


@given(st.text(max_size=40))
def test_no_text_changes_the_page(text: str) -> None:
    """The same for any text at all."""
    assert Page(report_page(hostile_report(text))).tags == Page(report_page(hostile_report("x"))).tags


def test_nothing_that_steers_is_shown() -> None:
    """Characters that turn the direction of writing or are not seen become visible marks."""
    page = report_page(hostile_report(HOSTILE))
    assert not set(page) & {"\u202e", "\x1b", "\x00"}
    assert "\ufffd[31m" in page


@pytest.mark.parametrize("report", all_outcomes())
def test_the_page_claims_no_more_than_which_word_stood_where(report: Report) -> None:
    """Never that words mean, say or read the same, of which the evidence tells nothing; it says that it does not matter."""
    text = " ".join(Page(report_page(report)).text.split())
    claims = [
        sentence for sentence in re.split(r"(?<=[.;])", text) if re.search(r"\b(mean|say|read)s? the same", sentence)
    ]
    assert [claim.strip() for claim in claims if "does not matter" not in claim] == []
    assert bool(claims) == (report.document is not None and report.document.issuing == "registered")


@pytest.mark.parametrize("report", all_outcomes())
def test_the_page_needs_nothing_else(report: Report) -> None:
    """No address, no script, no file: and a policy that forbids them."""
    page = report_page(report)
    assert not re.search(r"https?:|//|url\(|@import|src=|href=|<script|<link", page.replace("<!doctype html>", ""))
    assert ("content", "default-src 'none'; style-src 'unsafe-inline'") in Page(page).attributes
    assert page.startswith("<!doctype html>")


@pytest.mark.parametrize("report", all_outcomes())
def test_the_statement_is_always_there(report: Report) -> None:
    """It identifies the copy, not the person."""
    assert "identifies a copy, not a person" in Page(report_page(report)).text


def test_a_named_copy() -> None:
    """The verdict, the recipient, the chance of error, the evidence for it and its limits."""
    text = Page(report_page(report_of())).text
    for part in (
        "The leak comes from copy 17",
        "That copy was issued to Anna Example on 3 February 2026.",
        "The chance that a copy is named wrongly is less than 1 in 9.7 billion.",
        "46 of 47",
        "needed: 38",
        "Copy 17 agrees with the leak at 46 of 47 readable words",
        "version 3 was registered",
        "This report is not signed.",
        "the committee wanted to",
        "not there",
        "fair coin",
    ):
        assert part in text


def test_several_copies() -> None:
    """Each with its recipient, and a lane of its own."""
    report = report_of(recipients=("Ann", "Ben"), verdict="several copies")
    text = Page(report_page(report)).text
    assert "The leak was made from copies 17 and 18" in text
    for number, name, copy in zip((17, 18), ("Ann", "Ben"), report.accused, strict=True):
        assert name in text
        assert f"Copy {number} agrees with the leak at {copy.matches} of" in text


def test_nobody_is_named_without_proof() -> None:
    """An inconclusive report says how much could be read, and neither where nor whose words they might be."""
    report = report_of(recipients=(), verdict="inconclusive")
    page = Page(report_page(report))
    assert "No copy can be named" in page.text
    assert ("class", "match") not in page.attributes
    assert ("class", "verdict") in page.attributes
    assert f"{report.readable} of 64" in page.text
    assert "svg" not in page.tags


def test_no_document() -> None:
    """Neither pictures nor method: there was nothing to compare."""
    page = Page(report_page(nothing_found()))
    assert "No registered document is like this text" in page.text
    assert "svg" not in page.tags
    assert "How this was established" not in page.text


def test_a_copy_that_was_only_planned() -> None:
    """The page does not claim that it was handed over."""
    report = report_of()
    planned = replace(report, accused=(replace(report.accused[0], issued_at=None),))
    assert "was made for Anna Example; that it was handed over is not recorded" in Page(report_page(planned)).text


def test_doubtful_places_are_marked() -> None:
    """In their rows, and in how it was established; nowhere else."""
    report = report_of()
    assert "counts less" not in Page(report_page(report)).text
    doubted = [replace(one, is_doubtful=one.symbol is not None) for one in report.evidence]
    text = Page(report_page(replace(report, evidence=tuple(doubted)))).text
    assert text.count("counts less") == report.readable
    assert "doubled for having been tried twice" in text
    assert "binomial" not in text


def test_acceptance_is_told_of_each_word() -> None:
    """Where it is known, of the words beside the document's own, and as an estimate."""
    report = report_of()
    assert "of a hundred readers" not in report_page(report)
    first = replace(report.evidence[0], words=("big", "large", "huge"), acceptances=(Decimal("0.934"), Decimal("0.7")))
    page = report_page(replace(report, evidence=(first, *report.evidence[1:])))
    assert "big / large (93 %) / huge (70 %)" in page
    assert "by an estimate" in page
    for wrong in ((Decimal("0.9"),), (Decimal(2), Decimal(0))):
        with pytest.raises(ValueError, match="contradicts"):
            replace(report, evidence=(replace(first, acceptances=wrong),))


def test_the_signature_is_explained() -> None:
    """The fingerprint of the key, and that the page itself is not what is signed."""
    signature = Signature("00" * 64, "ab" * 32)
    text = Page(report_page(replace(report_of(), signature=signature))).text
    assert signature.signer.fingerprint in text
    assert "lexprint report show 5eed5eed5eed5eed --json" in text
    assert "not signed" not in text


def test_long_numbers_do_not_break_the_page() -> None:
    """Chances far below what can be imagined, and bounds far above."""
    report = report_of()
    tiny = replace(report.accused[0], p_value=Decimal("1E-300"), family_p_value=Decimal("1E-298"))
    report = replace(report, accused=(tiny,), error_bound=Decimal("0.5"))
    assert "less than 1 in a million billion" in Page(report_page(report)).text
