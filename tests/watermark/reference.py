"""Algorithms 1 and 2 of the paper, word for word and slow: what the fast walk must agree with.

Nothing is remembered, nothing is stopped early, and no code is shared with the package but the substituter's two
questions and its risk set. Words are counted from 1 as in the paper. Protected words, which the paper does not know, are
in the risk set.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from lexprint.models.protocols import Entailment, Gap, MaskedLM
from lexprint.settings import SubstitutionSettings, WatermarkSettings
from lexprint.substitution.acceptance import first_look, formula, logit_of, mutual_acceptance
from lexprint.substitution.candidates import Candidate
from lexprint.substitution.exclusions import FUNCTION_WORDS
from lexprint.substitution.facts import are_apart, is_fixed
from lexprint.substitution.substituter import Matters, Substituter, always
from lexprint.text.document import Document, Sentence
from lexprint.text.segmentation import may_be_swapped


@dataclass(frozen=True)
class ReferenceSite:
    sentence: int
    position: int  # counted from 0, as the package does
    pair: tuple[str, str]
    word: str  # what stood there
    left_there: str  # what stands there now


@dataclass(frozen=True)
class FinalCandidates:
    """FC: at most two words."""

    words: list[str]
    is_clear: bool  # no comparison that made it was closer than the guard band


class Forgetful(Substituter):
    """Asks the models every time, as the paper does."""

    def most_probable(self, gaps: Sequence[Gap], *, matters: Matters = always) -> list[tuple[Candidate, ...]]:
        self._proposals.clear()
        return super().most_probable(gaps, matters=matters)

    def entailments(self, questions: Sequence[tuple[Gap, str]]) -> list[float]:
        self._entailments.clear()
        return super().entailments(questions)


def apply_sites(document: Document, sites: Iterable[ReferenceSite]) -> str:
    """The text with what the reference left at its sites."""
    text = document.text
    for site in reversed(list(sites)):
        span = document.sentences[site.sentence].words[site.position].span
        if site.left_there != site.word:
            text = text[: span.start] + site.left_there + text[span.end :]
    return text


class Reference:
    """One slow reader and writer, which counts what it meets."""

    def __init__(
        self, substituter: Substituter, *, f: int, line_1: int | None = None, settings: WatermarkSettings | None = None
    ) -> None:
        # Line 1 says 0, for f = 1: word 2 escapes lines 14 to 22, as word 1 is never tested. For larger f the same is 1 - f.
        self.line_1 = 1 - f if line_1 is None else line_1
        self.substituter, self.f = substituter, f
        self.settings = settings or WatermarkSettings()
        self.floor = substituter.settings.entailment_floor
        self.band = substituter.settings.guard_band
        self.examined = self.synchronous = 0  # words that reach line 11, and those that pass line 12
        self.tests = self.paired = 0  # synchronicity tests, and those whose first FC has two words
        self.protected: set[int] = set()  # words of the present sentence

    def embed(self, document: Document, bits: Iterable[int]) -> list[ReferenceSite]:
        remaining = iter(bits)
        sites: list[ReferenceSite] = []
        for number, sentence in enumerate(document.sentences):
            self.protected = {
                index
                for index, word in enumerate(sentence.words, start=1)
                if any(word.span.overlaps(span) for span in document.protected)
            }
            sites += self._embed_sentence(number, sentence, remaining)
        return sites

    def _embed_sentence(self, number: int, sentence: Sentence, bits: Iterable[int]) -> list[ReferenceSite]:
        """Algorithm 2."""
        sites = []
        count, f = len(sentence), self.f
        latest_embed_index = self.line_1
        index = 2  # line 2
        words = [word.text for word in sentence.words]  # line 4
        while index < count - f:  # line 5
            if self._is_in_risk_set(index, self._context(sentence, words, index + 1)):  # lines 3 and 7
                index += 1  # line 8
                continue
            self.examined += 1
            pair = self._synchronicity_test(index, self._context(sentence, words, index + 1))  # lines 6 and 11
            substitutable = pair is not None  # lines 12, 13 and 24
            self.synchronous += substitutable
            if pair is not None and index - latest_embed_index != f + 1:  # line 14
                for candidate in pair:  # line 15
                    changed = [*words[: index - 1], candidate, *words[index:]]
                    new_context = self._context(sentence, changed, index)  # line 16
                    if self._is_in_risk_set(index - 1, new_context):
                        continue  # it cannot become a site
                    if self._synchronicity_test(index - 1, new_context) is not None:  # lines 17 and 18
                        substitutable = False  # line 19
            if pair is not None and substitutable:  # line 26
                found = words[index - 1]
                bit = next(iter(bits), None)  # line 27
                if bit is not None:
                    words[index - 1] = pair[bit]  # line 28
                sites.append(ReferenceSite(number, index - 1, pair, found, words[index - 1]))
                latest_embed_index = index  # line 29
                index += f + 1  # line 30
            else:
                index += 1  # line 32
        return sites

    def _context(self, sentence: Sentence, words: Sequence[str], last: int) -> list[str]:
        """Words 1 to `last` with the spacing before each: word, spacing, word, spacing, ..., word."""
        pieces: list[str] = []
        for place in range(last):
            if place:
                pieces.append(
                    sentence.view[sentence.words[place - 1].view_span.end : sentence.words[place].view_span.start]
                )
            pieces.append(words[place])
        return pieces

    def _gap(self, index: int, context: Sequence[str]) -> Gap:
        middle = 2 * (index - 1)
        return Gap("".join(context[:middle]), context[middle], "".join(context[middle + 1 :]))

    def _is_in_risk_set(self, index: int, context: Sequence[str]) -> bool:
        return index in self.protected or self._is_risky(self._gap(index, context))

    def _is_risky(self, gap: Gap) -> bool:
        if self.settings.risk_set == "careful" and is_fixed(gap.word):
            return True
        return not self.substituter.may_be_replaced(gap)

    def _synchronicity_test(self, index: int, context: Sequence[str]) -> tuple[str, str] | None:
        """ST: Sort(FC1) = Sort(FC2) = Sort(FC), and the word is in it."""
        gap = self._gap(index, context)
        final = self._final_candidates(gap)
        self.tests += 1
        self.paired += len(final.words) == 2
        derived = [self._final_candidates(Gap(gap.left, word, gap.right)) for word in final.words]
        if len(final.words) < 2 or gap.word not in final.words:
            return None
        if any(self._is_risky(Gap(gap.left, word, gap.right)) for word in final.words):
            return None
        if not all(other.is_clear and sorted(other.words) == sorted(final.words) for other in (final, *derived)):
            return None
        first, second = sorted(final.words)
        return first, second

    def _final_candidates(self, gap: Gap) -> FinalCandidates:
        """Algorithm 1 and the cut: SR above the floor, top 2."""
        candidates = self.substituter.most_probable([gap])[0]  # lines 1 to 3
        ratings = {one.word: self.substituter.entailments([(gap, one.word)])[0] for one in candidates}  # lines 4 to 9
        able = [one for one in candidates if one.word == gap.word or self._may_be_pair(gap.word, one.word)]
        if self.settings.ranking == "acceptance":
            return self._most_acceptable(gap, able)
        ranked = sorted((one.word for one in able), key=lambda word: -ratings[word])  # line 10
        final = [word for word in ranked if ratings[word] > self.floor][:2]
        rivals = [self.floor, *(ratings[word] for word in ranked if word not in final)]
        is_ahead = all(ratings[word] - rival > self.band for word in final for rival in rivals)
        return FinalCandidates(final, is_ahead and all(one.is_certain for one in able if one.word in final))

    def _most_acceptable(self, gap: Gap, able: Sequence[Candidate]) -> FinalCandidates:
        """The word and the one whose exchange readers would accept most, by the masked LM's first look."""
        others = sorted((one for one in able if one.word != gap.word), key=lambda one: -first_look(one))
        floor = logit_of(self.substituter.settings.acceptance_floor)
        if not others or not first_look(others[0]) > floor - formula().reach:
            return FinalCandidates([], is_clear=False)
        is_ahead = all(first_look(others[0]) - first_look(other) > self.band for other in others[1:])
        is_accepted = self._acceptance(gap, others[0]) - floor > self.band
        return FinalCandidates([gap.word, others[0].word], others[0].is_certain and is_ahead and is_accepted)

    def _acceptance(self, gap: Gap, there: Candidate) -> float:
        turned = Gap(gap.left, there.word, gap.right)
        back = [one for one in self.substituter.most_probable([turned])[0] if one.word == gap.word]
        if not back:
            return -inf
        one, other = self.substituter._entails([(gap.text, turned.text), (turned.text, gap.text)])
        return mutual_acceptance(there, back[0], entailment=min(one, other))

    def _may_be_pair(self, one: str, other: str) -> bool:
        if self.settings.risk_set == "paper":
            return True
        return not (are_apart(one, other) or is_fixed(one) or is_fixed(other))


class LiteralReference(Reference):
    """The same for the profile `literal`, with candidates and a risk set of its own: it asks the models themselves."""

    def __init__(self, masked_lm: MaskedLM, entailment: Entailment, settings: SubstitutionSettings, *, f: int) -> None:
        super().__init__(Substituter(masked_lm, entailment, settings), f=f)
        self.masked_lm, self.entailment, self.proposals = masked_lm, entailment, settings.proposals

    def _is_risky(self, gap: Gap) -> bool:
        """R: stop words, punctuation, pieces of words, and what is no token of the model or too long for it."""
        beside = gap.left[-1:] + gap.right[:1]
        is_token = gap.word in self.masked_lm.vocabulary and not any(one.isalnum() or one in "'-_" for one in beside)
        is_readable = self.masked_lm.fits(gap) and self.entailment.fits(gap.text)
        return not (is_token and is_readable and self._is_candidate(gap.word) and self._stays_whole(gap, gap.word))

    def _stays_whole(self, gap: Gap, word: str) -> bool:
        """Words inside a sentence may be any; at its beginning, or beside a mark, they are such that no boundary depends on them."""
        before = gap.left.split(" ")
        is_inside = len(before) > 1 and not any(mark in "".join(before[-2:]) for mark in ".!?…")
        goes_on = gap.right.startswith(" ") and gap.right[1] not in ".!?…"
        return (is_inside and goes_on) or may_be_swapped(word)

    def _is_candidate(self, word: str) -> bool:
        return all(character.isalpha() for character in word) and word.lower() not in FUNCTION_WORDS

    def _final_candidates(self, gap: Gap) -> FinalCandidates:
        """Algorithm 1: the K most probable words, the word itself among them, by SR."""
        (row,) = self.masked_lm.predict([gap])
        vocabulary = self.masked_lm.vocabulary
        proposed = [
            vocabulary[index] for index in np.argsort(-row, kind="stable") if self._is_candidate(vocabulary[index])
        ]
        others = [word for word in proposed if word != gap.word and self._stays_whole(gap, word)]
        own = [gap.word] if gap.word in proposed else []
        words = own + others[: self.proposals - len(own)]
        answers = self.entailment.entails([(gap.text, gap.filled(word)) for word in words])
        ratings = dict(zip(words, map(float, answers), strict=True))
        ranked = sorted(words, key=lambda word: -ratings[word])
        final = [word for word in ranked if ratings[word] > self.floor][:2]
        rivals = [self.floor, *(ratings[word] for word in ranked if word not in final)]
        return FinalCandidates(final, all(ratings[word] > rival for word in final for rival in rivals))
