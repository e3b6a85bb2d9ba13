"""Spans are half-open ranges of code points."""

import pytest

from lexprint.text.span import Span, merged


def test_of_is_the_slice() -> None:
    """A span cuts the characters between its ends."""
    assert Span(1, 3).of("abcd") == "bc"


def test_length_counts_characters() -> None:
    """An empty span has length 0 and is still a place."""
    assert len(Span(2, 5)) == 3
    assert len(Span(2, 2)) == 0
    assert bool(Span(2, 2))


def test_order_is_by_start_then_end() -> None:
    """Sorting spans sorts them as they stand in the text."""
    assert sorted([Span(3, 4), Span(1, 9), Span(1, 2)]) == [Span(1, 2), Span(1, 9), Span(3, 4)]


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (3, 2)])
def test_impossible_spans_are_refused(start: int, end: int) -> None:
    """A span neither begins before the text nor ends before it begins."""
    with pytest.raises(ValueError, match="no span"):
        Span(start, end)


def test_overlap_needs_a_shared_character() -> None:
    """Neighbours do not overlap."""
    assert Span(0, 3).overlaps(Span(2, 5))
    assert not Span(0, 3).overlaps(Span(3, 5))


def test_contains_and_shifted() -> None:
    """A span contains itself; shifting keeps its length."""
    assert Span(2, 6).contains(Span(2, 6))
    assert not Span(2, 6).contains(Span(1, 3))
    assert Span(2, 6).shifted(3) == Span(5, 9)


def test_merged_spans_cover_the_same_characters() -> None:
    """In order and apart from each other; what overlaps or touches is one, and an empty one is nothing."""
    assert merged([Span(7, 9), Span(0, 3), Span(2, 5), Span(5, 6), Span(12, 12)]) == (Span(0, 6), Span(7, 9))
    assert merged([]) == ()
