"""Bytes to characters and back without loss, whatever the encoding; line endings are characters like any other."""

import codecs
import re
from contextlib import suppress
from dataclasses import dataclass, field

from lexprint.errors import FormatError

# Longest first: the mark of UTF-32 begins with that of UTF-16.
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_WITHOUT_MARK = ("utf-8", "cp1252", "latin-1")  # the last one fits any bytes
_UTF_16 = ("utf-16-le", "utf-16-be")
_CONTROL = re.compile(r"[\x00-\x06\x0e-\x19\x1c-\x1f]")  # no text file has these; bell, backspace, escape it may
_ODD_SHARE = 0.3  # of characters outside Latin; above it, text without a byte order mark is not taken for UTF-16


@dataclass(frozen=True)
class EncodedText:
    """A text and how it was written, so that it can be written so again."""

    text: str = field(repr=False)
    encoding: str
    mark: bytes = b""  # byte order mark

    def encode(self, text: str) -> bytes:
        """The bytes of another text, written as this one was; `UnicodeEncodeError` if its encoding has no such letter."""
        return self.mark + text.encode(self.encoding)


def decode_text(content: bytes, *, name: str, declared: str | None = None) -> EncodedText:
    """Read bytes by their mark, else by what they declare, else as UTF-8, else as one of its Western ancestors."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            found = _decoded(content[len(mark) :], encoding, mark=mark)
            if found is None:
                raise FormatError(name, found=f"damaged {encoding.upper()}", needed="a text file")
            return found
    if b"\0" in content:
        return _decode_wide(content, name=name)
    for encoding in (*([declared] if declared else []), *_WITHOUT_MARK):
        found = _decoded(content, encoding)
        if found is not None:
            break
    assert found is not None, "Latin-1 fits any bytes"
    if found.encoding != "utf-8" and _CONTROL.search(found.text):
        raise FormatError(name, found="not text", needed="a text file")
    return found


def _decode_wide(content: bytes, *, name: str) -> EncodedText:
    """UTF-16 without its mark, if that gives mostly Latin letters."""
    for encoding in _UTF_16:
        found = _decoded(content, encoding)
        if found is not None and not _CONTROL.search(found.text):
            odd = sum(character > "\u024f" for character in found.text)
            if odd <= _ODD_SHARE * len(found.text):
                return found
    raise FormatError(name, found="not text", needed="a text file")


def _decoded(content: bytes, encoding: str, *, mark: bytes = b"") -> EncodedText | None:
    with suppress(UnicodeError):
        text = content.decode(encoding)
        if text.encode(encoding) == content:  # some old encodings write one character in two ways
            return EncodedText(text, encoding, mark)
    return None
