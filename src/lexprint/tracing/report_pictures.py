"""Pictures of the evidence, as SVG that takes its colours from the page.

Shapes differ as well as colours, for a report may be printed in grey or read by someone who does not see them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Literal, TypeAlias
from xml.etree.ElementTree import Element

from lexprint.tracing.markup import Node, element, shape
from lexprint.tracing.report import Evidence, RankedCopy, Report
from lexprint.tracing.report_wording import counted, odds_in_words

Reading: TypeAlias = Literal["match", "mismatch", "readable", "neither", "missing"]

MEANINGS: dict[Reading, str] = {
    "match": "the copy's word",
    "mismatch": "the other word of the two",
    "readable": "one of the two words",
    "neither": "another word: edited",
    "missing": "passage not in the leak",
}

BARS = 12  # more would tell no more

# In units of the picture, which is as wide as the page lets it be.
_WIDTH = 720.0
_STROKE = 26.0  # height of a word that agrees
_LANE = 72.0  # one copy's strokes and their title
_BAR, _PITCH = 14.0, 20.0  # height of a bar, and from one to the next
_LEFT, _RIGHT, _TOP = 78.0, 604.0, 27.0  # where the longest bar would be


def reading_of(evidence: Evidence, accused: int | None) -> Reading:
    """What the leak shows at a site, as seen from one of the accused copies, or from none."""
    if evidence.symbol is None:
        return "missing" if evidence.seen is None else "neither"
    if accused is None:
        return "readable"
    return "match" if evidence.given[accused] == evidence.words[evidence.symbol] else "mismatch"


def picture_of_sites(report: Report) -> Element:
    """Every site at its place in the document, in one lane for each accused copy."""
    lanes: list[int | None] = [*range(len(report.accused))] or [None]
    characters = max(1, report.document.characters) if report.document is not None else 1
    width = min(5.0, max(0.8, 0.62 * _WIDTH / max(1, len(report.evidence))))
    parts: list[Element] = []
    for lane, accused in enumerate(lanes):
        base = lane * _LANE + 48
        parts.append(shape("text", _lane_title(report, accused), class_="strong", x=0, y=base - _STROKE - 9))
        parts.append(shape("line", class_="axis", x1=0, x2=_WIDTH, y1=base + 0.5, y2=base + 0.5))
        for evidence in report.evidence:
            place = evidence.offset / characters * (_WIDTH - width)
            parts.append(_stroke(reading_of(evidence, accused), x=place, base=base, width=width))
    height = len(lanes) * _LANE + 12
    parts.append(shape("text", "beginning of the document", class_="soft", x=0, y=height - 4))
    parts.append(shape("text", "end", class_="soft end", x=_WIDTH, y=height - 4))
    seen = {reading_of(evidence, accused) for evidence in report.evidence for accused in lanes}
    keys = (element("span", _key(reading), MEANINGS[reading]) for reading in MEANINGS if reading in seen)
    return element(
        "figure",
        _picture(height, "What the leak shows at each marked word, from beginning to end", parts),
        element("div", *keys, class_="legend"),
        element("figcaption", "Each stroke is a word that differs between copies, at its place in the document."),
    )


def _lane_title(report: Report, accused: int | None) -> str:
    if accused is None:
        return f"{report.readable:,} of {counted(len(report.evidence), 'marked word')} can be read"
    copy = report.accused[accused]
    return f"Copy {copy.number} agrees with the leak at {copy.matches:,} of {counted(copy.readable, 'readable word')}"


def _stroke(reading: Reading, *, x: float, base: float, width: float, height: float = _STROKE) -> Element:
    """Up for agreement, down for disagreement, short for an edit, a ring for what is missing."""
    match reading:
        case "match" | "readable":
            return shape("rect", class_=reading, x=x, y=base - height, width=width, height=height)
        case "mismatch":
            return shape("rect", class_=reading, x=x, y=base, width=width, height=height / 2)
        case "neither":
            return shape("rect", class_=reading, x=x, y=base - height / 3, width=width, height=height / 3)
        case "missing":
            return shape("circle", class_=reading, cx=x + width / 2, cy=base - 5, r=min(1.8, width / 2))


def _key(reading: Reading) -> Element:
    """The stroke as it stands in the legend."""
    base = 8.0 if reading == "mismatch" else 19.0
    line = shape("line", class_="axis", x1=0, x2=12, y1=base + 0.5, y2=base + 0.5)
    stroke = _stroke(reading, x=4, base=base, width=4, height=17)
    return shape("svg", line, stroke, viewBox="0 0 12 22", aria_hidden="true")


def picture_of_ranking(report: Report) -> Element:
    """The copies that agree best, and the line that a copy must reach to be named."""
    return _ranking_by_matches(report) if is_decided_by_matches(report) else _ranking_by_strength(report)


def is_decided_by_matches(report: Report) -> bool:
    """Whether the number of matches alone tells who is accused: not so where matches weigh differently."""
    if report.document is None or report.document.code != "independent":
        return False
    if report.has_further_words or report.has_doubtful_places:
        return False
    accused = {copy.number for copy in report.accused}
    needed = report.readable + 1 if report.matches_needed is None else report.matches_needed
    return all((copy.matches >= needed) == (copy.number in accused) for copy in report.ranking)


def _best(report: Report) -> tuple[RankedCopy, ...]:
    return report.ranking[: max(BARS, len(report.accused))]


def _ranking_by_matches(report: Report) -> Element:
    longest = max(1, report.readable)
    parts = _bars(report, [copy.matches / longest for copy in _best(report)], _matches_of)
    parts += _line(report, 0.5, f"by chance: {report.readable / 2:g}", kind="expected")
    if report.matches_needed is not None:
        parts += _line(report, report.matches_needed / longest, f"needed: {report.matches_needed}", kind="needed")
        needed = (
            "A copy that has nothing to do with the leak agrees at about half of the readable words; to be named, it must "
            f"agree at {report.matches_needed:,} or more."
        )
    else:
        needed = "With so few readable words even full agreement would not be enough to name a copy."
    return _figure_of_bars(report, parts, f"{_which(report)} {needed}")


def _ranking_by_strength(report: Report) -> Element:
    strengths = [_strength(copy.p_value) for copy in _best(report)]
    needed = _strength(report.error_bound / max(1, report.compared * report.documents))
    longest = max(1.0, 1.05 * max(*strengths, needed))
    parts = _bars(report, [strength / longest for strength in strengths], _odds_of)
    parts += _line(report, needed / longest, "needed", kind="needed")
    caption = (
        f"{_which(report)} A bar is as long as the evidence is strong; the number is the chance that a given innocent copy "
        "would agree so well. To be named, a copy must reach the line, which allows for the number of copies."
    )
    return _figure_of_bars(report, parts, caption)


def _strength(probability: Decimal) -> float:
    return -math.log10(probability)


def _matches_of(copy: RankedCopy) -> str:
    return f"{copy.matches:,} of {copy.readable:,}"


def _odds_of(copy: RankedCopy) -> str:
    return odds_in_words(copy.p_value)


def _bars(report: Report, lengths: Sequence[float], label_of: Callable[[RankedCopy], str]) -> list[Element]:
    accused = {copy.number for copy in report.accused}
    parts: list[Element] = []
    for rank, (copy, length) in enumerate(zip(_best(report), lengths, strict=True)):
        y = _TOP + rank * _PITCH
        weight, kind = ("strong", "bar named") if copy.number in accused else ("soft", "bar")
        width = max(1.0, (_RIGHT - _LEFT) * length)
        parts += [
            shape("text", f"Copy {copy.number}", class_=f"{weight} end", x=_LEFT - 8, y=y + 11.5),
            shape("rect", class_=kind, x=_LEFT, y=y, width=width, height=_BAR, rx=2),
            shape("text", label_of(copy), class_=weight, x=_RIGHT + 10, y=y + 11.5),
        ]
    return parts


def _line(report: Report, place: float, text: str, *, kind: Literal["expected", "needed"]) -> list[Element]:
    x = _LEFT + (_RIGHT - _LEFT) * place
    bottom = _TOP + _PITCH * len(_best(report))
    return [
        shape("line", class_=kind, x1=x, x2=x, y1=_TOP - 7, y2=bottom),
        shape("text", text, class_=f"{kind} middle", x=x, y=_TOP - 12),
    ]


def _which(report: Report) -> str:
    if len(_best(report)) >= report.compared:
        return f"{counted(report.compared, 'copy was', 'copies were')} compared."
    return f"The {counted(len(_best(report)), 'copy that agrees', 'copies that agree')} best, of {report.compared:,}."


def _figure_of_bars(report: Report, parts: Sequence[Node], caption: str) -> Element:
    height = _TOP + _PITCH * len(_best(report)) + 2
    return element(
        "figure",
        _picture(height, "The copies that agree best with the leak", parts),
        element("figcaption", caption),
    )


def _picture(height: float, label: str, parts: Sequence[Node]) -> Element:
    return shape("svg", *parts, viewBox=f"0 0 {_WIDTH:g} {height:g}", role="img", aria_label=label)
