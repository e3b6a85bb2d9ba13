"""What marking and reading give back: pairs, sites, and the results made of them.

Tracing stores these, so this module needs no model and no walk.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from lexprint.text.editing import Edit
from lexprint.text.span import Span


@dataclass(frozen=True, slots=True, order=True)
class Pair:
    """Two words that may stand for each other; the first says 0, the second 1.

    >>> pair = Pair.of("large", "big")
    >>> pair.word(0), pair.bit("large"), pair.other("big")
    ('big', 1, 'large')
    """

    first: str
    second: str

    def __post_init__(self) -> None:
        if not self.first < self.second:
            raise ValueError(f"a pair is two different words in order, not {self.first!r} and {self.second!r}")

    @classmethod
    def of(cls, one: str, other: str) -> Pair:
        return cls(*sorted((one, other)))

    def __iter__(self) -> Iterator[str]:
        return iter((self.first, self.second))

    def word(self, bit: int) -> str:
        return self.second if bit else self.first

    def bit(self, word: str) -> int:
        return (self.first, self.second).index(word)

    def other(self, word: str) -> str:
        return self.word(1 - self.bit(word))


@dataclass(frozen=True, slots=True)
class Figures:
    """How good it is to write one word in place of another."""

    entailment: float  # SR, the lower of both directions
    acceptance: float | None  # share of readers that would accept it; None: nobody was asked


@dataclass(frozen=True, slots=True)
class Site:
    """A word that carries a bit."""

    sentence: int
    position: int  # of the word in its sentence
    span: Span  # in the text that was walked
    found: str  # the characters there; may hold what models do not see, such as a soft hyphen
    word: str  # the same as models see it, a member of the pair
    pair: Pair
    entailment: float  # SR of the other word in its place
    clearance: float  # how far the nearest comparison was from going the other way; above the guard band
    acceptance: float | None = None  # share of readers that would accept the exchange; None: nobody was asked
    further: tuple[str, ...] = ()  # words that may stand there too, where a registry knows which was given to whom
    likely_edits: tuple[
        str, ...
    ] = ()  # of all these words, those that the masked LM would write in place of another one
    figures: tuple[Figures, ...] = ()  # of the other word and the further ones, in order; none: those above are all

    @property
    def bit(self) -> int:
        """What the word found here says."""
        return self.pair.bit(self.word)


@dataclass(frozen=True, slots=True)
class Marked:
    """A marked text; `sites` and `edits` point into the text before it was marked."""

    text: str = field(repr=False)
    edits: tuple[Edit, ...]
    sites: tuple[Site, ...]
    bits: tuple[int, ...]  # those written, to the first sites; later sites were left as they were
    fingerprint: str
    protected: tuple[Span, ...] = ()  # of the marked text: what its reader must leave out too


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text says, whether or not anything was written to it; `sites` point into that text."""

    sites: tuple[Site, ...]
    fingerprint: str

    @property
    def bits(self) -> tuple[int, ...]:
        return tuple(site.bit for site in self.sites)
