"""Pairs of words."""

import pytest

from lexprint.text.pairs import Pair


def test_a_pair_is_the_same_from_either_member() -> None:
    """Sorting makes the pair, so both sides number its words alike."""
    assert Pair.of("large", "big") == Pair.of("big", "large") == Pair("big", "large")


def test_bit_and_word_are_inverse() -> None:
    """The first word says 0, the second 1."""
    pair = Pair("big", "large")
    assert [pair.word(bit) for bit in (0, 1)] == list(pair)
    assert [pair.bit(word) for word in pair] == [0, 1]
    assert [pair.other(word) for word in pair] == ["large", "big"]


@pytest.mark.parametrize("words", [("large", "big"), ("big", "big")])
def test_a_pair_out_of_order_is_refused(words: tuple[str, str]) -> None:
    """Neither order nor difference can be left to the caller."""
    with pytest.raises(ValueError, match="in order"):
        Pair(*words)
