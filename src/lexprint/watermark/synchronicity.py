"""Synchronicity: both choices must lead the reader back to the same pair.

A gap that holds `w` derives the pair {w, p} when the two are the best of its candidates, ahead of the floor and of every
other by more than the guard band, and p is surely among the K candidates. A word is synchronous when its gap and the gap
with p in its place derive the same pair, and neither word is in the risk set. That is a symmetric relation between two
gaps, so it says the same of w and of p, whatever the models and the risk set are: eligibility is closed under substitution.
What "best" means is a derivation's: SR as in the paper (`by_entailment`), or what readers accept (`by_acceptance`).

What the guard band guarantees: let another machine's SR differ by less than half the band (and its log-probabilities
likewise). Members that are ahead by more than the band here are still ahead there, so no other pair can be derived there:
both machines find the same pair, or one of them finds none. It cannot rule out the latter where the clearance lies within
the drift of the band itself; every rule with a threshold has such words, and the band moves them away from where
comparisons crowd: ties and saturated probabilities. Where answers are equal, as they are for equal fingerprints and
arithmetic, writing and reading never differ, with or without a band.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import inf, nan
from typing import Protocol, TypeAlias

from lexprint.models.protocols import Gap
from lexprint.text.pairs import Pair
from lexprint.watermark.inquiry import Expect, Inquiry, Propose
from lexprint.watermark.risk_set import MayBeReplaced

REMEMBERED = 500_000  # verdicts: about as many as a million words have, in some 200 MB


@dataclass(frozen=True, slots=True)
class Synchronous:
    """A pair that a word and its partner agree on."""

    pair: Pair
    entailment: float  # SR of the other member in place of the word
    entailment_back: float  # SR of the word in place of the other member
    clearance: float  # by how much the closest comparison was won; the same for both members
    acceptance: float | None = None  # logit that readers accept the exchange, where that was asked; the same for both

    def seen_from_partner(self) -> Synchronous:
        return replace(self, entailment=self.entailment_back, entailment_back=self.entailment)


@dataclass(frozen=True, slots=True)
class WayBack:
    """What the gap with the partner in place makes of the pair."""

    entailment: float  # SR of the word
    clearance: float


FindPair: TypeAlias = Callable[[Gap], Inquiry[Synchronous | None]]
ExpectGaps: TypeAlias = Callable[[Gap, Iterable[Gap]], Inquiry[bool]]
LeadBack: TypeAlias = Callable[[Gap, str, Mapping[str, float]], Inquiry[WayBack | None]]


class Derivation(Protocol):
    """Which two words are the best of a gap; asks only what may still change the answer."""

    def first_question(self, gap: Gap) -> Propose:
        """What `derive` asks first."""

    def derive(self, gap: Gap, lead_back: LeadBack) -> Inquiry[Synchronous | None]:
        """The pair of the gap if it holds the word, and `lead_back` confirms it."""

    def lead_back(self, turned: Gap, word: str, known: Mapping[str, float]) -> Inquiry[WayBack | None]:
        """Whether the gap with the partner in place derives the same pair; `known` are ratings of the word's own gap."""


@dataclass(frozen=True)
class SynchronicityTest:
    """ST of the paper; asks nothing twice.

    `verdicts` may be shared by walks with the same substituter: what is read back after writing is then known.
    """

    derivation: Derivation
    may_be_replaced: MayBeReplaced
    verdicts: dict[Gap, Synchronous | None] = field(default_factory=dict, repr=False)

    def find_pair(self, gap: Gap) -> Inquiry[Synchronous | None]:
        """The pair of a synchronous word, or None."""
        if gap in self.verdicts:
            return self.verdicts[gap]
        if not self.may_be_replaced(gap):
            return None  # known at once, so not worth remembering
        found = yield from self.derivation.derive(gap, self._lead_back)
        if len(self.verdicts) >= REMEMBERED:
            self.verdicts.clear()
        self.verdicts[gap] = found
        if found is not None:
            self.verdicts[gap.with_word(found.pair.other(gap.word))] = found.seen_from_partner()
        return found

    def expect(self, gap: Gap, following: Iterable[Gap]) -> Inquiry[bool]:
        """Whether `find_pair` has to ask about a gap; if so, what will be asked about those that follow may be asked ahead.

        Those that change before their turn, or are skipped, are asked about in vain.
        """
        if not self._is_open(gap):
            return False
        yield Expect(tuple(map(self.derivation.first_question, filter(self._is_open, (gap, *following)))))
        return True

    def _is_open(self, gap: Gap) -> bool:
        return gap not in self.verdicts and self.may_be_replaced(gap)

    def derive_pair(self, gap: Gap) -> Inquiry[Synchronous | None]:
        """The pair that the word's own gap derives, its partner not asked: for the ablation only."""
        return (yield from self.derivation.derive(gap, _trust_partner)) if self.may_be_replaced(gap) else None

    def _lead_back(self, gap: Gap, partner: str, known: Mapping[str, float]) -> Inquiry[WayBack | None]:
        turned = gap.with_word(partner)
        if (turned in self.verdicts and self.verdicts[turned] is None) or not self.may_be_replaced(turned):
            return None
        return (yield from self.derivation.lead_back(turned, gap.word, known))


def _trust_partner(gap: Gap, partner: str, known: Mapping[str, float]) -> Inquiry[WayBack | None]:
    yield from ()
    return WayBack(entailment=nan, clearance=inf)
