"""What a format shows of its file as text, and where each piece of that text stands in the file.

Edits are made at offsets of the text and land at offsets of the file, so whatever is not text cannot change.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property

from lexprint.text.document import PARAGRAPH_BREAK
from lexprint.text.editing import Edit
from lexprint.text.span import Span, merged

_ADDRESS_MARK = re.compile(r"://|@|(?<!\w)www\.")
_UNSPACED = re.compile(r"\S*+")
_JOINERS = frozenset("_'’‘ʼ-‐‑")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the text and the part of the file that it stands for.

    If both are equally long they correspond character by character; if not, the piece is indivisible, like a character
    reference.
    """

    text: str
    raw: Span | None  # None: the format put it there, like the break between two paragraphs

    @property
    def is_divisible(self) -> bool:
        return self.raw is not None and len(self.raw) == len(self.text)


@dataclass(frozen=True)
class Projection:
    """Pieces in order; together they are the text."""

    pieces: tuple[Piece, ...] = field(repr=False)
    protected: tuple[Span, ...] = field(repr=False)  # of the text; sorted, apart from each other

    @cached_property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)

    @cached_property
    def _starts(self) -> list[int]:
        starts, length = [], 0
        for piece in self.pieces:
            starts.append(length)
            length += len(piece.text)
        return starts

    @cached_property
    def _protected_starts(self) -> list[int]:
        return [span.start for span in self.protected]

    def is_protected(self, span: Span) -> bool:
        """Whether any character of `span` must stay as it is."""
        before = bisect_right(self._protected_starts, span.end - 1)
        return before > 0 and self.protected[before - 1].overlaps(span)

    def raw_edits(self, edits: Iterable[Edit], escape: Callable[[str], str]) -> list[Edit]:
        """The same edits at offsets of the file; `escape` writes a replacement the way the file needs it."""
        found: list[Edit] = []
        cursor = 0
        for edit in sorted(edits):
            if edit.span.start < cursor or edit.span.end > len(self.text) or not len(edit.span):
                raise ValueError(f"edits overlap, are empty or lie outside the text at {edit.span}")
            if self.is_protected(edit.span):
                raise ValueError(f"edit changes protected text at {edit.span}")
            cursor = edit.span.end
            first, *others = self._raw_parts(edit.span)
            found.append(Edit(first, escape(edit.replacement)))
            found += [Edit(part, "") for part in others]  # the word was split: it goes where it began
        return found

    def _raw_parts(self, span: Span) -> list[Span]:
        parts: list[Span] = []
        index = bisect_right(self._starts, span.start) - 1
        while index < len(self.pieces) and self._starts[index] < span.end:
            piece, start = self.pieces[index], self._starts[index]
            index += 1
            inner = Span(max(span.start - start, 0), min(span.end - start, len(piece.text)))
            if not len(inner):
                continue
            if piece.raw is None or not (piece.is_divisible or len(inner) == len(piece.text)):
                raise ValueError(f"text at {span} is not that of the file alone")
            part = inner.shifted(piece.raw.start) if piece.is_divisible else piece.raw
            if parts and parts[-1].end == part.start:
                part = Span(parts.pop().start, part.end)
            parts.append(part)
        return parts


class Projected:
    """A file whose text is what a projection shows of it."""

    _projection: Projection

    @property
    def text(self) -> str:
        return self._projection.text

    @property
    def protected(self) -> tuple[Span, ...]:
        return self._projection.protected


class ProjectionBuilder:
    """Collects pieces while a file is read from front to back."""

    def __init__(self) -> None:
        self._pieces: list[Piece] = []
        self._protected: list[Span] = []
        self._seams: list[int] = []
        self._break_is_due = False
        self.length = 0
        self.last_character = ""

    def add(self, text: str, raw: Span | None) -> Span:
        """Append text; a break that is due goes before it."""
        if not text:
            return Span(self.length, self.length)
        if self._break_is_due and self.length:
            self._append(PARAGRAPH_BREAK, None)
        self._break_is_due = False
        start = self.length
        self._append(text, raw)
        return Span(start, self.length)

    def add_protected(self, text: str, raw: Span | None) -> None:
        """Append text that nobody may change."""
        self.protect(self.add(text, raw))

    def protect(self, span: Span) -> None:
        if len(span):
            self._protected.append(span)

    def add_seam(self) -> None:
        """Something stands here in the file that the text does not show: a word that goes on beyond it is left alone."""
        self._seams.append(self.length)

    def end_paragraph(self) -> None:
        self._break_is_due = True

    @property
    def is_at_paragraph_start(self) -> bool:
        return self._break_is_due or not self.length

    def _append(self, text: str, raw: Span | None) -> None:
        self._pieces.append(Piece(text, raw))
        self.length += len(text)
        self.last_character = text[-1]

    def build(self) -> Projection:
        text = "".join(piece.text for piece in self._pieces)
        protected = [*self._protected, *_addresses(text), *_seam_words(text, self._seams)]
        return Projection(tuple(_joined(self._pieces)), merged(protected))


def whole_projection(text: str) -> Projection:
    """For files that are text from end to end."""
    pieces = (Piece(text, Span(0, len(text))),) if text else ()
    return Projection(pieces, merged(_addresses(text)))


def is_word_character(character: str) -> bool:
    """Whether a word may go on through it: letters, digits, marks, what joins them, and what nobody sees."""
    if character.isalnum() or character in _JOINERS:
        return True
    return unicodedata.category(character)[0] in "MC" and not character.isspace()


def _addresses(text: str) -> Iterable[Span]:
    """Web and mail addresses, where a changed letter leads elsewhere, with all that touches them.

    Which they are does not depend on letters, but for www, so marking a text makes and ends none.
    """
    done = 0
    for match in _ADDRESS_MARK.finditer(text):
        start = match.start()
        if start < done:
            continue
        while start > done and not text[start - 1].isspace():
            start -= 1
        rest = _UNSPACED.match(text, match.end())
        done = rest.end() if rest else match.end()
        yield Span(start, done)


def _seam_words(text: str, seams: Iterable[int]) -> Iterable[Span]:
    done = 0  # a word with many seams is walked once
    for seam in seams:
        if seam < done or not 0 < seam < len(text):
            continue
        if not (is_word_character(text[seam - 1]) and is_word_character(text[seam])):
            continue
        start, end = seam, seam
        while start > done and is_word_character(text[start - 1]):
            start -= 1
        while end < len(text) and is_word_character(text[end]):
            end += 1
        yield Span(start, end)
        done = end


def _joined(pieces: Iterable[Piece]) -> Iterable[Piece]:
    """Neighbours in the file as one piece, so that a text has few."""
    run: list[str] = []
    start = end = 0
    for piece in pieces:
        if piece.is_divisible and piece.raw is not None:
            if run and piece.raw.start != end:
                yield Piece("".join(run), Span(start, end))
                run = []
            if not run:
                start = piece.raw.start
            run.append(piece.text)
            end = piece.raw.end
        else:
            if run:
                yield Piece("".join(run), Span(start, end))
                run = []
            yield piece
    if run:
        yield Piece("".join(run), Span(start, end))
