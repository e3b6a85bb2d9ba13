"""Words that may stand for each other, and how good an exchange is; the registry keeps them, so they need no model and no walk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Pair:
    """Two words that may stand for each other; the first says 0, the second 1.

    >>> pair = Pair.of("large", "big")
    >>> pair.word(0), pair.bit("large"), pair.other("big")
    ('big', 1, 'large')
    """

    first: str
    second: str

    def __post_init__(self) -> None:
        if not self.first < self.second:
            raise ValueError(f"a pair is two different words in order, not {self.first!r} and {self.second!r}")

    @classmethod
    def of(cls, one: str, other: str) -> Pair:
        return cls(*sorted((one, other)))

    def __iter__(self) -> Iterator[str]:
        return iter((self.first, self.second))

    def word(self, bit: int) -> str:
        return self.second if bit else self.first

    def bit(self, word: str) -> int:
        return (self.first, self.second).index(word)

    def other(self, word: str) -> str:
        return self.word(1 - self.bit(word))


@dataclass(frozen=True, slots=True)
class Figures:
    """How good it is to write one word in place of another."""

    entailment: float  # SR, the lower of both directions
    acceptance: float | None  # share of readers that would accept it; None: nobody was asked
