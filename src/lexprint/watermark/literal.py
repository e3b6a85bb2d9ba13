"""Algorithm 1 as it is printed, without any rule of ours: for researchers, by the profile `literal`.

A candidate is whatever the masked LM proposes that is a whole word and no stop word. Names, capitals, numbers written out, other forms
of the word and opposites are all allowed, since the paper does not exclude them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lexprint.models.protocols import Entailment, Gap, MaskedLM
from lexprint.settings import SubstitutionSettings, WatermarkSettings
from lexprint.substitution.answer_file import AnswerFile
from lexprint.substitution.candidates import Vocabulary
from lexprint.substitution.exclusions import FUNCTION_WORDS, stands_free
from lexprint.substitution.substituter import Substituter


def is_whole_word(token: str) -> bool:
    """No piece of a word, no punctuation, no stop word: all that the paper asks of a candidate.

    >>> [token for token in ("Munich", "##ing", "the", "3", "[MASK]", "big") if is_whole_word(token)]
    ['Munich', 'big']
    """
    return token.isalpha() and token.lower() not in FUNCTION_WORDS


class LiteralVocabulary(Vocabulary):
    """All whole words of a model; every one fits every gap."""

    def __init__(self, tokens: tuple[str, ...]) -> None:
        proposable = [(column, token) for column, token in enumerate(tokens) if is_whole_word(token)]
        self.words = tuple(token for _, token in proposable)
        self._index = {word: index for index, word in enumerate(self.words)}
        self._columns = {token: column for column, token in enumerate(tokens)}
        self.columns = np.array([column for column, _ in proposable], dtype=np.intp)

    def fitting(self, gap: Gap) -> NDArray[np.bool_]:
        """All but the word itself, which is a candidate anyway."""
        fits = np.ones(len(self.words), dtype=bool)
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
        return gap.word in self._vocabulary and stands_free(gap) and self.is_readable(gap)


def substituter_kind(settings: WatermarkSettings) -> type[Substituter]:
    """What asks the models under these settings."""
    return LiteralSubstituter if settings.risk_set == "literal" else Substituter
