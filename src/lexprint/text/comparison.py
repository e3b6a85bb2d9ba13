"""What differs between two texts, word by word; spacing does not count.

Long texts are cut where both say something that neither says twice, so that the time grows with their length.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import TypeAlias

from lexprint.text.document import Document, Word
from lexprint.text.span import Span

SHINGLE = 4  # words that must agree where long texts are cut; two books share few by chance
COMPARED_WHOLE = 250_000  # pairs of words that are compared at once without being noticed

_Change: TypeAlias = tuple[int, int, int, int]  # words start..stop of the one text became start..stop of the other


@dataclass(frozen=True, slots=True)
class Change:
    """Words of one text and what stands there in the other; either may be empty."""

    words: range  # of the one text, counted over all its sentences
    other_words: range
    span: Span  # in the one text
    other_span: Span


def compare(one: Document, other: Document) -> tuple[Change, ...]:
    """Changes that lead from the words of one text to those of the other, in order."""
    words, other_words = list(one.words), list(other.words)
    found = _changes(_spelled(one.text, words), _spelled(other.text, other_words))
    return tuple(
        Change(
            range(start, stop),
            range(other_start, other_stop),
            _span(words, start, stop),
            _span(other_words, other_start, other_stop),
        )
        for start, stop, other_start, other_stop in found
    )


def _spelled(text: str, words: Sequence[Word]) -> list[str]:
    return [word.span.of(text) for word in words]


def _span(words: Sequence[Word], start: int, stop: int) -> Span:
    """Of these words, or the place after the word before them where there are none."""
    if start < stop:
        return Span(words[start].span.start, words[stop - 1].span.end)
    place = words[start - 1].span.end if start else 0
    return Span(place, place)


def _changes(one: Sequence[str], other: Sequence[str]) -> Iterator[_Change]:
    anchors = _anchors(one, other) if len(one) * len(other) > COMPARED_WHOLE else []
    bounds = [(0, 0), *anchors, (len(one), len(other))]
    for (start, other_start), (stop, other_stop) in pairwise(bounds):
        yield from _compared(one[start:stop], other[other_start:other_stop], start, other_start)


def _compared(one: Sequence[str], other: Sequence[str], start: int, other_start: int) -> Iterator[_Change]:
    matcher = SequenceMatcher(None, one, other, autojunk=len(one) * len(other) > COMPARED_WHOLE)
    for tag, first, last, other_first, other_last in matcher.get_opcodes():
        if tag != "equal":
            yield start + first, start + last, other_start + other_first, other_start + other_last


def _anchors(one: Sequence[str], other: Sequence[str]) -> list[tuple[int, int]]:
    """Positions of shingles that stand once in both texts, as many as keep the same order in both."""
    places, other_places = _single_shingles(one), _single_shingles(other)
    common = [(place, other_places[shingle]) for shingle, place in places.items() if shingle in other_places]
    return _longest_rise(common)


def _single_shingles(words: Sequence[str]) -> dict[tuple[str, ...], int]:
    places: dict[tuple[str, ...], int] = {}
    for place in range(len(words) - SHINGLE + 1):
        shingle = tuple(words[place : place + SHINGLE])
        places[shingle] = -1 if shingle in places else place
    return {shingle: place for shingle, place in places.items() if place >= 0}


def _longest_rise(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """A longest part of the pairs, which rise by their first, that rises by the second too."""
    ends: list[int] = []  # the lowest second with which a rise of each length can end
    tails: list[int] = []  # index of its pair
    before: list[int] = []
    for index, (_, second) in enumerate(pairs):
        length = bisect_left(ends, second)
        before.append(tails[length - 1] if length else -1)
        ends[length : length + 1] = [second]
        tails[length : length + 1] = [index]
    rise: list[tuple[int, int]] = []
    index = tails[-1] if tails else -1
    while index >= 0:
        rise.append(pairs[index])
        index = before[index]
    return rise[::-1]
