"""Exponentials and logarithms of element-wise steps are as good as the library's, and sums of them exact."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from lexprint.models.arithmetic import exponential, log_softmax, logarithm

logits = st.lists(st.floats(-50, 50, width=32), min_size=1, max_size=20)


@given(st.floats(-55, 0))
def test_exponential(value: float) -> None:
    """As near to the true value as is needed anywhere."""
    assert float(exponential(np.array([value]))[0]) == pytest.approx(math.exp(value), rel=1e-9)


def test_far_below_zero_is_next_to_nothing() -> None:
    """However small, it is a number, and never above its neighbours."""
    found = exponential(np.array([-math.inf, -1e30, -60.0, -59.0]))
    assert np.all(np.diff(found) >= 0)
    assert 0 <= found[0] < 1e-25


@given(st.floats(1e-300, 1e300))
def test_logarithm(value: float) -> None:
    """The same for logarithms."""
    assert float(logarithm(np.array([value]))[0]) == pytest.approx(math.log(value), rel=1e-14, abs=1e-15)


@given(logits)
def test_log_softmax_is_a_distribution(values: list[float]) -> None:
    """Probabilities sum to one and keep the order of the logits."""
    row = log_softmax(np.array([values], np.float32))
    assert np.exp(row).sum() == pytest.approx(1, abs=1e-4)
    assert row[0, np.argmax(values)] == row.max()


@given(logits)
def test_order_does_not_matter(values: list[float]) -> None:
    """Whole numbers add up to the same in any order: to the last bit."""
    order = np.random.default_rng(len(values)).permutation(len(values))
    row = np.array([values], np.float32)
    assert np.array_equal(log_softmax(row)[:, order], log_softmax(row[:, order]))
