"""The contract that makes a mark readable: an answer depends on its own question and nothing else."""

import random
from collections.abc import Callable
from typing import TypeVar

import numpy as np
import pytest

from lexprint.models.entailment import OnnxEntailment
from lexprint.models.masked_lm import OnnxMaskedLM
from lexprint.models.protocols import Floats, Gap
from lexprint.models.sentence_encoder import OnnxSentenceEncoder
from lexprint.models.weights import shipped_model

QUESTIONS = 1000
WAYS = [(1, 1), (8, 2), (64, 1)]  # batch size and threads, each compared with 64 and 2
WORDS = (
    "old new small heavy quiet river house teacher letter garden sees finds opens carries forgets slowly again".split()
)

Question = TypeVar("Question")


def sentences(seed: int) -> list[str]:
    """Word salads of three to twelve words: what they say does not matter here."""
    chooser = random.Random(seed)
    return [" ".join(["The", *chooser.choices(WORDS, k=chooser.randint(2, 11))]) + "." for _ in range(QUESTIONS)]


def gaps() -> list[Gap]:
    found = []
    for number, sentence in enumerate(sentences(1)):
        words = sentence.split(" ")
        at = 1 + number % (len(words) - 2)
        found.append(Gap(" ".join(words[:at]) + " ", words[at], " " + " ".join(words[at + 1 :])))
    return found


def assert_same(
    questions: list[Question], first: Callable[[list[Question]], Floats], second: Callable[[list[Question]], Floats]
) -> None:
    """Both give the same bits, the second asked in another order."""
    order = random.Random(2).sample(range(len(questions)), len(questions))
    expected = first(questions)
    found = second([questions[index] for index in order])
    assert np.array_equal(expected[order], found)


@pytest.mark.parametrize(("batch_size", "threads"), WAYS)
def test_masked_lm(batch_size: int, threads: int) -> None:
    """A thousand gaps: bit-identical for any batch size, order and number of threads."""
    files = shipped_model("masked_lm")
    usual = OnnxMaskedLM(files, batch_size=64, threads=2)
    other = OnnxMaskedLM(files, batch_size=batch_size, threads=threads)
    assert_same(gaps(), lambda asked: usual.predict(asked)[:, ::97], lambda asked: other.predict(asked)[:, ::97])


@pytest.mark.parametrize(("batch_size", "threads"), WAYS)
def test_entailment(batch_size: int, threads: int) -> None:
    """A thousand pairs: bit-identical for any batch size, order and number of threads."""
    files = shipped_model("entailment")
    usual = OnnxEntailment(files, batch_size=64, threads=2)
    other = OnnxEntailment(files, batch_size=batch_size, threads=threads)
    pairs = list(zip(sentences(3), sentences(4), strict=True))
    assert_same(pairs, usual.classify, other.classify)


@pytest.mark.parametrize(("batch_size", "threads"), WAYS)
def test_sentence_encoder(batch_size: int, threads: int) -> None:
    """A thousand sentences: bit-identical for any batch size, order and number of threads."""
    files = shipped_model("sentence_encoder")
    usual = OnnxSentenceEncoder(files, batch_size=64, threads=2)
    other = OnnxSentenceEncoder(files, batch_size=batch_size, threads=threads)
    assert_same(sentences(5), usual.encode, other.encode)
