"""Pairs and results."""

import pytest

from lexprint.text.span import Span
from lexprint.watermark.sites import Pair, Reading, Site


def site(word: str, *, clearance: float = 0.01) -> Site:
    return Site(0, 3, Span(10, 15), word, word, Pair("big", "large"), 0.97, clearance)


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


def test_a_reading_gives_the_bits_of_its_sites() -> None:
    """One for each site, in order."""
    reading = Reading((site("large"), site("big")), "fingerprint")
    assert reading.bits == (1, 0)
