"""Colluders are caught, singly or jointly, and the chance of accusing an innocent is what is stated."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest
from scipy.stats import kstest
from tests.tracing.masters import SECRET, mixed, salts

from lexprint.coding.codewords import biases, codewords
from lexprint.tracing import collusion
from lexprint.tracing.collusion import p_values, p_values_alone
from lexprint.tracing.verdict import Shown

RECIPIENTS = 1_000
BOUND = 1e-6


def leaked(
    colluders: int, sites: int, strategy: str, *, seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[int]]:
    """Codewords, what colluders made of theirs, the biases, and who they are."""
    secret, draw = SECRET + seed.to_bytes(4, "big"), random.Random(seed)
    chances = biases(secret, sites=sites, code="tardos")
    issued = codewords(secret, salts(range(RECIPIENTS)), chances)
    guilty = draw.sample(range(RECIPIENTS), colluders)
    return issued, mixed(issued[guilty], strategy, draw), chances, guilty


def accused(issued: np.ndarray, shown: np.ndarray, chances: np.ndarray) -> set[int]:
    return set(np.flatnonzero(p_values(issued, shown, chances, error_bound=BOUND) * len(issued) <= BOUND).tolist())


def test_tails_alone_are_exact() -> None:
    """The chance of a p-value at most p is p itself: counted over all 4,096 codewords of twelve sites."""
    draw = np.random.default_rng(1)
    chances = biases(SECRET, sites=12, code="tardos")
    every = np.array(list(product((0, 1), repeat=12)), dtype=np.uint8)
    probability = np.where(every == 1, chances, 1 - chances).prod(axis=1)
    for _ in range(3):
        found = p_values_alone(every, draw.integers(0, 2, 12, dtype=np.uint8), chances)
        order = np.argsort(found)
        reached = np.cumsum(probability[order])[
            np.searchsorted(found[order], found[order] * (1 + 1e-9), side="right") - 1
        ]
        assert np.allclose(reached, found[order], rtol=1e-9, atol=0)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("code", ["tardos", "coins"])
def test_p_values_in_company_are_not_too_small(seed: int, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over all codewords of an innocent among five, two of whom mixed theirs: the chance of p or less is at most p.

    With few companies, and most of the bound for them, so that they matter with eight sites.
    """
    monkeypatch.setattr(collusion, "COMPANIES", 1)
    monkeypatch.setattr(collusion, "SHARES", (0.2, 0.5, 0.3))
    draw = np.random.default_rng(seed)
    chances = biases(SECRET + bytes([seed]), sites=8, code="tardos")
    if code == "coins":
        chances = np.ldexp(1.0, -draw.integers(1, 4, 8))  # one to three of them decide
    others = (draw.random((4, 8)) < chances).astype(np.uint8)
    shown = mixed(others[:2], "random", random.Random(seed))
    every = np.array(list(product((0, 1), repeat=8)), dtype=np.uint8)
    found = np.array([p_values(np.vstack([others, row]), shown, chances, error_bound=0.9)[-1] for row in every])
    order = np.argsort(found)
    reached = np.cumsum(np.where(every == 1, chances, 1 - chances).prod(axis=1)[order])
    last_of_ties = np.append(np.diff(found[order]) > 0, True)
    assert np.all(reached[last_of_ties] <= found[order][last_of_ties] * (1 + 1e-9))
    assert np.sum(found < p_values_alone(every, shown, chances) / 0.2 * (1 - 1e-9)) > 20  # company did matter


def test_p_values_of_never_issued_codewords_are_uniform() -> None:
    """Kolmogorov and Smirnov find nothing in 10,000; with 300 uneven sites no two sums coincide by much."""
    issued, shown, chances, _ = leaked(3, 300, "minority", seed=11)
    never = codewords(SECRET + b"never", salts(range(10_000)), chances)
    assert kstest(p_values_alone(never, shown, chances), "uniform").pvalue > 0.001
    assert len(issued) == RECIPIENTS


@pytest.mark.parametrize("strategy", ["majority", "minority", "random"])
def test_ten_thousand_innocents_are_not_accused(strategy: str) -> None:
    """Fingerprints that were never issued, compared with a leak of three others' copies."""
    _, shown, chances, _ = leaked(3, 400, strategy, seed=12)
    never = codewords(SECRET + b"never", salts(range(10_000)), chances)
    assert accused(never, shown, chances) == set()


@pytest.mark.parametrize("strategy", ["majority", "minority", "random"])
@pytest.mark.parametrize("colluders", [1, 2, 3])
def test_colluders_are_caught(colluders: int, strategy: str) -> None:
    """With 400 sites at least one of them is, and nobody else."""
    for seed in range(2):
        issued, shown, chances, guilty = leaked(colluders, 400, strategy, seed=seed)
        found = accused(issued, shown, chances)
        assert found
        assert found <= set(guilty)


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["majority", "minority", "random"])
@pytest.mark.parametrize("colluders", [2, 3])
def test_colluders_are_caught_nearly_always(colluders: int, strategy: str) -> None:
    """In 60 trials with 400 sites: at least one in 95 %, never an innocent."""
    caught = 0
    for seed in range(100, 160):
        issued, shown, chances, guilty = leaked(colluders, 400, strategy, seed=seed)
        found = accused(issued, shown, chances)
        assert found <= set(guilty)
        caught += bool(found)
    assert caught >= 57


def test_the_rarer_word_hides_a_copy_only_from_tests_alone() -> None:
    """Three who always take the minority's word: company finds what the test alone misses."""
    issued, shown, chances, guilty = leaked(3, 400, "minority", seed=0)
    alone = p_values_alone(issued, shown, chances)
    assert min(alone[guilty]) * RECIPIENTS > BOUND
    assert accused(issued, shown, chances)


def test_a_leak_that_one_copy_explains_needs_no_company(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which saves most traces most of their time; mixed leaks are tested."""
    asked: list[object] = []

    def noted(*given: object, others: int, told: object) -> list[object]:
        asked.append(others)
        return []

    monkeypatch.setattr(collusion, "_in_company", noted)
    issued, shown, chances, guilty = leaked(1, 400, "random", seed=5)
    assert accused(issued, shown, chances) == set(guilty)
    assert not asked
    issued, shown, chances, guilty = leaked(2, 400, "random", seed=5)
    assert accused(issued, shown, chances)
    assert asked


def test_order_of_copies_does_not_matter() -> None:
    """Each copy has the same chance wherever it stands in the list."""
    issued, shown, chances, _ = leaked(2, 150, "random", seed=4)
    order = np.random.default_rng(1).permutation(RECIPIENTS)
    found = p_values(issued, shown, chances, error_bound=BOUND)
    assert np.allclose(p_values(issued[order], shown, chances, error_bound=BOUND), found[order], rtol=1e-12, atol=0)


@pytest.mark.parametrize(("copies", "sites"), [(0, 5), (1, 5), (2, 5), (3, 0), (1, 0)])
def test_few_copies_and_no_sites_are_no_trouble(copies: int, sites: int) -> None:
    """Nothing to compare is no evidence."""
    chances = biases(SECRET, sites=sites, code="tardos")
    issued = codewords(SECRET, salts(range(copies)), chances)
    found = p_values(issued, np.zeros(sites, dtype=np.uint8), chances, error_bound=BOUND)
    assert found.shape == (copies,)
    assert np.all((found > 1e-5) & (found <= 1.0))


def test_thousands_of_sites_are_thinned_not_refused() -> None:
    """A book has more sites than a tail has time for; the most telling are used."""
    chances = biases(SECRET, sites=6_000, code="tardos")
    issued = codewords(SECRET, salts(range(20)), chances)
    found = p_values(issued, issued[3], chances, error_bound=BOUND)
    assert found[3] < 1e-300
    assert np.sort(found)[1] > 1e-4


def test_what_could_name_nobody_could_not_in_company_either() -> None:
    """Of three who always write the rarer word, one is told by not having it: no copy is below what is said to be least.

    Texts that could name nobody take no turn of the bound, so whatever may name somebody must not look like one.
    """
    sites = 60
    common = np.full(sites, 0.9)
    company = np.arange(sites) % 2
    issued = np.array([company, 1 - company, np.zeros(sites)], dtype=np.uint8)
    leak = np.ones(sites, dtype=np.uint8)  # a 1 is there if one of the three has it, or all
    shown = Shown(np.arange(sites), leak, common, (2,) * sites, (False,) * sites, "tardos")
    found = p_values(issued, leak, common, error_bound=BOUND)
    assert found.min() * len(issued) < BOUND
    assert found.min() >= shown.least_p_value
