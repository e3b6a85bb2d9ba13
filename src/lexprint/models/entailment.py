"""Probability that one sentence entails another, from the shipped NLI model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lexprint.models.arithmetic import exponential, log_softmax
from lexprint.models.masked_lm import LONGEST_TEXT
from lexprint.models.onnx_backend import Network
from lexprint.models.protocols import Floats
from lexprint.models.tokenization import PairTokenizer
from lexprint.models.weights import ModelFiles

LONGEST_WORD = 16  # pieces that another word may need more than the one it replaces
ENTAILMENT = 0  # column of the logits; then neutral, contradiction


class OnnxEntailment:
    """A MiniLM cross-encoder over (premise, hypothesis)."""

    def __init__(self, files: ModelFiles, *, threads: int = 0, batch_size: int = 64) -> None:
        self._tokenizer = PairTokenizer(files.read(files.tokenizer))
        self._network = Network(files.read(files.graph), files.load_tensors(), threads=threads, batch_size=batch_size)
        self.fingerprint = files.fingerprint

    def fits(self, sentence: str) -> bool:
        return self._tokenizer.has_at_most(LONGEST_TEXT - LONGEST_WORD // 2, sentence)

    def entails(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        return exponential(self.classify(pairs)[:, ENTAILMENT]).astype(np.float32)

    def classify(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        """Log-probabilities of entailment, neutral and contradiction: (pairs, 3)."""
        if not pairs:
            return np.empty((0, 3), np.float32)
        # A premise comes back with every hypothesis, and often as one of them.
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        pieces = dict(zip(texts, self._tokenizer.pieces(texts), strict=True))
        inputs = [self._tokenizer.changed_pair(pieces[a], pieces[b]) for a, b in pairs]
        return log_softmax(self._network.run(inputs)["logits"])
