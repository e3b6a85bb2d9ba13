"""How well each copy fits the leak: matches, or matches weighted by how much each tells.

Sums are of whole weights, so that their distribution among innocent copies can be written down exactly.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexprint.registry.records import Codewords

_CELLS_AT_ONCE = 2**24  # symbols compared at a time; keeps a hundred thousand copies out of memory
_EXACT_IN_SINGLE = 2**24  # whole numbers below it are exact in single precision


def weighted_matches(
    codewords: Codewords, favoured: NDArray[np.uint8], weights: NDArray[np.int64]
) -> NDArray[np.int64]:
    """For each copy, the sum of the weights of those sites where it has the favoured symbol: (copies,)."""
    copies, sites = codewords.shape
    exact: np.dtype[np.floating[Any]] = np.dtype("f4" if int(weights.sum()) < _EXACT_IN_SINGLE else "f8")
    counted = weights.astype(exact)
    sums = np.empty(copies, dtype=np.int64)
    step = max(1, _CELLS_AT_ONCE // max(sites, 1))
    for start in range(0, copies, step):
        agrees = codewords[start : start + step] == favoured
        sums[start : start + step] = (agrees.astype(exact) @ counted).astype(np.int64)
    return sums


def matches(codewords: Codewords, symbols: NDArray[np.uint8]) -> NDArray[np.int64]:
    """For each copy, the number of sites where it says what the leak shows."""
    return weighted_matches(codewords, symbols, np.ones(len(symbols), dtype=np.int64))
