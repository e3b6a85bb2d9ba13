"""The rival BERT-LS (Zhou et al., ACL 2019): words proposed through a partly blanked target, then tried in the sentence.

As published: dropout of 0.3 on the target's word vector; fifty proposals; the proposal score, log P; the validation score, cosines
between the vectors of each token before and after the exchange (last four layers side by side), summed with the attention that the
token pays to the target, mean over all heads and layers; and their sum, with 0.01 of the first. Left out is what all proposals for a
target have in common, the probability of another word than the target. Otherwise than published: the model is the shipped masked LM,
which is of the size of BERT-base and trained further, not BERT-large; the sentence is read alone; of a target of several
pieces, all are blanked and the first stands for the word; and one seeded dropout is drawn for each target.

The shipped graph neither takes a dropout nor tells vectors and attention, so both are spliced in; the sole importer of onnx in the
package.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import onnx

from lexprint.models.arithmetic import log_softmax
from lexprint.models.onnx_backend import PREDICTIONS, Answers, Feed, Session, Tokens, packed
from lexprint.models.protocols import Floats, Gap
from lexprint.models.tokenization import PairTokenizer
from lexprint.models.weights import shipped_model

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
    model = onnx.load_from_string(graph)
    _add_multiplier(model.graph)
    bias = {name: node.output[0] for node in model.graph.node for name in node.input if name.endswith(".bias")}
    layers = [bias[f"bert.encoder.layer.{layer}.output.LayerNorm.bias"] for layer in COMPARED]
    _tell(model.graph, dict(zip(map(_states, COMPARED), layers, strict=True)), ["tokens", WIDTH])
    # In attention alone, whole numbers that were counted from 0 are shares: what each token gives to each.
    counted = {node.output[0] for node in model.graph.node if "counted_from_0" in node.input}
    shares = [node.output[0] for node in model.graph.node if node.op_type == "Cast" and node.input[0] in counted]
    _tell(
        model.graph, dict(zip(map(_shares, range(LAYERS)), shares, strict=True)), ["inputs", "heads", "most", "longest"]
    )
    return bytes(model.SerializeToString())


def _add_multiplier(graph: onnx.GraphProto) -> None:
    nodes = list(graph.node)
    at = next(index for index, node in enumerate(nodes) if node.op_type == "Mul")  # int8 rows times their scale
    words = nodes[at].output[0]
    for node in nodes[at + 1 :]:
        node.input[:] = ["kept_words" if name == words else name for name in node.input]
    nodes.insert(at + 1, onnx.helper.make_node("Mul", [words, "keep"], ["kept_words"]))
    del graph.node[:]
    graph.node.extend(nodes)
    shape: list[str | int | None] = ["tokens", WIDTH]
    graph.input.append(onnx.helper.make_tensor_value_info("keep", onnx.TensorProto.FLOAT, shape))


def _tell(graph: onnx.GraphProto, named: dict[str, str], shape: list[str | int | None]) -> None:
    """Give values of the graph out under other names."""
    for name, value in named.items():
        graph.node.append(onnx.helper.make_node("Identity", [value], [name]))
        graph.output.append(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape))
