"""Function words that may stand for each other, and for no other word: kept as data, in `word_lists/partners.tsv`.

Most function words carry grammar or facts and are never exchanged. A few have partners that say the same ("although" and
"though", "anyone" and "anybody"); whether one fits is asked of the masked LM as of any other word.
"""

from __future__ import annotations

from functools import cache
from types import MappingProxyType
from typing import TypeAlias

from lexprint.substitution.lists import PARTNERS, rows

Partners: TypeAlias = MappingProxyType[str, frozenset[str]]


@cache
def partners() -> Partners:
    """Of each word that has any.

    >>> sorted(partners()["though"])
    ['although', 'but']
    """
    found: dict[str, set[str]] = {}
    for _, words in rows(PARTNERS):
        together = words.split()
        for word in together:
            found.setdefault(word, set()).update(other for other in together if other != word)
    return MappingProxyType({word: frozenset(others) for word, others in found.items()})
