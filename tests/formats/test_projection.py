"""Text that stands in pieces in a file."""

import pytest

from lexprint.formats.projection import ProjectionBuilder, whole_projection
from lexprint.text.editing import Edit, apply_edits
from lexprint.text.span import Span


def test_edits_land_where_the_piece_stands() -> None:
    """An edit of the text becomes one of the file, and indivisible pieces go as a whole."""
    raw = "<p>ros&eacute; now"
    builder = ProjectionBuilder()
    builder.add("ros", Span(3, 6))
    builder.add("é", Span(6, 14))
    builder.add(" now", Span(14, 18))
    projection = builder.build()
    edits = projection.raw_edits([Edit(Span(0, 4), "bar"), Edit(Span(5, 8), "then")], str)
    assert apply_edits(raw, edits) == "<p>bar then"


def test_a_split_word_goes_where_it_began() -> None:
    """Of a word in two places the second becomes empty."""
    builder = ProjectionBuilder()
    builder.add("un", Span(0, 2))
    builder.add("kind act", Span(5, 13))
    edits = builder.build().raw_edits([Edit(Span(0, 6), "cruel")], str)
    assert apply_edits("un---kind act", edits) == "cruel--- act"


@pytest.mark.parametrize("span", [Span(0, 0), Span(2, 5), Span(4, 7), Span(7, 12)])
def test_edits_outside_the_file_are_refused(span: Span) -> None:
    """Nothing, a break between paragraphs, protected text and what lies beyond the text cannot be edited."""
    builder = ProjectionBuilder()
    builder.add("one", Span(0, 3))
    builder.end_paragraph()
    builder.add_protected("tw", Span(10, 12))
    builder.add("o", Span(12, 13))
    projection = builder.build()
    assert projection.text == "one\n\ntwo"
    with pytest.raises(ValueError, match=r"edit|text at"):
        projection.raw_edits([Edit(span, "word")], str)


def test_overlapping_edits_are_refused() -> None:
    """Two edits of one character are a mistake of the caller."""
    with pytest.raises(ValueError, match="overlap"):
        whole_projection("one two").raw_edits([Edit(Span(0, 3), "x"), Edit(Span(2, 5), "y")], str)


def test_seams_protect_only_words_that_cross_them() -> None:
    """What is seen of a seam is the word it cuts, joiners included; words that end there are free."""
    builder = ProjectionBuilder()
    place = 0
    for part in ("a bold", " word, well", "-known, end", ". New", " ", "start"):
        builder.add(part, Span(place, place + len(part)))
        place += len(part) + 1
        builder.add_seam()
    projection = builder.build()
    assert [span.of(projection.text) for span in projection.protected] == ["well-known"]


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("see https://example.com/large?x=1 now", "https://example.com/large?x=1"),
        ("see www.large.example now", "www.large.example"),
        ("mail large@example.com now", "large@example.com"),
        ("(large@example.com) now", "(large@example.com)"),
        ("see x" + 99 * "y" + "://large now", "x" + 99 * "y" + "://large"),
    ],
)
def test_addresses_are_protected(text: str, address: str) -> None:
    """Web and mail addresses never change."""
    assert [span.of(text) for span in whole_projection(text).protected] == [address]
