"""Synchronicity: both choices must lead the reader back to the same pair.

A gap that holds `w` derives the pair {w, p} when both are ahead of the floor and of every other candidate by more than the
guard band, in SR as of Algorithm 1, and p is surely among the K candidates. A word is synchronous when its gap and the gap
with p in its place derive the same pair, and neither word is in the risk set. That is a symmetric relation between two
gaps, so it says the same of w and of p, whatever the models and the risk set are: eligibility is closed under substitution.

What the guard band guarantees: let another machine's SR differ by less than half the band (and its log-probabilities,
which decide who is among the K, likewise). Members that are ahead by more than the band here are still ahead there, so no
other pair can be derived there: both machines find the same pair, or one of them finds none. It cannot rule out the
latter where the clearance lies within the drift of the band itself; every rule with a threshold has such words, and the
band moves them away from where comparisons crowd: ties and saturated probabilities. Where answers are equal, as they are
for equal fingerprints and arithmetic, writing and reading never differ, with or without a band.

What it costs: nothing less than one rating of each candidate shows that a word has no partner, so only ratings that can no
longer matter are saved: those after a second word that outranks, and those after an intruder in the partner's gap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf, nan
from typing import TypeAlias

from lexprint.models.protocols import Gap
from lexprint.settings import SubstitutionSettings
from lexprint.substitution.candidates import Candidate
from lexprint.watermark.inquiry import Inquiry, Propose, Rate
from lexprint.watermark.risk_set import Risks
from lexprint.watermark.sites import Pair

FIRST_CHUNK = 6  # candidates rated before asking whether the others still matter; each next chunk is twice as large
UNRATED = 0.5  # where candidates without a known SR stand among the likely intruders
REMEMBERED = 500_000  # verdicts: about as many as a million words have, in some 200 MB


@dataclass(frozen=True, slots=True)
class Synchronous:
    """A pair that a word and its partner agree on."""

    pair: Pair
    entailment: float  # SR of the other member in place of the word
    entailment_back: float  # SR of the word in place of the other member
    clearance: float  # by how much the closest comparison was won; the same for both members

    def seen_from_partner(self) -> Synchronous:
        return replace(self, entailment=self.entailment_back, entailment_back=self.entailment)


@dataclass(frozen=True, slots=True)
class _WayBack:
    """What the gap with the partner in place makes of the pair."""

    entailment: float  # SR of the word
    clearance: float


FindPair: TypeAlias = Callable[[Gap], Inquiry[Synchronous | None]]
_LeadBack: TypeAlias = Callable[[Gap, str, Mapping[str, float]], Inquiry[_WayBack | None]]


@dataclass(frozen=True)
class SynchronicityTest:
    """ST of the paper; asks only what may still change the answer, and nothing twice.

    `verdicts` may be shared by walks with the same substituter: what is read back after writing is then known.
    """

    settings: SubstitutionSettings
    risks: Risks
    verdicts: dict[Gap, Synchronous | None] = field(default_factory=dict, repr=False)

    def find_pair(self, gap: Gap) -> Inquiry[Synchronous | None]:
        """The pair of a synchronous word, or None."""
        if gap in self.verdicts:
            return self.verdicts[gap]
        if not self.risks.may_be_replaced(gap):
            return None  # known at once, so not worth remembering
        found = yield from self._derive(gap, self._lead_back)
        if len(self.verdicts) >= REMEMBERED:
            self.verdicts.clear()
        self.verdicts[gap] = found
        if found is not None:
            self.verdicts[_with_word(gap, found.pair.other(gap.word))] = found.seen_from_partner()
        return found

    def derive_pair(self, gap: Gap) -> Inquiry[Synchronous | None]:
        """The pair that the word's own gap derives, its partner not asked: for the ablation only."""
        return (yield from self._derive(gap, _trust_partner)) if self.risks.may_be_replaced(gap) else None

    def _derive(self, gap: Gap, lead_back: _LeadBack) -> Inquiry[Synchronous | None]:
        """FC of the gap if it is a pair that holds the word, and `lead_back` confirms it.

        The word is always a candidate, so FC must be the word and the best other. An other that the word does not
        outrank is the partner or the end: two of them end the search, and one is confirmed before the rest are rated.
        """
        candidates = self._able(gap, (yield Propose(gap)))
        others = [candidate.word for candidate in candidates if candidate.word != gap.word]
        doubtful = {candidate.word for candidate in candidates if not candidate.is_certain}
        if len(doubtful) == len(others):
            return None
        ratings: dict[str, float] = {}
        back: _WayBack | None = None
        for chunk in _chunks([gap.word, *others]):
            ratings.update(zip(chunk, (yield Rate(gap, chunk)), strict=True))
            own = ratings[gap.word]
            unbeaten = [word for word in ratings if word != gap.word and not self._is_ahead(own, ratings[word])]
            if not self._passes(own) or len(unbeaten) > 1:
                return None
            if unbeaten and back is None:
                (partner,) = unbeaten
                if partner in doubtful or not self._passes(ratings[partner]):
                    return None
                back = yield from lead_back(gap, partner, ratings)
                if back is None:
                    return None
        partner = max(others, key=ratings.__getitem__)
        pair = Pair.of(gap.word, partner)
        clearance = self._clearance(ratings, pair)
        if partner in doubtful or not clearance > self.settings.guard_band:
            return None
        if back is None:
            back = yield from lead_back(gap, partner, ratings)
        if back is None:
            return None
        return Synchronous(
            pair,
            entailment=ratings[partner],
            entailment_back=back.entailment,
            clearance=min(clearance, back.clearance),
        )

    def _lead_back(self, gap: Gap, partner: str, known: Mapping[str, float]) -> Inquiry[_WayBack | None]:
        """Whether the gap with the partner in place derives the same pair; `known` are the ratings of `gap`.

        A masked LM costs several entailments, so the pair is rated before candidates are asked for. The first intruder ends
        it, so those are asked first that did well in the word's own gap.
        """
        turned = _with_word(gap, partner)
        if (turned in self.verdicts and self.verdicts[turned] is None) or not self.risks.may_be_replaced(turned):
            return None
        pair, members = Pair.of(gap.word, partner), (partner, gap.word)
        ratings = dict(zip(members, (yield Rate(turned, members)), strict=True))
        if not all(map(self._passes, ratings.values())):
            return None
        candidates = self._able(turned, (yield Propose(turned)))
        if not any(candidate.word == gap.word and candidate.is_certain for candidate in candidates):
            return None
        intruders = [candidate.word for candidate in candidates if candidate.word not in members]
        for chunk in _chunks(sorted(intruders, key=lambda word: -known.get(word, UNRATED))):
            ratings.update(zip(chunk, (yield Rate(turned, chunk)), strict=True))
            if not self._clearance(ratings, pair) > self.settings.guard_band:
                return None
        return _WayBack(ratings[gap.word], self._clearance(ratings, pair))

    def _able(self, gap: Gap, candidates: Iterable[Candidate]) -> list[Candidate]:
        """The word itself and those that may be a pair with it."""
        word = gap.word
        return [one for one in candidates if one.word == word or self.risks.may_be_pair(word, one.word)]

    def _clearance(self, ratings: Mapping[str, float], pair: Pair) -> float:
        """How far the weaker member is ahead of the floor and of the best word outside the pair."""
        weaker = min(ratings[word] for word in pair)
        rivals = (rating for word, rating in ratings.items() if word not in (pair.first, pair.second))
        return weaker - max(self.settings.entailment_floor, max(rivals, default=-inf))

    def _passes(self, rating: float) -> bool:
        return self._is_ahead(rating, self.settings.entailment_floor)

    def _is_ahead(self, higher: float, lower: float) -> bool:
        # Written as everywhere else: rounding is monotonic, so all comparisons of the same numbers agree.
        return higher - lower > self.settings.guard_band


def _trust_partner(gap: Gap, partner: str, known: Mapping[str, float]) -> Inquiry[_WayBack | None]:
    yield from ()
    return _WayBack(entailment=nan, clearance=inf)


def _with_word(gap: Gap, word: str) -> Gap:
    return Gap(gap.left, word, gap.right)


def _chunks(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """A few words, then ever more of them."""
    start, size = 0, FIRST_CHUNK
    while start < len(words):
        yield tuple(words[start : start + size])
        start, size = start + size, 2 * size
