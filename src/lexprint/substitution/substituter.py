"""Context-aware lexical substitution (Algorithm 1): candidates, exclusions, ranking by entailment, and the one cache."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import TypeAlias

import numpy as np

from lexprint.models.protocols import Columns, Entailment, Floats, Gap, MaskedLM
from lexprint.settings import SubstitutionSettings
from lexprint.substitution.acceptance import acceptance, first_look, formula, logit_of, mutual_acceptance, share_of
from lexprint.substitution.answer_file import AnswerFile
from lexprint.substitution.candidates import NO_PARTNERS, Candidate, Vocabulary, judged, propose
from lexprint.substitution.exclusions import may_give_way, stands_free
from lexprint.substitution.function_words import partners

CACHED_ENTAILMENTS = 100_000
CACHED_PROPOSALS = 4_000  # larger caches save no question in a walk, which looks back one word

Matters: TypeAlias = Callable[[str, str], bool]
"""Whether what readers say of the second word, in place of the first, makes a difference to whoever asks."""


def always(word: str, candidate: str) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Substitute:
    """A word that may stand in for another, with what both models think of it."""

    word: str
    probability: float  # of the masked LM, having read the sentence
    entailment: float  # SR in the paper
    acceptance: float | None = None  # share of readers that would accept it; None: the settings ask for SR alone


@dataclass(frozen=True, slots=True)
class Weighed:
    """An exchange with all that speaks for it; logits, as decisions compare them."""

    acceptance: float  # of the candidate in place of the word
    mutual: float  # the lesser of both ways
    entailment: float  # SR, there and back
    entailment_back: float


@dataclass(frozen=True, slots=True)
class Look:
    """What the masked LM says at one gap of the words it was asked about."""

    candidates: Mapping[str, Candidate]
    first: str | None  # the most probable other word: what an edit there would lead to


class Substituter:
    """Answers for gaps, many at a time; equal questions are asked of the models once."""

    def __init__(
        self,
        masked_lm: MaskedLM,
        entailment: Entailment,
        settings: SubstitutionSettings,
        *,
        answers: AnswerFile | None = None,
    ) -> None:
        self._masked_lm, self._entailment, self.settings, self._answers = masked_lm, entailment, settings, answers
        self._partners = partners() if self._asks_readers else NO_PARTNERS
        self._vocabulary = Vocabulary(masked_lm.vocabulary, self._partners)
        self._proposals: dict[Gap, tuple[Candidate, ...]] = {}
        self._entailments: dict[tuple[str, str], float] = {}

    def may_be_replaced(self, gap: Gap) -> bool:
        """Whether the word is outside the paper's risk set: no stop word without a partner, no word piece, no name, no fact."""
        return gap.word in self._vocabulary and stands_free(gap) and self.is_readable(gap)

    def may_give_way(self, gap: Gap) -> bool:
        """Whether copies may replace the word, of which nobody asks the way back: a word of several pieces too."""
        is_known = gap.word in self._vocabulary or may_give_way(gap.word)
        return is_known and stands_free(gap) and self.is_readable(gap)

    def is_readable(self, gap: Gap) -> bool:
        """Whether the text is short enough for both models."""
        return self._masked_lm.fits(gap) and self._entailment.fits(gap.text)

    def most_probable(self, gaps: Sequence[Gap], *, matters: Matters = always) -> list[tuple[Candidate, ...]]:
        """Candidates W of each gap, most probable first, the word itself among them.

        Where the settings ask what readers accept, those are judged that matter; of others nothing but P is known.
        """
        unknown = [gap for gap in dict.fromkeys(gaps) if not self._is_judged(gap, self._proposals.get(gap), matters)]
        if len(self._proposals) + len(unknown) > CACHED_PROPOSALS:
            self._proposals = {gap: self._proposals[gap] for gap in gaps if gap in self._proposals}
        if self._answers is not None:
            self._proposals |= (kept := self._answers.proposals(unknown))
            unknown = [gap for gap in unknown if not self._is_judged(gap, kept.get(gap), matters)]
        self._proposals |= zip(unknown, self._proposed(unknown, matters), strict=True)
        if self._answers is not None:
            self._answers.keep_proposals({gap: self._proposals[gap] for gap in unknown})
        return [self._proposals[gap] for gap in gaps]

    def _is_judged(self, gap: Gap, found: Sequence[Candidate] | None, matters: Matters) -> bool:
        """Whether all is known that matters."""
        if found is None or not self._asks_readers:
            return found is not None
        return all(one.is_judged or not matters(gap.word, one.word) for one in found)

    def _proposed(self, gaps: Sequence[Gap], matters: Matters) -> list[tuple[Candidate, ...]]:
        if not self._asks_readers:
            return [self._first(gap, said) for gap, said in zip(gaps, self._masked_lm.predict(gaps), strict=True)]
        found: list[tuple[Candidate, ...]] = [()] * len(gaps)
        asked: list[list[Candidate]] = [[] for _ in gaps]

        def choose(number: int, said: Floats) -> Columns:
            gap = gaps[number]
            found[number] = self._first(gap, said)
            asked[number] = [one for one in found[number] if matters(gap.word, one.word)]
            return self._columns(one.word for one in asked[number])

        answers = self._masked_lm.judge_chosen(gaps, choose)
        known = [{one.word: one for one in judged(some, said)} for some, said in zip(asked, answers, strict=True)]
        return [tuple(some.get(one.word, one) for one in whole) for some, whole in zip(known, found, strict=True)]

    def _first(self, gap: Gap, log_probabilities: Floats) -> tuple[Candidate, ...]:
        return propose(
            self._vocabulary,
            gap,
            log_probabilities,
            proposals=self.settings.proposals,
            guard=self.settings.guard_band,
        )

    @property
    def _asks_readers(self) -> bool:
        """The paper does not; it reads pairs (S, S masked) and asks for SR."""
        return self.settings.acceptance_floor > 0

    def _columns(self, words: Iterable[str]) -> list[int]:
        """Of those words that the masked LM knows."""
        return [column for word in words if (column := self._vocabulary.column(word)) is not None]

    def look_at(self, questions: Sequence[tuple[Gap, Sequence[str]]]) -> list[Look]:
        """What the masked LM says of named words at each gap, whatever their rank; words unknown to it are left out.

        Nothing is kept: such questions hardly come twice.
        """
        known = [(gap, [word for word in words if self._columns([word])]) for gap, words in questions]
        looks = []
        assessed = self._masked_lm.assess([(gap, self._columns(words)) for gap, words in known])
        for (gap, words), said in zip(known, assessed, strict=True):
            candidates = [
                Candidate(word, float(said.log_probabilities[column]))
                for word, column in zip(words, self._columns(words), strict=True)
            ]
            first = (one.word for one in self._first(gap, said.log_probabilities) if one.word != gap.word)
            looks.append(Look({one.word: one for one in judged(candidates, said.verdicts)}, next(first, None)))
        return looks

    def entailments(self, questions: Sequence[tuple[Gap, str]]) -> list[float]:
        """SR of each (gap, word): that the text entails itself with the word in the gap.

        With the direction `symmetric` it must hold the other way too, and the weaker of both counts.
        """
        forward = _exchanges(questions)
        if self.settings.entailment_direction == "forward":
            return self._entails(forward)
        both = self._entails(forward + [(hypothesis, premise) for premise, hypothesis in forward])
        return [min(one, other) for one, other in zip(both[: len(forward)], both[len(forward) :], strict=True)]

    def may_be_entailed(self, text: str) -> bool:
        """Whether the text is short enough for the entailment model, and so is one with a word more."""
        return self._entailment.fits(text)

    def mutual_entailments(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """SR of texts as they would be changed, the lesser of both ways."""
        both = self._entails([*pairs, *(pair[::-1] for pair in pairs)])
        return [min(one, other) for one, other in zip(both[: len(pairs)], both[len(pairs) :], strict=True)]

    def rate(self, questions: Sequence[tuple[Gap, str]]) -> list[float]:
        """SR of each (gap, word), exact where it is above the floor; elsewhere some number that is not.

        This is all that the ranking of Algorithm 2 sees, and with the direction `symmetric` it asks for the way back of the
        few words alone that pass the way there.
        """
        forward = _exchanges(questions)
        ratings = self._entails(forward)
        if self.settings.entailment_direction == "symmetric":
            passing = [index for index, rating in enumerate(ratings) if rating > self.settings.entailment_floor]
            for index, back in zip(passing, self._entails([forward[index][::-1] for index in passing]), strict=True):
                ratings[index] = min(ratings[index], back)
        return ratings

    @property
    def acceptance_floor(self) -> float:
        """As a logit."""
        return logit_of(self.settings.acceptance_floor) if self.settings.acceptance_floor else -inf

    def may_be_accepted(self, one: Candidate) -> bool:
        """Whether a first look at the word leaves a chance that the exchange will be accepted."""
        return first_look(one) > self.acceptance_floor - formula().reach

    def weigh(self, exchanges: Sequence[tuple[Gap, Candidate]]) -> list[Weighed | None]:
        """What speaks for each exchange; None where the other word does not propose the word in turn, or hardly."""
        back_and_forth = {(there.word, gap.word) for gap, there in exchanges}
        turned = self.most_probable(
            [gap.with_word(there.word) for gap, there in exchanges],
            matters=lambda word, candidate: (word, candidate) in back_and_forth,
        )
        backs = [_named(found, gap.word) for (gap, _), found in zip(exchanges, turned, strict=True)]
        return self._weighed(exchanges, [back if back and self.may_be_accepted(back) else None for back in backs])

    def look_back(self, exchanges: Sequence[tuple[Gap, Candidate]]) -> list[Look]:
        """What the masked LM says of the word where the other one has taken its place."""
        return self.look_at([(gap.with_word(there.word), [gap.word]) for gap, there in exchanges])

    def weigh_back(self, exchanges: Sequence[tuple[Gap, Candidate]], looks: Sequence[Look]) -> list[Weighed | None]:
        """The same however unlikely the exchange is, with what `look_back` found.

        The model says nothing of a word of several pieces: there the way there counts for both.
        """
        return self._weighed(
            exchanges,
            [look.candidates.get(gap.word, there) for (gap, there), look in zip(exchanges, looks, strict=True)],
        )

    def _weighed(
        self, exchanges: Sequence[tuple[Gap, Candidate]], backs: Sequence[Candidate | None]
    ) -> list[Weighed | None]:
        leading = {index: back for index, back in enumerate(backs) if back is not None}
        forward = _exchanges([(exchanges[index][0], exchanges[index][1].word) for index in leading])
        both = self._entails(forward + [(hypothesis, premise) for premise, hypothesis in forward])
        weighed: list[Weighed | None] = [None] * len(exchanges)
        for number, (index, back) in enumerate(leading.items()):
            there, one, other = exchanges[index][1], both[number], both[len(forward) + number]
            least = min(one, other)
            weighed[index] = Weighed(
                acceptance(there, back, entailment=least), mutual_acceptance(there, back, entailment=least), one, other
            )
        return weighed

    def substitutes(self, gaps: Sequence[Gap]) -> list[tuple[Substitute, ...]]:
        """Algorithm 1: the candidates of each gap, best first; the word itself is one of them.

        The paper ranks by SR; where the settings ask what readers accept, so does this.
        """
        proposed = self.most_probable(gaps)
        if self.settings.acceptance_floor:
            return [self._accepted(gap, found) for gap, found in zip(gaps, proposed, strict=True)]
        questions = [(gap, one.word) for gap, found in zip(gaps, proposed, strict=True) for one in found]
        answers = iter(self.entailments(questions))
        ranked = []
        for found in proposed:
            rated = [Substitute(one.word, float(np.exp(one.log_probability)), next(answers)) for one in found]
            ranked.append(tuple(sorted(rated, key=lambda one: (-one.entailment, -one.probability, one.word))))
        return ranked

    def _accepted(self, gap: Gap, candidates: Sequence[Candidate]) -> tuple[Substitute, ...]:
        """Candidates by acceptance; those that do not lead back follow by a first look."""
        entailments = self.entailments([(gap, one.word) for one in candidates])
        weighed = self.weigh([(gap, one) for one in candidates])
        ranked = []
        for one, entailment, exchange in zip(candidates, entailments, weighed, strict=True):
            least = min(first_look(one), self.acceptance_floor - formula().reach)
            logit = inf if one.word == gap.word else least if exchange is None else exchange.acceptance
            probability = float(np.exp(one.log_probability))
            ranked.append((-logit, one.word, Substitute(one.word, probability, entailment, share_of(logit))))
        return tuple(substitute for *_, substitute in sorted(ranked, key=lambda row: row[:2]))

    def _entails(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        unknown = [pair for pair in dict.fromkeys(pairs) if pair not in self._entailments]
        if len(self._entailments) + len(unknown) > CACHED_ENTAILMENTS:
            self._entailments = {pair: self._entailments[pair] for pair in pairs if pair in self._entailments}
        if self._answers is not None:
            self._entailments |= (kept := self._answers.entailments(unknown))
            unknown = [pair for pair in unknown if pair not in kept]
        answers = dict(zip(unknown, map(float, self._entailment.entails(unknown)), strict=True))
        self._entailments |= answers
        if self._answers is not None:
            self._answers.keep_entailments(answers)
        return [self._entailments[pair] for pair in pairs]


def _exchanges(questions: Sequence[tuple[Gap, str]]) -> list[tuple[str, str]]:
    """The text before and after each word is put in; equal texts are one string, as most questions share theirs."""
    texts = {gap: gap.text for gap, _ in questions}
    return [(texts[gap], gap.filled(word)) for gap, word in questions]


def _named(candidates: Sequence[Candidate], word: str) -> Candidate | None:
    return next((one for one in candidates if one.word == word), None)
