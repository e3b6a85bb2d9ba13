"""Inputs of many lengths run together and get the bits that each gets alone from the graph as it is written down."""

from functools import cache
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests.models.literal import Literal

from lexprint.models import onnx_backend
from lexprint.models.onnx_backend import TOKENS_PER_PACK, Network, Tokens, packs
from lexprint.models.weights import shipped_model

ROLES = ("masked_lm", "entailment", "sentence_encoder")
LONGEST = 512
MIXED = (3, LONGEST, 30, 4, 100, 30, 31, 100, 7, 5, 30)

lengths = st.lists(st.integers(1, 300), min_size=1, max_size=40)


@cache
def literal(role: str) -> Literal:
    return Literal(role)


@cache
def network(role: str, *, threads: int = 1, batch_size: int = 64) -> Network:
    files = shipped_model(role)
    return Network(files.read(files.packed), files.load_tensors(), threads=threads, batch_size=batch_size)


def inputs_for(role: str, sizes: tuple[int, ...], *, seed: int) -> list[Tokens]:
    """Any tokens will do; only the masked LM is asked about one of them."""
    chooser = Random(seed)
    made = []
    for size in sizes:
        ids, second = tuple(chooser.choices(range(28_000), k=size)), chooser.randint(1, size)
        position = chooser.randrange(size) if role == "masked_lm" else 0
        made.append(Tokens(ids, (0,) * second + (1,) * (size - second), position))
    return made


@pytest.mark.parametrize("role", ROLES)
def test_a_pack_gets_the_bits_of_the_plain_graph(role: str) -> None:
    """From three tokens to the longest, lone and equal lengths side by side."""
    inputs = inputs_for(role, MIXED, seed=1)
    assert np.array_equal(network(role).run(inputs), literal(role).run(inputs))


@pytest.mark.parametrize("role", ROLES)
def test_a_lone_input_gets_the_same_bits(role: str) -> None:
    """Whoever asks for one thing gets what a crowd would."""
    inputs = inputs_for(role, (3, 9, 40), seed=2)
    together = literal(role).run(inputs)
    for tokens, expected in zip(inputs, together, strict=True):
        assert np.array_equal(network(role).run([tokens])[0], expected)


@given(st.lists(st.integers(3, 60), min_size=1, max_size=12), st.integers(0, 9), st.sampled_from((1, 2, 3)))
@settings(max_examples=15, deadline=None)
def test_any_lengths_and_threads(sizes: list[int], seed: int, threads: int) -> None:
    """However inputs are packed and whoever runs the packs, the bits are those of the plain graph."""
    inputs = inputs_for("entailment", tuple(sizes), seed=seed)
    found = network("entailment", threads=threads, batch_size=5).run(inputs)
    assert np.array_equal(found, literal("entailment").run(inputs))


@pytest.mark.parametrize("role", ROLES)
def test_exact_kernels_change_no_bit(role: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a processor cannot add up exactly in the fast way, the slow one gives the same packed answers."""
    inputs = inputs_for(role, (12, 5, 12), seed=3)
    monkeypatch.setattr(onnx_backend, "sums_are_exact", lambda: False)
    files = shipped_model(role)
    exact = Network(files.read(files.packed), files.load_tensors(), threads=1, batch_size=64)
    assert np.array_equal(exact.run(inputs), literal(role).run(inputs))


def test_nothing_asked_nothing_answered() -> None:
    """No inputs give no rows."""
    assert network("entailment").run([]).shape[0] == 0


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
