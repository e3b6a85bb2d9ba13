"""Texts too long to hold: marked and read in pieces, with the result that the whole would have.

Sentences never cross a blank line and are walked on their own, so a text may be cut at blank lines; only the bits still to be
written go from one piece to the next. Memory is bounded by the longest paragraph, not by the text.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from lexprint.coding.keys import MasterKey
from lexprint.coding.payload_code import frame_number, frame_text, parity_writer
from lexprint.engine import Engine
from lexprint.errors import InputError
from lexprint.text.document import Document
from lexprint.text.editing import Edit
from lexprint.text.segmentation import segment
from lexprint.watermark.embed import embed as write_bits, require_readable
from lexprint.watermark.extract import extract as read_sites
from lexprint.watermark.labels import embed_by_label
from lexprint.watermark.sites import Marked, Site
from lexprint.workflows.marking import scheme_of

PIECE = 50_000  # characters at least; about 8,000 words

# Where the next paragraph begins: with a letter or digit, which nothing before a blank line can change.
_PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*(?=[^\W_])")


@dataclass(frozen=True)
class MarkedPiece:
    """Part of a marked text; `edits` point into the part before it was marked."""

    text: str = field(repr=False)
    edits: tuple[Edit, ...]
    sites: int
    bits: int  # written here; fewer than sites once the message has ended
    words: int


def embed_pieces(
    engine: Engine, text: Iterable[str], bits: Iterable[int], *, piece: int = PIECE
) -> Iterator[MarkedPiece]:
    """Write bits to a text that comes in parts of any size, such as the lines of a file; gives it back in parts.

    The parts together are what `lexprint.workflows.embed` makes of the whole. Bits may be endless; whether all were written, the sum of
    `bits` tells.

    >>> from lexprint import Engine
    >>> [part.text for part in embed_pieces(Engine(), ["Too ", "short."], [1, 0])]
    ['Too short.']
    """
    upcoming, held = iter(bits), deque[int]()
    for part in cut(text, piece=piece):
        document = segment(part)
        held.extend(islice(upcoming, max(0, document.word_count - len(held))))  # a text has fewer sites than words
        marked = write_bits(document, held, scheme_of(engine))
        for _ in marked.bits:
            held.popleft()
        yield _piece(marked, document)


def embed_payload_pieces(
    engine: Engine,
    text: Iterable[str],
    payload: str | int,
    *,
    key: MasterKey,
    bits: int | None = None,
    piece: int = PIECE,
) -> Iterator[MarkedPiece]:
    """Write a payload under a key to every site of such a text, as `lexprint.workflows.embed_payload` does to a whole.

    Each part is read back before it is given. Whether the text was long enough for the payload is not asked: any part with as
    many sites as `lexprint.workflows.embed_payload` would ask for proves it alone.
    """
    if isinstance(payload, int) != (bits is not None):
        raise InputError("a number needs bits, a text has none", needed="a number and its bits, or a text")
    frame = frame_text(payload) if isinstance(payload, str) else frame_number(payload, bits=bits or 0)
    write = parity_writer(key, frame)
    for part in cut(text, piece=piece):
        document, scheme = segment(part), scheme_of(engine)
        marked = embed_by_label(document, write, scheme)
        require_readable(marked, scheme)
        yield _piece(marked, document)


def extract_pieces(engine: Engine, text: Iterable[str], *, piece: int = PIECE) -> Iterator[tuple[Site, ...]]:
    """The sites of such a text, part by part; their spans and sentences count from the beginning of the part."""
    for part in cut(text, piece=piece):
        yield read_sites(segment(part), scheme_of(engine)).sites


def cut(text: Iterable[str], *, piece: int = PIECE) -> Iterator[str]:
    """Pieces of at least so many characters, but for the last, that each end where a paragraph does."""
    held: list[str] = []
    length, enough = 0, piece
    for part in text:
        held.append(part)
        length += len(part)
        if length < enough:
            continue
        joined, start = "".join(held), 0
        while (end := _next_paragraph(joined, start + piece)) is not None:
            yield joined[start:end]
            start = end
        held, length = [joined[start:]], len(joined) - start
        enough = length + piece  # not after every line of a paragraph that does not end
    if length:
        yield "".join(held)


def _next_paragraph(text: str, start: int) -> int | None:
    """Where the first paragraph from `start` on begins."""
    found = _PARAGRAPH.search(text, max(0, start - 2))
    return None if found is None else found.end()


def _piece(marked: Marked, document: Document) -> MarkedPiece:
    return MarkedPiece(marked.text, marked.edits, len(marked.sites), len(marked.bits), document.word_count)
