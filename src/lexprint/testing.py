"""Deterministic stand-ins for the three models: real English words, invented opinions.

An answer is a keyed hash of its own question, bent so that what the watermark has to cope with happens often: words come in
small families whose members are near to each other, every opinion shifts with the whole context, and probabilities fall
on both sides of the floor and close to one another. Each fake counts what it is asked.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import cache
from random import Random
from string import punctuation

import numpy as np
from numpy.typing import NDArray

from lexprint.models.protocols import Assessment, Choose, Columns, Floats, Gap
from lexprint.substitution.exclusions import may_be_replaced
from lexprint.substitution.lexicon import is_form_of_same_word, lexicon

FAMILY_SIZE = 3
FAMILIES_PER_TAG = 14
TAGS = ("NN", "VBD", "JJ", "NNS", "VBG", "RB")
FUNCTION_WORDS = ("the", "a", "an", "of", "in", "and", "to", "was", "his", "with")

_TOKENS = re.compile(r"\w+|\W+")


@cache
def fake_families() -> tuple[tuple[str, ...], ...]:
    """Words that the fakes hold for near synonyms; each family is of one part of speech."""
    return tuple(
        tuple(words[start : start + FAMILY_SIZE])
        for words in map(_unrelated_words, TAGS)
        for start in range(0, len(words), FAMILY_SIZE)
    )


def _unrelated_words(tag: str) -> list[str]:
    """Words of one part of speech, none a form of another, in an order without meaning."""
    known = [word for word, grammar in lexicon().items() if grammar.tags == {tag} and may_be_replaced(word)]
    chosen: list[str] = []
    for word in sorted(known, key=lambda word: hashlib.sha256(word.encode()).digest()):
        if not any(is_form_of_same_word(word, other) for other in chosen):
            chosen.append(word)
        if len(chosen) == FAMILIES_PER_TAG * FAMILY_SIZE:
            break
    return chosen


@cache
def _family_numbers() -> dict[str, int]:
    return {word: number for number, family in enumerate(fake_families()) for word in family}


def fake_text(*, words: int, seed: int = 0) -> str:
    """Sentences of the fakes' words, as many as fill about so many words."""
    random = Random(seed)
    contents = [word for family in fake_families() for word in family]
    sentences: list[str] = []
    while words > 0:
        length = random.randint(4, 30)
        tokens = [random.choice(contents if random.random() < 0.5 else FUNCTION_WORDS) for _ in range(length)]
        joints = [random.choices((" ", ", "), (12, 1))[0] for _ in range(length - 1)]
        body = "".join(token + joint for token, joint in zip(tokens, [*joints, ""], strict=True))
        sentences.append(f"{body.capitalize()}{random.choice('.?!')}")
        words -= length + 1
    return " ".join(sentences)


class FakeMaskedLM:
    """Predicts the word it has read, its family, and then whatever the context's hash says."""

    def __init__(self, *, key: str = "", longest: int = 200) -> None:
        self._key, self._longest = key, longest
        self.fingerprint = f"fake masked LM {key}"
        self.vocabulary = (*FUNCTION_WORDS, *(word for family in fake_families() for word in family), "##ing", "[MASK]")
        numbers = _family_numbers()
        self._families = np.array([numbers.get(word, -1) for word in self.vocabulary])
        self._index = {word: index for index, word in enumerate(self.vocabulary)}
        self.knows_readers = True
        self.calls = self.inputs = 0

    def fits(self, gap: Gap) -> bool:
        return len(_TOKENS.findall(gap.text)) <= self._longest

    def predict(self, gaps: Sequence[Gap]) -> Floats:
        rows = [self._hash(gap.left, gap.word, gap.right) for gap in gaps]
        for gap, row in zip(gaps, rows, strict=True):
            if gap.word in self._index:
                own = self._index[gap.word]
                row[(self._families == self._families[own]) & (self._families >= 0)] += 3.0
                row[own] += 2.0
        return self._answer(rows)

    def propose(self, gaps: Sequence[Gap]) -> Floats:
        return self.predict(gaps)

    def judge(self, questions: Sequence[tuple[Gap, Columns]]) -> list[Floats]:
        """Readers are fond of exchanges within a family; each has its day, which is nearly the same in both directions."""
        found = []
        for gap, columns in questions:
            acceptable = self._readers(gap)[np.array(columns, dtype=np.intp)]
            found.append(np.stack([acceptable, acceptable - np.float32(1.0)], axis=1))
        return found

    def judge_chosen(self, gaps: Sequence[Gap], choose: Choose) -> list[Floats]:
        chosen = [choose(number, row) for number, row in enumerate(self.propose(gaps))]
        return self.judge(list(zip(gaps, chosen, strict=True)))

    def assess(self, questions: Sequence[tuple[Gap, Columns]]) -> list[Assessment]:
        predicted = self.propose([gap for gap, _ in questions])
        return [Assessment(*both) for both in zip(predicted, self.judge(questions), strict=True)]

    def _readers(self, gap: Gap) -> Floats:
        moods = self._hash("readers", gap.left, gap.right)
        own = self._index.get(gap.word)
        is_relative = np.zeros(len(self.vocabulary), dtype=bool)
        if own is not None:
            is_relative = (self._families == self._families[own]) & (self._families >= 0)
        here = np.float32(2.0) if own is None else moods[own]
        fondness = (here + moods) * np.where(is_relative, np.float32(1.5), np.float32(0.4)) - np.float32(2.0)
        opinion: Floats = fondness + np.float32(0.1) * self._hash("readers", gap.left, gap.word, gap.right)
        return opinion

    def predict_blind(self, gaps: Sequence[Gap]) -> Floats:
        return self._answer([self._hash(gap.left, gap.right) for gap in gaps])

    def _hash(self, *parts: str) -> Floats:
        """One number for each word of the vocabulary, from 0 to 4."""
        draws = np.frombuffer(_digest(self._key, *parts, size=2 * len(self.vocabulary)), dtype="<u2")
        return (draws / 2**14).astype(np.float32)

    def _answer(self, rows: list[Floats]) -> Floats:
        self.calls += bool(rows)
        self.inputs += len(rows)
        answers = np.empty((len(rows), len(self.vocabulary)), np.float32)  # (gaps, vocabulary)
        for answer, row in zip(answers, rows, strict=True):
            answer[:] = row - np.log(np.exp(row).sum())
        return answers


class FakeEntailment:
    """Sure of what is unchanged, fond of exchanges within a family, and moody about all others.

    `grain` is the step in which it answers: a coarse one makes ties.
    """

    def __init__(self, *, key: str = "", grain: float = 1 / 4096, longest: int = 400) -> None:
        self._key, self._grain, self._longest = key, grain, longest
        self.fingerprint = f"fake entailment {key} {grain}"
        self.calls = self.inputs = 0

    def fits(self, sentence: str) -> bool:
        return 2 * len(_TOKENS.findall(sentence)) <= self._longest

    def entails(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        self.calls += bool(pairs)
        self.inputs += len(pairs)
        return np.array([self._entails(premise, hypothesis) for premise, hypothesis in pairs], dtype=np.float32)

    def _entails(self, premise: str, hypothesis: str) -> float:
        one, other = premise.split(" "), hypothesis.split(" ")
        changed = [exchange for exchange in zip(one, other, strict=False) if exchange[0] != exchange[1]]
        # What both directions share, and what only this one thinks.
        common, own = self._draw(*sorted((premise, hypothesis))), self._draw(premise, hypothesis)
        mood = 0.85 * common + 0.15 * own
        if len(one) != len(other) or len(changed) > 1:
            probability = 0.6 * mood
        elif not changed:
            probability = 0.94 + 0.06 * (1.0 - mood**3)
        elif _are_relatives(*changed[0]):
            probability = 0.895 + 0.075 * mood
        else:
            probability = 0.2 + 0.77 * mood
        return round(probability / self._grain) * self._grain

    def _draw(self, *parts: str) -> float:
        return int.from_bytes(_digest(self._key, *parts, size=4)) / 2**32


class FakeSentenceEncoder:
    """Sums of hashed words, the family counting more than the word, so that exchanged relatives stay close."""

    def __init__(self, *, key: str = "", width: int = 32) -> None:
        self._key, self._width = key, width
        self.fingerprint = f"fake sentence encoder {key}"
        self.calls = self.inputs = 0

    def encode(self, sentences: Sequence[str]) -> Floats:
        self.calls += bool(sentences)
        self.inputs += len(sentences)
        vectors = np.zeros((len(sentences), self._width), np.float32)  # (sentences, width)
        for vector, sentence in zip(vectors, sentences, strict=True):
            vector[0] = 1e-3  # a sentence without words has a direction too
            for token in _TOKENS.findall(sentence):
                vector += self._direction(token) / 4 + self._direction(str(_family_numbers().get(token, token)))
        unit: Floats = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit

    def _direction(self, word: str) -> NDArray[np.float32]:
        draws = np.frombuffer(_digest(self._key, word, size=self._width), dtype=np.uint8)
        return (draws / 127.5 - 1.0).astype(np.float32)


def _are_relatives(one: str, other: str) -> bool:
    numbers = _family_numbers()
    one, other = one.strip(punctuation), other.strip(punctuation)
    return one in numbers and numbers[one] == numbers.get(other)


def _digest(*parts: str, size: int) -> bytes:
    return hashlib.shake_128("\0".join(parts).encode("utf-8", "surrogatepass")).digest(size)
