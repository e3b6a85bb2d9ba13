"""SWORDS: how good proposals for a word in context are, by people's judgement (the paper's Table LS).

Scored as the benchmark's own evaluator does (p-lambda/swords, `swords/eval.py`): judges who were unsure have no vote; substitutes
are compared as dictionary forms, and those of one form have their votes together; none is a form of the target; what nobody
judged is left out before the first ten are taken (lenient) or counts as wrong (strict).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lexprint.engine import Engine
from lexprint.models.masked_lm import OnnxMaskedLM
from lexprint.models.protocols import Floats, Gap, gap_at
from lexprint.settings import SubstitutionSettings, find_profile
from lexprint.substitution.acceptance import first_look, logit_of
from lexprint.substitution.exclusions import FUNCTION_WORDS
from lexprint.substitution.substituter import Substituter
from lexprint.text.segmentation import segment
from lexprint_evaluation.acceptance import knows_readers
from lexprint_evaluation.datasets import Target
from lexprint_evaluation.lemmas import lemma

if TYPE_CHECKING:
    from lexprint_evaluation.bert_ls import BertLS  # loads onnx

TOP = 10
PROPOSALS_OF_BERT = 50  # as in the paper: "output the top 50 words"
RANKED = 64  # proposals that are ranked, so that fifty are left without forms of the same word
LEAST = 0.008  # share of readers: a list ends with what fewer than one in 125 would accept; settled on dev
WEIGHED = 24  # of them asked the way back and SR; who is behind these at first look is not among the first ten

ACCEPTABLE = 0.5  # more than half of the judges said yes
CONCEIVABLE = 0.1  # at least one in ten did

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


@dataclass(frozen=True)
class Reference:
    """What people said of substitutes for one target, by dictionary form."""

    approval: Mapping[str, float]  # share of the judges who said yes

    @property
    def acceptable(self) -> frozenset[str]:
        return frozenset(word for word, share in self.approval.items() if share > ACCEPTABLE)

    @property
    def conceivable(self) -> frozenset[str]:
        return frozenset(word for word, share in self.approval.items() if share >= CONCEIVABLE)


def reference(target: Target) -> Reference:
    """Votes of all substitutes of one form are counted together; without a vote a form was not judged."""
    votes: defaultdict[str, list[bool]] = defaultdict(list)
    for word, given in target.votes.items():
        for form in lemmatised(target, [word]):
            votes[form] += given
    return Reference({form: sum(given) / len(given) for form, given in votes.items() if given})


def score(method: str, targets: Sequence[Target], proposals: Sequence[Sequence[str]]) -> Row:
    """Sums over all targets that have a judged form, then divides once."""
    asked = [(reference(target), words) for target, words in zip(targets, proposals, strict=True)]
    known = [(judged, words) for judged, words in asked if judged.approval]
    strict = [words for _, words in known]
    lenient = [[word for word in words if word in judged.approval] for judged, words in known]
    acceptable = [judged.acceptable for judged, _ in known]
    conceivable = [judged.conceivable for judged, _ in known]
    return Row(
        method,
        _at_ten(lenient, acceptable),
        _at_ten(lenient, conceivable),
        _at_ten(strict, acceptable),
        _at_ten(strict, conceivable),
    )


def _at_ten(proposals: Sequence[Sequence[str]], right: Sequence[frozenset[str]]) -> Figures:
    hits = sum(len(answers.intersection(words[:TOP])) for words, answers in zip(proposals, right, strict=True))
    proposed = sum(min(TOP, len(words)) for words in proposals)
    findable = sum(min(TOP, len(answers)) for answers in right)
    return Figures(100 * hits / max(1, proposed), 100 * hits / max(1, findable))


def lemmatised(target: Target, words: Iterable[str]) -> list[str]:
    """Dictionary forms in order, each once, without the target's own."""
    own = _form(target.word, target.part_of_speech)
    forms = dict.fromkeys(_form(word, target.part_of_speech) for word in words)
    return [form for form in forms if form != own]


def _form(word: str, part_of_speech: str) -> str:
    """The dictionary has no forms of phrases."""
    word = word.lower().strip()
    return word if " " in word else lemma(word, part_of_speech)


def gap_of(target: Target) -> Gap:
    """The target in its sentence, lower-cased where it opens it."""
    document = segment(target.context)
    for sentence in document.sentences:
        for position, word in enumerate(sentence.words):
            if word.span.start <= target.offset < word.span.end:
                gap = gap_at(sentence, position)
                return gap.with_word(gap.word.lower())
    return Gap(target.context[: target.offset], target.word.lower(), target.context[target.offset + len(target.word) :])


def by_entailment(substituter: Substituter) -> Method:
    """Algorithm 1: the masked LM proposes words, entailment ranks them."""

    def propose(targets: Sequence[Target]) -> Iterable[list[str]]:
        for target in targets:
            ranked = substituter.substitutes([gap_of(target)])[0]
            yield lemmatised(target, [one.word for one in ranked])

    return propose


def by_acceptance(substituter: Substituter) -> Method:
    """Our own: the same proposals, in the order in which readers would accept them."""

    def propose(targets: Sequence[Target]) -> Iterable[list[str]]:
        for target in targets:
            yield lemmatised(target, _most_acceptable(substituter, gap_of(target)))

    return propose


def _most_acceptable(substituter: Substituter, gap: Gap) -> list[str]:
    """The first by acceptance in both directions, the others behind them by a first look, as far as anybody would accept them."""
    candidates = [one for one in substituter.most_probable([gap])[0] if one.word != gap.word]
    looked = sorted(candidates, key=lambda one: (-first_look(one), one.word))
    first = looked[:WEIGHED]
    exchanges = [(gap, one) for one in first]
    weighed = substituter.weigh_back(exchanges, substituter.look_back(exchanges))
    logits = [first_look(one) if found is None else found.acceptance for one, found in zip(first, weighed, strict=True)]
    ranked = sorted(zip(logits, first, strict=True), key=lambda pair: (-pair[0], pair[1].word))
    behind = [(first_look(one), one) for one in looked[WEIGHED:]]
    return [one.word for logit, one in (*ranked, *behind) if logit > logit_of(LEAST)]


def bert(vocabulary: Sequence[str], predict: Callable[[Sequence[Gap]], Floats]) -> Method:
    """A masked LM's most probable whole words, as it ranks them."""
    usable = _usable(vocabulary)

    def propose(targets: Sequence[Target]) -> Iterable[list[str]]:
        for target in targets:
            log_probabilities = np.where(usable, predict([gap_of(target)])[0], -np.inf)
            best = np.argsort(-log_probabilities, kind="stable")[:PROPOSALS_OF_BERT]
            yield lemmatised(target, [vocabulary[index] for index in best])

    return propose


def by_validation(model: BertLS) -> Method:
    """BERT-LS: what it proposes through a dropout, in the order of how little a word changes the sentence."""
    usable = _usable(model.vocabulary)

    def propose(targets: Sequence[Target]) -> Iterable[list[str]]:
        for target in targets:
            log_probabilities = model.propose(gap_of(target))
            best = np.argsort(np.where(usable, -log_probabilities, np.inf), kind="stable")[:PROPOSALS_OF_BERT]
            ranked = model.rank(gap_of(target), best.tolist(), log_probabilities)
            yield lemmatised(target, [model.vocabulary[index] for index in ranked])

    return propose


def _usable(vocabulary: Sequence[str]) -> NDArray[np.bool_]:
    """Whole words in small letters that are no function words."""
    return np.array([word.isalpha() and word.islower() and word not in FUNCTION_WORDS for word in vocabulary])


def human(source: str) -> Method:
    """What people or a thesaurus proposed, in the order in which SWORDS lists it."""

    def propose(targets: Sequence[Target]) -> Iterable[list[str]]:
        for target in targets:
            yield lemmatised(target, (word for word, sources in target.sources.items() if source in sources))

    return propose


def methods(engine: Engine) -> dict[str, Method]:
    """Every row of the table, in its order."""
    from lexprint_evaluation.bert_ls import BertLS

    rows: dict[str, Method] = {"CoInCo": human("coinco"), "Thesaurus": human("roget")}
    masked_lm = engine.masked_lm
    if isinstance(masked_lm, OnnxMaskedLM):
        rows["BERT-K"] = bert(masked_lm.vocabulary, masked_lm.predict_seeing)
        rows["BERT-LS"] = by_validation(BertLS())
    rows["BERT-M"] = bert(masked_lm.vocabulary, masked_lm.predict_blind)

    def substituter(profile: str) -> Substituter:
        settings: SubstitutionSettings = replace(find_profile(profile).substitution, proposals=RANKED)
        return Substituter(masked_lm, engine.entailment, settings)

    rows["Algorithm 1"] = by_entailment(substituter("paper"))
    if knows_readers(masked_lm):
        rows["lexprint"] = by_acceptance(substituter("lexprint"))
    return {name: rows[name] for name in PUBLISHED if name in rows}
