"""BLEU of marked texts as PAN counts it: sentence pairs in order, smoothed; the sole importer of nltk."""

from __future__ import annotations

from itertools import zip_longest
from statistics import fmean

from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

from lexprint.text.segmentation import segment

_SMOOTH = SmoothingFunction().method1


def bleu(original: str, marked: str) -> float:
    """The mean over the sentences of a text; a sentence without a partner counts nothing.

    >>> bleu("The house is old and large.", "The house is old and large.")
    1.0
    """
    both: list[tuple[list[str], list[str]]] = list(zip_longest(_sentences(original), _sentences(marked), fillvalue=[]))
    return fmean(_bleu(one, other) for one, other in both) if both else 1.0


def _bleu(reference: list[str], hypothesis: list[str]) -> float:
    """Of one sentence; one of fewer than four words has no phrases of four, so its longest are as long as it is."""
    if not reference or not hypothesis:
        return 0.0
    longest = min(4, len(reference), len(hypothesis))
    weights = (1 / longest,) * longest
    return float(sentence_bleu([reference], hypothesis, weights=weights, smoothing_function=_SMOOTH))


def _sentences(text: str) -> list[list[str]]:
    return [[word.text for word in sentence.words] for sentence in segment(text).sentences]
