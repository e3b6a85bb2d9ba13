"""Pictures of the evidence, as SVG that takes its colours from the page.

Shapes differ as well as colours, for a report may be printed in grey or read by someone who does not see them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Literal, TypeAlias
from xml.etree.ElementTree import Element

from lexprint.reports.markup import Node, element, shape
from lexprint.reports.report import AccusedCopy, Evidence, Report
from lexprint.reports.wording import counted, odds_in_words, unlisted_in_words

Reading: TypeAlias = Literal["match", "mismatch", "neither", "missing", "untold"]

MEANINGS: dict[Reading, str] = {
    "match": "the copy's word",
    "mismatch": "another one of the place's words",
    "neither": "another word: edited",
    "missing": "passage not in the leak",
    "untold": "not told: the leak around is not like this copy",
}

# In units of the picture, which is as wide as the page lets it be.
_WIDTH = 720.0
_STROKE = 26.0  # height of a word that agrees
_LANE = 72.0  # one copy's strokes and their title
_BAR, _PITCH = 14.0, 20.0  # height of a bar, and from one to the next
_LEFT, _RIGHT, _TOP = 78.0, 604.0, 27.0  # where the longest bar would be


def reading_of(evidence: Evidence, accused: int) -> Reading:
    """What the leak shows at a site, as seen from one of the accused copies."""
    if evidence.symbol is None:
        return "missing" if evidence.seen is None else "neither"
    if evidence.given[accused] is None:
        return "untold"
    return "match" if evidence.given[accused] == evidence.words[evidence.symbol] else "mismatch"


def picture_of_sites(report: Report) -> Element:
    """Every site at its place in the document, in one lane for each accused copy."""
    lanes = range(len(report.accused))
    characters = max(1, report.document.characters) if report.document is not None else 1
    width = min(5.0, max(0.8, 0.62 * _WIDTH / max(1, len(report.evidence))))
    parts: list[Element] = []
    for accused in lanes:
        base = accused * _LANE + 48
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
        element("figcaption", _caption_of_sites(report)),
    )


def _caption_of_sites(report: Report) -> str:
    caption = "Each stroke is a word that differs between copies, at its place in the document."
    for accused, copy in enumerate(report.accused):
        rest = report.unlisted(accused)
        if rest.count:
            caption += f" {rest.count:,} more are not drawn: {unlisted_in_words(copy, rest)}."
    return caption


def _lane_title(report: Report, accused: int) -> str:
    copy = report.accused[accused]
    return f"Copy {copy.number} agrees with the leak at {copy.matches:,} of {counted(copy.readable, 'readable word')}"


def _stroke(reading: Reading, *, x: float, base: float, width: float, height: float = _STROKE) -> Element:
    """Up for agreement, down for disagreement, short for an edit, a ring for what is missing."""
    match reading:
        case "match":
            return shape("rect", class_=reading, x=x, y=base - height, width=width, height=height)
        case "mismatch":
            return shape("rect", class_=reading, x=x, y=base, width=width, height=height / 2)
        case "neither":
            return shape("rect", class_=reading, x=x, y=base - height / 3, width=width, height=height / 3)
        case "missing" | "untold":
            return shape("circle", class_="missing", cx=x + width / 2, cy=base - 5, r=min(1.8, width / 2))


def _key(reading: Reading) -> Element:
    """The stroke as it stands in the legend."""
    base = 8.0 if reading == "mismatch" else 19.0
    line = shape("line", class_="axis", x1=0, x2=12, y1=base + 0.5, y2=base + 0.5)
    stroke = _stroke(reading, x=4, base=base, width=4, height=17)
    return shape("svg", line, stroke, viewBox="0 0 12 22", aria_hidden="true")


def picture_of_agreement(report: Report) -> Element:
    """How well the accused copies agree, and the line that a copy must reach to be named."""
    return _by_matches(report) if is_decided_by_matches(report) else _by_strength(report)


def is_decided_by_matches(report: Report) -> bool:
    """Whether the number of matches alone tells who is accused: not so where matches weigh differently."""
    if report.document is None or report.document.code != "independent":
        return False
    if report.has_further_words or report.has_doubtful_places:
        return False
    needed = report.matches_needed
    return needed is not None and all(copy.matches >= needed for copy in report.accused)


def _by_matches(report: Report) -> Element:
    longest = max(1, report.readable)
    parts = _bars(report, [copy.matches / longest for copy in report.accused], _matches_of)
    parts += _line(report, 0.5, f"by chance: {report.readable / 2:g}", kind="expected")
    parts += _line(report, (report.matches_needed or 0) / longest, f"needed: {report.matches_needed}", kind="needed")
    caption = (
        f"{_which(report)} A copy that has nothing to do with the leak agrees at about half of the readable words; to be "
        f"named, it must agree at {report.matches_needed:,} or more."
    )
    return _figure_of_bars(report, parts, caption)


def _by_strength(report: Report) -> Element:
    strengths = [_strength(copy.p_value) for copy in report.accused]
    turn = report.turn or 1
    needed = _strength(report.error_bound / max(1, report.compared_in_all * turn * (turn + 1)))
    longest = max(1.0, 1.05 * max(*strengths, needed))
    parts = _bars(report, [strength / longest for strength in strengths], _odds_of)
    parts += _line(report, needed / longest, "needed", kind="needed")
    caption = (
        f"{_which(report)} A bar is as long as the evidence is strong; the number is the chance that a given innocent copy "
        "would agree so well. To be named, a copy must reach the line, which allows for the numbers of copies and traces."
    )
    return _figure_of_bars(report, parts, caption)


def _strength(probability: Decimal) -> float:
    return -math.log10(probability)


def _matches_of(copy: AccusedCopy) -> str:
    return f"{copy.matches:,} of {copy.readable:,}"


def _odds_of(copy: AccusedCopy) -> str:
    return odds_in_words(copy.p_value)


def _bars(report: Report, lengths: Sequence[float], label_of: Callable[[AccusedCopy], str]) -> list[Element]:
    parts: list[Element] = []
    for rank, (copy, length) in enumerate(zip(report.accused, lengths, strict=True)):
        y = _TOP + rank * _PITCH
        width = max(1.0, (_RIGHT - _LEFT) * length)
        parts += [
            shape("text", f"Copy {copy.number}", class_="strong end", x=_LEFT - 8, y=y + 11.5),
            shape("rect", class_="bar named", x=_LEFT, y=y, width=width, height=_BAR, rx=2),
            shape("text", label_of(copy), class_="strong", x=_RIGHT + 10, y=y + 11.5),
        ]
    return parts


def _line(report: Report, place: float, text: str, *, kind: Literal["expected", "needed"]) -> list[Element]:
    x = _LEFT + (_RIGHT - _LEFT) * place
    bottom = _TOP + _PITCH * len(report.accused)
    return [
        shape("line", class_=kind, x1=x, x2=x, y1=_TOP - 7, y2=bottom),
        shape("text", text, class_=f"{kind} middle", x=x, y=_TOP - 12),
    ]


def _which(report: Report) -> str:
    return f"{counted(report.compared, 'copy was', 'copies were')} compared."


def _figure_of_bars(report: Report, parts: Sequence[Node], caption: str) -> Element:
    height = _TOP + _PITCH * len(report.accused) + 2
    return element(
        "figure",
        _picture(height, "How well the named copies agree with the leak", parts),
        element("figcaption", caption),
    )


def _picture(height: float, label: str, parts: Sequence[Node]) -> Element:
    return shape("svg", *parts, viewBox=f"0 0 {_WIDTH:g} {height:g}", role="img", aria_label=label)
