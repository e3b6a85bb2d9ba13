"""Words whose exchange could change a fact, however sure a model is; kept as data, by class, in `word_lists/`.

`fixed.tsv` names words that are never exchanged. A row of `apart.tsv` names groups of words; words of different groups never
stand for each other. Both lists hold lemmas: what is said of "leave" holds for "left".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from lexprint.substitution.lexicon import lexicon

WORD_LISTS = Path(__file__).with_name("word_lists")
FIXED, APART = WORD_LISTS / "fixed.tsv", WORD_LISTS / "apart.tsv"
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


@cache
def facts_digest() -> str:
    """Names the contents of the lists."""
    return sha256(FIXED.read_bytes() + b"\0" + APART.read_bytes()).hexdigest()


def rows(path: Path) -> Iterator[tuple[str, str]]:
    """Class and words of each row; lines that begin with # are comments."""
    for line in path.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            name, _, words = line.partition("\t")
            yield name, words


def lemmas(word: str) -> frozenset[str]:
    """The word itself and the lemmas it may belong to."""
    grammar = lexicon().get(word)
    return frozenset({word}) if grammar is None else grammar.lemmas | {word}


@cache
def _fixed() -> frozenset[str]:
    return frozenset(word for _, words in rows(FIXED) for word in words.split())


def _places(word: str) -> set[tuple[int, int]]:
    return {place for lemma in lemmas(word) for place in _groups().get(lemma, ())}


@cache
def _groups() -> Groups:
    found: dict[str, frozenset[tuple[int, int]]] = {}
    for row, (_, words) in enumerate(rows(APART)):
        for group, members in enumerate(words.split(BETWEEN_GROUPS)):
            for lemma in members.split():
                found[lemma] = found.get(lemma, frozenset()) | {(row, group)}
    return MappingProxyType(found)
