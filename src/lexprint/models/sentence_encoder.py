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
MEAN_STEPS, VECTOR_STEPS = 2.0**20, 2.0**11


class OnnxSentenceEncoder:
    """all-MiniLM-L6-v2: the mean of its token vectors, scaled to length one."""

    def __init__(self, files: ModelFiles, *, threads: int = 0, batch_size: int = 64) -> None:
        self._tokenizer = PairTokenizer(files.read(files.tokenizer))
        self._network = Network(files.read(files.graph), files.load_tensors(), threads=threads, batch_size=batch_size)
        self.fingerprint = files.fingerprint

    def encode(self, sentences: Sequence[str]) -> Floats:
        if not sentences:
            return np.empty((0, WIDTH), np.float32)
        pieces = self._tokenizer.pieces(sentences)
        return on_grid(self._network.run([self._tokenizer.one(ids[:LONGEST_SENTENCE]) for ids in pieces])["mean"])


def on_grid(means: Floats) -> Floats:
    """Vectors of length one, near enough, in steps so coarse that inner products of them are exact in any order.

    A product counts in steps of 2**-22, and no sum of some of them exceeds 2**24 such steps.
    """
    whole = np.rint(means.astype(np.float64) * MEAN_STEPS).astype(np.int64)
    lengths = np.sqrt((whole * whole).sum(axis=-1, keepdims=True).astype(np.float64))
    return np.asarray(np.rint(whole / lengths * VECTOR_STEPS) / VECTOR_STEPS, dtype=np.float32)
