"""Markdown: the prose between its marks; code, links, HTML, front matter and the structure of tables stay.

markdown-it tells blocks by line but not where in a line a piece of text stands. A step recorder among its inline rules
does, and every piece is compared with the file before it is trusted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from string import punctuation
from typing import ClassVar, Literal

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType

from lexprint.errors import FormatError
from lexprint.formats.encodings import decode_text
from lexprint.formats.markdown_signs import FRONT_MATTER
from lexprint.formats.plain_text import TextFile
from lexprint.formats.projection import Projection, ProjectionBuilder
from lexprint.text.span import Span

LARGEST = 5_000_000  # characters; the Bible has four and a half million
MOST_BRACKETS = 50_000  # each may begin a link, and what never ends is sought far and wide

_LINE = re.compile(r"[^\r\n]*+(?:\r\n?|\n|\Z)")
_FORMULA = re.compile(r"\$\$[^$]++\$\$|\$(?! )[^$\n]++(?<! )\$(?!\d)")
_BRACKETED = re.compile(r"\[[^\[\]]*+\]")
_BREAK_TAG = re.compile(r"<br\s*/?>", re.IGNORECASE)
_LITERAL_TAG = re.compile(r"<(/?)(?:a|code|kbd|pre|samp|script|style|textarea|tt|var)\b", re.IGNORECASE)
_BAR = re.compile(r"(?<!\\)\|")
_PLAIN_WORD = re.compile(r"\w+(?:['’-]\w+)*")
_ESCAPED = str.maketrans({character: f"\\{character}" for character in punctuation})

_CODE = "\ufffc"  # stands for inline code where patterns are sought


@dataclass(frozen=True)
class MarkdownText(TextFile):
    """A Markdown file."""

    kind: ClassVar[str] = "Markdown"

    def __post_init__(self) -> None:
        if len(self.encoded.text) > LARGEST:
            raise FormatError(self.name, found="too large a Markdown file", needed=f"at most {LARGEST:,} characters")
        if self.encoded.text.count("[") > MOST_BRACKETS:
            raise FormatError(self.name, found="full of brackets", needed=f"at most {MOST_BRACKETS:,} of them")

    @cached_property
    def _projection(self) -> Projection:
        return _read(self.encoded.text)

    def _escaped(self, replacement: str) -> str:
        return replacement if _PLAIN_WORD.fullmatch(replacement) else replacement.translate(_ESCAPED)


def read_markdown(content: bytes, *, name: str) -> MarkdownText:
    return MarkdownText(decode_text(content, name=name), name)


def _body_start(raw: str) -> int:
    front_matter = FRONT_MATTER.match(raw)
    return front_matter.end() if front_matter else 0


@dataclass(frozen=True, slots=True)
class _Line:
    start: int  # in the file
    text: str


def _read(raw: str) -> Projection:
    start = _body_start(raw)
    lines = [
        _Line(match.start(), match.group().rstrip("\r\n").replace("\0", "\ufffd"))
        for match in _LINE.finditer(raw, start)
    ]
    env: EnvType = {}
    builder = ProjectionBuilder()
    rows: dict[int, _Row] = {}  # of tables, by line
    enclosing = ""
    for token in _parser().parse(raw[start:], env):
        if token.type != "inline":
            enclosing = token.type
        elif token.map is not None and token.map[0] < len(lines):
            first = token.map[0]
            builder.end_paragraph()
            if enclosing in ("th_open", "td_open"):
                places = rows.setdefault(first, _Row(lines[first])).next_cell(token.content)
            else:
                places = _places(token, lines)
            if places is not None:
                _Block(builder, token, places, has_references=bool(env.get("references"))).add()
    return builder.build()


def _places(token: Token, lines: list[_Line]) -> list[int] | None:
    """Where each character of a block's content stands in the file, -1 for none; None: not to be found."""
    assert token.map is not None
    first = token.map[0]
    contents = token.content.split("\n")
    if first + len(contents) > len(lines):
        return None
    places: list[int] = []
    for line, content in zip(lines[first : first + len(contents)], contents, strict=True):
        core = content.strip()
        found = _find_core(line, core)
        if found is None:
            return None
        places += _aligned(content, line.start + found)
    return places


def _aligned(content: str, start: int) -> list[int]:
    """The places of a line of content, and of the line break after it; `start` is where its first letter stands."""
    core = content.strip()
    indent = len(content) - len(content.lstrip()) if core else 0
    rest = len(content) - indent - len(core) + 1
    return [*[-1] * indent, *range(start, start + len(core)), *[-1] * rest]


def _find_core(line: _Line, core: str) -> int | None:
    """Content ends its line, but for white space and the closing sequence of a heading."""
    text = line.text.rstrip()
    while not text.endswith(core):
        if not text.endswith("#"):
            return None
        text = text.rstrip("#").rstrip()
    return len(text) - len(core)


class _Row:
    """A row of a table, whose cells are asked for one after the other."""

    def __init__(self, line: _Line) -> None:
        bars = [match.start() for match in _BAR.finditer(line.text)]
        bounds = zip([0, *(bar + 1 for bar in bars)], [*bars, len(line.text)], strict=True)
        self._cells = [_Line(line.start + start, line.text[start:end]) for start, end in bounds]
        self._next: int | None = None

    def next_cell(self, content: str) -> list[int] | None:
        """The places of the next cell; None if it is empty or written otherwise than it reads."""
        core = content.strip()
        if self._next is None:
            # Before the first bar is the first cell, or what a quotation or list around the table puts there.
            is_first = self._cells[0].text.replace("\\|", "|").rstrip().endswith(core)
            self._next = 0 if core and is_first else 1
        index, self._next = self._next, self._next + 1
        if not core or index >= len(self._cells):
            return None
        cell = self._cells[index]
        text = cell.text.rstrip()
        if not text.endswith(core) or (index and text.lstrip() != core):
            return None
        return _aligned(content, cell.start + len(text) - len(core))


class _Block:
    """Adds the text of one block."""

    def __init__(self, builder: ProjectionBuilder, token: Token, places: list[int], *, has_references: bool) -> None:
        self._builder = builder
        self._children = token.children or []
        self._source = token.content
        self._places = places
        self._has_references = has_references
        self._literal = 0  # depth of what is read but never changed

    def add(self) -> None:
        shown: list[str] = []
        start: int | None = None
        before = 0  # where the last token began
        position = 0
        for token in self._children:
            at = int(token.meta.get("at", -1))
            position = position if at == before else at  # a run of delimiters is several tokens of one step
            before = at
            text = self._text_of(token)
            raw = None
            if text and token.type in ("text", "text_special") and not self._literal:
                raw = self._raw_span(token.markup or token.content, position)
            if token.type not in ("text", "text_special"):
                self._builder.add_seam()
            added = self._builder.add(text, raw)
            if raw is None and text != "\n":
                self._builder.protect(added)
            if text and start is None:
                start = added.start
            shown.append(text if token.type != "code_inline" else _CODE * len(text))
            position += len(token.content)
        if start is not None:
            self._protect("".join(shown), start)

    def _text_of(self, token: Token) -> str:
        """What a reader sees of a token; notes when what follows is not to be changed."""
        if token.type in ("text", "text_special", "code_inline"):
            return token.content
        if token.type in ("softbreak", "hardbreak"):
            return "\n"
        if token.type in ("link_open", "link_close"):
            self._literal = max(0, self._literal + token.nesting)
        elif token.type == "html_inline":
            tag = _LITERAL_TAG.match(token.content)
            if tag:
                self._literal = max(0, self._literal + (-1 if tag.group(1) else 1))
            elif _BREAK_TAG.fullmatch(token.content):
                return "\n"
        return ""

    def _raw_span(self, written: str, position: int) -> Span | None:
        if position < 0 or not self._source.startswith(written, position):
            return None
        start = self._places[position]
        end = start + len(written)
        is_unbroken = start >= 0 and self._places[position + len(written) - 1] == end - 1
        return Span(start, end) if is_unbroken else None

    def _protect(self, text: str, start: int) -> None:
        """Formulas; and, in a file with references, brackets: another word there could become one."""
        patterns = (_FORMULA, _BRACKETED) if self._has_references else (_FORMULA,)
        for pattern in patterns:
            for match in pattern.finditer(text):
                self._builder.protect(Span(*match.span()).shifted(start))


class _TracedState(StateInline):
    """Notes where in the source each token began."""

    step = 0
    text_start = 0

    def begin_step(self) -> None:
        self.step = self.pos
        if not self.pending:
            self.text_start = self.pos

    def pushPending(self) -> Token:  # noqa: N802
        token = super().pushPending()
        token.meta["at"] = self.text_start
        return token

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        token = super().push(ttype, tag, nesting)
        token.meta["at"] = self.step
        return token


class _TracingParser(ParserInline):
    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        state = _TracedState(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


def _begin_step(state: StateInline, silent: bool) -> bool:  # noqa: FBT001
    """The first inline rule: matches nothing, so it sees the start of every step."""
    if isinstance(state, _TracedState) and not silent:
        state.begin_step()
    return False


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt()
    parser.inline = _TracingParser()
    parser.configure("commonmark")
    parser.enable(["table", "strikethrough"])
    parser.disable(["fragments_join", "text_join"])  # both join tokens whose places are known into one whose is not
    parser.inline.ruler.before("text", "begin_step", _begin_step)
    return parser
