"""The rival BERT-LS: the target's word vector is partly blanked, so that context speaks too (Zhou et al., ACL 2019).

The shipped graph has no such input, so one is spliced in; the sole importer of onnx in the package.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx

from lexprint.models.arithmetic import log_softmax
from lexprint.models.onnx_backend import Network
from lexprint.models.protocols import Floats, Gap
from lexprint.models.tokenization import PairTokenizer
from lexprint.models.weights import shipped_model

DROPOUT = 0.3  # of the dimensions, as published
WIDTH = 768


class DropoutMaskedLM:
    """The shipped masked LM, reading the target through a seeded dropout of its embedding."""

    def __init__(self, *, seed: int = 0) -> None:
        files = shipped_model("masked_lm")
        self._tokenizer = PairTokenizer(files.read(files.tokenizer))
        self._network = Network(
            _with_multiplier(files.read(files.graph)), files.load_tensors(), threads=0, batch_size=1
        )
        self.vocabulary = self._tokenizer.vocabulary
        self._generator = np.random.default_rng(seed)

    def predict(self, gaps: Sequence[Gap]) -> Floats:
        return np.concatenate([self._predict(gap) for gap in gaps])

    def _predict(self, gap: Gap) -> Floats:
        left, word, right = self._tokenizer.pieces([gap.left, gap.word, gap.right])
        tokens = self._tokenizer.one([*left, *word, *right], position=1 + len(left))
        keep = np.ones((len(tokens.ids), WIDTH), np.float32)
        keep[1 + len(left) : 1 + len(left) + len(word)] = self._generator.random(WIDTH) >= DROPOUT
        return log_softmax(self._network.run([tokens], extra={"keep": keep})["logits"])


def _with_multiplier(graph: bytes) -> bytes:
    """The graph with an input `keep` that multiplies the word vectors: (tokens, width)."""
    model = onnx.load_from_string(graph)
    nodes = list(model.graph.node)
    at = next(index for index, node in enumerate(nodes) if node.op_type == "Mul")  # int8 rows times their scale
    words = nodes[at].output[0]
    for node in nodes[at + 1 :]:
        node.input[:] = ["kept_words" if name == words else name for name in node.input]
    nodes.insert(at + 1, onnx.helper.make_node("Mul", [words, "keep"], ["kept_words"]))
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    shape: list[str | int | None] = ["tokens", WIDTH]
    model.graph.input.append(onnx.helper.make_tensor_value_info("keep", onnx.TensorProto.FLOAT, shape))
    return bytes(model.SerializeToString())
