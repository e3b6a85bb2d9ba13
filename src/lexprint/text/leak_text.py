"""The words of any text in the form in which leaks are found and compared: no case, accents, look-alikes, invisible marks.

Finding the document and aligning with it both read words from here: what one sees and the other does not would be where a
leak hides. A leak may have been retyped, scanned, disguised or be no text at all; every string has words here, each with its span in
the string as it came. Master and leak go through the same, so what it throws away is thrown away on both sides.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

LONGEST_WORD = 64  # characters compared; nothing longer is a word

# Soft hyphen, zero-width and direction marks, joiners, variation selectors, tags: seen by nobody, put in to disguise.
_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff"
)
_ENCLOSED = (
    "\u249c-\u24e9\U0001f110-\U0001f169"  # letters in circles, squares and brackets, which are no letters to `re`
)
_APOSTROPHES = "'’‘ʼʻ´`′＇"
_HYPHENS = "-‐‑"

# Letters that look like another: Cyrillic, Greek, Armenian, and what compatibility forms leave, in lower case.
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
_CAPITALS = str.maketrans("ВНΗΝΜΥΖΡ", "bhhnmyzp")  # those that look like another letter than their small ones do
_LETTERS = str.maketrans(_LOOK_ALIKES)
_DIGITS = str.maketrans(_DIGITS_FOR_LETTERS)


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

    >>> spell("Сafé"), spell("W0RD"), spell("2010"), spell("_")
    ('cafe', 'word', '2010', '')
    """
    if word.isascii() and word.isalpha() and len(word) <= LONGEST_WORD:
        return word.lower()
    folded = unicodedata.normalize("NFKC", word[: 4 * LONGEST_WORD]).translate(_CAPITALS).casefold()
    letters = "".join(filter(str.isalnum, unicodedata.normalize("NFKD", folded))).translate(_LETTERS)
    if not letters.isdecimal():
        letters = letters.translate(_DIGITS)
    return letters[:LONGEST_WORD]


@cache
def _word_pattern() -> re.Pattern[str]:
    """Letters, digits and marks with what is invisible between them; apostrophes within; hyphens at line ends."""
    character = rf"[\w{_INVISIBLE}{_ENCLOSED}{_marks()}]"
    line_end = rf"(?:[{_HYPHENS}]|(?<=\u00ad))[^\S\n\r]*(?:\r\n?|\n)[^\S\n\r]*(?=[^\W\d_])"
    return re.compile(rf"{character}++(?:(?:[{_APOSTROPHES}](?=\w)|{line_end}){character}++)*+")


def _marks() -> str:
    """Ranges of combining marks of the scripts that letters may carry here; others part words, which harms nobody."""
    return "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
