"""Clean running text to train and measure on: Wikipedia articles and a few old novels."""

from __future__ import annotations

import csv
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path

HELD_OUT_EVERY = 40  # every fortieth article is never trained on
CITATION = re.compile(r"\[(?:\d+|[a-z]|citation needed|note \d+|edit)\]")
SPACES = re.compile(r"\s+")
SENTENCE_END = re.compile(r"(?<=[a-z0-9\")][.!?]) +(?=[A-Z\"(])")


def wikipedia(source: Path, *, held_out: bool) -> list[str]:
    """Articles as single lines; the held-out ones only, or all the others."""
    csv.field_size_limit(sys.maxsize)
    with next(source.rglob("wiki.csv")).open(encoding="utf-8", newline="") as file:
        articles = [row["text"] for row in csv.DictReader(file)]
    return [
        SPACES.sub(" ", CITATION.sub("", text)).strip()
        for number, text in enumerate(articles)
        if (number % HELD_OUT_EVERY == 0) == held_out
    ]


def novels(source: Path) -> list[str]:
    """Prose of the last centuries; none of the novels that lexprint is measured on."""
    names = (
        "austen-emma",
        "carroll-alice",
        "chesterton-brown",
        "chesterton-thursday",
        "edgeworth-parents",
        "melville-moby_dick",
    )
    folder = next(source.rglob("gutenberg"))
    return [SPACES.sub(" ", (folder / f"{name}.txt").read_text("latin-1").replace("_", "")) for name in names]


def sentences(texts: list[str], *, seed: int, words: range) -> Iterator[str]:
    """Sentences of a length in `words`, without lists and markup, in random order of text."""
    chooser = random.Random(seed)
    for text in chooser.sample(texts, len(texts)):
        for sentence in SENTENCE_END.split(text):
            tokens = sentence.split()
            plain = sum(token.strip(",.;:!?\"'()").isalpha() for token in tokens)
            if len(tokens) in words and plain > 0.85 * len(tokens) and sentence[-1] in ".!?" and sentence[0].isupper():
                yield sentence
