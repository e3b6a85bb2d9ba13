"""What readers would say: the shipped head in whole numbers is the network it was made from."""

import numpy as np
import pytest

from lexprint.models.fitness import LARGEST, FitnessHead, WholeWeights

WIDTH, HIDDEN, WORDS = 12, 20, 30


def whole(generator: np.random.Generator, inputs: int, outputs: int, name: str) -> dict[str, np.ndarray]:
    values = generator.integers(-32_767, 32_768, size=(inputs, outputs)).astype(np.int16)
    return {f"fitness.{name}.int16": values, f"fitness.{name}.scale": np.full(outputs, 1e-5, dtype=np.float32)}


@pytest.fixture
def tensors() -> dict[str, np.ndarray]:
    generator = np.random.default_rng(3)
    return {
        **whole(generator, 2 * WIDTH, HIDDEN, "gap"),
        **whole(generator, 3 * WIDTH, HIDDEN, "candidate"),
        **whole(generator, HIDDEN, 2, "output"),
        "fitness.bias": generator.normal(size=HIDDEN).astype(np.float32),
        "fitness.output.bias": generator.normal(size=2).astype(np.float32),
        "fitness.vector_unit": np.array(20.0, dtype=np.float32),
        "words.int8": generator.integers(-127, 128, size=(WORDS, WIDTH)).astype(np.int8),
        "words.scale": np.full((WORDS, 1), 1e-3, dtype=np.float32),
    }


def test_it_is_the_network_that_it_says(tensors: dict[str, np.ndarray]) -> None:
    """A hidden layer over state, word, candidate and their products, to the precision of sixteen bits."""
    state, word, columns = np.random.default_rng(5).normal(size=WIDTH).astype(np.float32), 4, np.array([1, 7, 9])
    vectors = tensors["words.int8"] * 1e-3 * 20.0
    weights = {
        name: tensors[f"fitness.{name}.int16"] * tensors[f"fitness.{name}.scale"].astype(np.float64)
        for name in ("gap", "candidate", "output")
    }
    candidates = vectors[columns]
    beside = np.concatenate([candidates, state * candidates, vectors[word] * candidates], axis=1)
    common = np.concatenate([state, vectors[word]]) @ weights["gap"] + tensors["fitness.bias"]
    hidden = np.maximum(beside @ weights["candidate"] + common, 0.0)
    expected = hidden @ weights["output"] + tensors["fitness.output.bias"]
    assert FitnessHead(tensors).judge(state, word, columns) == pytest.approx(expected, abs=2e-3)


def test_a_candidate_is_judged_the_same_in_any_company(tensors: dict[str, np.ndarray]) -> None:
    """Bit by bit: alone, among others, in any order."""
    head, state = FitnessHead(tensors), np.random.default_rng(6).normal(size=WIDTH).astype(np.float32)
    together = head.judge(state, 2, np.arange(WORDS))
    alone = np.concatenate([head.judge(state, 2, np.array([column])) for column in range(WORDS)])
    turned = head.judge(state, 2, np.arange(WORDS)[::-1].copy())[::-1]
    assert np.array_equal(together, alone)
    assert np.array_equal(together, turned)


def test_products_are_whole_numbers() -> None:
    """Far below 2 ** 53, so that any order of adding them up gives the same."""
    generator = np.random.default_rng(7)
    weights = WholeWeights(generator.integers(-32_767, 32_768, size=(2_304, 8)).astype(np.float64), np.ones(8))
    inputs = generator.normal(size=(5, 2_304))
    order = generator.permutation(2_304)
    shuffled = WholeWeights(weights.values[order], weights.scale)
    assert np.array_equal(weights.product(inputs), shuffled.product(inputs[:, order]))
    assert LARGEST**2 * 2_304 < 2**53
