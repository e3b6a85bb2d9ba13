"""Writes a BERT encoder as an ONNX graph whose answer for one input never depends on its neighbours in the batch.

Weights are int8 by column. Activations are quantised too, but by token: every token has its own scale, so the integer
products are exact and the same in any batch, order and number of threads. (The usual dynamic quantisation takes one
scale for the whole batch: onnxruntime issue 8625.) There is no padding, hence no attention mask.
"""

from __future__ import annotations

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

Array = NDArray[np.generic]
Weights = dict[str, NDArray[np.float32]]

CONTRIB = "com.microsoft"
BERT_WIDTH, MINILM_WIDTH = 768, 384
INT8_LIMIT = np.float32(127)
EXTREME_WIDTH = 64
SMALLEST_SCALE = np.float32(1e-12)  # a token of zeros must not divide by zero


class Graph:
    """Collects nodes and initialisers; methods return the name of their result."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, Array] = {}

    def constant(self, name: str, value: Array) -> str:
        self.constants.setdefault(name, value)
        return name

    def add(self, operation: str, inputs: list[str], *, domain: str = "", **attributes: object) -> str:
        output = f"{operation.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operation, inputs, [output], domain=domain, **attributes))
        return output

    def model(self, inputs: dict[str, list[str]], output: str, shape: list[str]) -> onnx.ModelProto:
        """A whole model, tensors included; the last node's result is its output."""
        self.nodes[-1].output[0] = output
        graph = helper.make_graph(
            self.nodes,
            "lexprint",
            [helper.make_tensor_value_info(name, TensorProto.INT64, dims) for name, dims in inputs.items()],
            [helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)],
            [numpy_helper.from_array(value, name) for name, value in self.constants.items()],
        )
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid(CONTRIB, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=9)


def quantise_columns(weight: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """int8 weights (inputs, outputs) and one scale per output.

    Weights that were int8 before keep their grid, so that nothing is rounded twice.
    """
    step = np.float32(np.abs(weight[weight != 0]).min())
    levels = weight / step
    if np.abs(levels).max() < INT8_LIMIT + 1 and np.abs(levels - np.rint(levels)).max() < 1e-2:
        return np.rint(levels).astype(np.int8), np.full(weight.shape[1], step, dtype=np.float32)
    scale = np.maximum(np.abs(weight).max(axis=0) / INT8_LIMIT, SMALLEST_SCALE).astype(np.float32)
    return np.rint(weight / scale).astype(np.int8), scale


def quantise_tokens(graph: Graph, hidden: str) -> tuple[str, str]:
    """uint8 activations and one scale per token, from hidden states (tokens of all inputs, width)."""
    peak = graph.add("ReduceMax", [graph.add("Abs", [hidden])], axes=[1], keepdims=0)
    scale = graph.add("Mul", [peak, graph.constant("one_by_127", np.float32(1) / INT8_LIMIT)])
    scale = graph.add("Max", [scale, graph.constant("smallest_scale", SMALLEST_SCALE)])
    middle = graph.add(
        "Expand", [graph.constant("middle", np.array([128], dtype=np.uint8)), graph.add("Shape", [scale])]
    )
    return graph.add("QuantizeLinear", [hidden, scale, middle], axis=0), scale


def linear(graph: Graph, quantised: tuple[str, str], name: str, weight: NDArray[np.float32], bias: Array) -> str:
    """Dense layer over token-quantised activations; `weight` is (inputs, outputs)."""
    columns, column_scale = quantise_columns(weight)
    product = graph.constant(f"{name}.int8", columns)
    scaled = integer_product(graph, quantised, product, graph.constant(f"{name}.scale", column_scale))
    return graph.add("Add", [scaled, graph.constant(f"{name}.bias", bias)])


def integer_product(graph: Graph, quantised: tuple[str, str], weight: str, column_scale: str) -> str:
    """Activations times int8 weights, as numbers again: (tokens, outputs)."""
    activations, token_scale = quantised
    product = graph.add("MatMulInteger", [activations, weight, graph.constant("zero_point", np.uint8(128))])
    by_column = graph.add("Mul", [graph.add("Cast", [product], to=TensorProto.FLOAT), column_scale])
    token_scale = graph.add("Unsqueeze", [token_scale, graph.constant("one", np.array([1], dtype=np.int64))])
    return graph.add("Mul", [by_column, token_scale])


def extreme_product() -> onnx.ModelProto:
    """The largest int8 product there is: processors that saturate its sums do not get it right."""
    graph = Graph()
    weight = graph.constant("weight", np.full((EXTREME_WIDTH, EXTREME_WIDTH), 127, dtype=np.int8))
    graph.add("MatMulInteger", ["activations", weight])
    made = helper.make_graph(
        graph.nodes,
        "extreme_product",
        [helper.make_tensor_value_info("activations", TensorProto.UINT8, ["tokens", EXTREME_WIDTH])],
        [helper.make_tensor_value_info(graph.nodes[-1].output[0], TensorProto.INT32, ["tokens", EXTREME_WIDTH])],
        [numpy_helper.from_array(value, name) for name, value in graph.constants.items()],
    )
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def layer_norm(graph: Graph, hidden: str, weights: Weights, name: str) -> str:
    scale = graph.constant(f"{name}.weight", weights[f"{name}.weight"])
    bias = graph.constant(f"{name}.bias", weights[f"{name}.bias"])
    return graph.add("LayerNormalization", [hidden, scale, bias], axis=-1, epsilon=1e-12)


def embeddings(graph: Graph, weights: Weights, prefix: str) -> str:
    """Sum of word, position and segment vectors, normalised: (batch, tokens, width)."""
    words, scales = quantise_columns(weights[f"{prefix}embeddings.word_embeddings.weight"].T)
    table = graph.constant("words.int8", np.ascontiguousarray(words.T))
    rows = graph.add("Cast", [graph.add("Gather", [table, "input_ids"])], to=TensorProto.FLOAT)
    row_scale = graph.add("Gather", [graph.constant("words.scale", scales[:, None].copy()), "input_ids"])
    word = graph.add("Mul", [rows, row_scale])
    count = graph.add("Shape", ["input_ids"], start=1, end=2)
    zero = graph.constant("zero", np.array([0], dtype=np.int64))
    positions = graph.constant("positions", weights[f"{prefix}embeddings.position_embeddings.weight"])
    position = graph.add("Slice", [positions, zero, count, zero])
    segments = graph.constant("segments", weights[f"{prefix}embeddings.token_type_embeddings.weight"])
    segment = graph.add("Gather", [segments, "token_type_ids"])
    total = graph.add("Add", [graph.add("Add", [word, position]), segment])
    return layer_norm(graph, total, weights, f"{prefix}embeddings.LayerNorm")


def flat(graph: Graph, hidden: str, width: int) -> str:
    """(batch, tokens, width) to (tokens of all inputs, width)."""
    return graph.add("Reshape", [hidden, graph.constant(f"flat_{width}", np.array([-1, width], dtype=np.int64))])


def by_input(graph: Graph, hidden: str, width: int) -> str:
    """(tokens of all inputs, width) to (batch, tokens, width)."""
    last = graph.constant(f"width_{width}", np.array([width], dtype=np.int64))
    return graph.add("Reshape", [hidden, graph.add("Concat", [graph.add("Shape", ["input_ids"]), last], axis=0)])


def encoder_layer(
    graph: Graph, hidden: str, weights: Weights, name: str, *, heads: int, asked: str | None = None
) -> str:
    """One layer for all tokens, or only for one `asked` token of each input, which still attends to all."""
    width = weights[f"{name}.output.dense.bias"].size

    def dense(source: tuple[str, str], part: str) -> str:
        full = f"{name}.{part}"
        return linear(graph, source, full, weights[f"{full}.weight"].T, weights[f"{full}.bias"])

    quantised = quantise_tokens(graph, hidden)
    key, value = (by_input(graph, dense(quantised, f"attention.self.{part}"), width) for part in ("key", "value"))
    if asked is None:
        query = by_input(graph, dense(quantised, "attention.self.query"), width)
    else:
        hidden = asked
        query = graph.add("Unsqueeze", [dense(quantise_tokens(graph, asked), "attention.self.query"), "one"])
    mixed = flat(graph, graph.add("MultiHeadAttention", [query, key, value], domain=CONTRIB, num_heads=heads), width)
    attended = dense(quantise_tokens(graph, mixed), "attention.output.dense")
    hidden = layer_norm(graph, graph.add("Add", [attended, hidden]), weights, f"{name}.attention.output.LayerNorm")
    inner = graph.add("Gelu", [dense(quantise_tokens(graph, hidden), "intermediate.dense")], domain=CONTRIB)
    outer = dense(quantise_tokens(graph, inner), "output.dense")
    return layer_norm(graph, graph.add("Add", [outer, hidden]), weights, f"{name}.output.LayerNorm")


def encoder(graph: Graph, weights: Weights, *, prefix: str, layers: int, heads: int) -> str:
    """The hidden states after `layers` layers: (tokens of all inputs, width)."""
    width = weights[f"{prefix}embeddings.LayerNorm.bias"].size
    hidden = flat(graph, embeddings(graph, weights, prefix), width)
    for layer in range(layers):
        hidden = encoder_layer(graph, hidden, weights, f"{prefix}encoder.layer.{layer}", heads=heads)
    return hidden


def lower_layers(weights: Weights, *, layers: int) -> onnx.ModelProto:
    """BERT without its upper layers, for training: hidden states of all tokens."""
    graph = Graph()
    by_input(graph, encoder(graph, weights, prefix="bert.", layers=layers, heads=12), BERT_WIDTH)
    shape = ["batch", "tokens"]
    return graph.model({"input_ids": shape, "token_type_ids": shape}, "hidden", [*shape, "width"])


def masked_lm(weights: Weights) -> onnx.ModelProto:
    """BERT with its head: logits over the vocabulary at one position of each input."""
    graph = Graph()
    hidden = encoder(graph, weights, prefix="bert.", layers=11, heads=12)
    place = graph.add("Unsqueeze", ["position", "one"])
    asked = graph.add("GatherND", [by_input(graph, hidden, BERT_WIDTH), place], batch_dims=1)  # (batch, width)
    state = encoder_layer(graph, hidden, weights, "bert.encoder.layer.11", heads=12, asked=asked)
    name = "cls.predictions.transform"
    weight, bias = weights[f"{name}.dense.weight"].T, weights[f"{name}.dense.bias"]
    state = graph.add(
        "Gelu", [linear(graph, quantise_tokens(graph, state), f"{name}.dense", weight, bias)], domain=CONTRIB
    )
    state = layer_norm(graph, state, weights, f"{name}.LayerNorm")
    table = graph.add("Transpose", ["words.int8"], perm=[1, 0])  # the decoder is tied to the word vectors
    scales = graph.add("Transpose", ["words.scale"], perm=[1, 0])
    logits = integer_product(graph, quantise_tokens(graph, state), table, scales)
    graph.add("Add", [logits, graph.constant("cls.predictions.bias", weights["cls.predictions.bias"])])
    shape = ["batch", "tokens"]
    inputs = {"input_ids": shape, "token_type_ids": shape, "position": ["batch"]}
    return graph.model(inputs, "logits", ["batch", "vocabulary"])


def entailment(weights: Weights) -> onnx.ModelProto:
    """MiniLM with its head over a sentence pair: logits of entailment, neutral, contradiction."""
    graph = Graph()
    hidden = by_input(graph, encoder(graph, weights, prefix="encoder.", layers=6, heads=12), MINILM_WIDTH)
    first = graph.add("Gather", [hidden, graph.constant("first", np.int64(0))], axis=1)
    mean = graph.add("ReduceMean", [hidden], axes=[1], keepdims=0)
    pooled = graph.add("Concat", [first, mean], axis=-1)  # (batch, 2 * width)
    inner = graph.add("Gemm", [pooled, *_dense_constants(graph, weights, "dense")], transB=1)
    inner = graph.add("Gelu", [inner], domain=CONTRIB)
    graph.add("Gemm", [inner, *_dense_constants(graph, weights, "classes")], transB=1)
    shape = ["batch", "tokens"]
    return graph.model({"input_ids": shape, "token_type_ids": shape}, "logits", ["batch", "classes"])


def sentence_encoder(weights: Weights) -> onnx.ModelProto:
    """MiniLM: the mean of its token vectors."""
    graph = Graph()
    hidden = by_input(graph, encoder(graph, weights, prefix="", layers=6, heads=12), MINILM_WIDTH)
    graph.add("ReduceMean", [hidden], axes=[1], keepdims=0)
    shape = ["batch", "tokens"]
    return graph.model({"input_ids": shape, "token_type_ids": shape}, "mean", ["batch", "width"])


def _dense_constants(graph: Graph, weights: Weights, name: str) -> tuple[str, str]:
    return graph.constant(f"{name}.weight", weights[f"{name}.weight"]), graph.constant(
        f"{name}.bias", weights[f"{name}.bias"]
    )
