"""HTML: only what a reader sees as running text changes; tags, references and white space stay byte for byte.

No parser tells where in the file a text node stands, so tags are told from text here, by the tokenizer of the HTML
standard (html.spec.whatwg.org, section 13.2.5) as far as it matters for that.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from html import escape, unescape
from html.entities import html5
from typing import ClassVar

from lexprint.formats.encodings import decode_text
from lexprint.formats.plain_text import TextFile
from lexprint.formats.projection import Projection, ProjectionBuilder
from lexprint.text.span import Span

_SPACE = "\t\n\f\r "
_PRESCAN = 1024  # bytes in which a page must say its encoding, by the standard

_BLOCKS = frozenset(
    """
    address article aside audio blockquote body button canvas caption center col colgroup dd details dialog dir div dl dt
    fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li link main
    menu meta nav object ol optgroup option p pre search section select summary table tbody td template textarea tfoot th
    thead title tr ul video
    """.split()
)
_RAW = frozenset("iframe noembed noframes noscript script style textarea title xmp".split())  # no tags inside
_UNSEEN = frozenset("datalist head math object pre select svg template".split())  # with tags inside, not running text
_LITERAL = frozenset("button code kbd output samp tt var".split())  # read with the sentence, never changed
_FOREIGN = frozenset("math svg".split())

_TAG_NAME = re.compile(rf"</?+([a-zA-Z][^{_SPACE}/>]*+)")
_BEFORE_ATTRIBUTE = re.compile(rf"[{_SPACE}/]*+")
_ATTRIBUTE_NAME = re.compile(rf"[^>/{_SPACE}][^=>/{_SPACE}]*+")
_EQUALS = re.compile(rf"[{_SPACE}]*+=[{_SPACE}]*+")
_UNQUOTED = re.compile(rf"[^>{_SPACE}]*+")
_COMMENT_END = re.compile(r"--!?>")
_SCRIPT_TURN = re.compile(rf"<!--|-->|<(/?)script(?=[{_SPACE}/>])", re.IGNORECASE)
_TEXT_TOKEN = re.compile(
    rf"(?P<space>[{_SPACE}]++)|&(?:#(?P<decimal>[0-9]++);?+|#[xX](?P<hexadecimal>[0-9a-fA-F]++);?+"
    rf"|(?P<named>[a-zA-Z][a-zA-Z0-9]*+;?+))|(?P<bare>[&<])|(?P<plain>[^&<{_SPACE}]++(?: [^&<{_SPACE}]++)*+)"
)
_LONGEST_ENTITY = max(map(len, html5))
_CODE_POINT_DIGITS = 7
_CHARSET = re.compile(rb"<meta\s[^>]*?charset\s*=\s*[\"']?\s*([a-zA-Z0-9_.:-]{1,40})", re.IGNORECASE)
_WESTERN = frozenset(
    "ascii us-ascii iso-8859-1 latin1 latin-1 iso8859-1".split()
)  # the standard reads these as Windows
# Encodings of the standard in which a character stands for itself wherever it is.
_STATELESS = re.compile(
    "utf-?8|ibm866|iso-?8859-[0-9]{1,2}|koi8-[ru]|macintosh|windows-125[0-8]|gbk|gb18030|gb2312|big5|euc-jp|euc-kr|shift_jis"
)

# Ways to show nothing of what is there: in a style, in a sheet of styles, or by an attribute.
_HIDING = re.compile(
    r"(?:display\s*+:\s*+none|visibility\s*+:\s*+hidden|(?:font-size|opacity)\s*+:\s*+0(?![.\d]))"
    r"|<[a-z][^<>]*?\shidden(?=[\s=/>])",
    re.IGNORECASE,
)
HIDES_PARTS = (
    "The leaked page hides parts of itself by its styles, and they were read like the rest; whoever made it can have written anything "
    "there. Compare the report with the page as it is seen."
)

_STRONG = re.compile(rf"<(?:!doctype\s+html|html|head|body)(?=[{_SPACE}/>])", re.IGNORECASE)
_PROLOGUE = re.compile(r"(?:\s++|<!--.*?-->|<\?.*?>)*+", re.DOTALL)
_FRAGMENT = re.compile(
    rf"<(?:{'|'.join(sorted(_BLOCKS | _RAW))}|a|b|em|i|img|small|span|strong|u)(?=[{_SPACE}/>])", re.IGNORECASE
)


def is_page(raw: str) -> bool:
    """Whether a text can be nothing but a web page."""
    start = _PROLOGUE.match(raw[:100_000])
    return start is not None and _STRONG.match(raw, start.end()) is not None


def is_fragment(raw: str) -> bool:
    """Whether a text begins and ends like a part of a web page; so do some Markdown files."""
    start = _PROLOGUE.match(raw[:100_000])
    return start is not None and _FRAGMENT.match(raw, start.end()) is not None and raw.rstrip().endswith(">")


def read_html(content: bytes, *, name: str) -> HtmlText:
    declared = _CHARSET.search(content[:_PRESCAN])
    return HtmlText(
        decode_text(content, name=name, declared=codec_of(declared.group(1).decode("ascii")) if declared else None),
        name,
    )


def codec_of(label: str) -> str | None:
    """The codec for an encoding of the standard, if a character stands for itself in it wherever it is."""
    encoding = label.lower()
    if encoding in _WESTERN:
        return "cp1252"
    if encoding == "macintosh":
        return "mac-roman"
    return encoding if _STATELESS.fullmatch(encoding) and encoding != "iso-8859-12" else None


@dataclass(frozen=True)
class HtmlText(TextFile):
    """A web page or a part of one."""

    kind: ClassVar[str] = "HTML"

    @cached_property
    def _projection(self) -> Projection:
        return _Reader(self.encoded.text).read()

    @property
    def remarks(self) -> tuple[str, ...]:
        return (HIDES_PARTS,) if _HIDING.search(self.encoded.text) else ()

    def _escaped(self, replacement: str) -> str:
        """Letters that the encoding lacks become references."""
        safe = escape(replacement, quote=False)
        return safe.encode(self.encoded.encoding, "xmlcharrefreplace").decode(self.encoded.encoding)


@dataclass(frozen=True, slots=True)
class _Tag:
    """A tag or anything else in angle brackets; `name` is empty for what is no tag."""

    start: int
    end: int
    name: str
    closes: bool
    closes_itself: bool


def _tags(raw: str) -> Iterator[_Tag]:
    """Whatever is not text, in order; raw text elements are one with their start tag."""
    is_xml = raw.lstrip("\ufeff \t\r\n").startswith("<?xml")
    foreign = 0
    position = raw.find("<")
    while position != -1:
        if _TAG_NAME.match(raw, position):
            tag = _read_tag(raw, position)
            if tag.name in _FOREIGN and not tag.closes_itself:
                foreign = max(0, foreign + (-1 if tag.closes else 1))
            if tag.name in _RAW and not tag.closes and not ((is_xml or foreign) and tag.closes_itself):
                tag = _Tag(tag.start, _end_of_raw_text(raw, tag), tag.name, closes=False, closes_itself=True)
            elif tag.name == "plaintext":
                tag = _Tag(tag.start, len(raw), "", closes=False, closes_itself=True)
        elif raw.startswith(("!", "?", "/"), position + 1):
            find_end = _end_of_section if is_xml or foreign else _end_of_comment
            tag = _Tag(position, find_end(raw, position), "", closes=False, closes_itself=False)
        else:
            position = raw.find("<", position + 1)
            continue
        yield tag
        position = raw.find("<", tag.end)


def _read_tag(raw: str, start: int) -> _Tag:
    match = _TAG_NAME.match(raw, start)
    assert match is not None
    name, closes = match.group(1).lower(), raw[start + 1] == "/"
    position = match.end()
    while True:
        position = _end(_BEFORE_ATTRIBUTE, raw, position)
        if raw.startswith(">", position):
            return _Tag(start, position + 1, name, closes, closes_itself=raw[position - 1] == "/")
        if position >= len(raw):
            return _Tag(start, len(raw), "", closes=False, closes_itself=False)  # never ends: the standard drops it
        position = _end(_ATTRIBUTE_NAME, raw, position)
        equals = _EQUALS.match(raw, position)
        if equals is None:
            continue
        position = equals.end()
        quote = raw[position : position + 1]
        position = _after(raw, quote, position + 1) if quote in ("'", '"') and quote else _end(_UNQUOTED, raw, position)


def _end(pattern: re.Pattern[str], raw: str, position: int) -> int:
    match = pattern.match(raw, position)
    return match.end() if match else position


def _end_of_comment(raw: str, start: int) -> int:
    """Comments, and what the standard calls bogus comments."""
    if not raw.startswith("<!--", start):
        return _after(raw, ">", start)
    if raw.startswith((">", "->"), start + 4):
        return _after(raw, ">", start)
    ending = _COMMENT_END.search(raw, start + 4)
    return ending.end() if ending else len(raw)


def _end_of_section(raw: str, start: int) -> int:
    """The same where CDATA sections may stand: in foreign elements, and in XML."""
    return _after(raw, "]]>", start) if raw.startswith("<![CDATA[", start) else _end_of_comment(raw, start)


def _after(raw: str, ending: str, start: int) -> int:
    found = raw.find(ending, start)
    return len(raw) if found == -1 else found + len(ending)


def _end_of_raw_text(raw: str, tag: _Tag) -> int:
    """Where the element that `tag` opens ends, its end tag included."""
    closing = _end_of_script(raw, tag.end) if tag.name == "script" else _closing_tag(raw, tag)
    return len(raw) if closing == -1 else _read_tag(raw, closing).end


def _closing_tag(raw: str, tag: _Tag) -> int:
    match = re.compile(rf"</{tag.name}(?=[{_SPACE}/>])", re.IGNORECASE).search(raw, tag.end)
    return match.start() if match else -1


def _end_of_script(raw: str, start: int) -> int:
    """Scripts may hold scripts in comments: the double escaped state of the standard."""
    comment, inner = False, False
    position = start
    while (match := _SCRIPT_TURN.search(raw, position)) is not None:
        position = match.end()
        turn = match.group().lower()
        if turn == "<!--":
            comment, position = True, position - 2  # its dashes may also end it
        elif turn == "-->":
            comment = inner = False
        elif turn == "</script" and not inner:
            return match.start()
        elif comment:
            inner = turn == "<script"
    return -1


class _Reader:
    """Walks from tag to tag and keeps the text between them."""

    def __init__(self, raw: str) -> None:
        self._raw = raw
        self._builder = ProjectionBuilder()
        self._unseen: list[str] = []
        self._literal: list[str] = []
        self._counts = Counter[str]()  # of both by name: looking for one among many would take long

    def read(self) -> Projection:
        position = 0
        for tag in _tags(self._raw):
            self._add_text(position, tag.start)
            self._pass(tag)
            position = tag.end
        self._add_text(position, len(self._raw))
        return self._builder.build()

    def _pass(self, tag: _Tag) -> None:
        if tag.name == "br" and not self._unseen:
            self._builder.add("\n", None)
        elif tag.name in _BLOCKS or tag.name in _RAW:
            self._builder.end_paragraph()
        else:
            self._builder.add_seam()
        for open_elements, names in ((self._unseen, _UNSEEN), (self._literal, _LITERAL)):
            if tag.name not in names:
                continue
            if not tag.closes and not (tag.closes_itself and tag.name in _FOREIGN):
                open_elements.append(tag.name)
                self._counts[tag.name] += 1
            elif tag.closes and self._counts[tag.name]:
                while (closed := open_elements.pop()) != tag.name:
                    self._counts[closed] -= 1
                self._counts[tag.name] -= 1
        if tag.name == "body":
            self._counts.subtract(self._unseen)
            self._unseen.clear()  # a head need not be closed

    def _add_text(self, start: int, end: int) -> None:
        if self._unseen or start >= end:
            return
        position = start
        is_open = False  # after a bare & or <, or a reference without its semicolon: up to a space all could join it
        while position < end:
            match = _TEXT_TOKEN.match(self._raw, position, end)
            assert match is not None
            text, stop = _decoded(match)
            kind = match.lastgroup
            raw = Span(position, stop)
            if kind == "space":
                if not (self._builder.is_at_paragraph_start or self._builder.last_character in (" ", "\n")):
                    self._builder.add(" ", raw)
            elif self._literal:
                self._builder.add_protected(text, raw)
            else:
                added = self._builder.add(text, raw)
                if is_open or (kind == "named" and text == match.group()):
                    self._builder.protect(Span(added.start, added.start + len(text.partition(" ")[0])))
            if kind == "plain":
                is_open = is_open and " " not in text
            else:
                is_open = kind != "space" and (is_open or self._raw[stop - 1] != ";")
            position = stop


def _decoded(match: re.Match[str]) -> tuple[str, int]:
    """What a token of text says, and where it ends: a name without semicolon may be a reference and more."""
    decimal, hexadecimal, named = match["decimal"], match["hexadecimal"], match["named"]
    digits = decimal or hexadecimal
    if digits:
        significant = digits.lstrip("0") or "0"
        if len(significant) > _CODE_POINT_DIGITS:
            return "\ufffd", match.end()
        return unescape(f"&#{'' if decimal else 'x'}{significant};"), match.end()
    if named:
        for length in range(min(len(named), _LONGEST_ENTITY), 1, -1):
            if named[:length] in html5:
                return html5[named[:length]], match.start() + 1 + length
        return match.group(), match.end()
    return match.group(), match.end()
