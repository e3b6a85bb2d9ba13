"""Steps of a network whose answer has the same bits on every processor.

Only whole numbers are added up, so the order in which a kernel adds does not matter, nor does whether it fuses a
multiplication with an addition: every partial sum is exact. All else is element by element, one IEEE operation a node, and
curved functions are polynomials made of such nodes. (Floats that are summed in an order of the kernel's choice, exp and erf
differ in the last digits from one kind of processor to the next; a rounding then flips now and then, and the answer moves.)

Weights have 7 bits, so that 255 * 63 * 2 fits into 16 bits: kernels for processors without VNNI add two products in there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

Array = NDArray[np.generic]
Weights = dict[str, NDArray[np.float32]]
Dimensions = dict[str, tuple[int, list[str | int]]]  # of graph inputs: kind of number and shape
Outputs = dict[str, tuple[str, list[str | int]]]  # of a graph: what each is the name of, and its shape
NumberKinds = dict[str, int]  # of outputs that are no floats

CONTRIB = "com.microsoft"
ACTIVATION_LIMIT, WEIGHT_LIMIT, TABLE_LIMIT = 127, 63, 127
SMALLEST_SCALE = 1e-12  # a token of zeros must not divide by zero
MIDDLE = 128  # what activations of both signs are counted from

# Layer norm finds mean and deviation of a token from 8-bit numbers: 768 squares of them add up to less than 2**24. Rounding adds
# a twelfth to their variance, which is taken off again.
ROUNDING_VARIANCE = 1 / 12
SMALLEST_VARIATION = 1e-3

# Phi(x) = 1/2 + x * polynomial(x * x) up to |x| = 2.8 and 0 or 1 beyond; x * Phi(x) is at most 0.0082 from GELU, less than
# a step of the 8 bits that follow.
GELU_EDGE = 2.8
GELU_COEFFICIENTS = (1.04657546, -0.92564616)  # of powers of x / edge; the last makes the sum 1/2
GELU_LOWEST = 0.18  # below zero
GELU_ZERO = 18  # activations after GELU are counted from here, because few of their values lie below 0
GELU_LEVELS = 255 - GELU_ZERO

# Two digits of a number that is multiplied with 8-bit weights: 128 * 127 * 2 fits into 16 bits.
DIGIT = 128
DIGIT_MIDDLE = 64
TWO_DIGITS = DIGIT * (DIGIT_MIDDLE - 1) + DIGIT_MIDDLE - 1


@dataclass(frozen=True)
class Quantised:
    """Activations as uint8, (tokens, width), and the scale of each token, (tokens, 1)."""

    values: str
    scale: str
    zero_point: str


class Graph:
    """Collects nodes and initialisers; methods return the name of their result."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, Array] = {}
        self.kept: list[tuple[str, str]] = []  # results of layers that a later run may be given
        self._made: dict[tuple[str, ...], str] = {}

    def constant(self, name: str, value: Array) -> str:
        self.constants.setdefault(name, value)
        return name

    def number(self, value: float) -> str:
        return self.constant(f"number_{value:.9g}", np.array(value, dtype=np.float32))

    def double(self, value: float) -> str:
        return self.constant(f"double_{value:.17g}", np.array(value, dtype=np.float64))

    def scalar(self, value: int) -> str:
        return self.constant(f"scalar_{value}", np.array(value, dtype=np.int64))

    def whole(self, *values: int) -> str:
        return self.constant(f"whole_{'_'.join(map(str, values))}", np.array(values, dtype=np.int64))

    def add(self, operation: str, inputs: list[str], *, domain: str = "", **attributes: object) -> str:
        return self.add_many(operation, inputs, 1, domain=domain, **attributes)[0]

    def add_many(
        self, operation: str, inputs: list[str], outputs: int, *, domain: str = "", **attributes: object
    ) -> list[str]:
        names = [f"{operation.lower()}_{len(self.nodes)}_{number}" for number in range(outputs)]
        self.nodes.append(helper.make_node(operation, inputs, names, domain=domain, **attributes))
        return names

    def add_once(self, operation: str, inputs: list[str], **attributes: object) -> str:
        """The same, unless it is there already; what comes of an input of the graph is needed by every layer."""
        key = (operation, *inputs, str(attributes))
        if key not in self._made:
            self._made[key] = self.add(operation, inputs, **attributes)
        return self._made[key]

    def reduce(self, operation: str, values: str, axis: int) -> str:
        return self.add(operation, [values, self.whole(axis)], keepdims=1)

    def zero_points(self, rows: str, zero_point: int) -> str:
        """What quantised numbers are counted from, once for each of the rows of something."""
        constant = self.constant(f"zero_point_{zero_point}", np.array([zero_point], dtype=np.uint8))
        return self.add_once("Expand", [constant, self.add_once("Shape", [rows], start=0, end=1)])

    def model(self, inputs: Dimensions, outputs: Outputs, kinds: NumberKinds | None = None) -> onnx.ModelProto:
        """A whole model, tensors included; `outputs` are names, with the results they stand for and their shapes."""
        names = {result: name for name, (result, _) in outputs.items()}
        for node in self.nodes:
            node.input[:] = [names.get(name, name) for name in node.input]
            node.output[:] = [names.get(name, name) for name in node.output]
        graph = helper.make_graph(
            self.nodes,
            "lexprint",
            [helper.make_tensor_value_info(name, kind, shape) for name, (kind, shape) in inputs.items()],
            [
                helper.make_tensor_value_info(name, (kinds or {}).get(name, TensorProto.FLOAT), shape)
                for name, (_, shape) in outputs.items()
            ],
            [numpy_helper.from_array(value, name) for name, value in self.constants.items()],
        )
        opsets = [helper.make_opsetid("", 21), helper.make_opsetid(CONTRIB, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def quantise_columns(
    weight: NDArray[np.float32], *, limit: int = WEIGHT_LIMIT
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Whole-number weights (inputs, outputs), at most `limit` from 0, and one scale per output."""
    scale = np.maximum(np.abs(weight).max(axis=0) / limit, SMALLEST_SCALE).astype(np.float32)
    return np.rint(weight / scale).astype(np.int8), scale


def scale_of(graph: Graph, hidden: str) -> str:
    """What makes each row's numbers whole, up to 127: (rows, 1)."""
    peak = graph.reduce("ReduceMax", graph.add("Abs", [hidden]), -1)
    return graph.add("Add", [graph.add("Div", [peak, graph.number(ACTIVATION_LIMIT)]), graph.number(SMALLEST_SCALE)])


def quantise_tokens(graph: Graph, hidden: str, rows: str) -> Quantised:
    """One scale per token, from hidden states (tokens, width); `rows` is anything that has as many."""
    return _quantised(graph, hidden, scale_of(graph, hidden), rows, MIDDLE)


def quantise_activated(graph: Graph, activated: str, rows: str) -> Quantised:
    """The same for what `gelu` gives, which is hardly below zero; scales are in units of x again."""
    scale = graph.add("Div", [graph.reduce("ReduceMax", activated, -1), graph.number(GELU_LEVELS)])
    scale = graph.add("Max", [scale, graph.number(GELU_LOWEST / GELU_UNIT / GELU_ZERO)])
    found = _quantised(graph, activated, scale, rows, GELU_ZERO)
    return Quantised(found.values, graph.add("Mul", [scale, graph.number(GELU_UNIT)]), found.zero_point)


def _quantised(graph: Graph, hidden: str, scale: str, rows: str, zero_point: int) -> Quantised:
    by_row = graph.add("Reshape", [scale, graph.whole(-1)])
    values = graph.add("QuantizeLinear", [hidden, by_row, graph.zero_points(rows, zero_point)], axis=0)
    number = graph.constant(f"counted_from_{zero_point}", np.array(zero_point, dtype=np.uint8))
    return Quantised(values, scale, number)


def signed(graph: Graph, hidden: str, scale: str) -> str:
    """int8 numbers, up to 127 from 0, with a scale for each row (rows, 1)."""
    by_row = graph.add("Reshape", [scale, graph.whole(-1)])
    return graph.add("QuantizeLinear", [hidden, by_row], axis=0, output_dtype=TensorProto.INT8)


def linear(graph: Graph, quantised: Quantised, name: str, weight: NDArray[np.float32], bias: Array) -> str:
    """Dense layer over token-quantised activations; `weight` is (inputs, outputs)."""
    columns, column_scale = quantise_columns(weight)
    # The kernel multiplies each sum by its column's scale as it goes, which is one rounding; the token's follows.
    inputs = [
        quantised.values,
        graph.constant(f"{name}.int8", columns),
        graph.number(1),
        graph.constant(f"{name}.scale", column_scale),
        quantised.zero_point,
    ]
    product = graph.add("MatMulIntegerToFloat", inputs, domain=CONTRIB)
    scaled = graph.add("Mul", [product, quantised.scale])
    return graph.add("Add", [scaled, graph.constant(f"{name}.bias", bias)])


def precise_product(graph: Graph, hidden: str, table: str, column_scale: str) -> str:
    """Rows times 8-bit columns, with rows of 14 bits that go through the product as two digits: (rows, columns).

    For the few rows that a head has, where precision is worth more than time.
    """
    scale = graph.add("Mul", [scale_of(graph, hidden), graph.number(ACTIVATION_LIMIT / TWO_DIGITS)])
    numbers = graph.add("Round", [graph.add("Div", [hidden, scale])])
    high = graph.add("Round", [graph.add("Div", [numbers, graph.number(DIGIT)])])
    low = graph.add("Sub", [numbers, graph.add("Mul", [high, graph.number(DIGIT)])])
    digits = graph.add("Add", [graph.add("Concat", [high, low], axis=0), graph.number(DIGIT_MIDDLE)])
    zero_point = graph.constant(f"counted_from_{DIGIT_MIDDLE}", np.array(DIGIT_MIDDLE, dtype=np.uint8))
    product = graph.add("MatMulInteger", [graph.add("Cast", [digits], to=TensorProto.UINT8), table, zero_point])
    upper, lower = graph.add_many("Split", [product], 2, axis=0, num_outputs=2)
    whole = graph.add("Add", [graph.add("Mul", [upper, _int32(graph, DIGIT)]), lower])
    by_column = graph.add("Mul", [graph.add("Cast", [whole], to=TensorProto.FLOAT), column_scale])
    return graph.add("Mul", [by_column, scale])


def _int32(graph: Graph, value: int) -> str:
    return graph.constant(f"int32_{value}", np.array(value, dtype=np.int32))


def precise_linear(graph: Graph, hidden: str, name: str, weight: NDArray[np.float32], bias: Array) -> str:
    """Dense layer over few rows: 14-bit activations, 8-bit weights (inputs, outputs)."""
    columns, column_scale = quantise_columns(weight, limit=TABLE_LIMIT)
    product = precise_product(
        graph, hidden, graph.constant(f"{name}.int8", columns), graph.constant(f"{name}.scale", column_scale)
    )
    return graph.add("Add", [product, graph.constant(f"{name}.bias", bias)])


def gelu(graph: Graph, hidden: str) -> str:
    """GELU in units of `GELU_UNIT`, which make the polynomial's first coefficient one and save a step."""
    clipped = graph.add("Clip", [hidden, graph.number(-GELU_EDGE), graph.number(GELU_EDGE)])
    square = graph.add("Mul", [clipped, clipped])
    shifted = graph.add("Add", [square, graph.number(_SHIFT)])
    value = graph.add("Add", [graph.add("Mul", [shifted, shifted]), graph.number(_REST)])
    share = graph.add("Add", [graph.add("Mul", [value, clipped]), graph.number(0.5 / GELU_UNIT)])
    return graph.add("Mul", [share, hidden])


def _completed_square() -> tuple[float, float, float]:
    """The polynomial of x * x as unit * ((x * x + shift)**2 + rest)."""
    scaled = (*GELU_COEFFICIENTS, 0.5 - sum(GELU_COEFFICIENTS))
    constant, slope, unit = (value / GELU_EDGE ** (2 * power + 1) for power, value in enumerate(scaled))
    shift = slope / unit / 2
    return unit, shift, constant / unit - shift**2


GELU_UNIT, _SHIFT, _REST = _completed_square()


def layer_norm(graph: Graph, hidden: str, weights: Weights, name: str) -> str:
    """Each token by its mean and deviation, which are found on a grid of its own: (tokens, width)."""
    gain = graph.constant(f"{name}.weight", weights[f"{name}.weight"])
    bias = graph.constant(f"{name}.bias", weights[f"{name}.bias"])
    width = weights[f"{name}.bias"].size
    scale = scale_of(graph, hidden)
    numbers = graph.add("Cast", [signed(graph, hidden, scale)], to=TensorProto.FLOAT)
    total = graph.reduce("ReduceSum", numbers, -1)
    squares = graph.reduce("ReduceSum", graph.add("Mul", [numbers, numbers]), -1)
    mean = graph.add("Div", [total, graph.number(width)])
    beyond = graph.add("Sub", [squares, graph.number(width * ROUNDING_VARIANCE)])
    variation = graph.add("Sub", [beyond, graph.add("Mul", [mean, total])])  # width times the variance
    # In double, because not all kernels take an exact square root of floats.
    wide = graph.add("Cast", [graph.add("Max", [variation, graph.number(SMALLEST_VARIATION)])], to=TensorProto.DOUBLE)
    spread = graph.add("Mul", [graph.add("Cast", [graph.add("Sqrt", [wide])], to=TensorProto.FLOAT), scale])
    centre, factor = graph.add("Mul", [mean, scale]), graph.add("Div", [graph.number(np.sqrt(width)), spread])
    normal = graph.add("Mul", [graph.add("Sub", [hidden, centre]), factor])
    return graph.add("Add", [graph.add("Mul", [normal, gain]), bias])
