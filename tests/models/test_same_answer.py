"""The contract that makes a mark readable: an answer depends on its own question and nothing else."""

import random
from collections.abc import Callable, Sequence
from functools import cache
from typing import TypeVar

import numpy as np
import pytest

from lexprint.models.entailment import OnnxEntailment
from lexprint.models.masked_lm import OnnxMaskedLM
from lexprint.models.protocols import Floats, Gap
from lexprint.models.sentence_encoder import OnnxSentenceEncoder
from lexprint.models.weights import shipped_model

MANY = 1000
WAYS = [(1, 1), (8, 2), (64, 1)]  # batch size and threads, each compared with 64 and 2
SIZES = [100, pytest.param(MANY, marks=pytest.mark.slow)]
WORDS = (
    "old new small heavy quiet river house teacher letter garden sees finds opens carries forgets slowly again".split()
)

Question = TypeVar("Question")


def sentences(seed: int) -> list[str]:
    """Word salads of three to twelve words: what they say does not matter here."""
    chooser = random.Random(seed)
    return [" ".join(["The", *chooser.choices(WORDS, k=chooser.randint(2, 11))]) + "." for _ in range(MANY)]


def pairs() -> list[tuple[str, str]]:
    return list(zip(sentences(3), sentences(4), strict=True))


def gaps() -> list[Gap]:
    found = []
    for number, sentence in enumerate(sentences(1)):
        words = sentence.split(" ")
        at = 1 + number % (len(words) - 2)
        found.append(Gap(" ".join(words[:at]) + " ", words[at], " " + " ".join(words[at + 1 :])))
    return found


def assert_same(expected: Floats, questions: Sequence[Question], ask: Callable[[list[Question]], Floats]) -> None:
    """The same bits as expected, asked in another order."""
    order = random.Random(2).sample(range(len(questions)), len(questions))
    assert np.array_equal(expected[order], ask([questions[index] for index in order]))


@cache
def usual_gaps(questions: int) -> Floats:
    return OnnxMaskedLM(shipped_model("masked_lm"), batch_size=64, threads=2).predict(gaps()[:questions])[:, ::97]


@cache
def usual_pairs(questions: int) -> Floats:
    return OnnxEntailment(shipped_model("entailment"), batch_size=64, threads=2).classify(pairs()[:questions])


@cache
def usual_vectors(questions: int) -> Floats:
    files = shipped_model("sentence_encoder")
    return OnnxSentenceEncoder(files, batch_size=64, threads=2).encode(sentences(5)[:questions])


@pytest.mark.parametrize("questions", SIZES)
@pytest.mark.parametrize(("batch_size", "threads"), WAYS)
def test_masked_lm(batch_size: int, threads: int, questions: int) -> None:
    """Gaps: bit-identical for any batch size, order and number of threads."""
    other = OnnxMaskedLM(shipped_model("masked_lm"), batch_size=batch_size, threads=threads)
    assert_same(usual_gaps(questions), gaps()[:questions], lambda asked: other.predict(asked)[:, ::97])


@pytest.mark.parametrize("questions", SIZES)
@pytest.mark.parametrize(("batch_size", "threads"), WAYS)
def test_entailment(batch_size: int, threads: int, questions: int) -> None:
    """Pairs: bit-identical for any batch size, order and number of threads."""
    other = OnnxEntailment(shipped_model("entailment"), batch_size=batch_size, threads=threads)
    assert_same(usual_pairs(questions), pairs()[:questions], other.classify)


@pytest.mark.parametrize("questions", SIZES)
@pytest.mark.parametrize(("batch_size", "threads"), WAYS)
def test_sentence_encoder(batch_size: int, threads: int, questions: int) -> None:
    """Sentences: bit-identical for any batch size, order and number of threads."""
    other = OnnxSentenceEncoder(shipped_model("sentence_encoder"), batch_size=batch_size, threads=threads)
    assert_same(usual_vectors(questions), sentences(5)[:questions], other.encode)
