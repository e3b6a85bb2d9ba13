"""Tails are exact, however far out, and corrected for the number of copies."""

from fractions import Fraction
from itertools import product
from math import comb, isclose, prod

import numpy as np
import pytest
from hypothesis import given, strategies as st

from lexprint.tracing.significance import (
    SMALLEST,
    binomial_tails,
    endured_share,
    family_wise_bound,
    family_wise_p_value,
    further_sites,
    largest_p_value,
    sites_needed,
    weighted_tails,
)


def exact_tail(least: int, sites: int, chance: Fraction) -> Fraction:
    terms = (comb(sites, k) * chance**k * (1 - chance) ** (sites - k) for k in range(least, sites + 1))
    return sum(terms, Fraction(0))


@pytest.mark.parametrize("sites", [0, 1, 2, 30, 257])
def test_binomial_tails_are_exact(sites: int) -> None:
    """Each is the fraction it stands for, rounded once."""
    ways = [sum(comb(sites, heads) for heads in range(least, sites + 1)) for least in range(sites + 1)]
    assert binomial_tails(sites).tolist() == [way / 2**sites for way in ways]


def test_no_chance_is_zero() -> None:
    """Where a float would underflow, the smallest one is stated."""
    tails = binomial_tails(2_000)
    assert tails[-1] == SMALLEST > 0
    assert weighted_tails(np.full(2_000, 2), np.full(2_000, 0.5))[-1] == SMALLEST
    assert np.all(np.diff(tails) <= 0)


def test_weighted_tails_are_those_of_every_outcome_counted() -> None:
    """Eighteen sites of different weights and chances, against all 262,144 outcomes."""
    draw = np.random.default_rng(3)
    weights, chances = draw.integers(0, 9, 18), draw.uniform(0.02, 0.98, 18)
    outcomes = np.array(list(product((0, 1), repeat=18)))
    probability = np.where(outcomes == 1, chances, 1 - chances).prod(axis=1)
    counted = np.bincount(outcomes @ weights, weights=probability)[::-1].cumsum()[::-1]
    assert np.allclose(weighted_tails(weights, chances), counted, rtol=1e-9, atol=0)


def test_equal_weights_are_a_binomial() -> None:
    """Down to a chance of 1e-120 the two ways to count agree to twelve digits."""
    tails = weighted_tails(np.ones(400, dtype=np.int64), np.full(400, 0.5))
    assert np.allclose(tails, binomial_tails(400), rtol=1e-12, atol=0)


def test_far_weighted_tails_are_right() -> None:
    """All of sixty uneven sites at once: the product of their chances."""
    draw = np.random.default_rng(4)
    weights, chances = draw.integers(1, 200, 60), draw.uniform(0.05, 0.95, 60)
    assert isclose(weighted_tails(weights, chances)[-1], prod(chances.tolist()), rel_tol=1e-12)


def test_weighted_tails_agree_with_a_simulation() -> None:
    """Within five standard deviations of 100,000 draws, where there is something to count."""
    draw = np.random.default_rng(5)
    weights, chances = draw.integers(1, 50, 80), draw.uniform(0.05, 0.95, 80)
    sums = (draw.random((100_000, 80)) < chances) @ weights
    tails = weighted_tails(weights, chances)
    for least in np.quantile(sums, [0.1, 0.5, 0.9, 0.99, 0.999]).astype(int):
        share = float(np.mean(sums >= least))
        assert abs(share - tails[least]) < 5 * np.sqrt(tails[least] / 100_000)


@given(st.integers(1, 60), st.integers(0, 60), st.integers(1, 10**6))
def test_family_wise_chance_is_that_of_any(readable: int, matches: int, recipients: int) -> None:
    """1 - (1 - p) ** n without its rounding; never below p, never above n p."""
    p_value = float(binomial_tails(readable)[min(matches, readable)])
    found = family_wise_p_value(p_value, recipients=recipients)
    assert p_value * (1 - 1e-12) <= found <= family_wise_bound(p_value, recipients=recipients) * (1 + 1e-12)
    if recipients <= 200:
        assert isclose(found, 1 - (1 - Fraction(p_value)) ** recipients, rel_tol=1e-9)


def test_tiny_chances_survive_the_correction() -> None:
    """A chance of 1e-30 for one is 1e-27 for a thousand, not zero; and the bound is its inverse."""
    assert isclose(family_wise_p_value(1e-30, recipients=1_000), 1e-27, rel_tol=1e-12)
    assert isclose(family_wise_p_value(largest_p_value(recipients=777, error_bound=1e-6), recipients=777), 1e-6)


@pytest.mark.parametrize(
    ("recipients", "wrong", "needed"),
    [(1_000, 0.0, 30), (1_000, 0.1, 84), (1_000, 0.25, 256), (10**6, 0.0, 40), (10**6, 0.1, 107), (10**6, 0.25, 327)],
)
def test_sites_needed(recipients: int, wrong: float, needed: int) -> None:
    """The published figures."""
    assert sites_needed(recipients, wrong=wrong) == needed


def test_sites_needed_is_the_least_that_do() -> None:
    """With as many the power is reached, with one fewer it is not: checked in fractions."""
    bound = Fraction(largest_p_value(recipients=5, error_bound=1e-2))

    def power(sites: int) -> Fraction:
        least = next(k for k in range(sites + 2) if exact_tail(k, sites, Fraction(1, 2)) <= bound)
        return exact_tail(least, sites, Fraction(4, 5))

    needed = sites_needed(5, wrong=0.2, error_bound=1e-2, power=0.95)
    assert power(needed) >= Fraction(95, 100)
    assert all(power(sites) < Fraction(95, 100) for sites in range(1, needed))


def test_what_cannot_be_needed_is_refused() -> None:
    """Half of the sites wrong is no evidence at all."""
    with pytest.raises(ValueError, match="one half"):
        sites_needed(10, wrong=0.5)
    with pytest.raises(ValueError, match="recipient"):
        sites_needed(0, wrong=0.1)


@pytest.mark.parametrize("sites", [40, 100, 400])
def test_the_share_that_may_read_wrong(sites: int) -> None:
    """Up to it the right copy passes as surely as was asked, and beyond it does not."""
    bound, power = 1e-8, 0.999
    weights, fair = np.ones(sites, dtype=np.int64), np.full(sites, 0.5)
    share = endured_share(weights, fair, bound=bound, power=power)
    tails = binomial_tails(sites)
    needed = next(matches for matches in range(sites + 1) if tails[matches] <= bound)
    passing = [exact_tail(needed, sites, 1 - Fraction(hundredths, 100)) for hundredths in range(51)]
    assert round(100 * share) == max(hundredths for hundredths, chance in enumerate(passing) if chance >= power)


def test_too_few_sites_endure_nothing() -> None:
    """Not even a perfect fit would pass."""
    assert endured_share(np.ones(10, dtype=np.int64), np.full(10, 0.5), bound=1e-6, power=0.999) == 0.0
    assert endured_share(np.zeros(0, dtype=np.int64), np.zeros(0), bound=1e-6, power=0.999) == 0.0


@pytest.mark.parametrize(("matches", "readable", "wrong"), [(15, 15, 0.05), (13, 15, 0.2), (0, 0, 0.0), (9, 10, 0.3)])
def test_further_sites_are_the_fewest_that_do(matches: int, readable: int, wrong: float) -> None:
    """With so many the copy passes as surely as was asked for, by exact sums; with one fewer it does not."""
    bound, power = 1e-8, 0.9
    weights, chances = np.full(readable, 3), np.full(readable, 0.5)
    found = further_sites(weights, chances, score=3 * matches, wrong=wrong, bound=bound, power=power)
    assert found is not None

    def passes(more: int) -> float:
        tails = binomial_tails(readable + more)
        enough = [count for count in range(more + 1) if tails[matches + count] <= bound]
        return sum(comb(more, count) * (1 - wrong) ** count * wrong ** (more - count) for count in enough)

    assert passes(found) >= power
    assert max(map(passes, range(found))) < power


def test_further_sites_that_settle_nothing() -> None:
    """Where half of them read wrong every copy fits alike, however many there are."""
    nothing = (np.full(4, 3), np.full(4, 0.5))
    assert further_sites(*nothing, score=6, wrong=0.5, bound=1e-8, power=0.9) is None
    assert further_sites(*nothing, score=6, wrong=0.49, bound=1e-8, power=0.9) is None
