"""The normalised view of a text that models read, with each of its characters traced to the original.

A copy is re-flowed, retyped and run through editors that turn quotes and dashes; reading must not change with it. So the
view has one kind of space, quote and dash, no invisible characters and composed letters, and can always be encoded.
It is made by a few rewrites of rare characters, each a compiled pattern, so that long texts cost little.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from lexprint.text.document import PARAGRAPH_BREAK
from lexprint.text.span import Span

MOST_MARKS = 30  # that one letter keeps (UAX #15, stream-safe text); putting more in order takes time quadratic in them

Offsets: TypeAlias = NDArray[np.int32]
Rewrite: TypeAlias = tuple[int, int, str]  # characters start..end, at least one, become this


@dataclass(frozen=True, eq=False, slots=True)
class View:
    """Normalised text, and for each of its characters the span of the original that it stands for."""

    text: str
    starts: Offsets  # (characters,)
    ends: Offsets  # (characters,)

    def original_span(self, span: Span) -> Span:
        """The part of the original that a non-empty part of the view stands for."""
        return Span(int(self.starts[span.start]), int(self.ends[span.end - 1]))


def normalise(text: str) -> str:
    """The view's text alone.

    >>> normalise("“Well\\u00adknown”—he  said…")
    '"Wellknown" - he said...'
    """
    return build_view(text).text


def build_view(text: str) -> View:
    """The normalised view of any text, in time linear in its length."""
    view = View(text, *_identity(len(text)))
    for find_rewrites in _PASSES:
        view = _rewritten(view, find_rewrites(view.text))
    return view


@cache
def combining_marks() -> str:
    """Every character that belongs to the letter before it, as the inside of a regular expression's class."""
    return _as_class(chr(code) for code in _assigned() if unicodedata.category(chr(code)).startswith("M"))


def _identity(length: int) -> tuple[Offsets, Offsets]:
    starts = np.arange(length, dtype=np.int32)
    return starts, starts + np.int32(1)


def _rewritten(view: View, rewrites: Iterable[Rewrite]) -> View:
    pieces: list[str] = []
    bounds: list[int] = []  # start, end and length of the replacement, for each rewrite
    cursor = 0
    for start, end, replacement in rewrites:
        pieces += (view.text[cursor:start], replacement)
        bounds += (start, end, len(replacement))
        cursor = end
    if not bounds:
        return view
    pieces.append(view.text[cursor:])
    first, last = _sources(np.array(bounds, dtype=np.int32).reshape(-1, 3), length=len(view.text))
    return View("".join(pieces), view.starts[first], view.ends[last])


def _sources(bounds: Offsets, *, length: int) -> tuple[Offsets, Offsets]:
    """First and last old character for every new one: kept runs count on, replacements stand for their whole span."""
    starts, ends, lengths = bounds.T  # (rewrites,) each
    kept_starts = np.insert(ends, 0, 0)  # (rewrites + 1,)
    sizes = _interleaved(
        np.append(starts, np.int32(length)) - kept_starts, lengths
    )  # (runs,) kept, replaced, kept, ...
    begun = np.cumsum(sizes, dtype=np.int32) - sizes  # where each run begins in the new text
    within = np.arange(int(sizes.sum()), dtype=np.int32) - np.repeat(begun, sizes)
    is_kept = np.repeat(np.arange(len(sizes)) % 2 == 0, sizes)
    step = np.where(is_kept, within, np.int32(0))
    first = np.repeat(_interleaved(kept_starts, starts), sizes) + step
    last = np.repeat(_interleaved(kept_starts, ends - np.int32(1)), sizes) + step
    return first, last


def _interleaved(kept: Offsets, replaced: Offsets) -> Offsets:
    runs = np.empty(len(kept) + len(replaced), dtype=np.int32)
    runs[::2], runs[1::2] = kept, replaced
    return runs


def _table(rows: dict[str, str]) -> dict[str, str]:
    return {character: replacement for replacement, characters in rows.items() for character in characters}


def _replacing(pattern: str, table: dict[str, str]) -> Callable[[str], Iterator[Rewrite]]:
    """A pass that looks up whatever `pattern` finds; what the table lacks is dropped."""
    finditer = re.compile(pattern).finditer

    def find_rewrites(text: str) -> Iterator[Rewrite]:
        for match in finditer(text):
            yield match.start(), match.end(), table.get(match.group(), "")

    return find_rewrites


# Controls that are not white space, soft hyphen, zero-width and direction marks, tags, stray byte-order marks.
_INVISIBLE = (
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
)
_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
_SURROGATES = {chr(code): "\ufffd" for code in range(0xD800, 0xE000)}  # alone they cannot be encoded for a model

_drop_invisible = _replacing(f"[{_INVISIBLE}\ufb00-\ufb06\ud800-\udfff]", _LIGATURES | _SURROGATES)

_PUNCTUATION = _table(
    {
        "'": "‘’‚‛‹›′‵ʹʼʻ´＇",
        '"': "“”„‟«»″‶〝〞〟＂",
        "-": "‐‑‒–−⁃﹣－",
        "—": "―⸺⸻﹘",
        "...": "…",
        "..": "‥",
    }
)

_unify_punctuation = _replacing(f"[{re.escape(''.join(_PUNCTUATION))}]", _PUNCTUATION)

_UNUSUAL_SPACE = re.compile(r"\A\s+|\s{2,}|[^\S ]|\s\Z")
_BLANK_LINE = re.compile(r"(?>\r\n|[\n\r\v\x85\u2028])\s*?[\n\r\v\x85\u2028]|\u2029")


def _unify_spaces(text: str) -> Iterator[Rewrite]:
    for match in _UNUSUAL_SPACE.finditer(text):
        start, end = match.span()
        if start == 0 or end == len(text):
            yield start, end, ""
        elif _BLANK_LINE.search(text, start, end):
            yield start, end, PARAGRAPH_BREAK
        else:
            yield start, end, " "


_DASH = re.compile(r"[-—](?: ?[-—])+|—")


def _unify_dashes(text: str) -> Iterator[Rewrite]:
    """A dash stands between spaces, except at the edge of a paragraph; its spaces are not part of it."""
    for match in _DASH.finditer(text):
        start, end = match.span()
        left = " " if start and not text[start - 1].isspace() else ""
        right = " " if end < len(text) and not _clings(text[end]) else ""
        yield start, end, f"{left}-{right}"


def _clings(character: str) -> bool:
    return character.isspace() or unicodedata.category(character).startswith("M")


def _join_hyphens(text: str) -> Iterator[Rewrite]:
    """A line may be broken after a hyphen, so a space there tells nothing."""
    for match in _broken_hyphen().finditer(text):
        yield match.start(), match.end(), "-"


@cache
def _broken_hyphen() -> re.Pattern[str]:
    # The hyphen comes first and looks back: a pattern that begins with a look-behind is tried at every character.
    return re.compile(rf"-(?:(?<=[^\W_]-)|(?<=[{combining_marks()}]-)) (?=[^\W_])")


def _compose(text: str) -> Iterator[Rewrite]:
    """Canonical composition, letter by letter: a letter and its marks are normalised together, apart from others."""
    if unicodedata.is_normalized("NFC", text):
        return
    for match in _composable().finditer(text):
        composed = unicodedata.normalize("NFC", match["kept"])
        if composed != match.group():
            yield match.start(), match.end(), composed


@cache
def _composable() -> re.Pattern[str]:
    joining: set[str] = set()
    changing: set[str] = set()
    for character in map(chr, _assigned()):
        if unicodedata.combining(character):
            joining.add(character)
        decomposition = unicodedata.decomposition(character)
        if decomposition and not decomposition.startswith("<"):
            joining.update(chr(int(code, 16)) for code in decomposition.split()[1:])
            if unicodedata.normalize("NFC", character) != character:
                changing.add(character)
    marks = _as_class(joining)
    hangul = "[\u1100-\u1112\uac00-\ud7a3][\u1161-\u1175\u11a8-\u11c2]+"
    most = f"{{0,{MOST_MARKS}}}"
    kept = f"{hangul}[{marks}]{most}|[^{marks}]?[{marks}][{marks}]{most}|[{_as_class(changing)}]"
    return re.compile(f"(?P<kept>{kept})[{marks}]*", re.DOTALL)


def _assigned() -> Iterator[int]:
    """Code points of the planes that hold letters and marks, and of the variation selectors."""
    yield from range(0x80, 0x30000)
    yield from range(0xE0100, 0xE01F0)


def _as_class(characters: Iterable[str]) -> str:
    """Runs of characters as ranges, which regular expressions search much faster than a list."""
    runs: list[list[int]] = []
    for code in sorted(map(ord, characters)):
        if runs and runs[-1][1] == code - 1:
            runs[-1][1] = code
        else:
            runs.append([code, code])
    return "".join(f"{re.escape(chr(first))}-{re.escape(chr(last))}" for first, last in runs)


# In this order: what is dropped or composed may change what the next pass sees, never what an earlier one did.
_PASSES = (_drop_invisible, _compose, _unify_punctuation, _unify_spaces, _unify_dashes, _join_hyphens)
