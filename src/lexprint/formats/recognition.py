"""Which format a file is in, by its content."""

from __future__ import annotations

from lexprint.errors import FormatError
from lexprint.formats.table import ACCEPTED, ROWS, Refused, UnknownFile

LARGEST = 300_000_000  # bytes


def recognise(content: bytes, *, name: str) -> str:
    """The kind of a file, which is a key of `FORMATS`; the name is for messages, and tells Markdown from plain text."""
    if len(content) > LARGEST:
        raise FormatError(name, found="too large", needed=f"at most {LARGEST:,} bytes")
    file = UnknownFile(content, name)
    row = next(row for row in ROWS if row.sniff(file))
    if isinstance(row, Refused):
        raise FormatError(name, found=row.found, needed=ACCEPTED + row.advice)
    return row.kind
