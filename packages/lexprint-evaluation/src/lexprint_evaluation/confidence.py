"""How sure a mean over sentences or ratings is, by the bootstrap, seeded; and how sure a share is, by Wilson's interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np

RESAMPLES = 2_000
COVERAGE = 0.95


@dataclass(frozen=True)
class Figure:
    """What one sentence contributes: a mean is the sum of amounts over the sum of weights."""

    amount: float
    weight: float = 1.0


@dataclass(frozen=True)
class Interval:
    """A mean, and where it lies in 95 of 100 samples of the same size."""

    mean: float
    low: float
    high: float


def interval(figures: Sequence[Figure], *, seed: int) -> Interval | None:
    """Percentiles of the mean over samples drawn with replacement; None where nothing has weight.

    >>> interval([Figure(0.5)] * 10, seed=1)
    Interval(mean=0.5, low=0.5, high=0.5)
    """
    amounts = np.array([figure.amount for figure in figures])
    weights = np.array([figure.weight for figure in figures])
    if not weights.sum():
        return None
    generator = np.random.default_rng(seed)
    drawn = generator.integers(len(figures), size=(RESAMPLES, len(figures)))
    totals = weights[drawn].sum(axis=1)
    means = amounts[drawn].sum(axis=1)[totals > 0] / totals[totals > 0]
    low, high = np.quantile(means, ((1 - COVERAGE) / 2, (1 + COVERAGE) / 2))
    return Interval(float(amounts.sum() / weights.sum()), float(low), float(high))


def wilson_interval(part: int, whole: int) -> Interval | None:
    """Of a share; holds for small numbers, and for none and all too. None of nothing.

    >>> interval = wilson_interval(0, 10)
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.0, 0.278)
    """
    if not whole:
        return None
    deviations = NormalDist().inv_cdf((1 + COVERAGE) / 2)
    share, spread = part / whole, deviations**2 / whole
    middle = (share + spread / 2) / (1 + spread)
    reach = deviations / (1 + spread) * sqrt(share * (1 - share) / whole + spread / whole / 4)
    return Interval(share, max(0.0, middle - reach), min(1.0, middle + reach))
