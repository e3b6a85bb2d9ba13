"""The words of a text that may become sites of copies, each in its whole sentence."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lexprint.models.protocols import Gap, gap_at
from lexprint.substitution.facts import is_fixed
from lexprint.substitution.substituter import Substituter
from lexprint.text.document import Document
from lexprint.text.span import Span

FIRST = 1  # the first word of a sentence has a capital, or stands where one could come


@dataclass(frozen=True, slots=True)
class Place:
    """A word that may become a site."""

    sentence: int
    position: int  # of the word in its sentence
    gap: Gap
    words_before: int  # in earlier sentences


def places(document: Document, substituter: Substituter, protected: Sequence[Span]) -> Iterator[Place]:
    """All of them in order; `protected` spans, in order and apart, hold none."""
    starts = [span.start for span in protected]
    words_before = 0
    for number, sentence in enumerate(document.sentences):
        for position in range(FIRST, len(sentence)):
            word = sentence.words[position]
            if is_fixed(word.text) or _is_protected(word.span, protected, starts):
                continue
            gap = gap_at(sentence, position)
            if substituter.may_give_way(gap):
                yield Place(number, position, gap, words_before)
        words_before += len(sentence)


def _is_protected(span: Span, protected: Sequence[Span], starts: Sequence[int]) -> bool:
    before = bisect_left(starts, span.end)  # those that begin before the word ends
    return before > 0 and protected[before - 1].end > span.start
