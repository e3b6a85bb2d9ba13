"""The test for a mark without a payload: exact, and one vote for each site."""

from datetime import UTC, datetime
from math import comb
from random import Random

import pytest

from lexprint.coding.keys import MasterKey
from lexprint.coding.presence import Tally, preferences, tally

KEY = MasterKey(b"k" * 32, created_at=datetime(2026, 1, 1, tzinfo=UTC))
PAIRS = [f"pair {number}".encode() for number in range(400)]


def test_preferences_never_change() -> None:
    """Published values: texts that were marked must stay detectable."""
    assert "".join(str(preferences(KEY)(pair)) for pair in PAIRS[:16]) == "1101101101100011"


def test_preferences_are_fair_and_differ_by_key() -> None:
    """Half of them are ones, and another key shares half of them."""
    other = preferences(MasterKey.generate())
    mine = [preferences(KEY)(pair) for pair in PAIRS]
    assert abs(sum(mine) - 200) < 60
    assert abs(sum(one == other(pair) for one, pair in zip(mine, PAIRS, strict=True)) - 200) < 60


def test_untouched_marks_are_certain() -> None:
    """Twenty sites that all agree have the p-value of twenty coins."""
    prefer = preferences(KEY)
    found = tally([(pair, prefer(pair)) for pair in PAIRS[:20]], prefer)
    assert (found.agreeing, found.votes) == (20, 20)
    assert found.p_value == pytest.approx(2.0**-20)


def test_the_p_value_is_that_of_the_binomial() -> None:
    """For sites of different pairs."""
    prefer = preferences(KEY)
    votes = [(pair, prefer(pair) ^ (number < 6)) for number, pair in enumerate(PAIRS[:20])]
    assert tally(votes, prefer).p_value == pytest.approx(sum(comb(20, k) for k in range(14, 21)) / 2**20)


def test_sites_of_one_pair_are_one_coin() -> None:
    """Ten sites of a pair weigh ten and prove no more than one coin does; a divided pair says nothing."""
    prefer = preferences(KEY)
    same = [(PAIRS[0], prefer(PAIRS[0]))] * 10
    assert tally(same, prefer) == Tally(10, 10, 0.5)
    assert tally([(PAIRS[1], 0), (PAIRS[1], 1)], prefer) == Tally(0, 0, 1.0)


def test_texts_without_a_mark_are_seldom_called_marked() -> None:
    """Whatever a text says and however often, over keys the p-value is below 5 % in at most 5 %."""
    random = Random(1)
    votes = [(random.choice(PAIRS[:40]), random.getrandbits(1)) for _ in range(60)]
    keys = (MasterKey(random.randbytes(32), created_at=datetime(2026, 1, 1, tzinfo=UTC)) for _ in range(600))
    alarms = sum(tally(votes, preferences(key)).p_value <= 0.05 for key in keys)
    assert alarms <= 600 * 0.05 + 4 * (600 * 0.05 * 0.95) ** 0.5
