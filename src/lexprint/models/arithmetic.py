"""Logarithms and exponentials that have the same bits on every machine, which numpy's own do not.

numpy adds, multiplies, divides and rounds element by element as IEEE 754 says, and adds up whole numbers exactly; its `exp` and
`log`, and its sums of floats, depend on the processor.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lexprint.models.protocols import Floats

Doubles = NDArray[np.float64]

LOG2_E: Final = 1.4426950408889634
# log(2) in two parts; the first has so few digits that its small multiples are exact.
LOG_2_HIGH: Final = 0.693147180369123816490
LOG_2_LOW: Final = 1.90821492927058770002e-10
LOWEST: Final = -60.0  # exp of less is nothing on the grid of a sum
GRID: Final = float(2**40)
# The series of exp; up to log(2) / 2 its relative error is below 1e-10.
EXP_COEFFICIENTS: Final = tuple(1.0 / math.factorial(power) for power in range(9, -1, -1))
LOG_TERMS: Final = 11
SQRT_HALF: Final = 0.7071067811865476
POWERS_OF_2: Final = np.array([2.0**exponent for exponent in range(int(LOWEST * LOG2_E) - 1, 1)])


def exponential(values: NDArray[np.floating]) -> Doubles:
    """exp of numbers that are not above zero, element by element.

    >>> exponential(np.array([0.0, -1.0]))
    array([1.        , 0.36787944])
    """
    numbers: Doubles = np.maximum(values.astype(np.float64), LOWEST)
    exponents = np.rint(numbers * LOG2_E)
    rest = numbers - exponents * LOG_2_HIGH
    rest -= exponents * LOG_2_LOW
    series = np.full_like(rest, EXP_COEFFICIENTS[0])
    for coefficient in EXP_COEFFICIENTS[1:]:
        series *= rest
        series += coefficient
    series *= POWERS_OF_2[exponents.astype(np.int64) - 1]  # counted from the end
    return series


def logarithm(values: Doubles) -> Doubles:
    """log of positive numbers, element by element.

    >>> logarithm(np.array([1.0, 10.0]))
    array([0.        , 2.30258509])
    """
    mantissas, exponents = np.frexp(values)  # [1/2, 1)
    small = mantissas < SQRT_HALF
    mantissas, exponents = np.where(small, mantissas * 2, mantissas), exponents - small
    share = (mantissas - 1) / (mantissas + 1)
    square = share * share
    series = np.full_like(share, 1.0 / (2 * LOG_TERMS + 1))
    for term in range(LOG_TERMS - 1, -1, -1):
        series = series * square + 1.0 / (2 * term + 1)
    found: Doubles = exponents * LOG_2_HIGH + (exponents * LOG_2_LOW + 2 * share * series)
    return found


def log_softmax(logits: Floats) -> Floats:
    """Row by row, so that a row's answer does not depend on the others: (rows, classes)."""
    return np.stack([_log_softmax(row) for row in logits])  # one row fits into a cache, all of them do not


def _log_softmax(row: Floats) -> Floats:
    shifted = (row - row.max()).astype(np.float64)
    whole = np.rint(exponential(shifted) * GRID).astype(np.int64)
    return np.asarray(shifted - logarithm(whole.sum() / np.array([GRID])), dtype=np.float32)
