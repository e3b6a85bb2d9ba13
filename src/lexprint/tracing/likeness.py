"""Which of a site's words stands in a leak, slips allowed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from rapidfuzz.distance import Levenshtein

from lexprint.registry.records import CopySite
from lexprint.text.leak_text import Words, find_words

ALIKE = 0.59  # similarity above which a word may be another with slips: one letter of three, two of five
NEARER = 0.25  # by how much one of a site's words must be more similar for a misspelled word to count as it


@dataclass(frozen=True, slots=True)
class Phrase:
    """A site of several words, or that may become several: what stands between its neighbours is read as a whole."""

    first: int  # word of the master
    last: int  # and the one behind
    spelled: tuple[str, ...]  # by symbol, words apart by spaces

    @classmethod
    def of(cls, site: CopySite, master: Words) -> Self:
        first, last = np.searchsorted(master.starts, [site.span.start, site.span.end], side="left")
        return cls(int(first), int(last), tuple(" ".join(find_words(word).spelled) for word in site.words))

    @property
    def longest(self) -> int:
        return max(phrase.count(" ") for phrase in self.spelled) + 1


def nearest(words: Sequence[str], found: str) -> int | None:
    """Which of a site's words was found, slips allowed where all others are much less alike."""
    alike = [similarity(word, found) for word in words]
    second, best = sorted(alike)[-2:]
    if best == second or (best < 1.0 and best - second < NEARER):
        return None
    return alike.index(best)


def similarity(one: str, other: str) -> float:
    if one == other:
        return 1.0
    if abs(len(one) - len(other)) > (1.0 - ALIKE) * max(len(one), len(other)):
        return 0.0
    return float(Levenshtein.normalized_similarity(one, other, score_cutoff=ALIKE))
