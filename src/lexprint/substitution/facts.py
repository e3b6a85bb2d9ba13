"""Words whose exchange could change a fact, however sure a model is; kept as data, by class, in `word_lists/`.

`fixed.tsv` names words that are never exchanged. A row of `apart.tsv` names groups of words; words of different groups never
stand for each other. Nor do the pairs of `refused.tsv`, which readers refused nearly whenever a model had chosen them, and of
`unlike.tsv`, which they call hardly ever interchangeable. All lists hold lemmas: what is said of "leave" holds for "left".
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import chain
from types import MappingProxyType
from typing import TypeAlias

from lexprint.substitution.lexicon import grammar_of
from lexprint.substitution.lists import APART, FIXED, REFUSED, UNLIKE, rows, words_of

BETWEEN_GROUPS = "|"

Groups: TypeAlias = Mapping[str, frozenset[tuple[int, int]]]  # rows and groups of each lemma


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
    places, others = _places(one), _places(other)
    return any(row == other_row and group != other_group for row, group in places for other_row, other_group in others)


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


def _places(word: str) -> set[tuple[int, int]]:
    return {place for lemma in lemmas(word) for place in _groups().get(lemma, ())}


@cache
def _groups() -> Groups:
    found: dict[str, frozenset[tuple[int, int]]] = {}
    for row, (_, words) in enumerate(chain(rows(APART), rows(REFUSED), rows(UNLIKE))):
        for group, members in enumerate(words.split(BETWEEN_GROUPS)):
            for lemma in members.split():
                found[lemma] = found.get(lemma, frozenset()) | {(row, group)}
    return MappingProxyType(found)
