"""How well each copy fits the leak: matches, or matches weighted by how much each tells.

Sums are of whole weights, so that their distribution among innocent copies can be written down exactly.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexprint.tracing.records import Codewords

_CELLS_AT_ONCE = 2**24  # bits turned into numbers at a time; keeps a hundred thousand copies out of memory
_EXACT_IN_SINGLE = 2**24  # whole numbers below it are exact in single precision


def weighted_matches(
    codewords: Codewords, favoured: NDArray[np.uint8], weights: NDArray[np.int64]
) -> NDArray[np.int64]:
    """For each copy, the sum of the weights of those sites where it has the favoured bit: (copies,)."""
    copies, sites = codewords.shape
    exact: np.dtype[np.floating[Any]] = np.dtype("f4" if int(weights.sum()) < _EXACT_IN_SINGLE else "f8")
    signed = np.where(favoured == 1, weights, -weights).astype(exact)  # (sites,)
    offset = int(weights[favoured == 0].sum())
    sums = np.empty(copies, dtype=np.int64)
    step = max(1, _CELLS_AT_ONCE // max(sites, 1))
    for start in range(0, copies, step):
        sums[start : start + step] = (codewords[start : start + step].astype(exact) @ signed).astype(np.int64)
    return sums + offset


def matches(codewords: Codewords, bits: NDArray[np.uint8]) -> NDArray[np.int64]:
    """For each copy, the number of sites where it says what the leak shows."""
    return weighted_matches(codewords, bits, np.ones(len(bits), dtype=np.int64))
