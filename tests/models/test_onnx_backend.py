"""Inputs of many lengths run together and get the bits that each gets alone from numpy, which does one thing at a time."""

from dataclasses import replace
from functools import cache
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests.models.reference import Reference, shipped_reference

from lexprint.models.onnx_backend import FREE_CELLS, MOST_FILL, TOKENS_PER_PACK, Answers, Network, Probe, Tokens, packs
from lexprint.models.weights import shipped_model

ROLES = ("masked_lm", "entailment", "sentence_encoder")
LONGEST = 512
MIXED = (3, 30, 4, 100, 30, 31, 7, 5, 30)

lengths = st.lists(st.integers(1, 300), min_size=1, max_size=40)


@cache
def reference(role: str) -> Reference:
    return shipped_reference(shipped_model(role))


@cache
def network(role: str, *, threads: int = 1, batch_size: int = 64) -> Network:
    files = shipped_model(role)
    return Network(files.read(files.graph), files.load_tensors(), threads=threads, batch_size=batch_size)


def assert_same(found: Answers, expected: Answers) -> None:
    assert found.keys() == expected.keys()
    for name, rows in expected.items():
        assert np.array_equal(found[name], rows)


def inputs_for(sizes: tuple[int, ...], *, seed: int, probed: bool = False) -> list[Tokens]:
    """Any tokens will do, and any places of them to ask about."""
    chooser = Random(seed)
    made = []
    for size in sizes:
        ids, second = tuple(chooser.choices(range(28_000), k=size)), chooser.randint(1, size)
        changed = chooser.randrange(size), chooser.randrange(size)
        tokens = Tokens(ids, (0,) * second + (1,) * (size - second), chooser.randrange(size), changed)
        if probed and chooser.random() < 0.7:
            probes = [Probe(chooser.randrange(28_000), chooser.randrange(size)) for _ in range(chooser.randint(1, 9))]
            tokens = replace(tokens, probes=tuple(probes))
        made.append(tokens)
    return made


@pytest.mark.parametrize("role", ROLES)
def test_a_pack_gets_the_bits_of_numpy(role: str) -> None:
    """One IEEE operation after the other and sums of whole numbers: nothing else is in a graph, and nothing else runs."""
    inputs = inputs_for(MIXED, seed=1)
    assert_same(network(role).run(inputs), reference(role).run(inputs))


def test_probes_get_the_bits_of_numpy() -> None:
    """With the shipped weights too, beside texts that have none."""
    inputs = [
        replace(tokens, probes=tuple(replace(probe, predicts=True) for probe in tokens.probes))
        for tokens in inputs_for(MIXED, seed=3, probed=True)
    ]
    assert_same(network("masked_lm").run(inputs), reference("masked_lm").run(inputs))


def test_the_longest_input_is_exact_too() -> None:
    """Sums stay where floats are exact, at the most tokens there can be."""
    inputs = inputs_for((LONGEST, 3, LONGEST - 1), seed=4)
    assert_same(network("entailment").run(inputs), reference("entailment").run(inputs))


@pytest.mark.parametrize("role", ROLES)
def test_a_lone_input_gets_the_same_bits(role: str) -> None:
    """Whoever asks for one thing gets what a crowd would."""
    inputs = inputs_for((3, 9, 40, 41, LONGEST), seed=2)
    together = network(role).run(inputs)
    for index, tokens in enumerate(inputs):
        assert_same(network(role).run([tokens]), {name: rows[index : index + 1] for name, rows in together.items()})


@given(st.lists(st.integers(3, 60), min_size=1, max_size=12), st.integers(0, 9), st.sampled_from((1, 2, 3)))
@settings(max_examples=15, deadline=None)
def test_any_lengths_and_threads(sizes: list[int], seed: int, threads: int) -> None:
    """However inputs are packed and whoever runs the packs, the bits are the same."""
    inputs = inputs_for(tuple(sizes), seed=seed)
    found = network("entailment", threads=threads, batch_size=5).run(inputs)
    assert_same(found, network("entailment", batch_size=1).run(inputs))


def test_nothing_asked_nothing_answered() -> None:
    """No inputs give no rows."""
    assert network("entailment").run([]) == {}


@given(lengths, st.integers(1, 4), st.integers(1, 64))
def test_packs_hold_every_input_once(sizes: list[int], threads: int, batch_size: int) -> None:
    """None is lost or run twice, none too many run together, and equal lengths stand together."""
    cut = packs(sizes, threads=threads, batch_size=batch_size)
    assert sorted(index for pack in cut for index in pack) == list(range(len(sizes)))
    assert all(0 < len(pack) <= batch_size for pack in cut)
    ordered = [sizes[index] for pack in cut for index in pack]
    assert ordered == sorted(ordered)


@given(lengths, st.integers(1, 4))
def test_packs_are_of_a_size(sizes: list[int], threads: int) -> None:
    """A pack is over its share by less than one input, and threads are not left idle while others have two to run."""
    cut = packs(sizes, threads=threads, batch_size=len(sizes))
    assert all(sum(sizes[index] for index in pack) < TOKENS_PER_PACK + max(sizes) for pack in cut)
    if len(set(sizes)) == 1:
        assert len(cut) >= min(threads, len(sizes))


@given(lengths, st.integers(1, 4))
def test_little_is_filled_up(sizes: list[int], threads: int) -> None:
    """A long input does not make a rectangle of many short ones."""
    for pack in packs(sizes, threads=threads, batch_size=64):
        own = [sizes[index] ** 2 for index in pack]
        assert len(own) * max(own) <= MOST_FILL * sum(own) + FREE_CELLS
