"""Candidates of a gap as derivations see them: who may be a pair with the word, and in which portions they are rated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from lexprint.models.protocols import Gap
from lexprint.substitution.candidates import Candidate
from lexprint.watermark.risk_set import MayBePair


def able(gap: Gap, candidates: Iterable[Candidate], may_be_pair: MayBePair) -> list[Candidate]:
    """The word itself and those that may be a pair with it."""
    return [one for one in candidates if one.word == gap.word or may_be_pair(gap.word, one.word)]


def chunks(words: Sequence[str], *, first: int) -> Iterator[tuple[str, ...]]:
    """A few words, then ever more of them."""
    start, size = 0, first
    while start < len(words):
        yield tuple(words[start : start + size])
        start, size = start + size, 2 * size
