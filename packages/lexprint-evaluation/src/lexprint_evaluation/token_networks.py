"""Networks at hand for vectors of tokens in context: all-mpnet-base-v2 where it is installed, else the shipped sentence encoder.

mpnet had no say in the choice of words. Of the layers those are taken that the authors of BERTScore found nearest to people's
judgements: their list `model2layers` has 8 of 12 for mpnet-base, and 5 for most networks of six layers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np

from lexprint.errors import ExtraMissing, WeightsMissing
from lexprint.models.onnx_backend import Session, packed, packs
from lexprint.models.protocols import Floats
from lexprint.models.sentence_encoder import LONGEST_SENTENCE, WIDTH
from lexprint.models.tokenization import PairTokenizer
from lexprint.models.weights import shipped_model
from lexprint_evaluation.judges import cache_folder
from lexprint_evaluation.splicing import with_layers

MPNET_LAYER, MINILM_LAYER = 8, 5
BATCH_SIZE = 64

TokenVectors: TypeAlias = Callable[[Sequence[str]], list[Floats]]
"""Of each sentence, its tokens as unit vectors without the special ones: (tokens, width)."""


@dataclass(frozen=True)
class TokenNetwork:
    """A network and one of its layers."""

    name: str
    token_vectors: TokenVectors


def network_at_hand() -> TokenNetwork:
    try:
        return mpnet_network()
    except (ExtraMissing, WeightsMissing):
        return minilm_network()


def mpnet_network() -> TokenNetwork:
    from lexprint_evaluation.mpnet import LAYERS, MpnetEncoder, mpnet_folder  # an extra reads its tensors

    encoder = MpnetEncoder(mpnet_folder(cache_folder()))
    vectors = partial(encoder.token_vectors, layers=MPNET_LAYER)
    return TokenNetwork(f"all-mpnet-base-v2, layer {MPNET_LAYER} of {LAYERS}", vectors)


def minilm_network() -> TokenNetwork:
    return TokenNetwork(f"the shipped all-MiniLM-L6-v2, layer {MINILM_LAYER} of 6", MiniLMTokens().token_vectors)


class MiniLMTokens:
    """The shipped sentence encoder, whose graph tells the mean of the tokens only; a copy is made to tell a layer."""

    def __init__(self, *, layer: int = MINILM_LAYER) -> None:
        files = shipped_model("sentence_encoder")
        self._tokenizer = PairTokenizer(files.read(files.tokenizer))
        told = {"states": f"encoder.layer.{layer - 1}.output.LayerNorm.bias"}
        self._session = Session(with_layers(files.read(files.graph), told, width=WIDTH), files.load_tensors())

    def token_vectors(self, sentences: Sequence[str]) -> list[Floats]:
        return [unit_vectors(states[1:-1]) for states in self.states(sentences)]

    def states(self, sentences: Sequence[str]) -> list[Floats]:
        """Vectors of all tokens, special ones too: (tokens, width)."""
        if not sentences:
            return []
        tokens = [self._tokenizer.one(ids[:LONGEST_SENTENCE]) for ids in self._tokenizer.pieces(sentences)]
        found: dict[int, Floats] = {}
        for pack in packs([one.size for one in tokens], threads=1, batch_size=BATCH_SIZE):
            states = self._session.run(packed([tokens[index] for index in pack]))["states"]
            ends = np.cumsum([tokens[index].size for index in pack])
            found.update(zip(pack, np.split(states, ends[:-1]), strict=True))
        return [found[index] for index in range(len(tokens))]


def unit_vectors(vectors: Floats) -> Floats:
    unit: Floats = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return unit
