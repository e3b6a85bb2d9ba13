"""What readers said of words in context, and what people gave as substitutes, as examples for both models."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import lemminflect

from lexprint.models.protocols import Gap
from lexprint.substitution.exclusions import begins_with_vowel_sound, follows_article

GOOD, SO_SO, BAD = 2, 1, 0
SHIPPED = Path(__file__).parent / "judgements"


@dataclass(frozen=True, slots=True)
class Judged:
    """A word in its sentence and the verdict on each candidate that stood in for it."""

    gap: Gap
    verdicts: dict[str, int]
    source: str
    document: str


def read(paths: Iterable[Path]) -> Iterator[Judged]:
    """Rows of judgement files; what a reader would have called good counts as good."""
    for path in paths:
        opener = gzip.open if path.suffix == ".gz" else open
        with opener(path, "rt", encoding="utf-8") as file:
            for line in file:
                row = json.loads(line)
                verdicts = {**dict.fromkeys(row.get("suggested", ()), GOOD), **row["judged"]}
                gap = Gap(row["left"], row["word"], row["right"])
                yield Judged(gap, verdicts, row.get("source", ""), row.get("document", ""))


def turned(row: Judged) -> Iterator[Judged]:
    """The same verdicts seen from the other word: what says the same does so both ways."""
    for word, verdict in row.verdicts.items():
        yield Judged(row.gap.with_word(word), {row.gap.word: verdict}, row.source, row.document)


def local(gap: Gap) -> Gap:
    """The context that the walk sees: it ends one word after the gap."""
    spaces = len(gap.right) - len(gap.right.lstrip())
    return Gap(gap.left, gap.word, gap.right[:spaces] + "".join(gap.right[spaces:].split(" ")[:1]))


@dataclass(frozen=True, slots=True)
class Given:
    """A word in its sentence and how many people gave each substitute, inflected to fit."""

    gap: Gap
    counts: dict[str, int]
    source: str


@cache
def _tags(word: str) -> tuple[tuple[str, str, str], ...]:
    """(class, tag, lemma) of every reading of a form."""
    found = []
    for upos, lemmas in lemminflect.getAllLemmas(word).items():
        for lemma in lemmas:
            for tag, forms in lemminflect.getAllInflections(lemma, upos=upos).items():
                if word in forms:
                    found.append((forms[0] != word, tag == "NNS" and lemma == word, upos, tag, lemma))
    return tuple((upos, tag, lemma) for _, _, upos, tag, lemma in sorted(found, key=lambda one: one[:2]))


CLASSES = {"N": "NOUN", "V": "VERB", "J": "ADJ", "R": "ADV", "A": "ADJ"}


@cache
def inflected(lemma: str, upos: str, tag: str) -> str:
    forms = lemminflect.getInflection(lemma, tag, inflect_oov=False)
    known = lemminflect.getAllInflections(lemma, upos=upos)
    return forms[0] if forms and known else lemma


def given(path: Path) -> Iterator[Given]:
    """People's substitutes, brought into the form of the word they stand for."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            word = row["word"].lower()
            readings = _tags(word)
            wanted = CLASSES.get((row["pos"] or "?")[0].upper())
            readings = tuple(one for one in readings if wanted in (None, one[0])) or readings
            if not readings:
                continue
            upos, tag, _ = readings[0]
            if row["pos"] in ("VBD", "VBN", "VBG", "VBZ", "VBP", "VB", "NN", "NNS"):
                tag = "VB" if row["pos"] == "VBP" else row["pos"]
            gap = Gap(row["left"], row["word"], row["right"])
            counts: dict[str, int] = {}
            for lemma, count in row["given"].items():
                form = lemma if row["source"].startswith("sws") else inflected(lemma, upos, tag)
                if form != word and form.isalpha():
                    fits = not follows_article(gap) or begins_with_vowel_sound(form) == begins_with_vowel_sound(word)
                    if fits:
                        counts[form] = counts.get(form, 0) + count
            if counts:
                yield Given(gap, counts, row["source"])
