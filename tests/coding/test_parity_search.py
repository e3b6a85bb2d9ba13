"""The best message is found, and how well it fits is told truly."""

from random import Random

import pytest
from hypothesis import given, strategies as st

from lexprint.coding.parity_search import EXACT_BITS, Fit, Parity, best_fit


def agreement(parities: list[Parity], message: int) -> int:
    return sum(parity.weight for parity in parities if (parity.row & message).bit_count() & 1 == parity.bit)


def noisy_parities(random: Random, message: int, *, bits: int, count: int, wrong: int) -> list[Parity]:
    """Parities of a message, the wrong ones among the half that weighs less."""
    parities = []
    for number in range(count):
        row = random.getrandbits(bits)
        bit = (row & message).bit_count() & 1 ^ (number < wrong)
        parities.append(Parity(row, bit, 1 if number < count / 2 else 2))
    random.shuffle(parities)
    return parities


@given(st.lists(st.builds(Parity, st.integers(0, 63), st.integers(0, 1), st.integers(1, 9)), max_size=40))
def test_short_messages_are_all_tried(parities: list[Parity]) -> None:
    """No message fits better than the one that is found, whatever parities weigh."""
    found = best_fit(parities, bits=6, good_enough=0)
    assert found is not None
    assert found.agreeing == agreement(parities, found.message)
    assert found.agreeing == max(agreement(parities, message) for message in range(64))


@pytest.mark.parametrize("bits", [21, 24, 56, 128])
@pytest.mark.parametrize("share", [0.0, 0.04])
def test_long_messages_are_solved(bits: int, share: float) -> None:
    """With a few errors among twice as many parities as bits."""
    random = Random(bits)
    message, count = random.getrandbits(bits), 2 * bits + 20
    wrong = round(count * share)
    parities = noisy_parities(random, message, bits=bits, count=count, wrong=wrong)
    right = agreement(parities, message)
    assert right == count + count // 2 - wrong
    assert best_fit(parities, bits=bits, good_enough=right) == Fit(message, right)


def test_many_errors_are_solved_where_there_are_many_parities() -> None:
    """A tenth of four hundred, for 40 bits."""
    random = Random(7)
    for _ in range(5):
        message = random.getrandbits(40)
        parities = noisy_parities(random, message, bits=40, count=400, wrong=40)
        assert best_fit(parities, bits=40, good_enough=480) == Fit(message, 560)


@pytest.mark.parametrize("bits", [8, 30])
def test_what_fits_badly_is_told_so(bits: int) -> None:
    """Nothing is found among too few parities, or parities that say the same."""
    random = Random(1)
    coins = [Parity(random.getrandbits(bits), random.getrandbits(1)) for _ in range(60)]
    found = best_fit(coins, bits=bits, good_enough=58)
    assert found is not None
    assert found.agreeing == agreement(coins, found.message) < 58
    assert best_fit(coins[:10], bits=bits, good_enough=11) is None
    assert best_fit([], bits=bits, good_enough=1) is None
    same = [Parity(5, 1)] * 60
    found = best_fit(same, bits=bits, good_enough=60)
    assert (found is None) == (bits > EXACT_BITS)  # the other bits of a long message are anyone's guess


def test_the_same_parities_give_the_same_answer() -> None:
    """The search draws random orders, always the same ones."""
    random = Random(3)
    coins = [Parity(random.getrandbits(30), random.getrandbits(1)) for _ in range(80)]
    found = best_fit(coins, bits=30, good_enough=50)
    assert found is not None
    assert found.agreeing == agreement(coins, found.message)
    assert best_fit(coins, bits=30, good_enough=50) == found
