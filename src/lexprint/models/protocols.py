"""The three questions lexprint asks a network, and nothing about who answers them.

An answer depends on its own question only: never on the batch, its order or the number of threads. Everything that
makes a mark readable again rests on this.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lexprint.text.document import Sentence

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Gap:
    """A word and what stands left and right of it, spaces included."""

    left: str
    word: str
    right: str

    @property
    def text(self) -> str:
        return self.filled(self.word)

    def filled(self, word: str) -> str:
        """The same context with another word in place."""
        return f"{self.left}{word}{self.right}"

    def with_word(self, word: str) -> Gap:
        return Gap(self.left, word, self.right)


def gap_at(sentence: Sentence, position: int) -> Gap:
    """A word in the context of its whole sentence."""
    span = sentence.words[position].view_span
    return Gap(sentence.view[: span.start], sentence.words[position].text, sentence.view[span.end :])


Columns: TypeAlias = Sequence[int]
"""Words, as columns of a masked LM's vocabulary."""

Choose: TypeAlias = Callable[[int, Floats], Columns]
"""Words to be judged in a gap, from its number and the log-probabilities of the vocabulary there."""


@dataclass(frozen=True, slots=True)
class Assessment:
    """What a masked LM says at one gap."""

    log_probabilities: Floats  # (vocabulary,)
    verdicts: Floats  # (columns, 2)


class MaskedLM(Protocol):
    @property
    def fingerprint(self) -> str: ...

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """What it can predict; a column of `predict` each."""
        ...

    def fits(self, gap: Gap) -> bool:
        """Whether the context is short enough to be asked about."""
        ...

    def predict(self, gaps: Sequence[Gap]) -> Floats:
        """Log-probabilities of the vocabulary at each gap, having read the whole text first: (gaps, vocabulary).

        The text and the text with the gap masked are two segments (section "Candidate Set Generation").
        """
        ...

    @property
    def knows_readers(self) -> bool:
        """Whether it was told what readers accept, and may be asked to `judge`."""
        ...

    def propose(self, gaps: Sequence[Gap]) -> Floats:
        """Log-probabilities of the vocabulary in place of each word: (gaps, vocabulary).

        As `predict`, but asked in whatever way the model knows best.
        """
        ...

    def judge(self, questions: Sequence[tuple[Gap, Columns]]) -> list[Floats]:
        """What readers would say of some words in each gap: logits of acceptable and of good, (columns, 2)."""
        ...

    def judge_chosen(self, gaps: Sequence[Gap], choose: Choose) -> list[Floats]:
        """What `judge` says of words that are chosen by what `propose` says, for less: each text is read once.

        Threads may choose for several gaps at a time.
        """
        ...

    def assess(self, questions: Sequence[tuple[Gap, Columns]]) -> list[Assessment]:
        """What `propose` and `judge` say, in one pass."""
        ...

    def predict_blind(self, gaps: Sequence[Gap]) -> Floats:
        """The same, without having read the word in the gap."""
        ...


class Entailment(Protocol):
    @property
    def fingerprint(self) -> str: ...

    def fits(self, sentence: str) -> bool:
        """Whether the sentence is short enough to be compared with itself, any one word changed."""
        ...

    def entails(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        """Probability that the first sentence of each pair entails the second: (pairs,)."""
        ...


class SentenceEncoder(Protocol):
    @property
    def fingerprint(self) -> str: ...

    def encode(self, sentences: Sequence[str]) -> Floats:
        """Unit vectors, whose inner products are cosines: (sentences, width)."""
        ...
