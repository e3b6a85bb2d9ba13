"""BERTScore of marked texts (Zhang et al., ICLR 2020): how near the tokens of two sentences come to each other in context.

Neither weighted by rarity nor rescaled, sentence pairs in order, as PAN counts it; but the figure is that of the network which gives
the vectors, and PAN's is roberta-large.
"""

from __future__ import annotations

from itertools import zip_longest

from lexprint.models.protocols import Floats
from lexprint.text.segmentation import segment
from lexprint_evaluation.token_networks import TokenNetwork


def bert_score(original: str, marked: str, network: TokenNetwork) -> float:
    """The mean over the sentences of a text; a sentence without a partner counts nothing, and an unchanged one is not read."""
    pairs = list(zip_longest(_sentences(original), _sentences(marked), fillvalue=""))
    changed = [pair for pair in pairs if all(pair) and pair[0] != pair[1]]
    vectors = network.token_vectors([one for pair in changed for one in pair]) if changed else []
    matched = sum(matching(one, other) for one, other in zip(vectors[::2], vectors[1::2], strict=True))
    unchanged = sum(one == other for one, other in pairs)
    return (unchanged + matched) / len(pairs) if pairs else 1.0


def matching(reference: Floats, candidate: Floats) -> float:
    """F1 of two sentences' tokens as unit vectors, each with its nearest in the other (section 3): both (tokens, width)."""
    if not len(reference) or not len(candidate):
        return 0.0
    cosines = (reference @ candidate.T).clip(max=1.0)  # (tokens of the reference, tokens of the candidate)
    recall, precision = float(cosines.max(axis=1).mean()), float(cosines.max(axis=0).mean())
    # Far vectors have cosines below nought, of which no harmonic mean exists.
    return 2 * precision * recall / (precision + recall) if min(precision, recall) > 0 else 0.0


def _sentences(text: str) -> list[str]:
    return [sentence.view for sentence in segment(text).sentences]
