"""Sentence pairs that differ in a word, with the answer an NLI model should give.

Three witnesses are heard: the translation teacher (is it what the sentence says?), WordNet (is it a synonym, an
antonym, a sister term?) and counter-fitted vectors (do they keep synonyms near and antonyms far?). Where they disagree
the pair is left out. Half of the contexts end one word after the replaced one, as they do in the watermark's walk.
"""

from __future__ import annotations

import gzip
import json
import random
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import lemminflect
import nltk
import numpy as np
from nltk.corpus import wordnet

from lexprint.substitution.exclusions import may_be_replaced
from lexprint.substitution.lexicon import agree, is_form_of_same_word, lexicon

ENTAILMENT, NEUTRAL, CONTRADICTION, NOT_ENTAILMENT = range(4)  # the last: one of the two before it
UNSEEN_EVERY = 20  # every twentieth sentence is for measuring
CLASSES = {
    "NN": "n",
    "NNS": "n",
    "VB": "v",
    "VBP": "v",
    "VBD": "v",
    "VBN": "v",
    "VBG": "v",
    "VBZ": "v",
    "JJ": "as",
    "JJR": "as",
    "JJS": "as",
    "RB": "r",
    "RBR": "r",
    "RBS": "r",
}


@dataclass(frozen=True)
class Slot:
    """A word of a sentence, and what the teacher would write there."""

    sentence: str
    start: int
    word: str
    own: float
    others: dict[str, float]

    def filled(self, word: str) -> str:
        return self.sentence[: self.start] + word + self.sentence[self.start + len(self.word) :]

    def share(self, word: str) -> float:
        """The teacher's probability of `word`, as a share of its favourite's."""
        return self.others.get(word, 0.0) / max(self.own, *self.others.values(), 1e-9)

    @property
    def local_end(self) -> int:
        """Where the next word ends: the context that the walk sees."""
        after = self.sentence.find(" ", self.start + len(self.word) + 1)
        return len(self.sentence) if after < 0 else after


def use_wordnet(sources: Path) -> None:
    nltk.data.path = [str(next((sources / "wordnet").rglob("nltk-data")))]


def read_slots(path: Path, *, stop_words: frozenset[str]) -> Iterator[list[Slot]]:
    """Content words of each sentence that the teacher was asked about."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            entry = json.loads(line)
            yield [
                Slot(entry["sentence"], word["at"], word["word"], word["own"], word["others"])
                for word in entry["words"]
                if word["at"] > 0 and word["word"] in lexicon() and word["word"] not in stop_words
            ]


class Vectors:
    """Counter-fitted word vectors of the lexicon's words."""

    def __init__(self, sources: Path) -> None:
        wanted, rows = lexicon(), {}
        path = next((sources / "vectors").rglob("counter-fitted-vectors.txt.zip"))
        with zipfile.ZipFile(path) as archive, archive.open("counter-fitted-vectors.txt") as file:
            for line in file:
                word, *numbers = line.decode("utf-8").split()
                if word in wanted:
                    row = np.array(numbers, dtype=np.float32)
                    rows[word] = row / np.linalg.norm(row)
        self._rows = rows

    def cosine(self, first: str, second: str) -> float | None:
        if first not in self._rows or second not in self._rows:
            return None
        return float(self._rows[first] @ self._rows[second])


@cache
def inflect(lemma: str, tag: str) -> str | None:
    forms = lemminflect.getInflection(lemma, tag)
    return forms[0] if forms else None


@cache
def relations(word: str) -> dict[str, str]:
    """Words of the lexicon in the same inflection, each with its WordNet relation to `word`, closest first."""
    found: dict[str, str] = {}

    def note(lemma: str, tag: str, relation: str) -> None:
        form = inflect(lemma, tag)
        if form and form in lexicon() and not is_form_of_same_word(form, word) and agree(form, word):
            found.setdefault(form, relation)

    for relation in ("antonym", "synonym", "hypernym", "hyponym", "sister"):
        for tag in sorted(lexicon()[word].tags):
            for lemma in sorted(lexicon()[word].lemmas):
                for synset in (s for s in wordnet.synsets(lemma) if s.pos() in CLASSES.get(tag, "")):
                    for other in _related(synset, lemma, relation):
                        if "_" not in other:
                            note(other.lower(), tag, relation)
    return found


def _related(synset: object, lemma: str, relation: str) -> Iterator[str]:
    if relation == "antonym":
        near = synset.similar_tos() if synset.pos() in "as" else []
        for one in [synset, *near]:
            yield from (a.name() for sense in one.lemmas() for a in sense.antonyms())
    elif relation == "synonym":
        yield from synset.lemma_names()
    elif relation == "hypernym":
        yield from (name for above in synset.hypernyms() for name in above.lemma_names())
    elif relation == "hyponym":
        yield from (name for below in synset.hyponyms() for name in below.lemma_names())
    else:
        sisters = [below for above in synset.hypernyms() for below in above.hyponyms() if below != synset]
        yield from (name for sister in sisters[:40] for name in sister.lemma_names())


def judge(slot: Slot, word: str, vectors: Vectors) -> int | None:
    """What the witnesses agree on for `word` in the slot; None if they do not."""
    relation = relations(slot.word).get(word)
    share, cosine = slot.share(word), vectors.cosine(slot.word, word)
    near = 0.0 if cosine is None else cosine
    if relation == "antonym" or near < -0.1:
        return CONTRADICTION if share < 0.05 else None
    if relation == "synonym":
        if (share > 0.05 and near > 0.2) or (share > 0.015 and near > 0.6):
            return ENTAILMENT
        return NEUTRAL if share < 0.0005 and near < 0.4 else None  # of another sense
    if relation == "sister":
        return CONTRADICTION if share < 0.003 and near < 0.5 else None
    if (share > 0.08 and near > 0.45) or (share > 0.015 and near > 0.7):
        return ENTAILMENT
    if relation in ("hypernym", "hyponym"):
        return NEUTRAL if relation == "hyponym" and share < 0.002 and near < 0.4 else None
    return NOT_ENTAILMENT if share < 0.015 and near < 0.3 else None


def pairs(
    slots: list[Slot], proposals: dict[tuple[str, int], list[str]], vectors: Vectors, chooser: random.Random
) -> Iterator[tuple[str, str, int]]:
    """Premise, hypothesis and label from the slots of one sentence, right and wrong ones in balance."""
    everyday = _common_by_tag()
    for slot in slots:
        tag = chooser.choice(sorted(lexicon()[slot.word].tags))
        pool = {*slot.others, *relations(slot.word), *proposals.get((slot.sentence, slot.start), [])}
        pool |= set(chooser.sample(everyday[tag], min(2, len(everyday[tag]))))
        by_label: dict[int, list[str]] = defaultdict(list)
        for word in sorted(pool):
            if may_be_replaced(word) and agree(word, slot.word) and not is_form_of_same_word(word, slot.word):
                label = judge(slot, word, vectors)
                if label is not None:
                    by_label[label].append(word)
        proposed = set(proposals.get((slot.sentence, slot.start), []))
        for label, words in by_label.items():
            shuffled = chooser.sample(words, len(words))
            ranked = sorted(shuffled, key=lambda word: word not in proposed)  # what the masked LM would say comes first
            limit = 3 if label == ENTAILMENT else 2 if label == NOT_ENTAILMENT else 1
            for word in ranked[:limit]:
                end = slot.local_end if chooser.random() < 0.5 else None
                extra = len(word) - len(slot.word)
                one = slot.sentence[:end]
                other = slot.filled(word)[: None if end is None else end + extra]
                one_way = relations(slot.word).get(word) == "hyponym"
                swap = not one_way and chooser.random() < 0.4
                yield (other, one, label) if swap else (one, other, label)
        if chooser.random() < 0.06:
            yield slot.sentence, slot.sentence, ENTAILMENT


@cache
def _common_by_tag() -> dict[str, list[str]]:
    by_tag: dict[str, list[str]] = defaultdict(list)
    for word, grammar in lexicon().items():
        for tag in grammar.tags:
            by_tag[tag].append(word)
    return by_tag


def wordnet_truth(slots: list[Slot], chooser: random.Random) -> Iterator[tuple[Slot, str, bool]]:
    """Words whose answer WordNet alone decides: no other witness, so that it can be measured against.

    True: both are the first sense of their lemmas and share it. False: antonym, sister term or a word without relation.
    """
    for slot in slots:
        known = relations(slot.word)
        same = [
            word for word, relation in known.items() if relation == "synonym" and _share_first_sense(slot.word, word)
        ]
        wrong = [word for word, relation in known.items() if relation in ("antonym", "sister")]
        if not same:
            continue
        yield slot, chooser.choice(same), True
        tag = chooser.choice(sorted(lexicon()[slot.word].tags))
        pool = _common_by_tag()[tag]
        strangers = [word for word in chooser.sample(pool, min(8, len(pool))) if word not in known]
        options = wrong if wrong and chooser.random() < 0.7 else strangers
        if options:
            yield slot, chooser.choice(options), False


def is_credible(slot: Slot, word: str, vectors: Vectors, *, same: bool) -> bool:
    """Whether another witness could live with WordNet's answer: its first sense is not always the one that is meant."""
    cosine = vectors.cosine(slot.word, word)
    near = 0.0 if cosine is None else cosine
    return near > 0.2 or slot.share(word) > 0.001 if same else near < 0.5


def _share_first_sense(one: str, other: str) -> bool:
    senses = [
        {synsets[0] for lemma in lexicon()[word].lemmas if (synsets := wordnet.synsets(lemma))} for word in (one, other)
    ]
    return bool(senses[0] & senses[1])
