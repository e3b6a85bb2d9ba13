"""Who says how good a marked sentence is: the models that chose its words, and three that did not.

A judge gives every pair of sentences one figure; it is loaded when it is first asked for by name.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Generic, Protocol, TypeAlias, TypeVar

from lexprint.engine import Engine
from lexprint.errors import InputError
from lexprint.models.protocols import Entailment, SentenceEncoder
from lexprint_evaluation.confidence import Figure

if TYPE_CHECKING:
    from lexprint_evaluation.smollm import Likelihood

Pair: TypeAlias = tuple[str, str]  # original and marked sentence
Answer = TypeVar("Answer")


class Judge(Protocol):
    def judge(self, pairs: Sequence[Pair]) -> list[Figure]: ...


class CausalLM(Protocol):
    def likelihoods(self, sentences: Sequence[str]) -> list[Likelihood]: ...


class GrammarChecker(Protocol):
    def errors(self, sentences: Sequence[str]) -> list[int]:
        """How many errors each sentence has."""
        ...


class Remembered(Generic[Answer]):
    """Answers by sentence: every scheme marks the same originals."""

    def __init__(self, ask: Callable[[Sequence[str]], Sequence[Answer]]) -> None:
        self._ask = ask
        self._known: dict[str, Answer] = {}

    def both(self, pairs: Sequence[Pair]) -> list[tuple[Answer, Answer]]:
        new = list(dict.fromkeys(one for pair in pairs for one in pair if one not in self._known))
        self._known.update(zip(new, self._ask(new) if new else (), strict=True))
        return [(self._known[original], self._known[marked]) for original, marked in pairs]


class EntailmentJudge:
    """SR: the probability that the original entails the marked sentence; too long ones have no weight."""

    def __init__(self, entailment: Entailment) -> None:
        self._entailment = entailment

    def judge(self, pairs: Sequence[Pair]) -> list[Figure]:
        fitting = {pair: 0.0 for pair in pairs if all(map(self._entailment.fits, pair))}
        answers = map(float, self._entailment.entails(list(fitting))) if fitting else ()
        fitting.update(zip(fitting, answers, strict=True))
        return [Figure(fitting[pair]) if pair in fitting else Figure(0.0, 0.0) for pair in pairs]


class SimilarityJudge:
    """SS: the cosine of the two sentences' vectors."""

    def __init__(self, encoder: SentenceEncoder) -> None:
        self._vectors = Remembered(lambda sentences: list(encoder.encode(sentences)))

    def judge(self, pairs: Sequence[Pair]) -> list[Figure]:
        return [Figure(float(original @ marked)) for original, marked in self._vectors.both(pairs)]


class FluencyJudge:
    """The change of log-likelihood from original to marked, in nats per token of the original.

    Per token of the marked sentence it would reward rare words: all but their first piece are easy to guess.
    """

    def __init__(self, causal_lm: CausalLM) -> None:
        self._likelihoods = Remembered(causal_lm.likelihoods)

    def judge(self, pairs: Sequence[Pair]) -> list[Figure]:
        both = self._likelihoods.both(pairs)
        return [Figure(marked.total - original.total, original.tokens) for original, marked in both]


class GrammarJudge:
    """Errors that the marked sentence has and the original has not, per 1,000 words; below zero if it has fewer."""

    def __init__(self, checker: GrammarChecker) -> None:
        self._errors = Remembered(checker.errors)

    def judge(self, pairs: Sequence[Pair]) -> list[Figure]:
        both = zip(pairs, self._errors.both(pairs), strict=True)
        return [
            Figure(1000.0 * (marked - original), _word_count(sentence)) for (sentence, _), (original, marked) in both
        ]


def _word_count(sentence: str) -> int:
    """Words as people count them, without punctuation."""
    return sum(any(map(str.isalnum, word)) for word in sentence.split())


def _mpnet(engine: Engine) -> Judge:
    from lexprint_evaluation.mpnet import MpnetEncoder, mpnet_folder

    return SimilarityJudge(MpnetEncoder(mpnet_folder(cache_folder())))


def _fluency(engine: Engine) -> Judge:
    from lexprint_evaluation.smollm import SmolLM, smollm_file

    return FluencyJudge(SmolLM(smollm_file()))


def _grammar(engine: Engine) -> Judge:
    from lexprint_evaluation.grammar import QuireGrammar

    return GrammarJudge(QuireGrammar())


INSIDE: Mapping[str, Callable[[Engine], Judge]] = MappingProxyType(
    {
        "sr": lambda engine: EntailmentJudge(engine.entailment),
        "ss": lambda engine: SimilarityJudge(engine.sentence_encoder),
    }
)
OUTSIDE: Mapping[str, Callable[[Engine], Judge]] = MappingProxyType(
    {"mpnet": _mpnet, "fluency": _fluency, "grammar": _grammar}
)


def judges(engine: Engine, names: Sequence[str]) -> dict[str, Judge]:
    """SR and SS, and those of the others that are named."""
    unknown = sorted(set(names) - set(OUTSIDE))
    if unknown:
        raise InputError(f"there is no judge {', '.join(unknown)}", needed=f"some of {', '.join(OUTSIDE)}")
    wanted = {**INSIDE, **{name: load for name, load in OUTSIDE.items() if name in names}}
    return {name: load(engine) for name, load in wanted.items()}


def cache_folder() -> Path:
    """Where models are put together: LEXPRINT_JUDGES, or a folder of lexprint's own among the user's caches."""
    given = os.environ.get("LEXPRINT_JUDGES")
    if given:
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lexprint"
