"""Every pair for a person to strike out, and what is left of the sites after that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lexprint.errors import InputError
from lexprint.registry.records import Code, CopySite
from lexprint.text.segmentation import segment


@dataclass(frozen=True)
class ReviewLine:
    """One site as its reviewer sees it."""

    number: int  # of the site: 1, 2, ... in the order of the text; a site has a line for each of its other words
    is_kept: bool
    sentence: str  # with the pair in brackets
    word: str
    other: str
    entailment: float
    acceptance: float | None = None  # share of readers that would accept the other word; None: not known


def review_lines(text: str, sites: Sequence[CopySite]) -> tuple[ReviewLine, ...]:
    """A line for each word that may come in, all kept so far."""
    lines = []
    sentences = iter(segment(text).sentences)
    sentence = next(sentences, None)
    for number, site in enumerate(sites, start=1):
        while sentence is not None and sentence.span.end <= site.span.start:
            sentence = next(sentences, None)
        if sentence is None:
            raise ValueError(f"site {number} lies outside the text")
        before, after = text[sentence.span.start : site.span.start], text[site.span.end : sentence.span.end]
        for other in site.others:
            shown = " ".join(f"{before}[{site.word}|{other}]{after}".split())
            figures = site.figures_of(other)
            lines.append(
                ReviewLine(
                    number,
                    is_kept=True,
                    sentence=shown,
                    word=site.word,
                    other=other,
                    entailment=figures.entailment,
                    acceptance=figures.acceptance,
                )
            )
    return tuple(lines)


def keep_reviewed(sites: Sequence[CopySite], lines: Sequence[ReviewLine]) -> tuple[CopySite, ...]:
    """The sites, and their words, that a review keeps; a line that was deleted keeps nothing."""
    kept: dict[int, set[str]] = {}
    for line in lines:
        site = sites[line.number - 1] if 1 <= line.number <= len(sites) else None
        if site is None or site.word != line.word or line.other not in site.others:
            raise InputError(
                f"line {line.number} of the review is not a pair of this text",
                needed="the review of this very text; delete the file to have a new one written",
            )
        if line.is_kept:
            kept.setdefault(line.number, set()).add(line.other)
    return tuple(
        site.with_others([word for word in site.others if word in kept[number]])
        for number, site in enumerate(sites, start=1)
        if number in kept
    )


def is_reviewed_so(sites: Sequence[CopySite], lines: Sequence[ReviewLine], *, code: Code) -> bool:
    """Whether a review, of the same text, left just these sites and words."""
    kept: dict[int, list[tuple[str, str]]] = {}
    for line in lines:
        if line.is_kept:
            kept.setdefault(line.number, []).append((line.word, line.other))
    if code == "tardos":  # which takes only the best word of each
        kept = {number: pairs[:1] for number, pairs in kept.items()}
    found = [[(site.word, other) for other in site.others] for site in sites]
    return found == [kept[number] for number in sorted(kept)]
