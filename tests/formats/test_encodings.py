"""Bytes to characters and back."""

import codecs

import pytest
from hypothesis import given, strategies as st

from lexprint.errors import FormatError
from lexprint.formats.encodings import decode_text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r", "\n\r\x0b\x0c"])
def test_every_encoding_comes_back(encoding: str, ending: str) -> None:
    """Text reads as it was written, and writes the same bytes, with or without a byte order mark."""
    text = f"Café is large.{ending}It is almost ready.{ending}"
    content = text.encode(encoding)
    encoded = decode_text(content, name="note.txt")
    assert encoded.text == text
    assert encoded.encode(encoded.text) == content


@given(st.binary())
def test_any_bytes_come_back_or_are_refused(content: bytes) -> None:
    """No bytes are lost, and no other error is raised."""
    try:
        encoded = decode_text(content, name="note.txt")
    except FormatError:
        return
    assert encoded.encode(encoded.text) == content


@pytest.mark.parametrize(
    "content",
    [
        codecs.BOM_UTF16_LE + b"a",
        codecs.BOM_UTF8 + b"\xff",
        b"\x00\x01\x02\x03",
        b"\x7fELF\x02\x01\x01\x80\xff",
        b"a\0b",
    ],
)
def test_what_is_no_text_is_refused(content: bytes) -> None:
    """Damaged and binary files are told from text."""
    with pytest.raises(FormatError, match=r"note\.txt is (not text|damaged)"):
        decode_text(content, name="note.txt")


def test_a_declared_encoding_is_used() -> None:
    """What a page says of itself comes before guessing, if it fits."""
    content = "привет".encode("koi8-r")
    assert decode_text(content, name="x", declared="koi8-r").text == "привет"
    assert decode_text("é".encode(), name="x", declared="ascii").text == "é"
