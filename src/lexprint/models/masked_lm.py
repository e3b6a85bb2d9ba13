"""Word predictions for a gap in context, from the shipped masked LM."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from lexprint.models.arithmetic import log_softmax
from lexprint.models.fitness import FitnessHead
from lexprint.models.onnx_backend import Network, Tokens
from lexprint.models.protocols import Assessment, Floats, Gap
from lexprint.models.tokenization import PairTokenizer
from lexprint.models.weights import ModelFiles

LOGITS = "logits"  # the output that says which word it is
LONGEST_INPUT = 512  # positions that BERT knows
LONGEST_TEXT = (LONGEST_INPUT - 3) // 2  # pieces of a text that is read twice, with three special tokens


class OnnxMaskedLM:
    """bert-base-cased with a head of our own."""

    def __init__(self, files: ModelFiles, *, threads: int = 0, batch_size: int = 64) -> None:
        self._tokenizer = PairTokenizer(files.read(files.tokenizer))
        tensors = files.load_tensors()
        self._head = FitnessHead(tensors | files.load_head())
        self._network = Network(files.read(files.graph), tensors, threads=threads, batch_size=batch_size)
        self.fingerprint = files.fingerprint
        self.vocabulary = self._tokenizer.vocabulary

    def fits(self, gap: Gap) -> bool:
        return self._tokenizer.has_at_most(LONGEST_TEXT, gap.text)

    def predict(self, gaps: Sequence[Gap]) -> Floats:
        return self._answer([self._read_then_masked(*pieces) for pieces in self._pieces(gaps)])

    def assess(self, gaps: Sequence[Gap]) -> Assessment:
        pieces = self._pieces(gaps)
        if not pieces:
            return Assessment(np.empty((0, len(self.vocabulary)), np.float32), ())
        answers = self._network.run([self._read_then_masked(*parts) for parts in pieces])
        # A word of several pieces is known by its first; sites are words of one.
        fitness = [
            partial(self._head.judge, state, word[0])
            for state, (_, word, _) in zip(answers["state"], pieces, strict=True)
        ]
        return Assessment(log_softmax(answers[LOGITS]), tuple(fitness))

    def predict_blind(self, gaps: Sequence[Gap]) -> Floats:
        return self._answer([self._masked_only(*pieces) for pieces in self._pieces(gaps)])

    def predict_seeing(self, gaps: Sequence[Gap]) -> Floats:
        """Predictions in place of a word that is left standing (the paper's row BERT-K)."""
        return self._answer([self._kept(*pieces) for pieces in self._pieces(gaps)])

    def _pieces(self, gaps: Sequence[Gap]) -> list[tuple[list[int], list[int], list[int]]]:
        # Words end at spaces or punctuation, where the tokenizer cuts anyway: the parts give what the whole would.
        flat = self._tokenizer.pieces([part for gap in gaps for part in (gap.left, gap.word, gap.right)])
        return [(flat[at], flat[at + 1], flat[at + 2]) for at in range(0, len(flat), 3)]

    def _read_then_masked(self, left: list[int], word: list[int], right: list[int]) -> Tokens:
        whole, masked = [*left, *word, *right], [*left, self._tokenizer.mask, *right]
        return self._tokenizer.pair(whole, masked, position=len(whole) + 2 + len(left))

    def _masked_only(self, left: list[int], word: list[int], right: list[int]) -> Tokens:
        return self._tokenizer.one([*left, self._tokenizer.mask, *right], position=1 + len(left))

    def _kept(self, left: list[int], word: list[int], right: list[int]) -> Tokens:
        return self._tokenizer.one([*left, *word, *right], position=1 + len(left))

    def _answer(self, inputs: Sequence[Tokens]) -> Floats:
        if not inputs:
            return np.empty((0, len(self.vocabulary)), np.float32)
        return log_softmax(self._network.run(inputs)[LOGITS])
