"""Intervals of means."""

from __future__ import annotations

from random import Random

import pytest

from lexprint_evaluation.confidence import Figure, interval


def test_a_mean_is_weighted() -> None:
    """A sentence of nine words counts as much as nine of one."""
    found = interval([Figure(1.0, 1.0), Figure(0.0, 9.0)], seed=1)
    assert found is not None
    assert found.mean == pytest.approx(0.1)
    assert (found.low, found.high) == (0.0, 1.0)


def test_same_seed_same_interval() -> None:
    """The bootstrap is drawn by the seed."""
    figures = [Figure(Random(index).random()) for index in range(40)]
    assert interval(figures, seed=3) == interval(figures, seed=3)
    assert interval(figures, seed=3) != interval(figures, seed=4)


def test_the_interval_holds_the_true_mean_about_95_times_of_100() -> None:
    """Sixty draws from a coin, two hundred times."""
    chooser = Random(5)
    held = 0
    for trial in range(200):
        found = interval([Figure(float(chooser.random() < 0.5)) for _ in range(60)], seed=trial)
        assert found is not None
        held += found.low <= 0.5 <= found.high
    assert 178 <= held <= 199


def test_nothing_to_take_the_mean_of() -> None:
    """No figure, or none with weight, is no mean."""
    assert interval([], seed=1) is None
    assert interval([Figure(0.0, 0.0)], seed=1) is None
