"""The one small protocol that every way of marking follows, so that all metrics and attacks run on all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from lexprint.text.editing import Edit


@dataclass(frozen=True)
class MarkedText:
    """A marked text; `edits` lead to it from the original."""

    text: str = field(repr=False)
    bits: tuple[int, ...]  # those of the given ones that there was room for
    edits: tuple[Edit, ...]


class MarkingScheme(Protocol):
    """Bits into a text and out of it, without the original."""

    @property
    def name(self) -> str: ...

    def embed(self, text: str, bits: Sequence[int]) -> MarkedText:
        """Write as many of the bits as there is room for."""

    def extract(self, text: str) -> tuple[int, ...]:
        """All bits that a reader finds, whether or not anything was written."""
