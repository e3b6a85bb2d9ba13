"""The distribution of a sum is that of all its outcomes, counted one by one."""

from itertools import product
from math import prod

import pytest
from hypothesis import given, strategies as st

from lexprint.coding.weighted_sums import distribution_of_sum

COINS = st.lists(st.tuples(st.integers(1, 5), st.floats(0, 1)), max_size=7)


@given(COINS)
def test_every_outcome_is_counted(coins: list[tuple[int, float]]) -> None:
    """Whatever the weights and chances, also none."""
    expected = [0.0] * (sum(weight for weight, _ in coins) + 1)
    for outcome in product((0, 1), repeat=len(coins)):
        total = sum(weight for (weight, _), is_counted in zip(coins, outcome, strict=True) if is_counted)
        expected[total] += prod(
            chance if is_counted else 1 - chance for (_, chance), is_counted in zip(coins, outcome, strict=True)
        )
    found = distribution_of_sum([weight for weight, _ in coins], [chance for _, chance in coins])
    assert found.tolist() == pytest.approx(expected)
