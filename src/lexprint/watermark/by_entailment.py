"""The paper's derivation: the two words of highest SR.

What it costs: nothing less than one rating of each candidate shows that a word has no partner, so only ratings that can no
longer matter are saved: those after a second word that outranks, and those after an intruder in the partner's gap.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf

from lexprint.models.protocols import Gap
from lexprint.settings import SubstitutionSettings
from lexprint.text.pairs import Pair
from lexprint.watermark.candidates import able, chunks
from lexprint.watermark.inquiry import Inquiry, Propose, Rate
from lexprint.watermark.risk_set import MayBePair
from lexprint.watermark.synchronicity import LeadBack, Synchronous, WayBack

FIRST_CHUNK = 6  # candidates rated before asking whether the others still matter; each next chunk is twice as large
UNRATED = 0.5  # where candidates without a known SR stand among the likely intruders


@dataclass(frozen=True)
class ByEntailment:
    """FC of the paper."""

    settings: SubstitutionSettings
    may_be_pair: MayBePair

    def first_question(self, gap: Gap) -> Propose:
        return Propose(gap)

    def derive(self, gap: Gap, lead_back: LeadBack) -> Inquiry[Synchronous | None]:
        """FC of the gap if it is a pair that holds the word, and `lead_back` confirms it.

        The word is always a candidate, so FC must be the word and the best other. An other that the word does not
        outrank is the partner or the end: two of them end the search, and one is confirmed before the rest are rated.
        """
        candidates = able(gap, (yield Propose(gap)), self.may_be_pair)
        others = [candidate.word for candidate in candidates if candidate.word != gap.word]
        doubtful = {candidate.word for candidate in candidates if not candidate.is_certain}
        if len(doubtful) == len(others):
            return None
        ratings: dict[str, float] = {}
        back: WayBack | None = None
        for chunk in chunks([gap.word, *others], first=FIRST_CHUNK):
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

    def lead_back(self, turned: Gap, word: str, known: Mapping[str, float]) -> Inquiry[WayBack | None]:
        """A masked LM costs several entailments, so the pair is rated before candidates are asked for.

        The first intruder ends it, so those are asked first that did well in the word's own gap.
        """
        pair, members = Pair.of(word, turned.word), (turned.word, word)
        ratings = dict(zip(members, (yield Rate(turned, members)), strict=True))
        if not all(map(self._passes, ratings.values())):
            return None
        candidates = able(turned, (yield Propose(turned)), self.may_be_pair)
        if not any(candidate.word == word and candidate.is_certain for candidate in candidates):
            return None
        intruders = [candidate.word for candidate in candidates if candidate.word not in members]
        for chunk in chunks(sorted(intruders, key=lambda one: -known.get(one, UNRATED)), first=FIRST_CHUNK):
            ratings.update(zip(chunk, (yield Rate(turned, chunk)), strict=True))
            if not self._clearance(ratings, pair) > self.settings.guard_band:
                return None
        return WayBack(ratings[word], self._clearance(ratings, pair))

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
