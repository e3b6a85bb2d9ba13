"""The shipped graphs in plain numpy: one IEEE operation at a time, and no sum of anything but whole numbers.

What ONNX Runtime must agree with, bit by bit. A step that is not here is not allowed in a graph, and a sum is refused unless
its terms are whole and stay below 2**24, where floats are exact in any order.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper

from lexprint.models.onnx_backend import GIVEN, KEPT, Tokens, packed
from lexprint.models.protocols import Floats
from lexprint.models.weights import ModelFiles

Array = NDArray[Any]

WHOLE_FLOATS = {np.dtype(np.float32): 2**24, np.dtype(np.float64): 2**53}
SUMMED = 1024  # products of two bytes


def total(terms: Array, axis: int | tuple[int, ...] | None, *, keepdims: bool) -> Array:
    """A sum that is the same in any order."""
    assert np.array_equal(terms, np.rint(terms))
    assert np.abs(terms).astype(np.float64).sum(axis=axis).max() <= WHOLE_FLOATS[terms.dtype]
    return np.asarray(terms.astype(np.float64).sum(axis=axis, keepdims=keepdims).astype(terms.dtype))


def product(left: Array, right: Array) -> Array:
    """A product of whole numbers carried as floats."""
    for factor in (left, right):
        assert np.array_equal(factor, np.rint(factor))
    most = np.abs(left).astype(np.float64) @ np.abs(right).astype(np.float64)
    assert most.max() <= WHOLE_FLOATS[left.dtype]
    return np.asarray((left.astype(np.float64) @ right.astype(np.float64)).astype(np.float32))


def integer_product(left: Array, right: Array, zero_point: Array) -> Array:
    """uint8 by int8, as a kernel has it that adds two products in 16 bits on the way."""
    assert int(left.max()) * max(int(right.max()), -int(right.min())) * 2 < 2**15
    # BLAS, because numpy is slow with whole numbers: so few products at once that their sums stay below 2**24.
    moved = left.astype(np.float32) - np.float32(zero_point)
    assert np.abs(moved).max() * max(int(right.max()), -int(right.min())) * SUMMED <= WHOLE_FLOATS[moved.dtype]
    parts = range(0, right.shape[0], SUMMED)
    sums = (moved[..., part : part + SUMMED] @ right[part : part + SUMMED].astype(np.float32) for part in parts)
    return np.asarray(sum(found.astype(np.int32) for found in sums))


def quantised(values: Array, scale: Array, zero_point: Array | None = None, *, axis: int = 1, **_: object) -> Array:
    if scale.ndim:
        scale = scale.reshape([-1 if number == axis else 1 for number in range(values.ndim)])
    kind = np.dtype(np.int8) if zero_point is None else zero_point.dtype
    middle = 0 if zero_point is None else int(zero_point.flat[0])
    limits = np.iinfo(kind)
    return np.asarray(np.clip(np.rint(values / scale) + middle, limits.min, limits.max).astype(kind))


def reduced(operation: Callable[..., Array]) -> Callable[..., Array]:
    def reduce(values: Array, axes: Array, *, keepdims: int) -> Array:
        return operation(values, tuple(int(axis) for axis in axes), keepdims=bool(keepdims))

    return reduce


def reshaped(values: Array, shape: Array) -> Array:
    return values.reshape([values.shape[index] if size == 0 else int(size) for index, size in enumerate(shape)])


def split(values: Array, *, axis: int, num_outputs: int) -> list[Array]:
    return np.split(values, num_outputs, axis=axis)


OPERATIONS: Mapping[str, Callable[..., Any]] = {
    "Abs": np.abs,
    "Add": np.add,
    "Cast": lambda values, *, to: values.astype(helper.tensor_dtype_to_np_dtype(to)),
    "Clip": np.clip,
    "Concat": lambda *values, axis: np.concatenate(values, axis=axis),
    "Div": np.divide,
    "Equal": np.equal,
    "Expand": lambda values, shape: np.broadcast_to(values, np.broadcast_shapes(values.shape, tuple(shape))),
    "FusedMatMul": lambda left, right, **turned: product(left, right.swapaxes(-1, -2) if turned else right),
    "Gather": lambda values, indices, *, axis=0: np.take(values, indices, axis=axis),
    "MatMulInteger": integer_product,
    "MatMulIntegerToFloat": lambda left, right, _, scale, zero: (
        integer_product(left, right, zero).astype(np.float32) * scale
    ),
    "Max": np.maximum,
    "Mod": np.mod,
    "Mul": np.multiply,
    "QuantizeLinear": quantised,
    "Range": np.arange,
    "ReduceMax": reduced(np.max),
    "ReduceSum": reduced(total),
    "Relu": lambda values: np.maximum(values, values.dtype.type(0)),
    "Reshape": reshaped,
    "Round": np.rint,
    "Shape": lambda values, *, start=0, end=None: np.array(values.shape[start:end], dtype=np.int64),
    "Slice": lambda values, start, end, axis: values.take(range(int(start[0]), int(end[0])), axis=int(axis[0])),
    "Split": split,
    "Sqrt": np.sqrt,
    "Squeeze": np.squeeze,
    "Sub": np.subtract,
    "Transpose": lambda values, *, perm: values.transpose(perm),
    "Unsqueeze": lambda values, axes: np.expand_dims(values, tuple(int(axis) for axis in axes)),
}


class Reference:
    """A graph and its tensors, run by numpy."""

    def __init__(self, model: onnx.ModelProto, tensors: Mapping[str, Array]) -> None:
        self._nodes = model.graph.node
        self._inputs = [declared.name for declared in model.graph.input]
        self._outputs = [declared.name for declared in model.graph.output]
        self._nothing = {
            declared.name: np.empty(
                (0, declared.type.tensor_type.shape.dim[1].dim_value),
                helper.tensor_dtype_to_np_dtype(declared.type.tensor_type.elem_type),
            )
            for declared in model.graph.input
            if declared.name.startswith(KEPT)
        }
        self._tensors = dict(tensors)
        for tensor in model.graph.initializer:
            if tensor.name not in tensors:
                self._tensors[tensor.name] = numpy_helper.to_array(tensor)

    def run(self, inputs: Sequence[Tokens]) -> dict[str, Floats]:
        """One row of each answer per input, each of them alone."""
        rows = [self.run_feed(packed([tokens])) for tokens in inputs]
        answers = [name for name in self._outputs if not name.startswith(GIVEN)]
        return {name: np.concatenate([row[name] for row in rows]) for name in answers}

    def run_feed(self, feed: Mapping[str, Array]) -> dict[str, Floats]:
        whole = self._nothing | dict(feed)
        values = self._tensors | {name: whole[name] for name in self._inputs}
        for node in self._nodes:
            attributes = {one.name: helper.get_attribute_value(one) for one in node.attribute}
            found = OPERATIONS[node.op_type](*(values[name] for name in node.input), **attributes)
            values |= zip(node.output, found if isinstance(found, list) else [found], strict=True)
        return {name: values[name] for name in self._outputs}


def shipped_reference(files: ModelFiles) -> Reference:
    return Reference(onnx.load_from_string(files.read(files.graph)), files.load_tensors())
