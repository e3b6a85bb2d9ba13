"""How a sum of weights is distributed, if each is counted or not by a coin of its own.

The weights are whole, so this is the distribution itself and not an approximation on a grid; only positive numbers are
added, so the relative error stays near that of a single addition, however far out.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def distribution_of_sum(weights: Sequence[int], chances: Sequence[float]) -> NDArray[np.float64]:
    """Chance that the weights that are counted, each with its own chance, add up to 0, 1, ... all of them.

    >>> distribution_of_sum([1, 2], [0.5, 0.25]).tolist()
    [0.375, 0.375, 0.125, 0.125]
    """
    distribution = np.zeros(sum(weights) + 1)
    distribution[0], top = 1.0, 1
    for weight, chance in zip(weights, chances, strict=True):
        counted = distribution[:top] * chance
        distribution[:top] *= 1.0 - chance
        top += weight
        distribution[weight:top] += counted
    return distribution
