"""SWORDS: how good proposals for a word in context are, by people's judgement (the paper's Table LS)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from lexprint.engine import Engine
from lexprint.evaluation.datasets import Target
from lexprint.evaluation.lemmas import lemma
from lexprint.models.masked_lm import OnnxMaskedLM
from lexprint.models.protocols import Floats, Gap, gap_at
from lexprint.settings import find_profile
from lexprint.substitution.exclusions import FUNCTION_WORDS
from lexprint.substitution.substituter import Substituter
from lexprint.text.segmentation import segment

TOP = 10
PROPOSALS_OF_BERT = 50  # as in the paper: "output the top 50 words"

# The paper's Table LS, SWORDS test split: lenient F10, Fc10, strict F10, Fc10.
PUBLISHED = {
    "CoInCo": (34.6, 63.3, None, None),
    "Thesaurus": (17.6, 50.2, None, None),
    "BERT-K": (31.5, 53.2, 15.2, 23.7),
    "BERT-M": (30.8, 47.0, 10.4, 16.1),
    "BERT-LS": (31.6, 53.3, 16.8, 26.1),
    "Algorithm 1": (36.7, 56.1, 18.3, 28.7),
    "lexprint": (None, None, None, None),  # our own profile, which the paper does not have
}

Method = Callable[[Sequence[Target]], Iterable[list[str]]]


@dataclass(frozen=True)
class Figures:
    """Precision, recall and their harmonic mean at ten, in per cent."""

    precision: float
    recall: float

    @property
    def f(self) -> float:
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


@dataclass(frozen=True)
class Row:
    """A method's figures: lenient leaves out proposals that nobody judged, strict counts them as wrong."""

    method: str
    lenient: Figures
    lenient_conceivable: Figures
    strict: Figures
    strict_conceivable: Figures


def score(method: str, targets: Sequence[Target], proposals: Sequence[Sequence[str]]) -> Row:
    """Sums over all targets, then divides once, as the benchmark's own script does."""
    judged = [
        [word for word in words if word in target.approval] for target, words in zip(targets, proposals, strict=True)
    ]
    acceptable = [target.acceptable for target in targets]
    conceivable = [target.conceivable for target in targets]
    return Row(
        method,
        _at_ten(judged, acceptable),
        _at_ten(judged, conceivable),
        _at_ten(proposals, acceptable),
        _at_ten(proposals, conceivable),
    )


def _at_ten(proposals: Sequence[Sequence[str]], right: Sequence[frozenset[str]]) -> Figures:
    hits = sum(len(answers.intersection(words[:TOP])) for words, answers in zip(proposals, right, strict=True))
    proposed = sum(min(TOP, len(words)) for words in proposals)
    findable = sum(min(TOP, len(answers)) for answers in right)
    return Figures(100 * hits / max(1, proposed), 100 * hits / max(1, findable))


def lemmatised(target: Target, words: Iterable[str]) -> list[str]:
    """Dictionary forms in order, each once, without the target's own."""
    own = lemma(target.word.lower(), target.part_of_speech)
    forms = dict.fromkeys(lemma(word, target.part_of_speech) for word in words)
    return [form for form in forms if form not in (own, target.word.lower())]


def gap_of(target: Target) -> Gap:
    """The target in its sentence, lower-cased where it opens it."""
    document = segment(target.context)
    for sentence in document.sentences:
        for position, word in enumerate(sentence.words):
            if word.span.start <= target.offset < word.span.end:
                gap = gap_at(sentence, position)
                return gap.with_word(gap.word.lower())
    return Gap(target.context[: target.offset], target.word.lower(), target.context[target.offset + len(target.word) :])


def ours(substituter: Substituter) -> Method:
    """Algorithm 1: the masked LM proposes K words, entailment ranks them."""

    def propose(targets: Sequence[Target]) -> Iterable[list[str]]:
        for target in targets:
            ranked = substituter.substitutes([gap_of(target)])[0]
            yield lemmatised(target, [one.word for one in ranked])

    return propose


def bert(vocabulary: Sequence[str], predict: Callable[[Sequence[Gap]], Floats]) -> Method:
    """A masked LM's most probable whole words, as it ranks them."""
    usable = np.array([word.isalpha() and word.islower() and word not in FUNCTION_WORDS for word in vocabulary])

    def propose(targets: Sequence[Target]) -> Iterable[list[str]]:
        for target in targets:
            log_probabilities = np.where(usable, predict([gap_of(target)])[0], -np.inf)
            best = np.argsort(-log_probabilities, kind="stable")[:PROPOSALS_OF_BERT]
            yield lemmatised(target, [vocabulary[index] for index in best])

    return propose


def human(source: str) -> Method:
    """What people or a thesaurus proposed, in the order in which SWORDS lists it."""

    def propose(targets: Sequence[Target]) -> Iterable[list[str]]:
        for target in targets:
            yield [word for word, sources in target.sources.items() if source in sources]

    return propose


def methods(engine: Engine) -> dict[str, Method]:
    """Every row of the table, in its order."""
    from lexprint.evaluation.dropout import DropoutMaskedLM

    rows: dict[str, Method] = {"CoInCo": human("coinco"), "Thesaurus": human("roget")}
    masked_lm = engine.masked_lm
    if isinstance(masked_lm, OnnxMaskedLM):
        rows["BERT-K"] = bert(masked_lm.vocabulary, masked_lm.predict_seeing)
        dropout = DropoutMaskedLM()
        rows["BERT-LS"] = bert(dropout.vocabulary, dropout.predict)
    rows["BERT-M"] = bert(masked_lm.vocabulary, masked_lm.predict_blind)
    paper, own = (
        Substituter(masked_lm, engine.entailment, find_profile(name).substitution) for name in ("paper", "lexprint")
    )
    rows["Algorithm 1"], rows["lexprint"] = ours(paper), ours(own)
    return {name: rows[name] for name in PUBLISHED if name in rows}
