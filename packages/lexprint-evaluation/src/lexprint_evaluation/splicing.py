"""What the shipped graphs compute but do not tell, spliced in as inputs and outputs of copies; the sole importer of onnx in the package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import onnx


def with_layers(graph: bytes, named: Mapping[str, str], *, width: int) -> bytes:
    """Also tell the vectors of all tokens after some layers, each known by the bias that it adds last: (tokens, width)."""
    model = onnx.load_from_string(graph)
    added = {name: node.output[0] for node in model.graph.node for name in node.input if name.endswith(".bias")}
    _tell(model.graph, {name: added[bias] for name, bias in named.items()}, ["tokens", width])
    return bytes(model.SerializeToString())


def with_shares(graph: bytes, names: Sequence[str]) -> bytes:
    """Also tell the attention of each layer: (inputs, heads, tokens reading, tokens read)."""
    model = onnx.load_from_string(graph)
    # In attention alone, whole numbers that were counted from 0 are shares: what each token gives to each.
    counted = {node.output[0] for node in model.graph.node if "counted_from_0" in node.input}
    shares = [node.output[0] for node in model.graph.node if node.op_type == "Cast" and node.input[0] in counted]
    _tell(model.graph, dict(zip(names, shares, strict=True)), ["inputs", "heads", "most", "longest"])
    return bytes(model.SerializeToString())


def with_multiplier(graph: bytes, name: str, *, width: int) -> bytes:
    """Take an input that multiplies word vectors: (tokens, width)."""
    model = onnx.load_from_string(graph)
    nodes = list(model.graph.node)
    at = next(index for index, node in enumerate(nodes) if node.op_type == "Mul")  # int8 rows times their scale
    words, kept = nodes[at].output[0], f"{name}_words"
    for node in nodes[at + 1 :]:
        node.input[:] = [kept if given == words else given for given in node.input]
    nodes.insert(at + 1, onnx.helper.make_node("Mul", [words, name], [kept]))
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    shape: list[str | int | None] = ["tokens", width]
    model.graph.input.append(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape))
    return bytes(model.SerializeToString())


def _tell(graph: onnx.GraphProto, named: Mapping[str, str], shape: list[str | int | None]) -> None:
    """Give values of the graph out under other names."""
    for name, value in named.items():
        graph.node.append(onnx.helper.make_node("Identity", [value], [name]))
        graph.output.append(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape))
