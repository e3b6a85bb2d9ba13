"""Grammar of single words: the tags a form may bear, its lemmas and its stem.

The tables are made by `training/lexicon.py`; a word that is in neither never takes part in a substitution. Words of the second are
several pieces to the masked LM: it does not propose them, but copies may replace them.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("lexicon.tsv")
SEVERAL_PIECES = Path(__file__).with_name("lexicon_several_pieces.tsv")


@dataclass(frozen=True, slots=True)
class Grammar:
    tags: frozenset[str]  # Penn Treebank: NN, NNS, VBD, ...
    lemmas: frozenset[str]
    stem: str
    antonyms: frozenset[str]  # words that say the opposite in the same inflection


@cache
def lexicon() -> dict[str, Grammar]:
    """Every word that may be proposed."""
    return _read(TABLE)


@cache
def _several_pieces() -> dict[str, Grammar]:
    return _read(SEVERAL_PIECES)


def grammar_of(word: str) -> Grammar | None:
    """Of a word of either table.

    >>> sorted(grammar_of("courteous").tags)
    ['JJ']
    """
    return lexicon().get(word) or _several_pieces().get(word)


def _read(table: Path) -> dict[str, Grammar]:
    grammars: dict[str, Grammar] = {}
    for line in table.read_text("utf-8").splitlines():
        if not line.startswith("#"):
            word, tags, lemmas, stem, antonyms = line.split("\t")
            grammars[word] = Grammar(_set_of(tags), _set_of(lemmas), stem, _set_of(antonyms))
    return grammars


@cache
def lexicon_digest() -> str:
    """SHA-256 of both tables: others would mark other words."""
    return hashlib.sha256(TABLE.read_bytes() + SEVERAL_PIECES.read_bytes()).hexdigest()


def _set_of(cell: str) -> frozenset[str]:
    return frozenset(cell.split(",")) if cell else frozenset()


def is_form_of_same_word(first: str, second: str) -> bool:
    """Inflections and derivations: they share a lemma or a stem."""
    one, other = grammar_of(first), grammar_of(second)
    if one is None or other is None:
        return first == second
    return one.stem == other.stem or not one.lemmas.isdisjoint(other.lemmas)


def agree(first: str, second: str) -> bool:
    """Whether both may have the same part of speech and inflection (tense, number, degree)."""
    one, other = grammar_of(first), grammar_of(second)
    return one is not None and other is not None and not one.tags.isdisjoint(other.tags)
