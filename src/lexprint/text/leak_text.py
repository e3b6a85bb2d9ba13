"""The words of any text in the form in which leaks are found and compared: no case, accents, look-alikes, invisible marks.

Finding the document and aligning with it both read words from here: what one sees and the other does not would be where a
leak hides. A leak may have been retyped, scanned, disguised or be no text at all; every string has words here, each with its span in
the string as it came. Master and leak go through the same, so what it throws away is thrown away on both sides.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from functools import cache, lru_cache
from hashlib import sha256
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from lexprint.text.view import combining_marks

LONGEST_WORD = 64  # characters compared; nothing longer is a word

# What nobody sees, put in to disguise: Default_Ignorable_Code_Point of Unicode 16, which Python does not know, less what is blank;
# controls that are no white space, and marks of annotations.
_INVISIBLE = (
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
)
_BLANKS = "\u115f\u1160\u3164\uffa0"  # Hangul fillers: letters to Unicode, and spaces to a reader
_invisible = re.compile(f"[{_INVISIBLE}{_BLANKS}]+")
_ENCLOSED = (  # letters in circles, squares and brackets, and those of flags, which are no letters to `re`
    "\u249c-\u24e9\U0001f110-\U0001f189\U0001f1e6-\U0001f1ff"
)
_APOSTROPHES = "'’‘ʼʻ´`′＇"
_HYPHENS = "-‐‑"

# Letters that look like another, where Unicode's list (`look_alikes.txt`) has none or one that disguisers do not mean.
_LOOK_ALIKES = {
    look_alike: letter
    for letter, look_alikes in {
        "a": "аαɑ",
        "b": "ьβƅ",
        "c": "сϲⅽ",
        "d": "ԁɗ",
        "e": "еєҽε",
        "f": "ƒϝ",
        "g": "ɡց",
        "h": "һհ",
        "i": "іιıɩ",
        "j": "јϳ",
        "k": "кκ",
        "l": "ӏǀ",
        "m": "мϻ",
        "n": "пոηɴ",
        "o": "оοօσ",
        "p": "рρϸ",
        "q": "ԛգ",
        "r": "гɾ",
        "s": "ѕʂ",
        "t": "тτ",
        "u": "υսʋц",
        "v": "ѵν",
        "w": "ԝѡɯω",
        "x": "хχ",
        "y": "уүγყ",
        "z": "ᴢʐ",
    }.items()
    for look_alike in look_alikes
}
_DIGITS_FOR_LETTERS = {"0": "o", "1": "l", "3": "e", "5": "s"}  # as scanners and disguisers write them, within words
_CAPITALS = dict(
    zip("ВНΗΝΜΥΖΡꓲ", "bhhnmyzpi", strict=True)
)  # those that look like another letter than their small ones do
_DIGITS = str.maketrans(_DIGITS_FOR_LETTERS)
_BY_NAME = re.compile(r"(?:.*\bLATIN\b.*|REGIONAL INDICATOR SYMBOL )\bLETTER (?:[A-Z-]+ )*?([A-Z])(?: WITH .*)?")
_CAPITAL_IN_WORD = re.compile(r"(?<=[a-z])[IΙІӀ]+")  # a small l to every reader


@dataclass(frozen=True, eq=False, slots=True)
class Words:
    """The words of a text as they are compared, and where each stands in it."""

    spelled: tuple[str, ...] = field(repr=False)
    starts: NDArray[np.int64] = field(repr=False)  # (words,)
    ends: NDArray[np.int64] = field(repr=False)  # (words,)

    def __len__(self) -> int:
        return len(self.spelled)


def find_words(text: str) -> Words:
    """All words of any text, in order.

    >>> find_words("“Ｔhe о\\u200bﬀice” re-\\nopens; don’t!").spelled
    ('the', 'office', 'reopens', 'dont')
    """
    spellings: dict[str, str] = {}
    spelled: list[str] = []
    bounds: list[int] = []
    for match in _word_pattern().finditer(text):
        found = match.group()
        word = spellings.get(found)
        if word is None:
            word = spellings[found] = spell(found)
        if word:
            spelled.append(word)
            bounds += match.span()
    offsets = np.array(bounds, dtype=np.int64).reshape(-1, 2)
    return Words(tuple(spelled), offsets[:, 0], offsets[:, 1])


def wording_digest(text: str) -> str:
    """The same for texts that have the same words: no leak can tell them apart but by their marks."""
    return sha256(" ".join(find_words(text).spelled).encode()).hexdigest()


def spell(word: str) -> str:
    """A word as it is compared; empty if no letter and no digit is left of it.

    >>> spell("Сafé"), spell("W0RD"), spell("heIp"), spell("ᴡᴏʀᴅ"), spell("2010"), spell("_")
    ('cafe', 'word', 'help', 'word', '2010', '')
    """
    if not word.islower():
        word = _CAPITAL_IN_WORD.sub(lambda found: "l" * len(found.group()), word)
    if word.isascii() and word.isalpha() and len(word) <= LONGEST_WORD:
        return word.lower()
    seen = _invisible.sub("", word)[: 4 * LONGEST_WORD]
    letters = "".join(map(_letter, unicodedata.normalize("NFKD", seen)))
    if not letters.isdecimal():
        letters = letters.translate(_DIGITS)
    return letters[:LONGEST_WORD]


@lru_cache(maxsize=1 << 14)
def _letter(character: str) -> str:
    """What a reader takes a character for, which has no accent by now; empty if it is neither letter nor digit."""
    if _invisible.match(character):  # some forms of what is not seen are made of others
        return ""
    small, known = character.casefold(), _look_alikes()
    found = _CAPITALS.get(character) or known.get(small) or known.get(character)
    if found is None and not character.isascii():
        found = letter_by_name(character)
    return found or "".join(filter(str.isalnum, small))


def letter_by_name(character: str) -> str | None:
    """The letter of a to z that a character is a form of, whether a small capital, hooked, turned or in a square.

    >>> [letter_by_name(one) for one in "ʀɖɐ🅰🇦я"]
    ['r', 'd', 'a', 'a', 'a', None]
    """
    found = _BY_NAME.fullmatch(unicodedata.name(character, ""))
    return found[1].lower() if found else None


@cache
def _look_alikes() -> dict[str, str]:
    """The letter that each looks like, or two."""
    lines = resources.files("lexprint.text").joinpath("look_alikes.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split(" ") for line in lines if not line.startswith("#")]
    return {one: letters for letters, look_alikes in rows for one in look_alikes} | _LOOK_ALIKES


@cache
def _word_pattern() -> re.Pattern[str]:
    """Letters, digits and marks with what is invisible between them; apostrophes within; hyphens at line ends.

    Letters that stand apart, each with a sign or unusual space between, or the same few of them, are a word too.
    """
    signs = re.escape("".join(one for one in _look_alikes() if not re.match(r"\w", one)))
    unseen = rf"[{_INVISIBLE}{combining_marks()}]"
    character = rf"(?:[^\W_{_BLANKS}]|[{_INVISIBLE}{_ENCLOSED}{signs}{combining_marks()}])"
    single = rf"[^\W\d_{_BLANKS}]{unseen}*+(?!{character})"
    sign = rf"(?:[^\w \t\n\r{_APOSTROPHES}]|[_{_BLANKS}])"
    further = rf"(?:{sign}{single})++|(?P<signs>{sign}{{2,3}}+){single}(?:(?P=signs){single})*+"
    apart = rf"(?<!{character}){single}(?:{further})"
    line_end = rf"(?:[{_HYPHENS}]|(?<=\u00ad))[^\S\n\r]*(?:\r\n?|\n)[^\S\n\r]*(?=[^\W\d_])"
    return re.compile(rf"{apart}|{character}++(?:(?:[{_APOSTROPHES}](?=\w)|{line_end}){character}++)*+")
