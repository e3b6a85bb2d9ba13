"""Half-open ranges of code points; all offsets in lexprint are of this kind."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, order=True, slots=True)
class Span:
    """Characters from `start` up to, but not including, `end`.

    >>> span = Span(3, 8)
    >>> len(span), span.of("He bought it")
    (5, 'bough')
    """

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"no span from {self.start} to {self.end}")

    def __len__(self) -> int:
        return self.end - self.start

    def __bool__(self) -> bool:
        return True  # an empty span is still a place

    def of(self, text: str) -> str:
        """The characters of `text` in this span."""
        return text[self.start : self.end]

    def shifted(self, distance: int) -> "Span":
        return Span(self.start + distance, self.end + distance)

    def overlaps(self, other: "Span") -> bool:
        """Whether the two share at least one character."""
        return max(self.start, other.start) < min(self.end, other.end)

    def contains(self, other: "Span") -> bool:
        return self.start <= other.start and other.end <= self.end


def merged(spans: Iterable[Span]) -> tuple[Span, ...]:
    """In order, those that overlap or touch as one; empty ones only where another holds them."""
    found: list[Span] = []
    for span in sorted(spans):
        if found and span.start <= found[-1].end:
            found[-1] = Span(found[-1].start, max(found[-1].end, span.end))
        elif len(span):
            found.append(span)
    return tuple(found)
