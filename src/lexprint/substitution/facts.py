"""Words whose exchange could change a fact, however sure a model is; kept as data, by class, in `word_lists/`.

`fixed.tsv` names words that are never exchanged. A row of `apart.tsv` names groups of words; words of different groups never
stand for each other. Nor do the pairs of `refused.tsv`, which readers refused nearly whenever a model had chosen them, and of
`unlike.tsv`, which they call hardly ever interchangeable. All lists hold lemmas: what is said of "leave" holds for "left".
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from itertools import chain
from types import MappingProxyType
from typing import TypeAlias

from lexprint.substitution.lexicon import grammar_of
from lexprint.substitution.lists import APART, FIXED, REFUSED, UNLIKE, rows, words_of

BETWEEN_GROUPS = "|"

Groups: TypeAlias = Mapping[int, frozenset[int]]  # of a word, by row
REMEMBERED = 50_000  # words: more than the lexicon has


def is_fixed(word: str) -> bool:
    """Whether the word is never exchanged for another.

    >>> is_fixed("convicted"), is_fixed("house")
    (True, False)
    """
    return word in _fixed() or not _fixed().isdisjoint(lemmas(word))


def are_apart(one: str, other: str) -> bool:
    """Whether the two must not stand for each other.

    >>> are_apart("remain", "left"), are_apart("remain", "stay")
    (True, False)
    """
    groups, others = _groups_of(one), _groups_of(other)
    return any(len(groups[row] | others[row]) > 1 for row in groups.keys() & others.keys())


def may_be_exchanged(one: str, other: str) -> bool:
    """Whether no fact stands against it; the same from either word."""
    return not (is_fixed(one) or is_fixed(other) or are_apart(one, other))


def lemmas(word: str) -> frozenset[str]:
    """The word itself and the lemmas it may belong to."""
    grammar = grammar_of(word)
    return frozenset({word}) if grammar is None else grammar.lemmas | {word}


@cache
def _fixed() -> frozenset[str]:
    return words_of(FIXED)


@lru_cache(REMEMBERED)
def _groups_of(word: str) -> Groups:
    found: dict[int, frozenset[int]] = {}
    for row, group in (place for lemma in lemmas(word) for place in _places().get(lemma, ())):
        found[row] = found.get(row, frozenset()) | {group}
    return found


@cache
def _places() -> Mapping[str, frozenset[tuple[int, int]]]:
    """Rows and groups of each lemma."""
    found: dict[str, frozenset[tuple[int, int]]] = {}
    for row, (_, words) in enumerate(chain(rows(APART), rows(REFUSED), rows(UNLIKE))):
        for group, members in enumerate(words.split(BETWEEN_GROUPS)):
            for lemma in members.split():
                found[lemma] = found.get(lemma, frozenset()) | {(row, group)}
    return MappingProxyType(found)
