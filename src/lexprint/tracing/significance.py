"""How surprising it would be if an innocent copy fitted the leak as well: exact p-values, corrected for the number of copies.

No normal approximation: accusations live at chances of a billionth, where it is wrong by orders of magnitude. Chances
too small for a float are stated as the smallest one, so nothing is ever called impossible.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cache
from math import ceil, expm1, log, log1p, log2
from sys import float_info

import numpy as np
from numpy.typing import NDArray

from lexprint.coding.weighted_sums import distribution_of_sum

SMALLEST = float_info.min
MOST_FURTHER = 400  # sites that are looked for before giving up


def binomial_tails(readable: int) -> NDArray[np.float64]:
    """Chance of at least 0, 1, ... `readable` heads from as many fair coins; whole numbers, rounded once."""
    tails = np.empty(readable + 1)
    ways, total, all_ways = 1, 0, 2**readable
    for heads in range(readable, -1, -1):
        total += ways
        tails[heads] = max(total / all_ways, SMALLEST)
        ways = ways * heads // (readable - heads + 1)  # comb(readable, heads - 1)
    return tails


def weighted_tails(weights: NDArray[np.int64], chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Chance that a sum of independent weights, each counted with its own chance, is at least 0, 1, ... all of them."""
    distribution = distribution_of_sum(weights.tolist(), chances.tolist())
    return np.clip(np.cumsum(distribution[::-1])[::-1], SMALLEST, 1.0)


def family_wise_p_value(p_value: float, *, recipients: int) -> float:
    """Chance that some innocent copy fits this well, given how many were compared.

    The best of a thousand innocents looks guilty more often than any one of them, hence the correction (Sidak;
    codewords are drawn independently).
    """
    if p_value >= 1.0:
        return 1.0
    return -expm1(recipients * log1p(-p_value))  # 1 - (1 - p) ** n would round tiny chances to zero


def family_wise_bound(p_value: float, *, recipients: int) -> float:
    """The same where tests of different copies are not independent: no more than the sum of their chances."""
    return min(recipients * p_value, 1.0)


def largest_p_value(*, recipients: int, error_bound: float) -> float:
    """What a single copy's chance may be so that the family-wise one stays within the bound."""
    return -expm1(log1p(-error_bound) / recipients)


def sites_needed(recipients: int, *, wrong: float, error_bound: float = 1e-6, power: float = 0.99) -> int:
    """Readable sites with which the right copy is accused as surely as `power`, if this share of them reads wrong.

    Exact, for codewords of fair coins.
    """
    if not 0.0 <= wrong < 0.5:
        raise ValueError(f"{wrong} of the sites wrong; needed: a share below one half, else every copy fits alike")
    if recipients < 1 or not 0.0 < error_bound < 1.0 or not 0.0 < power < 1.0:
        raise ValueError("needed: at least one recipient, an error bound and a power between 0 and 1")
    bound = largest_p_value(recipients=recipients, error_bound=error_bound)
    matches = sites = ceil(-log2(bound))  # with fewer, not even a perfect fit would do
    while True:
        while _binomial_tail(matches, sites, chance=0.5) > bound:
            matches += 1
        if matches <= sites and _binomial_tail(matches, sites, chance=1.0 - wrong) >= power:
            return sites
        sites += 1


def endured_share(weights: NDArray[np.int64], chances: NDArray[np.float64], *, bound: float, power: float) -> float:
    """The largest share of sites, in hundredths, that may read wrong while the right copy still passes that surely.

    It passes if the weights of the sites where it fits add up to what an innocent copy, which fits with these chances,
    reaches no more often than `bound`. 0 if it may not even pass with all of them right.
    """
    enough = np.flatnonzero(weighted_tails(weights, chances) <= bound)
    if not len(enough):
        return 0.0

    def passes(hundredths: int) -> bool:
        right = weighted_tails(weights, np.full(len(weights), 1.0 - hundredths / 100))
        return bool(right[enough[0]] >= power)

    return max(bisect_left(range(51), 1, key=lambda hundredths: 1 - passes(hundredths)) - 1, 0) / 100


def further_sites(
    weights: NDArray[np.int64], chances: NDArray[np.float64], *, score: int, wrong: float, bound: float, power: float
) -> int | None:
    """The fewest further sites with which a copy passes as surely as `power`, if this share of them reads wrong.

    So far it scores so much of the weights, which an innocent one gets with these chances; further sites are fair coins of the
    least weight. Exact. None: more than `MOST_FURTHER`, or half of them are wrong and every copy fits alike.
    """
    if wrong >= 0.5:
        return None
    weight = int(min(weights, default=1))
    for more in range(1, MOST_FURTHER + 1):
        tails = weighted_tails(np.append(weights, [weight] * more), np.append(chances, [0.5] * more))
        enough = np.flatnonzero(tails <= bound)
        missing = max(ceil((int(enough[0]) - score) / weight), 0) if len(enough) else more + 1
        if missing <= more and _binomial_tail(missing, more, chance=1.0 - wrong) >= power:
            return more
    return None


def _binomial_tail(least: int, sites: int, *, chance: float) -> float:
    """Chance of at least `least` of `sites`, summed from the logarithms of its terms."""
    if chance == 1.0 or least > sites:
        return float(least <= sites)
    counts = np.arange(least, sites + 1)
    ways = _log_factorial(sites)[sites] - _log_factorial(sites)[counts] - _log_factorial(sites)[sites - counts]
    return float(np.exp(ways + counts * log(chance) + (sites - counts) * log1p(-chance)).sum())


def _log_factorial(largest: int) -> NDArray[np.float64]:
    """Logarithms of 0!, 1!, ... at least up to `largest`!"""
    return _log_factorials(1 << largest.bit_length())


@cache
def _log_factorials(largest: int) -> NDArray[np.float64]:
    return np.cumsum(np.log(np.maximum(np.arange(largest + 1), 1)))
