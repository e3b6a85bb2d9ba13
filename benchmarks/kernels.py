"""How much of the processor's int8 arithmetic the models reach, and what packing inputs of many lengths is worth.

    python -m benchmarks kernels

The limit is measured in the same run: the same int8 products, of the same shapes and with the same weights, and nothing
between them. Inputs are a short one, some of equal length, and what reading a page really asks, step by step. A second table
says what a token costs in packs of several sizes, run by one thread: where `TOKENS_PER_PACK` comes from.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from unittest import mock

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import TensorProto, helper

from benchmarks.watermark import TEXT
from lexprint.cores import available_cores
from lexprint.engine import Engine
from lexprint.models.onnx_backend import Answers, Network, Session, Tokens, packed
from lexprint.models.weights import shipped_model
from lexprint.text.segmentation import segment
from lexprint.watermark.extract import extract
from lexprint.watermark.scheme import paper_scheme

BATCH_SIZE = 64
ROUNDS = 5  # the best of so many counts
FEWEST_IDS = 20_000
MOST_ROWS = 4096  # of a product
USUAL_LENGTH = 30  # tokens of a local context, read twice
PACKS = (1, 2, 4, 6, 8, 10, 12, 16, 24, 32)  # inputs
LAST_LAYERS = ("bert.encoder.layer.11.", "encoder.encoder.layer.5.")  # which see only the tokens asked about
OF_TEXT = ".attention.self.key_value.int8"  # probes are read by nobody, and have none
TABLE = "words.int8"  # stored by word
PREDICTING = "cls.predictions."
DIGITS = 2  # rows of a head for each answer

ROLES = ("masked_lm", "entailment", "sentence_encoder")  # in the order in which a page asks them first

Tensors = dict[str, NDArray[np.generic]]
Runs = Sequence[Sequence[Tokens]]


# Whose rows go through a product: all tokens, those of the texts, those asked about, or those about which words are predicted.
COUNTS: Mapping[str, Callable[[Tokens], int]] = {
    "all": lambda tokens: tokens.size,
    "text": lambda tokens: len(tokens.ids),
    "asked": lambda tokens: tokens.asked,
    "predicted": lambda tokens: len(tokens.predicted),
}


@dataclass(frozen=True)
class Product:
    """A dense layer: int8 weights (inputs, outputs), for so many rows of each token that is counted."""

    weight: str
    shape: tuple[int, int]
    counted: str = "all"
    rows_each: int = 1

    def operations(self, batch: Sequence[Tokens]) -> int:
        return 2 * self.shape[0] * self.shape[1] * self.rows(batch)

    def rows(self, batch: Sequence[Tokens]) -> int:
        return self.rows_each * sum(map(COUNTS[self.counted], batch))


def products(tensors: Tensors) -> list[Product]:
    """The dense layers of a model, by their names."""
    weights = {name: value for name, value in tensors.items() if name.endswith(".int8")}
    last = next((name for name in LAST_LAYERS if f"{name}{OF_TEXT.lstrip('.')}" in weights), "no such layer")
    places = tensors["dense.int8"].shape[0] // tensors["dense.int8"].shape[1] if "dense.int8" in tensors else 1
    found = []
    for name, value in weights.items():
        if name == TABLE and "cls.predictions.bias" not in tensors:
            continue
        shape = (value.shape[1], value.shape[0]) if name == TABLE else (value.shape[0], value.shape[1])
        if name.endswith(OF_TEXT):
            rows = ("text", 1)
        elif ".layer." in name:
            rows = ("asked", places) if name.startswith(last) else ("all", 1)
        else:
            rows = ("predicted" if name == TABLE or name.startswith(PREDICTING) else "asked", DIGITS)
        found.append(Product(name, shape, *rows))
    return found


class Plain:
    """The int8 products of a model one after the other, each result thrown away."""

    def __init__(self, layers: Sequence[Product], tensors: Tensors, *, threads: int) -> None:
        nodes, sizes = [], []
        for number, layer in enumerate(layers):
            weight = layer.weight
            if weight == TABLE:
                nodes.append(helper.make_node("Transpose", [weight], [f"columns_{number}"], perm=[1, 0]))
                weight = f"columns_{number}"
            nodes.append(helper.make_node("MatMulInteger", [_rows(layer), weight, "middle"], [f"product_{number}"]))
            # Something must want the result, or it would not be computed; its size is the cheapest to want.
            nodes.append(helper.make_node("Shape", [f"product_{number}"], [f"size_{number}"]))
            sizes.append(f"size_{number}")
        nodes.append(helper.make_node("Concat", sizes, ["sizes"], axis=0))
        inputs = {_rows(layer): layer.shape[0] for layer in layers}
        graph = helper.make_graph(
            nodes,
            "plain",
            [
                helper.make_tensor_value_info(name, TensorProto.UINT8, [f"rows_of_{name}", width])
                for name, width in inputs.items()
            ],
            [helper.make_tensor_value_info("sizes", TensorProto.INT64, [None])],
            [
                onnx.numpy_helper.from_array(np.uint8(128), "middle"),
                *(onnx.numpy_helper.from_array(tensors[layer.weight], layer.weight) for layer in layers),
            ],
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self._session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        self._inputs = {name: next(layer for layer in layers if _rows(layer) == name) for name in inputs}
        shape = MOST_ROWS, max(inputs.values())
        self._numbers = np.random.default_rng(1).integers(0, 256, shape, dtype=np.uint8)

    def run(self, batch: Sequence[Tokens]) -> None:
        for part in parts(batch):
            self._session.run(
                None,
                {name: self._numbers[: layer.rows(part), : layer.shape[0]] for name, layer in self._inputs.items()},
            )


def parts(batch: Sequence[Tokens]) -> Iterator[list[Tokens]]:
    """The same inputs, as many at once as have numbers: at most so many tokens, each of which may be asked in several rows."""
    part: list[Tokens] = []
    for tokens in batch:
        if DIGITS * sum(one.size for one in (*part, tokens)) > MOST_ROWS:
            yield part
            part = []
        part.append(tokens)
    yield part


def _rows(layer: Product) -> str:
    return f"rows_{layer.counted}_{layer.rows_each}_{layer.shape[0]}"


def main() -> dict[str, float]:
    """Print one table a model; gives what the history keeps."""
    figures: dict[str, float] = {}
    page = runs_of_a_page()
    for role, runs in page.items():
        kinds = {"1 of 27": [made((27,))], "8 of 30": [made((30,) * 8)], "a page, read": runs}
        figures |= {f"kernels, {role}: {name}": figure for name, figure in compare(role, kinds).items()}
        by_size(role)
    return figures


def compare(role: str, kinds: dict[str, Runs]) -> dict[str, float]:
    """Times and shares of each kind of work, for one thread and for all cores."""
    files = shipped_model(role)
    tensors = files.load_tensors()
    layers = products(tensors)
    figures: dict[str, float] = {}
    print(f"\n{role}, {sum(np.prod(layer.shape) for layer in layers) / 1e6:.1f} million int8 weights in products")
    columns = ("threads", "tokens/run", "limit GOPS", "reached", "share", "ms packed", "one by one")
    print(f"{'':<14}" + "".join(f"{column:>12}" for column in columns))
    for kind, runs in kinds.items():
        operations = sum(layer.operations(batch) for layer in layers for batch in runs)
        tokens = sum(one.size for batch in runs for one in batch) / len(runs)
        for threads in sorted({1, available_cores()}):
            network = Network(files.read(files.graph), tensors, threads=threads, batch_size=BATCH_SIZE)
            limit = operations / seconds(Plain(layers, tensors, threads=threads).run, runs) / 1e9
            together = seconds(network.run, runs)
            alone = seconds(network.run, [[one] for batch in runs for one in batch])
            reached = operations / together / 1e9
            row = (
                str(threads),
                f"{tokens:.0f}",
                f"{limit:.0f}",
                f"{reached:.0f}",
                f"{reached / limit:.2f}",
                *(f"{1e3 * one:.1f}" for one in (together, alone)),
            )
            print(f"{kind:<14}" + "".join(f"{column:>12}" for column in row), flush=True)
            figures |= {
                f"{kind}, {threads} threads, GOPS": reached,
                f"{kind}, {threads} threads, share of the limit": reached / limit,
            }
    return figures


def by_size(role: str) -> None:
    """What a token costs in one pack of so many, all inputs of the usual length."""
    files = shipped_model(role)
    session = Session(files.read(files.graph), files.load_tensors())
    print(f"\n{'tokens in a pack':<22}" + "".join(f"{inputs * USUAL_LENGTH:>8}" for inputs in PACKS))
    costs = []
    for inputs in PACKS:
        batch = made((USUAL_LENGTH,) * inputs)
        costs.append(1e6 * seconds(lambda one: session.run(packed(one)), [batch]) / (inputs * USUAL_LENGTH))
    print(f"{'microseconds a token':<22}" + "".join(f"{cost:>8.0f}" for cost in costs), flush=True)


def seconds(work: Callable[[Sequence[Tokens]], object], runs: Runs) -> float:
    """Of all runs, the best of some rounds for each."""
    return sum(min(_timed(work, batch) for _ in range(ROUNDS)) for batch in runs)


def _timed(work: Callable[[Sequence[Tokens]], object], batch: Sequence[Tokens]) -> float:
    start = time.perf_counter()
    work(batch)
    return time.perf_counter() - start


def made(lengths: Sequence[int]) -> list[Tokens]:
    """Inputs of any tokens: their number is all that costs."""
    chooser = Random(1)
    return [Tokens(tuple(chooser.choices(range(FEWEST_IDS), k=length)), (0,) * length) for length in lengths]


def runs_of_a_page() -> dict[str, Runs]:
    """What each network is asked, step by step, when a page is read; the encoder gets its sentences at once."""
    engine = Engine(threads=1)
    document = segment(TEXT.read_text("utf-8"))
    scheme = paper_scheme(engine.substituter, fingerprint="benchmark", settings=engine.settings.watermark)
    asked: defaultdict[Network, list[Sequence[Tokens]]] = defaultdict(list)
    answer = Network.run

    def run(network: Network, inputs: Sequence[Tokens]) -> Answers:
        asked[network].append(inputs)
        return answer(network, inputs)

    with mock.patch.object(Network, "run", run):
        extract(document, scheme)
        engine.sentence_encoder.encode([sentence.view for sentence in document.sentences])
    return dict(zip(ROLES, asked.values(), strict=True))
