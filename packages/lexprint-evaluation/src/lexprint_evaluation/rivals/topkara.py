"""Topkara, Topkara and Atallah, "The Hiding Virtues of Ambiguity" (MM&Sec 2006).

Implemented: a graph of words whose edges are WordNet's synonyms, without those that change the meaning too much; a colouring
of its words in two colours under a secret key, which a reader repeats; a word of the wrong colour gives way to the
neighbour of the right one that has the most senses, since an adversary who does not know which sense was meant cannot undo
that. A word without a neighbour of the other colour says nothing.

Different here: the limit of distortion is set for each edge (`SHARED_USE`), from WordNet's counts instead of a similarity
measure, for both words, so that a way there is a way back; words that say nothing, or the right bit already, are left alone
where the paper goes on to exchange them up to its limit. Both make the rival gentler than the original.
"""

from __future__ import annotations

import hashlib
import hmac
from collections import defaultdict
from collections.abc import Iterator, Mapping

from lexprint_evaluation.synonyms import Form, Sense, Thesaurus

SHARED_USE = 0.5  # of the uses of either word, as many must be in a meaning that both have


class TopkaraCode:
    """The coloured graph; colours are bits."""

    def __init__(self, thesaurus: Thesaurus, *, key: bytes = b"topkara") -> None:
        self._neighbours = _graph(thesaurus)
        self._colours = _coloured(self._neighbours, key)
        self._senses = {word: thesaurus.wordnet.sense_count(thesaurus.forms[word].lemma) for word in self._neighbours}

    def bit(self, word: str) -> int | None:
        return self._colours[word] if word in self._colours and self._of_other_colour(word) else None

    def opposite(self, word: str) -> str:
        return max(self._of_other_colour(word), key=lambda other: (self._senses[other], other))

    def _of_other_colour(self, word: str) -> list[str]:
        return [other for other in self._neighbours[word] if self._colours[other] != self._colours[word]]


def _graph(thesaurus: Thesaurus) -> Mapping[str, frozenset[str]]:
    near = {word: frozenset(_near(thesaurus, form)) for word, form in thesaurus.forms.items()}
    mutual = {word: frozenset(other for other in others if word in near[other]) for word, others in near.items()}
    return {word: others for word, others in mutual.items() if others}


def _near(thesaurus: Thesaurus, form: Form) -> Iterator[str]:
    """Words that share enough of this one's uses; an unseen meaning counts as half a use."""
    senses = thesaurus.senses(form)
    shares: dict[str, float] = defaultdict(float)
    for sense in senses:
        for other in thesaurus.synonyms(form, sense):
            shares[other.word] += _weight(sense)
    needed = SHARED_USE * sum(map(_weight, senses))
    return (word for word, share in shares.items() if share >= needed)


def _weight(sense: Sense) -> float:
    return sense.uses + 0.5


def _coloured(neighbours: Mapping[str, frozenset[str]], key: bytes) -> dict[str, int]:
    """Each word, in an order that the key decides, takes the colour that fewer of its neighbours have."""
    draws = {word: hmac.digest(key, word.encode(), hashlib.sha256) for word in neighbours}
    colours: dict[str, int] = {}
    for word in sorted(neighbours, key=draws.__getitem__):
        ones = sum(2 * colours[other] - 1 for other in neighbours[word] if other in colours)
        colours[word] = int(ones < 0) if ones else draws[word][-1] & 1
    return colours
