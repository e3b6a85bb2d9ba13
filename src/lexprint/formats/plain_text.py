"""Plain text: all of it is text, but for addresses; encoding, byte order mark and line endings stay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from lexprint.errors import FormatError
from lexprint.formats.encodings import EncodedText, decode_text
from lexprint.formats.projection import Projection, whole_projection
from lexprint.text.editing import Edit, apply_edits
from lexprint.text.span import Span


@dataclass(frozen=True)
class TextFile:
    """A file of characters, all or some of which are its text; formats say which."""

    encoded: EncodedText
    name: str = field(repr=False)

    kind: ClassVar[str]
    is_writable: ClassVar[bool] = True

    @cached_property
    def _projection(self) -> Projection:
        return whole_projection(self.encoded.text)

    @property
    def text(self) -> str:
        return self._projection.text

    @property
    def protected(self) -> tuple[Span, ...]:
        return self._projection.protected

    def with_edits(self, edits: Sequence[Edit]) -> bytes:
        """The file with each edit made."""
        return _encode_or_refuse(self.encoded, apply_edits(self.encoded.text, self.file_edits(edits)), name=self.name)

    def file_edits(self, edits: Sequence[Edit]) -> list[Edit]:
        """The same edits at offsets of the characters in the file."""
        return self._projection.raw_edits(edits, self._escaped)

    def _escaped(self, replacement: str) -> str:
        """A new word as the file has to spell it."""
        return replacement


@dataclass(frozen=True)
class PlainText(TextFile):
    """A text file."""

    kind: ClassVar[str] = "plain text"


def read_plain_text(content: bytes, *, name: str) -> PlainText:
    return PlainText(decode_text(content, name=name), name)


def _encode_or_refuse(encoded: EncodedText, raw: str, *, name: str) -> bytes:
    try:
        return encoded.encode(raw)
    except UnicodeEncodeError as error:
        raise FormatError(
            name, found=f"written in {encoded.encoding}, which lacks a letter of the new text", needed="a file in UTF-8"
        ) from error
