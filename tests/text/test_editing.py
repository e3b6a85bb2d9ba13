"""Edits change what they name and nothing else."""

import pytest

from lexprint.text.editing import Edit, OffsetMap, apply_edits, inverse_edits
from lexprint.text.span import Span

TEXT = "a  large\r\nhouse"
EDITS = [Edit(Span(10, 15), "home"), Edit(Span(3, 8), "big")]


def test_everything_else_stays() -> None:
    """Double spaces and line endings survive, in whatever order edits come."""
    assert apply_edits(TEXT, EDITS) == "a  big\r\nhome"


def test_no_edits_give_the_text_itself() -> None:
    """Nothing to do is done."""
    assert apply_edits(TEXT, []) == TEXT


def test_insertions_and_deletions() -> None:
    """An empty span inserts, an empty replacement deletes."""
    assert apply_edits("abc", [Edit(Span(0, 0), ">"), Edit(Span(1, 2), ""), Edit(Span(3, 3), "<")]) == ">ac<"


def test_overlapping_edits_are_refused() -> None:
    """Two edits of one character would depend on their order."""
    with pytest.raises(ValueError, match="overlap"):
        apply_edits(TEXT, [Edit(Span(0, 4), ""), Edit(Span(3, 5), "")])


def test_edits_past_the_end_are_refused() -> None:
    """An edit made for another text is not silently cut."""
    with pytest.raises(ValueError, match="text at 3"):
        apply_edits("abc", [Edit(Span(2, 5), "")])


def test_inverse_edits_lead_back() -> None:
    """What was done can be undone."""
    assert apply_edits(apply_edits(TEXT, EDITS), inverse_edits(TEXT, EDITS)) == TEXT


def test_offsets_follow_their_characters() -> None:
    """A character that was not edited is found at its new offset."""
    offsets = OffsetMap(EDITS)
    assert [offsets.new_offset(old) for old in (0, 2, 8, 15)] == [0, 2, 6, 12]


def test_spans_follow_their_words() -> None:
    """The span of an edited word is the span of its replacement, and a phrase keeps both its ends."""
    offsets = OffsetMap(EDITS)
    edited = apply_edits(TEXT, EDITS)
    assert offsets.new_span(Span(3, 8)).of(edited) == "big"
    assert offsets.new_span(Span(3, 15)).of(edited) == "big\r\nhome"
    assert offsets.new_span(Span(8, 8)) == Span(6, 6)
