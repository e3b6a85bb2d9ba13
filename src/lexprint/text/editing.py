"""Edits at offsets, and where every other character went.

A text is never rebuilt from its words: what no edit names cannot change.
"""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate

from lexprint.text.span import Span


@dataclass(frozen=True, order=True, slots=True)
class Edit:
    """Put `replacement` where `span` is.

    >>> Edit(Span(2, 7), "big")
    Edit(span=Span(start=2, end=7), replacement='big')
    """

    span: Span
    replacement: str


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return `text` with each edit made and every other character exactly as it was.

    >>> apply_edits("a  large house", [Edit(Span(3, 8), "big")])
    'a  big house'
    """
    pieces: list[str] = []
    cursor = 0
    for edit in _in_order(edits, length=len(text)):
        pieces += [text[cursor : edit.span.start], edit.replacement]
        cursor = edit.span.end
    return "".join([*pieces, text[cursor:]])


def inverse_edits(text: str, edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Edits that turn the edited text back into `text`."""
    ordered = _in_order(edits, length=len(text))
    offsets = OffsetMap(ordered)
    return tuple(
        Edit(Span(start, start + len(edit.replacement)), edit.span.of(text))
        for edit, start in zip(ordered, offsets.replacement_starts, strict=True)
    )


class OffsetMap:
    """Where the offsets of the old text are in the new one.

    An offset inside an edited span goes to the start of its replacement; the span of a whole edited word therefore
    becomes the span of its replacement.

    >>> offsets = OffsetMap([Edit(Span(2, 7), "big")])
    >>> offsets.new_offset(8), offsets.new_span(Span(2, 7))
    (6, Span(start=2, end=5))
    """

    __slots__ = ("_edits", "_shifts", "_starts", "replacement_starts")

    def __init__(self, edits: Iterable[Edit]) -> None:
        self._edits = _in_order(edits, length=None)
        self._starts = [edit.span.start for edit in self._edits]
        self._shifts = [0, *accumulate(len(edit.replacement) - len(edit.span) for edit in self._edits)]
        self.replacement_starts = tuple(
            edit.span.start + shift for edit, shift in zip(self._edits, self._shifts[:-1], strict=True)
        )

    def new_offset(self, offset: int) -> int:
        """Where the character at `offset` is now."""
        before = bisect_right(self._starts, offset)
        if before and offset < self._edits[before - 1].span.end:
            return self.replacement_starts[before - 1]
        return offset + self._shifts[before]

    def new_span(self, span: Span) -> Span:
        """Where the characters of `span` are now, replacements included."""
        start = self.new_offset(span.start)
        if not len(span):
            return Span(start, start)
        last = bisect_right(self._starts, span.end - 1)
        if last and span.end - 1 < self._edits[last - 1].span.end:
            return Span(start, self.replacement_starts[last - 1] + len(self._edits[last - 1].replacement))
        return Span(start, max(start, span.end + self._shifts[last]))


def _in_order(edits: Iterable[Edit], *, length: int | None) -> tuple[Edit, ...]:
    ordered = tuple(sorted(edits))
    cursor = 0
    for edit in ordered:
        if edit.span.start < cursor:
            raise ValueError(f"edits overlap at {edit.span}")
        cursor = edit.span.end
    if length is not None and cursor > length:
        raise ValueError(f"edit ends at {cursor}, text at {length}")
    return ordered
