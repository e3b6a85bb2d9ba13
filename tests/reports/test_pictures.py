"""Pictures: every site and every copy is where it belongs."""

from dataclasses import replace
from xml.etree.ElementTree import Element

import pytest
from tests.reports.reports import report_of

from lexprint.reports.pictures import (
    Reading,
    is_decided_by_matches,
    picture_of_agreement,
    picture_of_sites,
    reading_of,
)
from lexprint.reports.report import Evidence

WORDS = ("big", "large", "great")


def drawn(figure: Element, tag: str, class_: str) -> list[Element]:
    picture = figure.find("svg")
    assert picture is not None
    return [one for one in picture.iter(tag) if one.get("class") == class_]


def number(shape: Element, name: str) -> float:
    return float(shape.get(name, "nan"))


@pytest.mark.parametrize(
    ("symbol", "seen", "accused", "reading"),
    [
        (0, "big", 0, "match"),
        (0, "big", 1, "mismatch"),
        (1, "large", 1, "match"),
        (2, "great", 1, "mismatch"),
        (None, "huge", 0, "neither"),
        (None, None, 0, "missing"),
    ],
)
def test_readings(symbol: int | None, seen: str | None, accused: int, reading: Reading) -> None:
    """What the leak shows, as each accused copy sees it."""
    evidence = Evidence(1, 0, "a", "big", "house", WORDS, symbol, seen, ("big", "large"))
    assert reading_of(evidence, accused) == reading


def test_every_site_has_a_stroke_in_every_lane() -> None:
    """As many of each kind as there are, and matches as many as the report says."""
    report = report_of(recipients=("Ann", "Ben"), verdict="several copies")
    figure = picture_of_sites(report)
    assert len(drawn(figure, "rect", "match")) == sum(copy.matches for copy in report.accused)
    for kind, tag in (("mismatch", "rect"), ("neither", "rect"), ("missing", "circle")):
        expected = sum(reading_of(one, lane) == kind for one in report.evidence for lane in (0, 1))
        assert len(drawn(figure, tag, kind)) == expected > 0


def test_sites_stand_in_order_within_the_picture() -> None:
    """From left to right as in the document, none outside."""
    places = [number(stroke, "x") for stroke in drawn(picture_of_sites(report_of(sites=400)), "rect", "match")]
    assert places == sorted(places)
    assert 0 <= places[0] < places[-1] < 720


def test_only_accused_copies_have_bars() -> None:
    """They reach the line; nothing is drawn of any other copy."""
    figure = picture_of_agreement(report_of())
    (needed,) = drawn(figure, "line", "needed")
    (bar,) = drawn(figure, "rect", "bar named")
    assert number(needed, "x1") <= number(bar, "x") + number(bar, "width")
    assert drawn(figure, "rect", "bar") == []
    assert figure.findtext("figcaption", "").startswith("300 copies were compared.")


def test_weighed_matches_are_drawn_by_strength() -> None:
    """Where matches do not decide, the chance does, and the line allows for the number of copies."""
    report = report_of()
    assert report.document is not None
    assert is_decided_by_matches(report)
    weighed = replace(report, document=replace(report.document, code="tardos"))
    assert not is_decided_by_matches(weighed)
    figure = picture_of_agreement(weighed)
    (needed,) = drawn(figure, "line", "needed")
    (named,) = drawn(figure, "rect", "bar named")
    assert number(named, "x") + number(named, "width") > number(needed, "x1")
    assert drawn(figure, "line", "expected") == []
    doubted = [replace(one, is_doubtful=one.symbol is not None) for one in report.evidence]
    assert not is_decided_by_matches(replace(report, evidence=tuple(doubted)))
    for more in (replace(weighed, compared_in_all=1_500), replace(weighed, turn=9)):
        (stricter,) = drawn(picture_of_agreement(more), "line", "needed")
        assert number(stricter, "x1") > number(needed, "x1")


def test_an_accusation_that_matches_do_not_explain() -> None:
    """Such as that of a colluder: the picture shows what did decide."""
    report = report_of(recipients=("Ann", "Ben"), verdict="several copies")
    assert not is_decided_by_matches(report)
