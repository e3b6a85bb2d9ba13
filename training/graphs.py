"""Writes the shipped networks as ONNX graphs that take inputs of many lengths at once and give the same bits everywhere.

The tokens of all inputs lie one after the other: dense layers do not care where an input ends. Only attention goes by input,
in a rectangle as wide as the longest: what fills it up gets a weight of exactly zero, so that an input has the same answer
alone as in packs. The steps themselves are in `exact_steps.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import onnx
from onnx import TensorProto

from exact_steps import (
    CONTRIB,
    GELU_UNIT,
    TABLE_LIMIT,
    Dimensions,
    Graph,
    Outputs,
    Quantised,
    Weights,
    gelu,
    layer_norm,
    linear,
    precise_linear,
    precise_product,
    quantise_activated,
    quantise_columns,
    quantise_tokens,
    scale_of,
    signed,
)

HEADS = 12
BERT_LAYERS, MINILM_LAYERS = 12, 6

# exp(x) = (((1 + slope * x / power)**2 + share) / (1 + share))**power, at most 0.0004 off below zero.
EXP_DOUBLINGS, EXP_SHARE = 4, 0.9
EXP_POWER = 2**EXP_DOUBLINGS
EXP_SLOPE = (1 + EXP_SHARE) / 2
# Attention counts in shares of 1/255 of the highest: 255 * 127 * 512 is less than 2**24, so that floats add them up exactly.
EXP_LEVELS = 255
EXP_UNIT = np.sqrt(
    EXP_LEVELS ** (1 / EXP_POWER) / (1 + EXP_SHARE)
)  # makes the highest share 255 without a step of its own
MEAN_GRID = 2**20

TOKENS: Dimensions = {
    "input_ids": (TensorProto.INT64, ["tokens"]),
    "token_type_ids": (TensorProto.INT64, ["tokens"]),
    "places": (TensorProto.INT64, ["tokens"]),  # of each token in its input
    "rows": (TensorProto.INT64, ["inputs", "longest"]),  # of each input's tokens; any where it has none
    "cells": (TensorProto.INT64, ["tokens"]),  # of each token in that rectangle, row by row
    "fill": (TensorProto.FLOAT, ["inputs", 1, 1, "longest"]),  # 0, or far below where the input has no token
}
ASKED: Dimensions = {"asked": (TensorProto.INT64, ["inputs"])}  # row of the token asked about
CHANGED: Dimensions = {"changed": (TensorProto.INT64, ["inputs", 2])}  # rows of the changed word
# Where some tokens are probes, which read the text and are not read: `rows` and `cells` are of the text alone.
PROBES: Dimensions = {
    "text": (TensorProto.INT64, ["read"]),  # rows of the tokens that are read
    "query_rows": (TensorProto.INT64, ["inputs", "most"]),  # of each input's tokens, probes among them
    "query_cells": (TensorProto.INT64, ["tokens"]),
    "asked": (TensorProto.INT64, ["asked"]),  # rows of the tokens asked about
    "asked_rows": (TensorProto.INT64, ["inputs", "most_asked"]),  # of each input's, among those asked about
    "asked_cells": (TensorProto.INT64, ["asked"]),
    "predicted": (TensorProto.INT64, ["predicted"]),  # those, among them, where the vocabulary is asked about
    # What queries read: keys and values that an earlier run gave, then those of the text above.
    "read_rows": (TensorProto.INT64, ["inputs", "longest_read"]),
    "read_fill": (TensorProto.FLOAT, ["inputs", 1, 1, "longest_read"]),
}

# Keys and values of texts, by layer, as one run gives them and as another takes them: later probes need no second reading.
GIVEN, KEPT = "given_", "kept_"


@dataclass(frozen=True)
class Layout:
    """Names of what says where tokens are; see `TOKENS`."""

    input_ids: str = "input_ids"
    token_type_ids: str = "token_type_ids"
    places: str = "places"
    rows: str = "rows"
    cells: str = "cells"
    fill: str = "fill"
    text: str | None = None  # None: all tokens are read
    query_rows: str = "rows"
    query_cells: str = "cells"
    read_rows: str = "rows"
    read_fill: str = "fill"


WITH_PROBES = Layout(**{name: name for name in ("text", "query_rows", "query_cells", "read_rows", "read_fill")})


@dataclass(frozen=True)
class Asked:
    """Rows of the tokens that a layer is asked for, and their rectangle; see `PROBES`."""

    rows: str
    rectangle: str
    cells: str | None  # None: the rectangle is full


@dataclass(frozen=True)
class Heads:
    """Whole numbers carried as floats, (inputs, heads, tokens, width), and scales, (inputs, 1, tokens, 1)."""

    values: str
    scale: str


def embeddings(graph: Graph, weights: Weights, prefix: str, layout: Layout) -> str:
    """Sum of word, position and segment vectors, normalised: (tokens, width)."""
    words, scales = quantise_columns(weights[f"{prefix}embeddings.word_embeddings.weight"].T, limit=TABLE_LIMIT)
    table = graph.constant("words.int8", np.ascontiguousarray(words.T))
    rows = graph.add("Cast", [graph.add("Gather", [table, layout.input_ids])], to=TensorProto.FLOAT)
    row_scale = graph.add("Gather", [graph.constant("words.scale", scales[:, None].copy()), layout.input_ids])
    word = graph.add("Mul", [rows, row_scale])
    positions = graph.constant("positions", weights[f"{prefix}embeddings.position_embeddings.weight"])
    segments = graph.constant("segments", weights[f"{prefix}embeddings.token_type_embeddings.weight"])
    total = graph.add("Add", [word, graph.add("Gather", [positions, layout.places])])
    total = graph.add("Add", [total, graph.add("Gather", [segments, layout.token_type_ids])])
    return layer_norm(graph, total, weights, f"{prefix}embeddings.LayerNorm")


def split_heads(graph: Graph, states: str, scale: str, rows: str, *, width: int, parts: int = 3) -> list[Heads]:
    """Queries, keys, values or some of them, `parts` side by side, by head; `scale` has a column for each part."""
    return by_heads(graph, whole_parts(graph, states, scale, width, parts), scale, rows, width=width, parts=parts)


def whole_parts(graph: Graph, states: str, scale: str, width: int, parts: int) -> str:
    """As int8: (tokens, parts * width)."""
    whole = signed(graph, graph.add("Reshape", [states, graph.whole(-1, width)]), scale)
    return graph.add("Reshape", [whole, graph.whole(-1, parts * width)])


def by_heads(graph: Graph, whole: str, scale: str, rows: str, *, width: int, parts: int) -> list[Heads]:
    spread = graph.add("Gather", [whole, rows])
    by_head = graph.add("Reshape", [spread, graph.whole(0, 0, parts * HEADS, width // HEADS)])
    values = split(graph, graph.add("Transpose", [by_head], perm=[0, 2, 1, 3]), parts, axis=1)
    scales = split(graph, graph.add("Gather", [scale, rows]), parts, axis=2)  # (inputs, tokens, 1)
    return [
        Heads(graph.add("Cast", [one], to=TensorProto.FLOAT), graph.add("Unsqueeze", [column, graph.whole(1)]))
        for one, column in zip(values, scales, strict=True)
    ]


def split(graph: Graph, values: str, parts: int, *, axis: int) -> list[str]:
    return graph.add_many("Split", [values], parts, axis=axis, num_outputs=parts) if parts > 1 else [values]


def scales_of(graph: Graph, states: str, parts: int, width: int) -> str:
    """The scale of each token's queries, keys or values: (tokens, parts)."""
    by_part = graph.add("Reshape", [states, graph.whole(-1, width)])
    return graph.add("Reshape", [scale_of(graph, by_part), graph.whole(-1, parts)])


def common_scale(graph: Graph, scale: str, layout: Layout) -> str:
    """The largest scale of each input, for every token of it: values are added up over tokens and need one."""
    spread = graph.add("Gather", [scale, layout.rows])  # (inputs, tokens, 1)
    present = graph.add("Add", [spread, graph.add_once("Reshape", [layout.fill, graph.whole(0, -1, 1)])])
    highest = graph.add("Expand", [graph.reduce("ReduceMax", present, 1), graph.add("Shape", [present])])
    return graph.add("Gather", [graph.add("Reshape", [highest, graph.whole(-1, 1)]), layout.cells])


def attention(graph: Graph, query: Heads, key: Heads, value: Heads, fill: str, *, width: int) -> str:
    """Every query attends to all keys of its input: (inputs * queries, width)."""
    unit = EXP_UNIT * EXP_SLOPE / EXP_POWER / np.sqrt(width // HEADS)
    by_query = graph.add("Mul", [query.scale, graph.number(unit)])
    scale = graph.add("Mul", [by_query, graph.add("Transpose", [key.scale], perm=[0, 1, 3, 2])])
    products = graph.add("FusedMatMul", [query.values, key.values], domain=CONTRIB, transB=1)
    shares = powers(graph, graph.add("Add", [graph.add("Mul", [products, scale]), fill]))
    total = graph.reduce("ReduceSum", shares, -1)
    mixed = graph.add("FusedMatMul", [shares, value.values], domain=CONTRIB)
    first = graph.add("Slice", [value.scale, graph.whole(0), graph.whole(1), graph.whole(2)])  # all are alike
    mixed = graph.add("Mul", [mixed, graph.add("Div", [first, total])])
    turned = graph.add("Transpose", [mixed], perm=[0, 2, 1, 3])
    return graph.add("Reshape", [turned, graph.whole(-1, width)])


def powers(graph: Graph, logits: str) -> str:
    """exp of what each logit is below the highest, as whole numbers up to `EXP_LEVELS`; logits are in units of it."""
    below = graph.add("Sub", [graph.reduce("ReduceMax", logits, -1), graph.number(EXP_UNIT)])
    value = graph.add("Relu", [graph.add("Sub", [logits, below])])
    value = graph.add("Add", [graph.add("Mul", [value, value]), graph.number(EXP_UNIT**2 * EXP_SHARE)])
    for _ in range(EXP_DOUBLINGS):
        value = graph.add("Mul", [value, value])
    zero = graph.constant("counted_from_0", np.array(0, dtype=np.uint8))
    return graph.add("Cast", [graph.add("QuantizeLinear", [value, graph.number(1), zero])], to=TensorProto.FLOAT)


def dense(graph: Graph, source: Quantised, weights: Weights, name: str, *parts: str) -> str:
    """A dense layer, or several of the same input side by side."""
    names = [f"{name}.{part}" for part in parts] or [name]
    weight = np.concatenate([weights[f"{one}.weight"].T for one in names], axis=1)
    bias = np.concatenate([weights[f"{one}.bias"] for one in names])
    return linear(graph, source, f"{name}.{'_'.join(parts)}" if parts else name, weight, bias)


def encoder_layer(
    graph: Graph, hidden: str, weights: Weights, name: str, *, layout: Layout = Layout(), asked: Asked | None = None
) -> str:
    """One layer for all tokens, or only for those that are asked for, which still attend to all the text."""
    rows = layout.cells if layout.text is None else layout.query_cells
    source = quantise_tokens(graph, hidden, rows)
    if asked is None and layout.text is None:
        mixed = _all_attend(graph, source, weights, name, layout)
    else:
        key, value = _keys_and_values(graph, source, weights, name, layout)
        if asked is None:
            asked = Asked(rows, layout.query_rows, layout.query_cells)
        else:
            rows = asked.rows
            hidden = graph.add("Gather", [hidden, rows])
            source = quantise_tokens(graph, hidden, rows)
        mixed = _some_attend(graph, source, key, value, weights, name, asked, layout.read_fill)
    attended = dense(graph, quantise_tokens(graph, mixed, rows), weights, f"{name}.attention.output.dense")
    hidden = layer_norm(graph, graph.add("Add", [attended, hidden]), weights, f"{name}.attention.output.LayerNorm")
    inner = gelu(graph, dense(graph, quantise_tokens(graph, hidden, rows), weights, f"{name}.intermediate.dense"))
    outer = dense(graph, quantise_activated(graph, inner, rows), weights, f"{name}.output.dense")
    return layer_norm(graph, graph.add("Add", [outer, hidden]), weights, f"{name}.output.LayerNorm")


def _all_attend(graph: Graph, source: Quantised, weights: Weights, name: str, layout: Layout) -> str:
    """Every token reads every other of its input: (tokens, width)."""
    own, width = f"{name}.attention.self", weights[f"{name}.output.dense.bias"].size
    states = dense(graph, source, weights, own, "query", "key", "value")
    query_scale, key_scale, value_scale = split(graph, scales_of(graph, states, 3, width), 3, axis=1)
    scale = graph.add("Concat", [query_scale, key_scale, common_scale(graph, value_scale, layout)], axis=1)
    query, key, value = split_heads(graph, states, scale, layout.rows, width=width)
    return graph.add("Gather", [attention(graph, query, key, value, layout.fill, width=width), layout.cells])


def _keys_and_values(
    graph: Graph, source: Quantised, weights: Weights, name: str, layout: Layout
) -> tuple[Heads, Heads]:
    """Those of the text, and of texts that an earlier run has read."""
    own, width = f"{name}.attention.self", weights[f"{name}.output.dense.bias"].size
    if layout.text is not None:
        values, scale = (graph.add("Gather", [part, layout.text]) for part in (source.values, source.scale))
        source = Quantised(values, scale, source.zero_point)
    states = dense(graph, source, weights, own, "key", "value")
    key_scale, value_scale = split(graph, scales_of(graph, states, 2, width), 2, axis=1)
    scale = graph.add("Concat", [key_scale, common_scale(graph, value_scale, layout)], axis=1)
    whole = whole_parts(graph, states, scale, width, 2)
    if layout.text is not None:
        number = len(graph.kept)
        graph.kept.append((whole, scale))
        whole = graph.add("Concat", [f"{KEPT}{number}", whole], axis=0)
        scale = graph.add("Concat", [f"{KEPT}scales_{number}", scale], axis=0)
    key, value = by_heads(graph, whole, scale, layout.read_rows, width=width, parts=2)
    return key, value


def _some_attend(
    graph: Graph,
    source: Quantised,
    key: Heads,
    value: Heads,
    weights: Weights,
    name: str,
    asked: Asked,
    fill: str,
) -> str:
    """What those asked for read in the text: (asked, width)."""
    width = weights[f"{name}.output.dense.bias"].size
    states = dense(graph, source, weights, f"{name}.attention.self.query")
    scale = scales_of(graph, states, 1, width)
    (query,) = split_heads(graph, states, scale, asked.rectangle, width=width, parts=1)
    mixed = attention(graph, query, key, value, fill, width=width)
    return mixed if asked.cells is None else graph.add("Gather", [mixed, asked.cells])


def counted(graph: Graph, rows: str) -> str:
    """0, 1, 2, ... for each of the rows."""
    count = graph.add("Squeeze", [graph.add("Shape", [rows], start=0, end=1)])
    return graph.add("Range", [graph.scalar(0), count, graph.scalar(1)])


def encoder(graph: Graph, weights: Weights, *, prefix: str, layers: int, layout: Layout = Layout()) -> str:
    """The hidden states after `layers` layers: (tokens, width)."""
    hidden = embeddings(graph, weights, prefix, layout)
    for layer in range(layers):
        hidden = encoder_layer(graph, hidden, weights, f"{prefix}encoder.layer.{layer}", layout=layout)
    return hidden


def lower_layers(weights: Weights, *, layers: int) -> onnx.ModelProto:
    """BERT without its upper layers, for training: hidden states of inputs of one length, (batch, tokens, width)."""
    graph = Graph()
    size = graph.add("Shape", ["input_ids"])
    length = graph.add("Squeeze", [graph.add("Shape", ["input_ids"], start=1, end=2)])
    flat = graph.add("Reshape", ["input_ids", graph.whole(-1)])
    cells = counted(graph, flat)
    rows = graph.add("Reshape", [cells, size])
    nothing = graph.add("Cast", [graph.add("Mul", [rows, graph.scalar(0)])], to=TensorProto.FLOAT)
    layout = Layout(
        input_ids=flat,
        token_type_ids=graph.add("Reshape", ["token_type_ids", graph.whole(-1)]),
        places=graph.add("Mod", [cells, length]),
        rows=rows,
        cells=cells,
        fill=graph.add("Reshape", [nothing, graph.whole(0, 1, 1, -1)]),
    )
    hidden = encoder(graph, weights, prefix="bert.", layers=layers, layout=layout)
    shape = graph.add("Concat", [size, graph.whole(-1)], axis=0)
    inputs: Dimensions = {name: (TensorProto.INT64, ["batch", "tokens"]) for name in ("input_ids", "token_type_ids")}
    hidden = graph.add("Reshape", [hidden, shape])
    return graph.model(inputs, {"hidden": (hidden, ["batch", "tokens", "width"])})


def masked_lm(weights: Weights) -> onnx.ModelProto:
    """BERT with its heads, at the tokens asked about: logits over the vocabulary, and what readers would say of the token.

    A token asked about may be one of the text, such as the gap of a pair (S, S masked), or a probe.
    """
    graph = Graph()
    hidden = encoder(graph, weights, prefix="bert.", layers=BERT_LAYERS - 1, layout=WITH_PROBES)
    last = f"bert.encoder.layer.{BERT_LAYERS - 1}"
    asked = Asked("asked", "asked_rows", "asked_cells")
    states = encoder_layer(graph, hidden, weights, last, layout=WITH_PROBES, asked=asked)
    transformed = transform(graph, graph.add("Gather", [states, "predicted"]), weights, "cls.predictions.transform")
    columns = graph.add("Transpose", ["words.int8"], perm=[1, 0])  # the decoder is tied to the word vectors
    scales = graph.add("Reshape", ["words.scale", graph.whole(1, -1)])
    logits = precise_product(graph, transformed, columns, scales)
    logits = graph.add("Add", [logits, graph.constant("cls.predictions.bias", weights["cls.predictions.bias"])])
    verdicts = precise_linear(graph, states, "verdict", weights["verdict.weight"].T, weights["verdict.bias"])
    outputs: Outputs = {
        "logits": (logits, ["predicted", "vocabulary"]),
        "verdicts": (verdicts, ["asked", 2]),
    }
    width = 2 * weights["verdict.weight"].shape[1]
    kept: Dimensions = {}
    for number, (whole, scale) in enumerate(graph.kept):
        outputs |= {f"{GIVEN}{number}": (whole, ["read", width]), f"{GIVEN}scales_{number}": (scale, ["read", 2])}
        kept |= {
            f"{KEPT}{number}": (TensorProto.INT8, ["kept", width]),
            f"{KEPT}scales_{number}": (TensorProto.FLOAT, ["kept", 2]),
        }
    kinds = {f"{GIVEN}{number}": TensorProto.INT8 for number in range(len(graph.kept))}
    return graph.model({**TOKENS, **PROBES, **kept}, outputs, kinds)


def transform(graph: Graph, state: str, weights: Weights, name: str) -> str:
    """Dense layer, GELU and layer norm of a head: (inputs, width)."""
    full = f"{name}.dense"
    inner = precise_linear(graph, state, full, weights[f"{full}.weight"].T, weights[f"{full}.bias"])
    return layer_norm(graph, gelu(graph, inner), weights, f"{name}.LayerNorm")


def means(graph: Graph, hidden: str) -> str:
    """The mean of each input's states, added up as whole numbers: (inputs, width)."""
    doubles = graph.add("Cast", [hidden], to=TensorProto.DOUBLE)
    numbers = graph.add("Round", [graph.add("Mul", [doubles, graph.double(MEAN_GRID)])])
    present = graph.add("Cast", [graph.add("Equal", ["fill", graph.number(0)])], to=TensorProto.DOUBLE)
    present = graph.add("Reshape", [present, graph.whole(0, -1, 1)])  # (inputs, longest, 1)
    spread = graph.add("Mul", [graph.add("Gather", [numbers, "rows"]), present])
    total = graph.add("ReduceSum", [spread, graph.whole(1)], keepdims=0)
    count = graph.add("Mul", [graph.add("ReduceSum", [present, graph.whole(1)], keepdims=0), graph.double(MEAN_GRID)])
    return graph.add("Cast", [graph.add("Div", [total, count])], to=TensorProto.FLOAT)


def entailment(weights: Weights) -> onnx.ModelProto:
    """MiniLM with its head over a sentence pair: logits of entailment, neutral, contradiction.

    The head sees [CLS] and, as wide as its weights are, the changed word in both sentences or the mean of all tokens.
    """
    graph = Graph()
    width = weights["encoder.embeddings.LayerNorm.bias"].size
    inputs = {**TOKENS, **ASKED}
    if weights["dense.weight"].shape[1] == 3 * width:
        inputs |= CHANGED
        hidden = encoder(graph, weights, prefix="encoder.", layers=MINILM_LAYERS - 1)
        rectangle = graph.add("Concat", [graph.add("Unsqueeze", ["asked", graph.whole(1)]), "changed"], axis=1)
        rows = graph.add("Reshape", [rectangle, graph.whole(-1)])
        numbers = graph.add("Reshape", [counted(graph, rows), graph.add("Shape", [rectangle])])
        asked = Asked(rows, numbers, None)
        states = encoder_layer(graph, hidden, weights, f"encoder.encoder.layer.{MINILM_LAYERS - 1}", asked=asked)
        pooled = graph.add("Reshape", [states, graph.whole(-1, 3 * width)])
    else:
        hidden = encoder(graph, weights, prefix="encoder.", layers=MINILM_LAYERS)
        pooled = graph.add("Concat", [graph.add("Gather", [hidden, "asked"]), means(graph, hidden)], axis=-1)
    inner = gelu(graph, precise_linear(graph, pooled, "dense", weights["dense.weight"].T, weights["dense.bias"]))
    inner = graph.add("Mul", [inner, graph.number(GELU_UNIT)])
    logits = precise_linear(graph, inner, "classes", weights["classes.weight"].T, weights["classes.bias"])
    return graph.model(inputs, {"logits": (logits, ["inputs", "classes"])})


def sentence_encoder(weights: Weights) -> onnx.ModelProto:
    """MiniLM: the mean of its token vectors."""
    graph = Graph()
    mean = means(graph, encoder(graph, weights, prefix="", layers=MINILM_LAYERS))
    return graph.model(TOKENS, {"mean": (mean, ["inputs", "width"])})
