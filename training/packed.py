"""Writes the shipped networks once more, as graphs that take inputs of many lengths at once.

Same tensors, same arithmetic and so the same bits as the graphs of `graphs.py`, which stay the statement of what is computed:
the tokens of all inputs lie one after the other, dense layers do not care where an input ends, and only attention and averages
go by groups of inputs of equal length. `python training/packed.py FOLDER` writes them beside the graphs they stand for.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper

from graphs import CONTRIB, INT8_LIMIT, SMALLEST_SCALE, Graph

Tensors = dict[str, NDArray[np.generic]]
Dimensions = dict[str, list[str | int]]

HEADS = 12
STEP = np.float32(1) / INT8_LIMIT
TOKENS: Dimensions = {"input_ids": ["tokens"], "token_type_ids": ["tokens"], "places": ["tokens"]}
# Of each group: the rows of its tokens, the shape that makes inputs of them again, and the rows of its inputs.
GROUPS: Dimensions = {"starts": ["groups", 1], "ends": ["groups", 1], "shapes": ["groups", 3]}
ASKED: Dimensions = {"asked": ["inputs"], "firsts": ["groups", 1], "lasts": ["groups", 1]}


class PackedGraph(Graph):
    """A graph over the tensors of a model, which it names and does not store."""

    def __init__(self, tensors: Tensors, *, prefix: str = "") -> None:
        super().__init__()
        self.tensors, self.prefix = tensors, prefix
        self.used: set[str] = set()
        for name, number in (("zero", 0), ("one", 1), ("minus_one", -1)):
            self.constant(name, np.array([number], dtype=np.int64))

    def tensor(self, name: str) -> str:
        self.used.add(name)
        return name

    def add(self, operation: str, inputs: list[str], *, domain: str = "", **attributes: object) -> str:
        output = f"{self.prefix}{super().add(operation, inputs, domain=domain, **attributes)}"
        self.nodes[-1].output[0] = output
        return output

    def packed_model(self, inputs: Dimensions, output: str) -> onnx.ModelProto:
        model = self.model(inputs, output, ["inputs", "outputs"])
        for name in sorted(self.used):
            value = self.tensors[name]
            kind = helper.np_dtype_to_tensor_dtype(value.dtype)
            declared = TensorProto(name=name, data_type=kind, dims=value.shape, data_location=TensorProto.EXTERNAL)
            for key, text in (("location", "npz"), ("offset", "0"), ("length", str(value.nbytes))):
                declared.external_data.add(key=key, value=text)
            model.graph.initializer.append(declared)
        return model


def zero_points(graph: PackedGraph, rows: str) -> str:
    """What quantised numbers are counted from, once for each of the rows."""
    middle = graph.constant("middle", np.array([128], dtype=np.uint8))
    return graph.add("Expand", [middle, graph.add("Shape", [rows])])


def quantise_tokens(graph: PackedGraph, hidden: str, zeros: str) -> tuple[str, str]:
    """uint8 activations, and one scale per token as a column: (tokens, width), (tokens, 1).

    The largest of all |x| is that of the highest and the lowest x, and rounding knows no sign: two passes that only read
    instead of one that writes.
    """
    highest = graph.add("ReduceMax", [hidden], axes=[1], keepdims=0)
    lowest = graph.add("ReduceMin", [hidden], axes=[1], keepdims=0)
    scales = [
        graph.add("Mul", [highest, graph.constant("step", STEP)]),
        graph.add("Mul", [lowest, graph.constant("step_down", -STEP)]),
        graph.constant("smallest_scale", SMALLEST_SCALE),
    ]
    scale = graph.add("Max", scales)
    return graph.add("QuantizeLinear", [hidden, scale, zeros], axis=0), graph.add("Unsqueeze", [scale, "one"])


def integer_product(graph: PackedGraph, quantised: tuple[str, str], weight: str, column_scale: str) -> str:
    """Activations times int8 weights, as numbers again: (tokens, outputs).

    The kernel multiplies by the columns' scales as it goes; the tokens' follow, as in the plain graph.
    """
    activations, token_scale = quantised
    unit, zero_point = graph.constant("unit", np.float32(1)), graph.constant("zero_point", np.uint8(128))
    by_column = graph.add("MatMulIntegerToFloat", [activations, weight, unit, column_scale, zero_point], domain=CONTRIB)
    return graph.add("Mul", [by_column, token_scale])


def linear(graph: PackedGraph, quantised: tuple[str, str], name: str) -> str:
    weight, scale, bias = (graph.tensor(f"{name}.{part}") for part in ("int8", "scale", "bias"))
    return graph.add("Add", [integer_product(graph, quantised, weight, scale), bias])


def layer_norm(graph: PackedGraph, hidden: str, name: str) -> str:
    parameters = [graph.tensor(f"{name}.weight"), graph.tensor(f"{name}.bias")]
    return graph.add("LayerNormalization", [hidden, *parameters], axis=-1, epsilon=1e-12)


def by_group(graph: PackedGraph, work: Callable[[PackedGraph, str], str]) -> str:
    """What `work` makes of each group, one below the other; it is told the name of the group's number."""
    body = PackedGraph(graph.tensors, prefix=f"loop_{len(graph.nodes)}_")
    number, going, before = (f"{body.prefix}{name}" for name in ("number", "going", "before"))
    after = body.add("SequenceInsert", [before, work(body, number)])
    still_going = body.add("Identity", [going])
    rows = helper.make_tensor_sequence_value_info
    made = helper.make_graph(
        body.nodes,
        f"{body.prefix}body",
        [
            helper.make_tensor_value_info(number, TensorProto.INT64, []),
            helper.make_tensor_value_info(going, TensorProto.BOOL, []),
            rows(before, TensorProto.FLOAT, None),
        ],
        [helper.make_tensor_value_info(still_going, TensorProto.BOOL, []), rows(after, TensorProto.FLOAT, None)],
    )
    count = graph.add("Squeeze", [graph.add("Shape", ["starts"], start=0, end=1)])
    nothing = graph.add("SequenceEmpty", [], dtype=TensorProto.FLOAT)
    return graph.add("ConcatFromSequence", [graph.add("Loop", [count, "", nothing], body=made)], axis=0)


def inputs_of(body: PackedGraph, number: str, flat: list[str]) -> list[str]:
    """The rows of one group, by input: (inputs, tokens, width)."""
    start, end, shape = (body.add("Gather", [name, number]) for name in GROUPS)
    return [body.add("Reshape", [body.add("Slice", [rows, start, end]), shape]) for rows in flat]


def attention(graph: PackedGraph, query: str, key: str, value: str, *, width: int) -> str:
    """Every token attends to all of its input: (tokens, width)."""
    flat = graph.constant("flat", np.array([-1, width], dtype=np.int64))

    def attend(body: PackedGraph, number: str) -> str:
        mixed = body.add(
            "MultiHeadAttention", inputs_of(body, number, [query, key, value]), domain=CONTRIB, num_heads=HEADS
        )
        return body.add("Reshape", [mixed, flat])

    return by_group(graph, attend)


def attention_of_asked(graph: PackedGraph, query: str, key: str, value: str, *, width: int) -> str:
    """One token of each input attends to all of it: (inputs, width)."""
    flat = graph.constant("flat", np.array([-1, width], dtype=np.int64))

    def attend(body: PackedGraph, number: str) -> str:
        first, last = (body.add("Gather", [name, number]) for name in ("firsts", "lasts"))
        queries = body.add("Unsqueeze", [body.add("Slice", [query, first, last]), "one"])
        mixed = body.add(
            "MultiHeadAttention",
            [queries, *inputs_of(body, number, [key, value])],
            domain=CONTRIB,
            num_heads=HEADS,
        )
        return body.add("Reshape", [mixed, flat])

    return by_group(graph, attend)


def encoder_layer(graph: PackedGraph, hidden: str, zeros: str, name: str) -> str:
    quantised = quantise_tokens(graph, hidden, zeros)
    query, key, value = (
        linear(graph, quantised, f"{name}.attention.self.{part}") for part in ("query", "key", "value")
    )
    width = graph.tensors[f"{name}.output.dense.bias"].size
    return after_attention(graph, attention(graph, query, key, value, width=width), hidden, zeros, name)


def layer_of_asked(graph: PackedGraph, hidden: str, zeros: str, asked: str, asked_zeros: str, name: str) -> str:
    """The same for one token of each input."""
    quantised = quantise_tokens(graph, hidden, zeros)
    key, value = (linear(graph, quantised, f"{name}.attention.self.{part}") for part in ("key", "value"))
    query = linear(graph, quantise_tokens(graph, asked, asked_zeros), f"{name}.attention.self.query")
    width = graph.tensors[f"{name}.output.dense.bias"].size
    mixed = attention_of_asked(graph, query, key, value, width=width)
    return after_attention(graph, mixed, asked, asked_zeros, name)


def after_attention(graph: PackedGraph, mixed: str, hidden: str, zeros: str, name: str) -> str:
    attended = linear(graph, quantise_tokens(graph, mixed, zeros), f"{name}.attention.output.dense")
    hidden = layer_norm(graph, graph.add("Add", [attended, hidden]), f"{name}.attention.output.LayerNorm")
    inner = linear(graph, quantise_tokens(graph, hidden, zeros), f"{name}.intermediate.dense")
    inner = graph.add("Gelu", [inner], domain=CONTRIB)
    outer = linear(graph, quantise_tokens(graph, inner, zeros), f"{name}.output.dense")
    return layer_norm(graph, graph.add("Add", [outer, hidden]), f"{name}.output.LayerNorm")


def embeddings(graph: PackedGraph, prefix: str) -> str:
    rows = graph.add("Cast", [graph.add("Gather", [graph.tensor("words.int8"), "input_ids"])], to=TensorProto.FLOAT)
    word = graph.add("Mul", [rows, graph.add("Gather", [graph.tensor("words.scale"), "input_ids"])])
    position = graph.add("Gather", [graph.tensor("positions"), "places"])
    segment = graph.add("Gather", [graph.tensor("segments"), "token_type_ids"])
    total = graph.add("Add", [graph.add("Add", [word, position]), segment])
    return layer_norm(graph, total, f"{prefix}embeddings.LayerNorm")


def encoder(graph: PackedGraph, *, prefix: str, layers: int) -> tuple[str, str]:
    """Hidden states after so many layers, and their zero points: (tokens, width), (tokens,)."""
    hidden, zeros = embeddings(graph, prefix), zero_points(graph, "input_ids")
    for layer in range(layers):
        hidden = encoder_layer(graph, hidden, zeros, f"{prefix}encoder.layer.{layer}")
    return hidden, zeros


def masked_lm(tensors: Tensors) -> onnx.ModelProto:
    graph = PackedGraph(tensors)
    hidden, zeros = encoder(graph, prefix="bert.", layers=11)
    asked, asked_zeros = graph.add("Gather", [hidden, "asked"]), zero_points(graph, "asked")
    state = layer_of_asked(graph, hidden, zeros, asked, asked_zeros, "bert.encoder.layer.11")
    name = "cls.predictions.transform"
    state = linear(graph, quantise_tokens(graph, state, asked_zeros), f"{name}.dense")
    state = layer_norm(graph, graph.add("Gelu", [state], domain=CONTRIB), f"{name}.LayerNorm")
    table = graph.add("Transpose", ["words.int8"], perm=[1, 0])
    scales = graph.add("Reshape", ["words.scale", "minus_one"])
    logits = integer_product(graph, quantise_tokens(graph, state, asked_zeros), table, scales)
    graph.add("Add", [logits, graph.tensor("cls.predictions.bias")])
    return graph.packed_model({**TOKENS, **GROUPS, **ASKED}, "logits")


def in_company(graph: PackedGraph, rows: str, work: Callable[[str], str]) -> str:
    """What `work` makes of the rows while the first is there twice: ONNX Runtime treats a lone one in its own way."""
    together = graph.add("Concat", [rows, graph.add("Slice", [rows, "zero", "one"])], axis=0)
    return graph.add("Slice", [work(together), "zero", "minus_one"])


def means(graph: PackedGraph, hidden: str) -> str:
    """The mean of each input's states: (inputs, width)."""

    def average(body: PackedGraph, number: str) -> str:
        (states,) = inputs_of(body, number, [hidden])
        return in_company(body, states, lambda rows: body.add("ReduceMean", [rows], axes=[1], keepdims=0))

    return by_group(graph, average)


def entailment(tensors: Tensors) -> onnx.ModelProto:
    graph = PackedGraph(tensors)
    hidden, _ = encoder(graph, prefix="encoder.", layers=6)
    pooled = graph.add("Concat", [graph.add("Gather", [hidden, "asked"]), means(graph, hidden)], axis=-1)

    def dense(rows: str, name: str) -> str:
        return graph.add("Gemm", [rows, graph.tensor(f"{name}.weight"), graph.tensor(f"{name}.bias")], transB=1)

    def head(rows: str) -> str:
        return dense(graph.add("Gelu", [dense(rows, "dense")], domain=CONTRIB), "classes")

    in_company(graph, pooled, head)
    return graph.packed_model({**TOKENS, **GROUPS, "asked": ["inputs"]}, "logits")


def sentence_encoder(tensors: Tensors) -> onnx.ModelProto:
    graph = PackedGraph(tensors)
    hidden, _ = encoder(graph, prefix="", layers=6)
    means(graph, hidden)
    return graph.packed_model({**TOKENS, **GROUPS}, "mean")


PACKED = {"masked_lm": masked_lm, "entailment": entailment, "sentence_encoder": sentence_encoder}


def write(folder: Path) -> None:
    """Add a packed graph of each model to a folder of shipped files, and to its manifest."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    for name, entry in manifest["models"].items():
        tensors: Tensors = {}
        for archive in entry["tensors"]:
            tensors.update(np.load(folder / archive))
        entry["packed"] = f"{name}_packed.onnx"
        content = PACKED[name](tensors).SerializeToString(deterministic=True)
        (folder / entry["packed"]).write_bytes(content)
        manifest["files"][entry["packed"]] = hashlib.sha256(content).hexdigest()
    manifest["files"] = dict(sorted(manifest["files"].items()))
    path.write_text(json.dumps(manifest, indent=2) + "\n", "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "folder", type=Path, help="with graphs, tensors and manifest, as training/export.py leaves them"
    )
    write(parser.parse_args().folder)


if __name__ == "__main__":
    main()
