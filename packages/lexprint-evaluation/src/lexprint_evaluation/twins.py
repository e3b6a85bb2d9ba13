"""Can marked texts be told from their originals without the key?

An attacker who has many originals and marked copies of the same sources learns what marking does to words on average: how usual
they are, how likely a masked LM finds them. Two questions are asked of a classifier on texts that it has not learnt from: which of
two twins is the marked one, and whether a single text is marked. Without any leak both answers are coins.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import log, log10
from random import Random
from statistics import fmean, pstdev
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from lexprint.models.protocols import MaskedLM, gap_at
from lexprint.substitution.exclusions import may_be_replaced
from lexprint.text.document import Sentence
from lexprint.text.segmentation import segment
from lexprint_evaluation.confidence import Interval, wilson_interval
from lexprint_evaluation.rivals.hao import word_frequency
from lexprint_evaluation.tables import markdown_table

FOLDS = 5
PENALTY = 1.0  # ridge, on standardised features: few pairs, so little is believed
STEPS = 50  # of Newton's method; it needs fewer than ten
RARE = 10.0  # uses in a million words
BATCH = 64  # gaps asked at once
UNKNOWN = 1e-3  # uses in a thousand million words of what the list lacks

Floats = NDArray[np.float64]


Seen: TypeAlias = tuple[float, int]  # log P of a word that could be exchanged, and its rank


def features(
    text: str, masked_lm: MaskedLM, *, known: MutableMapping[str, tuple[Seen, ...]] | None = None
) -> dict[str, float]:
    """What an attacker can count in a text: usage of its words, and what a masked LM thinks of those that could be exchanged.

    Of `known` sentences, which most of a twin's are, nothing is asked again.
    """
    document = segment(text)
    words = [word.text for word in document.words if word.text[:1].isalpha()]
    usages = [_usage(word.lower()) for word in words if may_be_replaced(word.lower())] or [0.0]
    known = {} if known is None else known
    known.update(_seen([one for one in document.sentences if one.view not in known], masked_lm))
    seen = [one for sentence in document.sentences for one in known[sentence.view]]
    likelihoods, ranks = [likelihood for likelihood, _ in seen], [rank for _, rank in seen]
    likelihoods, ranks = likelihoods or [0.0], ranks or [0]
    return {
        "mean usage": fmean(usages),
        "spread of usage": pstdev(usages),
        "rare words": fmean(usage < log10(RARE * 1000) for usage in usages),
        "different words": len(set(words)) / max(1, len(words)),
        "length of words": fmean(map(len, words or [""])),
        "mean log P": fmean(likelihoods),
        "spread of log P": pstdev(likelihoods),
        "first choices of the LM": fmean(rank == 0 for rank in ranks),
        "beyond its first ten": fmean(rank >= 10 for rank in ranks),
        "mean log rank": fmean(log(1 + rank) for rank in ranks),
    }


def _seen(sentences: Sequence[Sentence], masked_lm: MaskedLM) -> dict[str, tuple[Seen, ...]]:
    """By sentence, what the masked LM says of each word that could be exchanged, without seeing it."""
    gaps = [
        (sentence.view, gap)
        for sentence in sentences
        for position, word in enumerate(sentence.words)
        if may_be_replaced(word.text) and masked_lm.fits(gap := gap_at(sentence, position))
    ]
    columns = {word: column for column, word in enumerate(masked_lm.vocabulary)}
    found: dict[str, tuple[Seen, ...]] = {sentence.view: () for sentence in sentences}
    for start in range(0, len(gaps), BATCH):
        batch = gaps[start : start + BATCH]
        for (view, gap), row in zip(batch, masked_lm.predict_blind([gap for _, gap in batch]), strict=True):
            if (column := columns.get(gap.word)) is not None:
                found[view] += ((float(row[column]), int((row > row[column]).sum())),)
    return found


@cache
def _usage(word: str) -> float:
    """Logarithm of the uses in a thousand million words."""
    return log10(max(word_frequency(word), UNKNOWN))


@dataclass(frozen=True)
class Twin:
    """What was counted in a text as it was and as it was marked."""

    original: Mapping[str, float]
    marked: Mapping[str, float]


@dataclass(frozen=True)
class TwinRow:
    """How often marked texts of one scheme are recognised."""

    scheme: str
    pairs: int
    words: float  # of a text, on average
    changed: float  # words that differ between twins, on average
    twins: Interval  # share of pairs of which the marked one is named
    single: Interval  # share of single texts that are called what they are
    leaks: Mapping[str, float]  # share of pairs by each count alone, in the direction that most have


def twin_row(scheme: str, twins: Sequence[Twin], *, words: float, changed: float, seed: int) -> TwinRow:
    """What a classifier makes of them, trained on four fifths and asked about the last, in turn."""
    names = list(twins[0].original)
    original, marked = (
        np.array([[getattr(twin, side)[name] for name in names] for twin in twins]) for side in ("original", "marked")
    )  # (pairs, features)
    order = list(range(len(twins)))
    Random(seed).shuffle(order)
    named, called = 0.0, 0
    for fold in range(FOLDS):
        asked = order[fold::FOLDS]
        known = [index for index in order if index not in set(asked)]
        if not asked or not known:
            continue
        differences = marked[known] - original[known]
        spread = _spread(differences)
        weights = _learn(np.vstack([differences, -differences]) / spread, len(known))
        scores = ((marked[asked] - original[asked]) / spread) @ weights
        named += int((scores > 0).sum()) + int((scores == 0).sum()) / 2
        both = np.vstack([marked[known], original[known]])
        middle, spread = both.mean(axis=0), _spread(both)
        weights = _learn((both - middle) / spread, len(known))
        called += int((((marked[asked] - middle) / spread) @ weights > 0).sum())
        called += int((((original[asked] - middle) / spread) @ weights <= 0).sum())
    count = len(twins)
    return TwinRow(
        scheme,
        count,
        words,
        changed,
        _interval(round(named), count),
        _interval(called, 2 * count),
        {name: _alone(marked[:, column] - original[:, column]) for column, name in enumerate(names)},
    )


def _interval(part: int, whole: int) -> Interval:
    found = wilson_interval(part, whole)
    assert found is not None
    return found


def _spread(values: Floats) -> Floats:
    spread: Floats = values.std(axis=0)
    spread[spread < 1e-12] = 1.0
    return spread


def _learn(rows: Floats, positives: int) -> Floats:
    """Weights of a logistic regression with a ridge penalty; the first rows are those that are marked."""
    truth = np.zeros(len(rows))
    truth[:positives] = 1.0
    weights: Floats = np.zeros(rows.shape[1])
    for _ in range(STEPS):
        chances = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
        slope = rows.T @ (truth - chances) - PENALTY * weights
        curvature = (rows * (chances * (1 - chances))[:, None]).T @ rows + PENALTY * np.eye(rows.shape[1])
        step = np.linalg.solve(curvature, slope)
        weights = weights + step
        if np.abs(step).max() < 1e-9:
            break
    return weights


def _alone(differences: Floats) -> float:
    """Share of pairs whose difference has the sign that most have; equal ones count half."""
    up = float((differences > 0).mean() + (differences == 0).mean() / 2)
    return max(up, 1 - up)


def words_changed(original: str, marked: str) -> int:
    """Words that are exchanged, left out or put in."""
    return Levenshtein.distance(original.split(), marked.split())


def twin_table(rows: Sequence[TwinRow]) -> str:
    header = [
        "scheme",
        "pairs",
        "words",
        "changed",
        "marked twin named",
        "95 % interval",
        "single text",
        "95 % interval",
    ]
    body = [
        [
            row.scheme,
            f"{row.pairs}",
            f"{row.words:.0f}",
            f"{row.changed:.1f}",
            f"{row.twins.mean:.0%}",
            f"{row.twins.low:.0%} to {row.twins.high:.0%}",
            f"{row.single.mean:.0%}",
            f"{row.single.low:.0%} to {row.single.high:.0%}",
        ]
        for row in rows
    ]
    parts = [markdown_table(header, body), "Half is chance. What leaks, each count by itself:\n"]
    names = list(rows[0].leaks)
    parts.append(
        markdown_table(
            ["count", *(row.scheme for row in rows)],
            [[name, *(f"{row.leaks[name]:.0%}" for row in rows)] for name in names],
        )
    )
    return "\n".join(parts)
