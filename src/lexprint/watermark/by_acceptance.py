"""Our own derivation: the word and the one that readers would sooner accept in its place than any other.

One pass of the masked LM shows which candidate that is; it is the partner if the way back leads to the word in the same manner,
and the share of readers who would accept the exchange, the same from either side, reaches the floor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, nan

from lexprint.models.protocols import Gap
from lexprint.substitution.acceptance import first_look, mutual_acceptance
from lexprint.substitution.candidates import Candidate
from lexprint.substitution.substituter import Substituter
from lexprint.text.pairs import Pair
from lexprint.watermark.candidates import able
from lexprint.watermark.inquiry import Inquiry, Propose, Weigh
from lexprint.watermark.risk_set import MayBePair
from lexprint.watermark.synchronicity import LeadBack, Synchronous, WayBack


@dataclass(frozen=True, slots=True)
class _Best:
    candidate: Candidate
    clearance: float  # how far it is ahead of every other, and of what could still be accepted


@dataclass(frozen=True)
class ByAcceptance:
    """Nearest to what a copy editor would do."""

    substituter: Substituter
    may_be_pair: MayBePair

    def first_question(self, gap: Gap) -> Propose:
        return Propose(gap, self._may_be_best)

    def derive(self, gap: Gap, lead_back: LeadBack) -> Inquiry[Synchronous | None]:
        best = self._best(gap, (yield self.first_question(gap)))
        if best is None:
            return None
        back = yield from lead_back(gap, best.candidate.word, {})
        if back is None:
            return None
        weighed = yield Weigh(gap, best.candidate)
        if weighed is None:
            return None
        if not self._is_accepted(weighed.mutual):
            return None
        return Synchronous(
            Pair.of(gap.word, best.candidate.word),
            entailment=weighed.entailment,
            entailment_back=weighed.entailment_back,
            clearance=min(weighed.mutual - self.substituter.acceptance_floor, best.clearance, back.clearance),
            acceptance=weighed.mutual,
        )

    def lead_back(self, turned: Gap, word: str, known: Mapping[str, float]) -> Inquiry[WayBack | None]:
        """Whether the word is the best in place of its partner."""
        best = self._best(turned, (yield self.first_question(turned)))
        if best is None or best.candidate.word != word:
            return None
        return WayBack(entailment=nan, clearance=best.clearance)

    def _may_be_best(self, word: str, candidate: str) -> bool:
        return candidate != word and self.may_be_pair(word, candidate)

    def _best(self, gap: Gap, candidates: Sequence[Candidate]) -> _Best | None:
        """The other word that is surely ahead of all others; none where it is too close to call."""
        others = [one for one in able(gap, candidates, self.may_be_pair) if one.word != gap.word]
        looks = sorted(((first_look(one), one.word, one) for one in others), reverse=True)
        if not looks:
            return None
        ahead, _, best = looks[0]
        clearance = ahead - looks[1][0] if len(looks) > 1 else inf
        if not (best.is_certain and self.substituter.may_be_accepted(best) and self._may_suffice(best)):
            return None
        return _Best(best, clearance) if clearance > self.substituter.settings.guard_band else None

    def _may_suffice(self, one: Candidate) -> bool:
        """Whether the exchange is accepted if the way back is as good as the way there and SR is whatever serves it best.

        Neither can be better: acceptance rises with the lesser of both ways. So a partner that fails here need not be asked.
        """
        return any(self._is_accepted(mutual_acceptance(one, one, entailment=sr)) for sr in (0.0, 1.0))

    def _is_accepted(self, mutual: float) -> bool:
        return mutual - self.substituter.acceptance_floor > self.substituter.settings.guard_band
