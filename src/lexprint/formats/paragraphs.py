"""Paragraphs of a document in XML: pieces of text, and where each stands in the file."""

from __future__ import annotations

from dataclasses import dataclass, field

from lexprint.formats.projection import ProjectionBuilder
from lexprint.text.span import Span


@dataclass(frozen=True, slots=True)
class Fragment:
    """Some text of a paragraph; without a place in the file it stands for a tab, a break or a hyphen."""

    text: str
    raw: Span | None
    is_protected: bool
    joins: bool  # whether a word may go on here from the fragment before


@dataclass
class Paragraph:
    """A paragraph, and of which alternative (group and branch) it is a part."""

    alternative: tuple[int, int] | None = None
    fragments: list[Fragment] = field(default_factory=list)
    is_protected: bool = False

    @property
    def text(self) -> str:
        return "".join(fragment.text for fragment in self.fragments)


def add_paragraph(builder: ProjectionBuilder, paragraph: Paragraph, distance: int = 0) -> Span:
    """Returns where it is in the text; `distance` is that of its part from the first."""
    builder.end_paragraph()
    start: int | None = None
    for fragment in paragraph.fragments:
        if not fragment.joins:
            builder.add_seam()
        added = builder.add(fragment.text, fragment.raw.shifted(distance) if fragment.raw else None)
        start = added.start if start is None else start
        if fragment.is_protected or paragraph.is_protected:
            builder.protect(added)
    return Span(builder.length if start is None else start, builder.length)
