"""Proposals from the masked LM: the most probable words that agree with the one they would replace."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from lexprint.models.protocols import Floats, Gap
from lexprint.substitution.exclusions import (
    begins_with_vowel_sound,
    follows_article,
    is_bound,
    may_be_replaced,
    tags_after,
)
from lexprint.substitution.lexicon import grammar_of, lexicon

Indices = NDArray[np.intp]
NO_PARTNERS: Mapping[str, frozenset[str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Candidate:
    """A word that may stand in the gap."""

    word: str
    log_probability: float
    is_certain: bool = True  # False: so close to the cut that another machine may cut elsewhere
    acceptable: float = -inf  # logit that a reader would accept it in place of the word that stands there
    good: float = -inf  # logit that a reader would notice nothing

    @property
    def is_judged(self) -> bool:
        return self.acceptable > -inf


class Vocabulary:
    """The part of a model's vocabulary that may be proposed, with its grammar as arrays.

    `partners` are function words that may stand for each other (`function_words.partners`); the paper has none.
    """

    def __init__(self, tokens: tuple[str, ...], partners: Mapping[str, frozenset[str]] = NO_PARTNERS) -> None:
        with_grammar = frozenset(filter(may_be_replaced, tokens))
        proposable = [
            (column, token) for column, token in enumerate(tokens) if token in with_grammar or token in partners
        ]
        self.words = tuple(token for _, token in proposable)
        self._index = {word: index for index, word in enumerate(self.words)}
        self._columns = {token: column for column, token in enumerate(tokens)}
        self.columns: Indices = np.array([column for column, _ in proposable], dtype=np.intp)
        self._tag_bits: dict[str, int] = {}
        self._tags = np.zeros(len(self.words), dtype=np.int64)
        self._vowel = np.array([begins_with_vowel_sound(word) for word in self.words], dtype=bool)
        families: defaultdict[str, list[int]] = defaultdict(list)
        self._partners = {
            word: [self._index[other] for other in others if other in self._index] for word, others in partners.items()
        }
        self._by_grammar = np.array([word in with_grammar for word in self.words], dtype=bool)
        for index in map(int, np.flatnonzero(self._by_grammar)):
            grammar = lexicon()[self.words[index]]
            for tag in grammar.tags:
                self._tags[index] |= 1 << self._tag_bits.setdefault(tag, len(self._tag_bits))
            for name in (f"stem {grammar.stem}", *grammar.lemmas):
                families[name].append(index)
        self._families = families

    def __contains__(self, word: str) -> bool:
        return word in self._index

    def index(self, word: str) -> int | None:
        return self._index.get(word)

    def column(self, word: str) -> int | None:
        """Where the model says something of the word, whether or not it may be proposed."""
        return self._columns.get(word)

    def fitting(self, gap: Gap) -> NDArray[np.bool_]:
        """Which words agree with the one in the gap and are neither another form of it nor its opposite; or are its partners."""
        fits = self._agreeing(gap) if gap.word not in self._partners or may_be_replaced(gap.word) else self._none()
        fits[[] if is_bound(gap) else self._partners.get(gap.word, [])] = True
        return fits

    def _none(self) -> NDArray[np.bool_]:
        return np.zeros(len(self.words), dtype=bool)

    def _agreeing(self, gap: Gap) -> NDArray[np.bool_]:
        grammar = grammar_of(gap.word)
        if grammar is None:
            return self._by_grammar.copy()
        allowed = tags_after(gap.left)
        own = grammar.tags & allowed if allowed is not None and grammar.tags & allowed else grammar.tags
        tags = sum(1 << self._tag_bits[tag] for tag in own if tag in self._tag_bits)
        fits: NDArray[np.bool_] = (self._tags & tags) != 0  # none of a function word: it has no tags here
        if follows_article(gap):
            fits &= self._vowel == begins_with_vowel_sound(gap.word)
        for name in (f"stem {grammar.stem}", *grammar.lemmas):
            fits[self._families.get(name, [])] = False
        fits[[self._index[word] for word in grammar.antonyms if word in self._index]] = False
        if gap.word not in self._columns:  # the model reads its first piece, and would copy it
            beginnings = (gap.word[:end] for end in range(1, len(gap.word)))
            fits[[self._index[word] for word in beginnings if word in self._index]] = False
        return fits


def propose(
    vocabulary: Vocabulary, gap: Gap, log_probabilities: Floats, *, proposals: int, guard: float
) -> tuple[Candidate, ...]:
    """The K most probable fitting words, best first; the word itself is one of them if the model knows it."""
    scores = log_probabilities[vocabulary.columns].astype(np.float64)  # (words,)
    own = vocabulary.index(gap.word)
    wanted = proposals if own is None else proposals - 1
    fitting = np.flatnonzero(vocabulary.fitting(gap))
    if 0 < wanted < len(fitting) - 1:  # only those are put in order that may matter
        first_left_out = np.partition(scores[fitting], -wanted - 1)[-wanted - 1]
        fitting = fitting[scores[fitting] >= first_left_out - guard]
    others = fitting[np.argsort(-scores[fitting], kind="stable")]
    kept, left_out = others[:wanted], others[wanted:]
    cut = scores[left_out[0]] if len(left_out) else -np.inf
    last = scores[kept[-1]] if len(kept) else -np.inf
    doubtful = left_out[scores[left_out] > last - guard]

    chosen = [*([] if own is None else [own]), *kept, *doubtful]
    certain = [*([] if own is None else [True]), *(scores[kept] > cut + guard), *([False] * len(doubtful))]
    found = [
        Candidate(vocabulary.words[index], float(scores[index]), bool(is_certain))
        for index, is_certain in zip(chosen, certain, strict=True)
    ]
    return tuple(sorted(found, key=lambda candidate: (-candidate.log_probability, candidate.word)))


def judged(candidates: Sequence[Candidate], verdicts: Floats) -> tuple[Candidate, ...]:
    """The same, with what readers would say of them: (candidates, 2)."""
    return tuple(
        replace(one, acceptable=float(acceptable), good=float(good))
        for one, (acceptable, good) in zip(candidates, verdicts, strict=True)
    )
