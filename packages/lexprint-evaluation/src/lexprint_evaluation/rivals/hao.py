"""Xiang, Li, Hao, Yang and Shen, "Reversible Natural Language Watermarking Using Synonym Substitution and Arithmetic Coding"
(CMC 55, 2018).

Implemented: disjoint sets of synonyms, each sorted by how frequent its words are; the rank's parity is the bit that a word
says, so the most frequent one says 0; a word of the wrong parity gives way to the one nearest in rank, the more frequent of two,
so that the text stays as natural as it was. A word belongs to the set of its most usual meaning (WordNet's first), which
makes the sets disjoint.

Left out: the arithmetic coding by which the original's own bits are compressed and carried along. It makes the mark reversible
and costs payload; the words that are exchanged are the same kind of words.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import cache

from lexprint_evaluation.synonyms import Thesaurus


class HaoCode:
    """Ranked sets of synonyms; `frequency` says how often a word is used, and 0 of words that nobody knows."""

    def __init__(self, thesaurus: Thesaurus, *, frequency: Callable[[str], float]) -> None:
        sets: dict[tuple[str, frozenset[str]], list[str]] = defaultdict(list)
        for word, form in thesaurus.forms.items():
            usual = thesaurus.senses(form)[0]
            if len(thesaurus.wordnet.members[usual.synset]) > 1 and frequency(word):
                sets[usual.synset, form.tags].append(word)
        self._places: dict[str, tuple[list[str], int]] = {}
        for words in sets.values():
            words.sort(key=lambda word: (-frequency(word), word))
            if len(words) > 1:
                self._places.update((word, (words, rank)) for rank, word in enumerate(words))

    def bit(self, word: str) -> int | None:
        return self._places[word][1] % 2 if word in self._places else None

    def opposite(self, word: str) -> str:
        words, rank = self._places[word]
        return words[rank - 1] if rank else words[1]


@cache
def word_frequency(word: str) -> float:
    """Uses in a thousand million words of English; the sole importer of wordfreq."""
    from wordfreq import word_frequency as lookup  # reads a large list

    return float(lookup(word, "en")) * 1e9
