"""OpenDocument texts (.odt): words change inside their paragraphs in content.xml, and every other byte of every part stays.

Text is that of the body, its tables, text boxes, footnotes and endnotes. Tracked deletions and annotations are no part of it,
nor are headers and footers, which stand in styles.xml. What LibreOffice fills in, like fields and tables of contents, is read
and never changed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from typing import ClassVar

from lexprint.errors import FormatError
from lexprint.formats.encodings import EncodedText, decode_text
from lexprint.formats.faint_text import remarks_on
from lexprint.formats.paragraphs import Fragment, Paragraph, add_paragraph
from lexprint.formats.projection import Projected, Projection, ProjectionBuilder
from lexprint.formats.table import ACCEPTED
from lexprint.formats.xml_events import Event, damaged_xml, refuse_too_deep, xml_events
from lexprint.formats.zip_package import Package, open_package
from lexprint.text.editing import Edit, apply_edits
from lexprint.text.span import Span

KIND = "OpenDocument text"
CONTENT, MANIFEST, MIME_TYPE = "content.xml", "META-INF/manifest.xml", "mimetype"
MIME_TYPES = (b"application/vnd.oasis.opendocument.text", b"application/vnd.oasis.opendocument.text-template")

_PREFIX = "urn:oasis:names:tc:opendocument:xmlns:"
_NAMES = {f"{_PREFIX}{name}:1.0": name for name in ("drawing", "office", "style", "text")}
_GONE = frozenset(
    "text:tracked-changes office:annotation office:forms text:ruby-text text:note-citation text:hidden-text text:script".split()
)
# Elements whose own characters are text; those of all other elements of the namespace are fields.
_PROSE = frozenset("text:p text:h text:span text:a text:meta text:ruby text:ruby-base".split())
_BOUND = re.compile(r"text:(?:table-of-content|[a-z]+-index|bibliography)")
_NEUTRAL = frozenset(
    """
    text:span text:soft-page-break text:bookmark text:bookmark-start text:bookmark-end text:reference-mark
    text:reference-mark-start text:reference-mark-end
    """.split()
)
_MOST_SPACES = 1_000  # that one element may stand for
_CODE_STYLE = re.compile("code|preformatted|verbatim|source_20_text|teletype", re.IGNORECASE)
_INVISIBLE_LOOK = re.compile(r"rsid$|language|country|script-type$")  # spans that differ in these look the same
_SPACE = " \t\r\n"
_TOKEN = re.compile(rf"[{_SPACE}]+|[^{_SPACE}]+")


@dataclass(frozen=True)
class OdtText(Projected):
    """An OpenDocument text."""

    name: str
    _package: Package = field(repr=False)
    _encoded: EncodedText = field(repr=False)
    _projection: Projection = field(repr=False)

    kind: ClassVar[str] = KIND
    is_writable: ClassVar[bool] = True

    @property
    def remarks(self) -> tuple[str, ...]:
        return remarks_on(self._encoded.text)

    def with_edits(self, edits: Sequence[Edit]) -> bytes:
        """The document with each edit made. No edits: the very same bytes."""
        raw_edits = self._projection.raw_edits(edits, lambda text: escape(text, quote=False))
        if not raw_edits:
            return self._package.content
        return self._package.with_members({CONTENT: self._encoded.encode(apply_edits(self._encoded.text, raw_edits))})


def open_odt(content: bytes, *, name: str) -> OdtText:
    """Read a ZIP file that says that it is OpenDocument."""
    package = open_package(content, name=name)
    is_whole = {MIME_TYPE, CONTENT} <= set(package.members)
    if not is_whole or package.read(MIME_TYPE).strip() not in MIME_TYPES:
        raise FormatError(name, found="an OpenDocument file that is no text", needed=ACCEPTED)
    if MANIFEST in package.members and b"encryption-data" in package.read(MANIFEST):
        raise FormatError(name, found="encrypted", needed="the document without its password")
    encoded = decode_text(package.read(CONTENT), name=name)
    if encoded.encoding not in ("utf-8", "utf-16-le", "utf-16-be"):
        raise damaged_xml(name, f"an {KIND}")
    reader = _Reader(encoded.text, name)
    for event, following in pairwise(xml_events(encoded.text, name=name, kind=f"an {KIND}")):
        reader.take(event, following.place)
    builder = ProjectionBuilder()
    for paragraph in reader.paragraphs:
        add_paragraph(builder, paragraph)
    return OdtText(name, package, encoded, builder.build())


@dataclass
class _Style:
    """An automatic style: what spans and paragraphs with it look like."""

    look: set[tuple[str, str]] = field(default_factory=set)
    is_hidden: bool = False
    is_code: bool = False


@dataclass
class _Open:
    """An element that is not yet closed, and what it hands down to those inside it."""

    name: str = ""
    is_hidden: bool = False  # a reader does not see its text
    is_bound: bool = False  # a reader sees its text, but it must not change
    is_prose: bool = False  # its own characters are text
    paragraph: Paragraph | None = None
    look: tuple[frozenset[tuple[str, str]], ...] = ()  # of the spans it is in

    def inside(self, name: str) -> _Open:
        return _Open(name, self.is_hidden, self.is_bound, paragraph=self.paragraph, look=self.look)


class _Reader:
    """Follows the events and collects paragraphs; those of notes and text boxes come after the one they stand in."""

    def __init__(self, raw: str, name: str) -> None:
        self._raw = raw
        self._name = name
        self.paragraphs: list[Paragraph] = []
        self._open = [_Open()]
        self._styles: dict[tuple[str, str], _Style] = {}  # by family and name
        self._style: _Style | None = None  # the one that is being read
        self._is_in_section = False
        self._ends_in_space: dict[int, bool] = {}  # by paragraph: whether further spaces count for nothing
        self._looks: dict[int, object] = {}  # by paragraph: how its last text looks
        self._seams: set[int] = set()  # paragraphs where something stands after their last text

    def take(self, event: Event, end: int) -> None:
        if event.kind == "start":
            self._start(event)
        elif event.kind == "end":
            self._end()
        elif event.kind == "text":
            self._characters(event.data, Span(event.place, end))
        elif event.kind == "section":
            self._is_in_section = not self._is_in_section

    def _start(self, event: Event) -> None:
        refuse_too_deep(len(self._open), name=self._name)
        opened = self._open[-1].inside(_short(event.name))
        values = {_short(key): value for key, value in event.attributes.items()}
        if opened.name not in _NEUTRAL:
            self._add_seam(opened.paragraph)
        self._open.append(opened)
        if opened.name.startswith("style:"):
            self._start_style(opened.name, values)
        elif opened.name in _GONE:
            opened.is_hidden = True
        elif opened.name == "text:note" or opened.name.startswith("drawing:"):
            opened.paragraph = None  # it has paragraphs of its own
        elif opened.name.startswith("text:"):
            self._start_text(opened, values)
        elif opened.paragraph is not None:
            opened.is_bound = True  # a control, or what nobody knows yet

    def _start_style(self, name: str, values: dict[str, str]) -> None:
        if name == "style:style":
            is_code = any(_CODE_STYLE.search(values.get(f"style:{key}", "")) for key in ("name", "parent-style-name"))
            look = {("parent", values["style:parent-style-name"])} if "style:parent-style-name" in values else set()
            self._style = _Style(look, is_code=is_code)
            self._styles[values.get("style:family", ""), values.get("style:name", "")] = self._style
        elif name == "style:text-properties" and self._style is not None:
            self._style.look |= {(key, value) for key, value in values.items() if not _INVISIBLE_LOOK.search(key)}
            self._style.is_hidden |= values.get("text:display") == "none"

    def _start_text(self, opened: _Open, values: dict[str, str]) -> None:
        style = self._style_of("text" if opened.name == "text:span" else "paragraph", values.get("text:style-name", ""))
        if opened.name in ("text:p", "text:h"):
            opened.paragraph, opened.look = Paragraph(is_protected=style.is_code), ()
            opened.is_hidden |= style.is_hidden
            self.paragraphs.append(opened.paragraph)
        elif opened.name == "text:span":
            opened.look = (*opened.look, frozenset(style.look)) if style.look else opened.look
            opened.is_hidden |= style.is_hidden
            opened.is_bound |= style.is_code
        elif opened.name == "text:section":
            opened.is_hidden |= values.get("text:display") == "none"
            opened.is_bound |= values.get("text:protected") == "true"
        elif opened.name == "text:section-source":
            self._open[-2].is_bound = True  # the section's text is that of another file
        elif _BOUND.fullmatch(opened.name):
            opened.is_bound = True
        elif opened.paragraph is not None:
            self._start_in_paragraph(opened, values)
        opened.is_prose = opened.name in _PROSE or opened.is_prose

    def _style_of(self, family: str, name: str) -> _Style:
        common = _Style({("style", name)} if name else set(), is_code=_CODE_STYLE.search(name) is not None)
        return self._styles.get((family, name), common)

    def _start_in_paragraph(self, opened: _Open, values: dict[str, str]) -> None:
        """Characters that stand as elements; any other element is a field."""
        if opened.name == "text:s":
            count = values.get("text:c", "1")
            number = min(int(count), _MOST_SPACES) if count.isascii() and count.isdigit() and len(count) < 9 else 1
            self._add(opened, " " * number)
        elif opened.name == "text:tab":
            self._add(opened, "\t")
        elif opened.name == "text:line-break":
            self._add(opened, "\n")
        elif opened.name not in _PROSE | _NEUTRAL:
            opened.is_prose = opened.is_bound = True

    def _add(self, opened: _Open, text: str) -> None:
        if opened.paragraph is not None and text and not opened.is_hidden:
            opened.paragraph.fragments.append(Fragment(text, None, is_protected=False, joins=False))

    def _end(self) -> None:
        closed = self._open.pop()
        if closed.name == "style:style":
            self._style = None
        if closed.name not in _NEUTRAL and closed.paragraph is self._open[-1].paragraph:
            self._add_seam(closed.paragraph)

    def _characters(self, data: str, raw: Span) -> None:
        opened = self._open[-1]
        paragraph = opened.paragraph
        if paragraph is None or not opened.is_prose:
            return
        if opened.is_hidden:
            self._add_seam(paragraph)
            return
        if self._is_in_section or (len(data) > 1 and raw.of(self._raw) != data):
            self._add_fragment(opened, paragraph, data, raw, is_protected=True)
            return
        for token in _TOKEN.finditer(data):
            place = Span(*token.span()).shifted(raw.start) if len(data) > 1 else raw
            is_space = token.group()[0] in _SPACE
            if not is_space:
                self._add_fragment(opened, paragraph, token.group(), place, is_protected=opened.is_bound)
            elif not self._ends_in_space.get(id(paragraph), True):
                self._add_fragment(opened, paragraph, " ", place, is_protected=opened.is_bound)
            self._ends_in_space[id(paragraph)] = is_space

    def _add_fragment(self, opened: _Open, paragraph: Paragraph, text: str, raw: Span, *, is_protected: bool) -> None:
        joins = id(paragraph) not in self._seams and self._looks.get(id(paragraph), opened.look) == opened.look
        paragraph.fragments.append(Fragment(text, raw, is_protected, joins))
        self._looks[id(paragraph)] = opened.look
        self._seams.discard(id(paragraph))
        self._ends_in_space[id(paragraph)] = False

    def _add_seam(self, paragraph: Paragraph | None) -> None:
        if paragraph is not None:
            self._seams.add(id(paragraph))


def _short(name: str) -> str:
    """With the usual prefix, whatever the file calls it."""
    namespace, _, local = name.rpartition(" ")
    return f"{_NAMES[namespace]}:{local}" if namespace in _NAMES else name
