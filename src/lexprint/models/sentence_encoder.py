"""Unit vectors for sentences, from the shipped encoder; the SS metric of the paper is their inner product."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lexprint.models.onnx_backend import Network
from lexprint.models.protocols import Floats
from lexprint.models.tokenization import PairTokenizer
from lexprint.models.weights import ModelFiles

LONGEST_SENTENCE = 254  # tokens; all-MiniLM-L6-v2 was made for at most 256 with its two special ones
WIDTH = 384


class OnnxSentenceEncoder:
    """all-MiniLM-L6-v2: the mean of its token vectors, scaled to length one."""

    def __init__(self, files: ModelFiles, *, threads: int = 0, batch_size: int = 64) -> None:
        self._tokenizer = PairTokenizer(files.read(files.tokenizer))
        self._network = Network(files.read(files.packed), files.load_tensors(), threads=threads, batch_size=batch_size)
        self.fingerprint = files.fingerprint

    def encode(self, sentences: Sequence[str]) -> Floats:
        if not sentences:
            return np.empty((0, WIDTH), np.float32)
        pieces = self._tokenizer.pieces(sentences)
        means = self._network.run([self._tokenizer.one(ids[:LONGEST_SENTENCE]) for ids in pieces])
        vectors: Floats = means / np.linalg.norm(means, axis=-1, keepdims=True)
        return vectors
