"""Algorithm 1 as it is printed, with one rule of ours, that sentences stay whole: for researchers, by the profile `literal`.

A candidate is whatever the masked LM proposes that is a whole word and no stop word. Names, capitals, numbers written out, other forms
of the word and opposites are all allowed, since the paper does not exclude them. But the paper marks sentences, and we texts: where a
sentence ends is told by the words beside a full stop, so there an exchange is among words behind which no boundary moves.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from lexprint.models.protocols import Entailment, Gap, MaskedLM
from lexprint.settings import SubstitutionSettings, WatermarkSettings
from lexprint.substitution.answer_file import AnswerFile
from lexprint.substitution.candidates import Vocabulary
from lexprint.substitution.exclusions import FUNCTION_WORDS, stands_free
from lexprint.substitution.substituter import Substituter
from lexprint.text.segmentation import may_be_swapped

# What spaces set apart is one piece to the segmenter. It looks at pieces that hold such a mark, and at those right behind them. Of what
# follows a walk knows one word or mark, so a word that touches another mark is beside an end too.
_ENDS_BEFORE = re.compile(r"(?:^\S*|[.!?…]\S*(?:\s+\S*)?)$")  # or nothing is before: another sentence ends there
_GOES_ON = re.compile(r"\s+[^\s.!?…]")


def is_whole_word(token: str) -> bool:
    """No piece of a word, no punctuation, no stop word: all that the paper asks of a candidate.

    >>> [token for token in ("Munich", "##ing", "the", "3", "[MASK]", "big") if is_whole_word(token)]
    ['Munich', 'big']
    """
    return token.isalpha() and token.lower() not in FUNCTION_WORDS


def may_tell_an_end(gap: Gap) -> bool:
    """Whether where a sentence ends may depend on the word.

    >>> [may_tell_an_end(Gap(left, "Dean", " came")) for left in ("", "With Mr. ", "With John ")]
    [True, True, False]
    >>> [may_tell_an_end(Gap("With John ", "Dean", right)) for right in (".", ",", " came")]
    [True, True, False]
    """
    return _ENDS_BEFORE.search(gap.left) is not None or _GOES_ON.match(gap.right) is None


class LiteralVocabulary(Vocabulary):
    """All whole words of a model; every one fits every gap, but beside the end of a sentence."""

    def __init__(self, tokens: tuple[str, ...]) -> None:
        proposable = [(column, token) for column, token in enumerate(tokens) if is_whole_word(token)]
        self.words = tuple(token for _, token in proposable)
        self._index = {word: index for index, word in enumerate(self.words)}
        self._columns = {token: column for column, token in enumerate(tokens)}
        self.columns = np.array([column for column, _ in proposable], dtype=np.intp)
        self._keeping_ends = np.array([may_be_swapped(word) for word in self.words], dtype=bool)

    def fitting(self, gap: Gap) -> NDArray[np.bool_]:
        """All but the word itself, which is a candidate anyway."""
        fits = self._keeping_ends.copy() if may_tell_an_end(gap) else np.ones(len(self.words), dtype=bool)
        own = self.index(gap.word)
        if own is not None:
            fits[own] = False
        return fits


class LiteralSubstituter(Substituter):
    """The paper's candidates and risk set."""

    def __init__(
        self,
        masked_lm: MaskedLM,
        entailment: Entailment,
        settings: SubstitutionSettings,
        *,
        answers: AnswerFile | None = None,
    ) -> None:
        super().__init__(masked_lm, entailment, settings, answers=answers)
        self._vocabulary = LiteralVocabulary(masked_lm.vocabulary)

    def may_be_replaced(self, gap: Gap) -> bool:
        keeps_ends = may_be_swapped(gap.word) or not may_tell_an_end(gap)
        return gap.word in self._vocabulary and keeps_ends and stands_free(gap) and self.is_readable(gap)


def substituter_kind(settings: WatermarkSettings) -> type[Substituter]:
    """What asks the models under these settings."""
    return LiteralSubstituter if settings.risk_set == "boundaries" else Substituter
