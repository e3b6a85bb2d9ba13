"""The rival BERT-LS (Zhou et al., ACL 2019): words proposed through a partly blanked target, then tried in the sentence.

As published: dropout of 0.3 on the target's word vector; fifty proposals; the proposal score, log P; the validation score, cosines
between the vectors of each token before and after the exchange (last four layers side by side), summed with the attention that the
token pays to the target, mean over all heads and layers; and their sum, with 0.01 of the first. Left out is what all proposals for a
target have in common, the probability of another word than the target. Otherwise than published: the model is the shipped masked LM,
which is of the size of BERT-base and trained further, not BERT-large; the sentence is read alone; of a target of several
pieces, all are blanked and the first stands for the word; and one seeded dropout is drawn for each target.

The shipped graph neither takes a dropout nor tells vectors and attention, so both are spliced in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lexprint.models.arithmetic import log_softmax
from lexprint.models.onnx_backend import PREDICTIONS, Answers, Feed, Session, Tokens, packed
from lexprint.models.protocols import Floats, Gap
from lexprint.models.tokenization import PairTokenizer
from lexprint.models.weights import shipped_model
from lexprint_evaluation.splicing import with_layers, with_multiplier, with_shares

DROPOUT = 0.3  # of the dimensions
PROPOSAL_WEIGHT = 0.01  # alpha
LAYERS = 12
COMPARED = range(LAYERS - 4, LAYERS)  # layers whose vectors are compared
WIDTH = 768
AT_ONCE = 16  # sentences that run together


@dataclass(frozen=True)
class Representation:
    """What the network makes of one sentence."""

    vectors: Floats  # (tokens, layers * width), of length one
    attention: Floats  # (tokens reading, tokens read), mean over heads and layers


class BertLS:
    """The shipped masked LM as BERT-LS uses a masked LM."""

    def __init__(self, *, seed: int = 0) -> None:
        files = shipped_model("masked_lm")
        self._tokenizer = PairTokenizer(files.read(files.tokenizer))
        self._session = Session(_spliced(files.read(files.graph)), files.load_tensors())
        self.vocabulary = self._tokenizer.vocabulary
        self._generator = np.random.default_rng(seed)

    def propose(self, gap: Gap) -> Floats:
        """Log-probability of each word of the vocabulary, the target read through a dropout: (vocabulary,)."""
        left, word, right = self._pieces(gap)
        keep = np.ones((len(left) + len(word) + len(right) + 2, WIDTH), np.float32)
        keep[1 + len(left) : 1 + len(left) + len(word)] = self._generator.random(WIDTH) >= DROPOUT
        tokens = self._tokenizer.one([*left, *word, *right], position=1 + len(left))
        row: Floats = log_softmax(self._session.run(packed([tokens]) | {"keep": keep})[PREDICTIONS])[0]
        return row

    def rank(self, gap: Gap, columns: Sequence[int], log_probabilities: Floats) -> list[int]:
        """Columns of the vocabulary by both scores, best first."""
        both = self.validate(gap, columns) + PROPOSAL_WEIGHT * log_probabilities[list(columns)]
        return [columns[index] for index in np.argsort(-both, kind="stable")]

    def validate(self, gap: Gap, columns: Sequence[int]) -> Floats:
        """How much the sentence stays the same with each of these words in place of the target: (words,)."""
        left, word, right = self._pieces(gap)
        (before,) = self._represent([self._tokenizer.one([*left, *word, *right])])
        place = 1 + len(left)
        kept = np.r_[: place + 1, place + len(word) : len(before.vectors)]  # of the target, its first piece
        weights, vectors = before.attention[kept, place], before.vectors[kept]
        changed = [self._tokenizer.one([*left, column, *right]) for column in columns]
        found = [
            weights @ (vectors * after.vectors).sum(axis=1)
            for at in range(0, len(changed), AT_ONCE)
            for after in self._represent(changed[at : at + AT_ONCE])
        ]
        return np.array(found, np.float32)

    def _pieces(self, gap: Gap) -> tuple[list[int], list[int], list[int]]:
        left, word, right = self._tokenizer.pieces([gap.left, gap.word, gap.right])
        return left, word, right

    def _represent(self, inputs: Sequence[Tokens]) -> list[Representation]:
        """Texts run without a dropout, and every token is asked about: the last layer would leave out the others."""
        feed = packed(inputs)
        total = len(feed["input_ids"])
        everything = {"asked": np.arange(total), "asked_rows": feed["rows"], "asked_cells": feed["cells"]}
        unasked: Feed = {"predicted": np.zeros(1, np.int64), "keep": np.ones((total, WIDTH), np.float32)}
        answers = self._session.run(feed | everything | unasked)
        states = np.concatenate([answers[_states(layer)] for layer in COMPARED], axis=1)
        states /= np.linalg.norm(states, axis=1, keepdims=True)
        ends = np.cumsum([len(tokens.ids) for tokens in inputs])
        attention = _mean_attention(answers)
        return [
            Representation(vectors, attention[row, : len(vectors), : len(vectors)])
            for row, vectors in enumerate(np.split(states, ends[:-1]))
        ]


def _mean_attention(answers: Answers) -> Floats:
    """Over heads and layers: (inputs, tokens reading, tokens read)."""
    total = np.zeros((), np.float32)
    for layer in range(LAYERS):
        shares = answers[_shares(layer)]
        total = total + (shares / shares.sum(axis=-1, keepdims=True)).mean(axis=1)
    mean: Floats = total / np.float32(LAYERS)
    return mean


def _states(layer: int) -> str:
    return f"states_{layer}"


def _shares(layer: int) -> str:
    return f"shares_{layer}"


def _spliced(graph: bytes) -> bytes:
    """The graph with an input `keep` that multiplies word vectors, and the layers' vectors and attention as outputs."""
    layers = {_states(layer): f"bert.encoder.layer.{layer}.output.LayerNorm.bias" for layer in COMPARED}
    told = with_layers(with_multiplier(graph, "keep", width=WIDTH), layers, width=WIDTH)
    return with_shares(told, [_shares(layer) for layer in range(LAYERS)])
