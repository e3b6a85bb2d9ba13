"""Sums over the sites of each copy are exact, whatever their size."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from lexprint.tracing import likelihood
from lexprint.tracing.likelihood import matches, weighted_matches


@given(st.integers(0, 12), st.integers(0, 9), st.integers(0, 2**31), st.sampled_from([3, 10**6, 10**12]))
def test_sums_are_those_of_a_loop(copies: int, sites: int, seed: int, largest: int) -> None:
    """Also of weights too large for single precision."""
    draw = np.random.default_rng(seed)
    codewords = draw.integers(0, 3, (copies, sites), dtype=np.uint8)
    favoured, weights = draw.integers(0, 3, sites, dtype=np.uint8), draw.integers(0, largest, sites)
    found = weighted_matches(codewords, favoured, weights)
    assert found.tolist() == [
        sum(int(weight) for bit, wanted, weight in zip(row, favoured, weights, strict=True) if bit == wanted)
        for row in codewords
    ]


def test_many_copies_are_taken_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the parts are cut makes no difference."""
    draw = np.random.default_rng(1)
    codewords, bits = draw.integers(0, 2, (101, 7), dtype=np.uint8), draw.integers(0, 2, 7, dtype=np.uint8)
    whole = matches(codewords, bits)
    monkeypatch.setattr(likelihood, "_CELLS_AT_ONCE", 70)
    assert np.array_equal(matches(codewords, bits), whole)
    assert np.array_equal(whole, (codewords == bits).sum(axis=1))
