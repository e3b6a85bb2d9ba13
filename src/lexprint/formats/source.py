"""One opener for every format, by content; the format that read a file is the one that writes it."""

from __future__ import annotations

from lexprint.formats.child import ReadingLimits, read_in_child
from lexprint.formats.plain_text import read_plain_text
from lexprint.formats.protocol import Source as Source
from lexprint.formats.recognition import recognise


def open_source(content: bytes, *, name: str, limits: ReadingLimits | None = None) -> Source:
    """Recognise a file by its content and read it; the name is for messages, and tells Markdown from plain text.

    Plain text is read here. Whatever has a structure that could be made to take long is read by a process of its own,
    within limits.

    >>> from lexprint import Edit, Span
    >>> source = open_source(b"<p>A large&nbsp;house</p>", name="house.html")
    >>> source.kind, source.text
    ('HTML', 'A large\\xa0house')
    >>> source.with_edits([Edit(Span(2, 7), "big")])
    b'<p>A big&nbsp;house</p>'
    """
    kind = recognise(content, name=name)
    if kind == "plain text":
        return read_plain_text(content, name=name)
    return read_in_child(kind, content, name=name, limits=limits)
