"""Marks made of fixed sets of synonyms: every word form says a bit or nothing, wherever it stands.

So a reader finds every bit of an untouched text, as long as what is put in place of a word that says something says something
too. Nothing else is adjusted, as in the papers: "a" stays before a vowel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from lexprint.text.editing import Edit, apply_edits
from lexprint.text.segmentation import segment
from lexprint_evaluation.marked_text import MarkedText


class SynonymCode(Protocol):
    """What words say, and which word says something else in place of another."""

    def bit(self, word: str) -> int | None:
        """What the word says; None if it has no synonym that says the other."""

    def opposite(self, word: str) -> str:
        """The synonym to put where the word says the wrong bit."""


@dataclass(frozen=True)
class SynonymScheme:
    """Bits go to the words that say something, in order."""

    name: str
    code: SynonymCode = field(repr=False)

    def embed(self, text: str, bits: Sequence[int]) -> MarkedText:
        written, edits = 0, []
        for word in segment(text).words:
            said = self.code.bit(word.text)
            if said is None:
                continue
            if written == len(bits):
                break
            if said != bits[written]:
                edits.append(Edit(word.span, self.code.opposite(word.text)))
            written += 1
        return MarkedText(apply_edits(text, edits), tuple(bits[:written]), tuple(edits))

    def extract(self, text: str) -> tuple[int, ...]:
        said = (self.code.bit(word.text) for word in segment(text).words)
        return tuple(bit for bit in said if bit is not None)
