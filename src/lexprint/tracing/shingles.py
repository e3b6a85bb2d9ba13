"""Word shingles: hashes of every few words in a row, by which a leak finds the document it comes from.

Copies of a document differ in some words and a leak in more, so most shingles are lost in a bad leak; a few are enough.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from hashlib import blake2b

from lexprint.text.view import normalise

SHINGLE_WORDS = 4  # fewer are common to many texts, more seldom survive
KEPT_AT_LEAST = 256  # shingles of a document, if it has so many
KEPT_SHARE = 4  # one in so many of a long document's

_WORD = re.compile(r"[^\W_]+")
_JOINED = re.compile(r"['\u0300-\u036f]")  # apostrophes and accents, which are lost in retyping


def shingles(text: str) -> list[int]:
    """Hashes of all runs of four words, each once, in order of value; case, accents and punctuation do not count.

    >>> shingles("Don\u2019t panic: all is well.") == shingles("dont PANIC all is well")
    True
    """
    words = [word.encode() for word in normalised_words(text)]
    runs = {b" ".join(words[start : start + SHINGLE_WORDS]) for start in range(len(words) - SHINGLE_WORDS + 1)}
    return sorted(int.from_bytes(blake2b(run, digest_size=8).digest(), "big", signed=True) for run in runs)


def normalised_words(text: str) -> list[str]:
    """Words without what a retyped copy loses.

    >>> normalised_words("The naïve visitor’s well-known “MENU”")
    ['the', 'naive', 'visitors', 'well', 'known', 'menu']
    """
    decomposed = unicodedata.normalize("NFKD", normalise(text).casefold())
    return _WORD.findall(_JOINED.sub("", decomposed))


def kept_shingles(found: Sequence[int]) -> list[int]:
    """Those of a document that are stored: the lowest, so that other texts with the same words keep much the same ones.

    A leak is looked up with all its shingles, since it does not know how long its document is.
    """
    return sorted(found)[: max(KEPT_AT_LEAST, len(found) // KEPT_SHARE)]
