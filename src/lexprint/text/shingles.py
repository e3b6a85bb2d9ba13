"""Word shingles: hashes of every few words in a row, by which a leak finds the document it comes from.

Copies of a document differ in some words and a leak in more, so most shingles are lost in a bad leak; a few are enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from lexprint.text.leak_text import find_words

SHINGLE_WORDS = 4  # fewer are common to many texts, more seldom survive
KEPT_AT_LEAST = 256  # shingles of a document, if it has so many
KEPT_SHARE = 4  # one in so many of a long document's


def shingles(text: str) -> list[int]:
    """Hashes of all runs of four words, each once, in order of value; case, accents and punctuation do not count.

    >>> shingles("Don\u2019t panic: all is well.") == shingles("dont PANIC all is well")
    True
    """
    words = [word.encode() for word in find_words(text).spelled]
    runs = {b" ".join(words[start : start + SHINGLE_WORDS]) for start in range(len(words) - SHINGLE_WORDS + 1)}
    return sorted(int.from_bytes(blake2b(run, digest_size=8).digest(), "big", signed=True) for run in runs)


def kept_shingles(found: Sequence[int]) -> list[int]:
    """Those of a document that are stored: the lowest, so that other texts with the same words keep much the same ones.

    A leak is looked up with all its shingles, since it does not know how long its document is.
    """
    return sorted(found)[: max(KEPT_AT_LEAST, len(found) // KEPT_SHARE)]
