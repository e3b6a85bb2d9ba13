"""Plain text files."""

import pytest
from hypothesis import given, strategies as st
from tests.formats.corpus import TEXT_PAGE, spans_of

from lexprint.errors import FormatError
from lexprint.formats.encodings import decode_text
from lexprint.formats.plain_text import PlainText
from lexprint.text.editing import Edit
from lexprint.text.span import Span


def read(content: bytes) -> PlainText:
    return PlainText(decode_text(content, name="note.txt"), "note.txt")


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_text_is_the_whole_file(text: str) -> None:
    """Nothing is left out and nothing is changed."""
    source = read(text.encode())
    assert source.text == text.removeprefix("\ufeff")
    assert source.with_edits([]) == text.encode()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1252"])
def test_only_the_word_changes(encoding: str) -> None:
    """All other characters, line endings included, stay."""
    source = read(TEXT_PAGE.encode(encoding))
    span = spans_of(source.text, "large")[0]
    expected = TEXT_PAGE.replace("large", "big", 1).encode(encoding)
    assert source.with_edits([Edit(span, "big")]) == expected


def test_letters_that_the_encoding_lacks_are_refused() -> None:
    """A word that cannot be written is an error that says what to do."""
    with pytest.raises(FormatError, match="needed: a file in UTF-8"):
        read("café".encode("cp1252")).with_edits([Edit(Span(0, 4), "ā")])
