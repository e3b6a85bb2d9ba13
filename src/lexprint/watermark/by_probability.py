"""Our own derivation: the two most probable words of those above the floor of SR.

Reading marked texts showed that above a moderate floor SR no longer tells good words from bad ones, while probability does.
It is cheaper too: candidates come in the order of their probability, so the first that passes is the partner, and no word
that is less probable than both members needs a rating.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

from lexprint.models.protocols import Gap
from lexprint.settings import SubstitutionSettings
from lexprint.substitution.candidates import Candidate
from lexprint.watermark.candidates import able, chunks
from lexprint.watermark.inquiry import Inquiry, Propose, Rate
from lexprint.watermark.risk_set import MayBePair
from lexprint.watermark.sites import Pair
from lexprint.watermark.synchronicity import LeadBack, Synchronous, WayBack

FIRST_CHUNK = 2  # candidates rated before asking whether the others still matter; each next chunk is twice as large
UNRATED = 0.5  # where candidates without a known SR stand among the likely intruders


@dataclass(frozen=True)
class ByProbability:
    """Nearest to a free choice: what a writer would most likely have put there."""

    settings: SubstitutionSettings
    may_be_pair: MayBePair

    def derive(self, gap: Gap, lead_back: LeadBack) -> Inquiry[Synchronous | None]:
        """The first other that passes must be the partner, or it would be ahead of the partner."""
        candidates = able(gap, (yield Propose(gap)), self.may_be_pair)
        others = [one for one in candidates if one.word != gap.word]
        if not any(one.is_certain for one in others):
            return None
        (own,) = (one for one in candidates if one.word == gap.word)
        ratings: dict[str, float] = {}
        partner: Candidate | None = None
        back: WayBack | None = None
        rated = 0
        for chunk in chunks([one.word for one in others], first=FIRST_CHUNK):
            asked = chunk if ratings else (gap.word, *chunk)
            ratings.update(zip(asked, (yield Rate(gap, asked)), strict=True))
            if not self._passes(ratings[gap.word]):
                return None
            rated += len(chunk)
            if partner is None:
                partner = next((one for one in others[:rated] if self._may_pass(ratings[one.word])), None)
                if partner is None:
                    continue
                if not (partner.is_certain and self._passes(ratings[partner.word])):
                    return None
                back = yield from lead_back(gap, partner.word, ratings)
                if back is None:
                    return None
            near = self._near(others, members=(own, partner))
            if any(self._may_pass(ratings[one.word]) for one in near if one.word in ratings):
                return None
            if all(one.word in ratings for one in near):
                break
        if partner is None or back is None:
            return None
        clearance = self._clearance(ratings, members=(own, partner), near=self._near(others, members=(own, partner)))
        return Synchronous(
            Pair.of(gap.word, partner.word),
            entailment=ratings[partner.word],
            entailment_back=back.entailment,
            clearance=min(clearance, back.clearance),
        )

    def lead_back(self, turned: Gap, word: str, known: Mapping[str, float]) -> Inquiry[WayBack | None]:
        """The pair is rated before the masked LM is asked, which costs more; then whoever is not behind both members."""
        asked: tuple[str, ...] = (turned.word, word)
        ratings = dict(zip(asked, (yield Rate(turned, asked)), strict=True))
        if not all(map(self._passes, ratings.values())):
            return None
        candidates = able(turned, (yield Propose(turned)), self.may_be_pair)
        members = [one for one in candidates if one.word in asked]
        if len(members) < 2 or not all(one.is_certain for one in members if one.word == word):
            return None
        near = self._near(candidates, members=members)
        likely = sorted((one.word for one in near), key=lambda one: -known.get(one, UNRATED))
        for chunk in chunks(likely, first=FIRST_CHUNK):
            ratings.update(zip(chunk, (yield Rate(turned, chunk)), strict=True))
            if any(self._may_pass(ratings[one]) for one in chunk):
                return None
        return WayBack(ratings[word], self._clearance(ratings, members=members, near=near))

    def _near(self, candidates: Sequence[Candidate], *, members: Sequence[Candidate]) -> list[Candidate]:
        """Others that are not behind both members by more than the guard band: none of them may pass."""
        weaker = min(one.log_probability for one in members)
        names = {one.word for one in members}
        return [
            one
            for one in candidates
            if one.word not in names and not weaker - one.log_probability > self.settings.guard_band
        ]

    def _clearance(
        self, ratings: Mapping[str, float], *, members: Sequence[Candidate], near: Sequence[Candidate]
    ) -> float:
        """How far the weaker member is above the floor, and the best of those near it below."""
        floor = self.settings.entailment_floor
        above = min(ratings[one.word] - floor for one in members)
        return min(above, min((floor - ratings[one.word] for one in near), default=inf))

    def _passes(self, rating: float) -> bool:
        return rating - self.settings.entailment_floor > self.settings.guard_band

    def _may_pass(self, rating: float) -> bool:
        return rating > self.settings.entailment_floor
