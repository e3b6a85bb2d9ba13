"""Word documents: words change inside their runs, and every other byte of every part stays.

Text is that of the body, its tables and text boxes, footnotes and endnotes, headers and footers. Comments, deleted text
and field codes are no part of it. Headers and footers are read but never changed: variants of one would disagree.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from html import escape, unescape
from posixpath import normpath
from typing import ClassVar
from urllib.parse import unquote

from lexprint.errors import FormatError
from lexprint.formats.encodings import EncodedText, decode_text
from lexprint.formats.faint_text import remarks_on
from lexprint.formats.paragraphs import Paragraph, add_paragraph
from lexprint.formats.projection import Projected, Projection, ProjectionBuilder
from lexprint.formats.table import ACCEPTED
from lexprint.formats.word_markup import Element, Markup, read_markup
from lexprint.formats.zip_package import Package, open_package
from lexprint.text.editing import Edit, apply_edits
from lexprint.text.span import Span

LARGEST_TEXT = 120_000_000  # characters of XML in all parts together
CONTENT_TYPES, RELATIONSHIPS = "[Content_Types].xml", "_rels/.rels"

SAYS_TWO_THINGS = (
    "The leaked document says one thing to some programs and another, or nothing, to others: it holds alternatives that differ, and the "
    "first of them was read. Compare the report with the document as it is seen."
)

# What a part's content type ends in; macros and templates have main parts of their own type.
_MAIN_TYPE = re.compile(
    r"(?:wordprocessingml|ms-word)\.(?:document|template)(?:\.macroEnabled(?:Template)?)?\.main\+xml"
)
_NOTES_TYPE = re.compile(r"wordprocessingml\.(?:footnotes|endnotes)\+xml")
_MARGIN_TYPE = re.compile(r"wordprocessingml\.(?:header|footer)\+xml")
_TYPE_ENTRY = re.compile(r"<(?:[\w.-]+:)?(Override|Default)\s([^<>]*?)/?>")
_RELATIONSHIP = re.compile(r"<(?:[\w.-]+:)?Relationship\s([^<>]*?)/?>")
_ATTRIBUTE = re.compile(r"""([\w:]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")


@dataclass(frozen=True)
class _Part:
    """A part of the package and where it stands in all parts' XML put together."""

    member: str
    encoded: EncodedText = field(repr=False)
    start: int
    is_margin: bool

    @property
    def end(self) -> int:
        return self.start + len(self.encoded.text)


@dataclass(frozen=True)
class _Mirror:
    """A second writing of some text, for readers that do not know the first: text boxes have one."""

    start: int  # in the text
    projection: Projection


@dataclass(frozen=True)
class DocxText(Projected):
    """A Word document."""

    name: str
    _package: Package = field(repr=False)
    _parts: tuple[_Part, ...] = field(repr=False)
    _projection: Projection = field(repr=False)
    _mirrors: tuple[_Mirror, ...] = field(repr=False)
    _elements: tuple[Element, ...] = field(repr=False)  # in order
    remarks: tuple[str, ...] = ()

    kind: ClassVar[str] = "Word document"
    is_writable: ClassVar[bool] = True

    def with_edits(self, edits: Sequence[Edit]) -> bytes:
        """The document with each edit made. No edits: the very same bytes."""
        raw_edits = self._projection.raw_edits(edits, _escaped)
        for mirror in self._mirrors:
            raw_edits += mirror.projection.raw_edits(_within(edits, mirror), _escaped)
        raw_edits += self._kept_spaces(raw_edits)
        changed: dict[str, bytes] = {}
        for part in self._parts:
            own = [
                Edit(edit.span.shifted(-part.start), edit.replacement)
                for edit in raw_edits
                if part.start <= edit.span.start and edit.span.end <= part.end
            ]
            if own:
                changed[part.member] = part.encoded.encode(apply_edits(part.encoded.text, own))
        return self._package.with_members(changed) if changed else self._package.content

    def _kept_spaces(self, raw_edits: Sequence[Edit]) -> Iterator[Edit]:
        """Where a split word goes, a space may become the first of its element, which Word drops unless told to keep it."""
        starts = [element.content.start for element in self._elements]
        touched: dict[int, list[Edit]] = defaultdict(list)
        for edit in raw_edits:
            touched[bisect_right(starts, edit.span.start) - 1].append(edit)
        for index, edits in touched.items():
            element = self._elements[index]
            start, old = element.content.start, self._raw(element.content)
            new = apply_edits(old, [Edit(edit.span.shifted(-start), edit.replacement) for edit in edits])
            if not element.keeps_spaces and new != new.strip() and old == old.strip():
                yield Edit(Span(element.attribute_place, element.attribute_place), ' xml:space="preserve"')

    def _raw(self, span: Span) -> str:
        part = next(part for part in self._parts if part.start <= span.start and span.end <= part.end)
        return span.shifted(-part.start).of(part.encoded.text)


def _escaped(text: str) -> str:
    return escape(text, quote=False)


def _within(edits: Sequence[Edit], mirror: _Mirror) -> list[Edit]:
    whole = Span(mirror.start, mirror.start + len(mirror.projection.text))
    return [Edit(edit.span.shifted(-mirror.start), edit.replacement) for edit in edits if whole.contains(edit.span)]


def open_docx(content: bytes, *, name: str) -> DocxText:
    """Read a ZIP file, if it is Word's."""
    package = open_package(content, name=name)
    if not is_docx(package):
        raise FormatError(name, found="a ZIP file or an Office file that is no Word document", needed=ACCEPTED)
    return read_docx(package)


def read_docx(package: Package) -> DocxText:
    """Read a package that has Word's content types."""
    name = package.name
    parts = tuple(_read_parts(package))
    markups = [read_markup(part.encoded.text, name=name) for part in parts]
    builder = ProjectionBuilder()
    mirrors: list[_Mirror] = []
    for part, markup in zip(parts, markups, strict=True):
        start = builder.length
        mirrors += _add_paragraphs(builder, markup, part.start)
        builder.end_paragraph()
        if part.is_margin:
            builder.protect(Span(start, builder.length))
    for mirror in mirrors:
        for span in mirror.projection.protected:
            builder.protect(span.shifted(mirror.start))
    elements = (
        _shifted(element, part.start)
        for part, markup in zip(parts, markups, strict=True)
        for element in sorted(markup.elements, key=lambda element: element.content)
    )
    ambiguous = (SAYS_TWO_THINGS,) if any(markup.is_ambiguous for markup in markups) else ()
    remarks = (*remarks_on(*(part.encoded.text for part in parts)), *ambiguous)
    return DocxText(name, package, parts, builder.build(), tuple(mirrors), tuple(elements), remarks)


def is_docx(package: Package) -> bool:
    return CONTENT_TYPES in package.members and any(True for _ in _members(package, _MAIN_TYPE))


def _members(package: Package, content_type: re.Pattern[str]) -> Iterator[str]:
    """Members of a content type, in order."""
    by_name: dict[str, str] = {}
    by_extension: dict[str, str] = {}
    for entry in _TYPE_ENTRY.finditer(package.read(CONTENT_TYPES).decode("utf-8", "replace").replace("\0", "")):
        values = {match[1]: match[2] or match[3] or "" for match in _ATTRIBUTE.finditer(entry[2])}
        if entry[1] == "Override":
            by_name[values.get("PartName", "").lower()] = values.get("ContentType", "")
        else:
            by_extension[values.get("Extension", "").lower()] = values.get("ContentType", "")
    for member in sorted(package.members):
        extension = member.rpartition(".")[2].lower()
        if content_type.search(by_name.get(f"/{member.lower()}", by_extension.get(extension, ""))):
            yield member


def _main_member(package: Package) -> str:
    """The main part that word processors open: where there are several, the one that the package names."""
    members = list(_members(package, _MAIN_TYPE))
    if len(members) == 1:
        return members[0]
    written = package.read(RELATIONSHIPS).decode("utf-8", "replace") if RELATIONSHIPS in package.members else ""
    for entry in _RELATIONSHIP.finditer(written.replace("\0", "")):
        values = {match[1]: unescape(match[2] or match[3] or "") for match in _ATTRIBUTE.finditer(entry[1])}
        if values.get("Type", "").endswith("/officeDocument"):
            target = normpath(f"/{unquote(values.get('Target', ''))}").strip("/").lower()
            found = [member for member in members if member.lower() == target]
            if len(found) == 1:
                return found[0]
            break
    raise FormatError(
        package.name, found="a Word document with two main parts", needed="the document as the word processor saved it"
    )


def _read_parts(package: Package) -> Iterator[_Part]:
    start = 0
    main = _main_member(package)
    others = [
        *((member, False) for member in _members(package, _NOTES_TYPE)),
        *((member, True) for member in _members(package, _MARGIN_TYPE)),
    ]
    for member, is_margin in [(main, False), *others]:
        encoded = decode_text(package.read(member), name=package.name)
        if encoded.encoding not in ("utf-8", "utf-16-le", "utf-16-be"):
            raise FormatError(package.name, found="a Word document with damaged XML", needed="XML in UTF-8 or UTF-16")
        part = _Part(member, encoded, start, is_margin)
        start = part.end
        if start > LARGEST_TEXT:
            raise FormatError(package.name, found="too large a document", needed=f"at most {LARGEST_TEXT:,} characters")
        yield part


def _shifted(element: Element, distance: int) -> Element:
    return replace(
        element, content=element.content.shifted(distance), attribute_place=element.attribute_place + distance
    )


def _add_paragraphs(builder: ProjectionBuilder, markup: Markup, distance: int) -> list[_Mirror]:
    groups: dict[int, dict[int, list[Paragraph]]] = defaultdict(lambda: defaultdict(list))
    for paragraph in markup.paragraphs:
        if paragraph.alternative is not None:
            groups[paragraph.alternative[0]][paragraph.alternative[1]].append(paragraph)
    mirrors: list[_Mirror] = []
    done: set[int] = set()
    for paragraph in markup.paragraphs:
        if paragraph.alternative is None:
            add_paragraph(builder, paragraph, distance)
        elif paragraph.alternative[0] not in done:
            group = paragraph.alternative[0]
            done.add(group)
            mirrors += _add_alternatives(builder, groups[group], distance, is_tangled=group in markup.tangled)
    return mirrors


def _add_alternatives(
    builder: ProjectionBuilder, branches: dict[int, list[Paragraph]], distance: int, *, is_tangled: bool
) -> Iterator[_Mirror]:
    """The first branch is the text; the others must say the same or nobody may change it."""
    first, *others = (branches[branch] for branch in sorted(branches))
    start: int | None = None
    for paragraph in first:
        added = add_paragraph(builder, paragraph, distance)
        start = added.start if start is None and len(added) else start
    if start is None:
        return
    whole = Span(start, builder.length)
    said = [paragraph.text for paragraph in first if paragraph.text]
    for other in others:
        mirror = ProjectionBuilder()
        for paragraph in other:
            add_paragraph(mirror, paragraph, distance)
        if is_tangled or [paragraph.text for paragraph in other if paragraph.text] != said:
            builder.protect(whole)
        else:
            yield _Mirror(start, mirror.build())
