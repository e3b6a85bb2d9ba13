"""What every format gives: a file as text, and the way back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from lexprint.text.editing import Edit
from lexprint.text.span import Span


class Source(Protocol):
    """A file as text, and the way back."""

    @property
    def text(self) -> str:
        """What is marked or traced: prose, paragraphs apart by blank lines; plain text is all text."""

    @property
    def protected(self) -> tuple[Span, ...]:
        """Parts of the text that must not change; sorted, apart from each other."""

    @property
    def kind(self) -> str:
        """The format, as people call it."""

    @property
    def is_writable(self) -> bool:
        """Whether edits can be made; a PDF or an image is only read."""

    def with_edits(self, edits: Sequence[Edit]) -> bytes:
        """The file with edits at offsets of the text made, and all else byte for byte."""


@runtime_checkable
class Remarked(Protocol):
    """A file of which a reader of its report should know something."""

    @property
    def remarks(self) -> tuple[str, ...]: ...


def remarks_of(source: Source) -> tuple[str, ...]:
    """What should be noted where conclusions are drawn from a file's text; most files give no reason."""
    return source.remarks if isinstance(source, Remarked) else ()
