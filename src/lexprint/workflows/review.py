"""Every pair for a person to strike out, and what is left of the sites after that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lexprint.errors import InputError
from lexprint.text.segmentation import segment
from lexprint.tracing.records import CopySite


@dataclass(frozen=True)
class ReviewLine:
    """One site as its reviewer sees it."""

    number: int  # 1, 2, ... in the order of the text
    is_kept: bool
    sentence: str  # with the pair in brackets
    word: str
    other: str
    entailment: float


def review_lines(text: str, sites: Sequence[CopySite]) -> tuple[ReviewLine, ...]:
    """A line a site, all kept so far."""
    lines = []
    sentences = iter(segment(text).sentences)
    sentence = next(sentences, None)
    for number, site in enumerate(sites, start=1):
        while sentence is not None and sentence.span.end <= site.span.start:
            sentence = next(sentences, None)
        if sentence is None:
            raise ValueError(f"site {number} lies outside the text")
        other = site.pair.other(site.word)
        before, after = text[sentence.span.start : site.span.start], text[site.span.end : sentence.span.end]
        shown = " ".join(f"{before}[{site.word}|{other}]{after}".split())
        lines.append(
            ReviewLine(number, is_kept=True, sentence=shown, word=site.word, other=other, entailment=site.entailment)
        )
    return tuple(lines)


def keep_reviewed(sites: Sequence[CopySite], lines: Sequence[ReviewLine]) -> tuple[CopySite, ...]:
    """The sites that a review keeps; a line that was deleted keeps nothing."""
    kept = set()
    for line in lines:
        site = sites[line.number - 1] if 1 <= line.number <= len(sites) else None
        if site is None or (site.word, site.pair.other(site.word)) != (line.word, line.other):
            raise InputError(
                f"line {line.number} of the review is not a pair of this text",
                needed="the review of this very text; delete the file to have a new one written",
            )
        if line.is_kept:
            kept.add(line.number)
    return tuple(site for number, site in enumerate(sites, start=1) if number in kept)


def is_reviewed_so(sites: Sequence[CopySite], lines: Sequence[ReviewLine]) -> bool:
    """Whether a review, of the same text, left just these sites."""
    ordered = sorted((line for line in lines if line.is_kept), key=lambda line: line.number)
    return [(site.word, site.pair.other(site.word)) for site in sites] == [(line.word, line.other) for line in ordered]
