"""Codewords: keyed, fixed for ever, and distributed as tracing believes."""

from hashlib import sha256
from time import perf_counter

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.tracing.masters import salts

from lexprint.coding.codewords import CUTOFF, RESOLUTION, biases, codewords

SECRET = b"a secret of thirty-two bytes, no"


def spelled(rows: NDArray[np.uint8]) -> list[str]:
    return ["".join(map(str, row)) for row in rows.tolist()]


def test_biases_never_change() -> None:
    """Published values: another draw would make later copies of a document unlike the earlier ones."""
    drawn = biases(SECRET, sites=12, code="tardos") * RESOLUTION
    assert drawn.tolist() == [12060, 51362, 29245, 19897, 12983, 23688, 20640, 48165, 24437, 33209, 29604, 8047]


def test_codewords_never_change() -> None:
    """Published values, for both codes and a whole matrix."""
    tardos = biases(SECRET, sites=12, code="tardos")
    independent = biases(SECRET, sites=12, code="independent")
    assert spelled(codewords(SECRET, salts([1, 2, 417]), tardos)) == ["011101011000", "010001010100", "010000000100"]
    assert spelled(codewords(SECRET, salts([1, 2, 417]), independent)) == [
        "101111011001",
        "100001010100",
        "010000100101",
    ]
    whole = codewords(SECRET, salts(range(1_000)), biases(SECRET, sites=100, code="tardos"))
    assert sha256(whole.tobytes()).hexdigest() == "078d2ee2bfcc15941c3369d6a852321e7ec2a41069aeff770f0e7da31e90a6f5"


def test_copies_can_be_added_later() -> None:
    """A copy's codeword is the same alone, with others, in any order and across blocks of work."""
    chances = biases(SECRET, sites=40, code="tardos")
    together = codewords(SECRET, salts(range(5_000)), chances)
    for number in (0, 1, 4_095, 4_096, 4_999):
        assert np.array_equal(codewords(SECRET, salts([number]), chances)[0], together[number])
    assert np.array_equal(codewords(SECRET, salts([7, 3]), chances), together[[7, 3]])


def test_secrets_give_unrelated_codewords() -> None:
    """Half of the bits differ between two secrets, and between two copies."""
    fair = biases(SECRET, sites=20_000, code="independent")
    one, two = codewords(SECRET, salts([1, 2]), fair)
    other = codewords(SECRET + b"x", salts([1]), fair)[0]
    for row in (two, other):
        assert abs(float(np.mean(one != row)) - 0.5) < 0.02  # five standard deviations


def test_bits_follow_their_biases() -> None:
    """The share of ones at each site is its bias, within five standard deviations."""
    chances = biases(SECRET, sites=60, code="tardos")
    share = codewords(SECRET, salts(range(20_000)), chances).mean(axis=0)
    assert np.all(np.abs(share - chances) < 5 * np.sqrt(chances * (1 - chances) / 20_000))


def test_tardos_biases_follow_the_arcsine_density() -> None:
    """Their angles are uniform between the cutoffs, symmetric, and in exact steps."""
    drawn = biases(SECRET, sites=50_000, code="tardos")
    assert drawn.min() >= CUTOFF - 1 / RESOLUTION
    assert drawn.max() <= 1 - CUTOFF + 1 / RESOLUTION
    assert np.array_equal(drawn * RESOLUTION, np.rint(drawn * RESOLUTION))
    least = np.arcsin(np.sqrt(CUTOFF))
    places = np.sort((np.arcsin(np.sqrt(drawn)) - least) / (np.pi / 2 - 2 * least))
    distance = np.max(np.abs(places - (np.arange(50_000) + 0.5) / 50_000))
    assert distance < 1.95 / np.sqrt(50_000)  # Kolmogorov-Smirnov at 0.1 %


def test_biases_that_would_be_rounded_are_refused() -> None:
    """Statistics are exact only if the bits have exactly the probabilities that are stored."""
    for bad in (0.3, -0.5, 1.5, float("nan")):
        with pytest.raises(ValueError, match="steps of"):
            codewords(SECRET, salts([1]), np.array([bad]))


def test_an_empty_secret_is_refused() -> None:
    """Without a secret anyone could compute the codewords."""
    with pytest.raises(ValueError, match="secret"):
        codewords(b"", salts([1]), np.array([0.5]))


def test_ten_thousand_codewords_take_no_time() -> None:
    """10,000 copies of 200 sites in under a second."""
    start = perf_counter()
    codewords(SECRET, salts(range(10_000)), biases(SECRET, sites=200, code="tardos"))
    assert perf_counter() - start < 1.0


def test_further_symbols_are_each_half_as_probable() -> None:
    """0 half of the time; the last as often as the one before; and sites of two words as if there were no others."""
    fair = biases(SECRET, sites=30, code="independent")
    choices = [2, 3, 4] * 10
    drawn = codewords(SECRET, salts(range(20_000)), fair, choices=choices)
    expected = {2: [0.5, 0.5], 3: [0.5, 0.25, 0.25], 4: [0.5, 0.25, 0.125, 0.125]}
    for site, words in enumerate(choices):
        shares = np.bincount(drawn[:, site], minlength=words) / 20_000
        assert np.all(np.abs(shares - expected[words]) < 5 * np.sqrt(0.25 / 20_000))
    assert np.array_equal(drawn > 0, codewords(SECRET, salts(range(20_000)), fair) > 0)
    assert spelled(codewords(SECRET, salts([1, 2, 417]), fair[:12], choices=choices[:12])) == [
        "101111013002",
        "100003020100",
        "020000100101",
    ]
