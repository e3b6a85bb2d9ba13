"""What marking and reading give back: sites, and the results made of them."""

from __future__ import annotations

from dataclasses import dataclass, field

from lexprint.text.editing import Edit
from lexprint.text.pairs import Figures, Pair
from lexprint.text.span import Span


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
    likely_edits: tuple[str, ...] = ()  # of all these words, those that the masked LM would write instead of another
    figures: tuple[Figures, ...] = ()  # of the other word and the further ones, in order; none: those above are all

    @property
    def words(self) -> tuple[str, ...]:
        """All that may stand here, the word found first."""
        return (self.word, self.pair.other(self.word), *self.further)

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
