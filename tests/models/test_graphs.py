"""The graphs that training writes: small networks with random weights, against the plain formula and against numpy."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import onnx
import onnxruntime
import pytest
from numpy.typing import NDArray
from tests.models.reference import OPERATIONS, Reference

from lexprint.models.onnx_backend import (
    GIVEN,
    KEPT,
    PROBES_AT_ONCE,
    Answers,
    Network,
    Probe,
    Session,
    Tokens,
    packed,
    session_options,
)

sys.path.append(str(Path(__file__).parents[2] / "training"))

import exact_steps  # type: ignore[import-not-found]
import graphs  # type: ignore[import-not-found]

WIDTH, INNER, VOCABULARY = 48, 96, 60
TOKENS = tuple(
    Tokens(tuple(Random(size).choices(range(VOCABULARY), k=size)), (0,) * size, size // 2, (size // 3, size - 1))
    for size in (3, 9, 9, 14)
)

PROBED = tuple(
    replace(tokens, probes=tuple(Probe(7 * number, number, predicts=number % 3 == 1) for number in range(count)))
    for tokens, count in zip(TOKENS, (2, 0, 5, 1), strict=True)
)

Weights = dict[str, NDArray[np.float32]]


def dense(generator: np.random.Generator, name: str, inputs: int, outputs: int) -> Weights:
    weight = generator.normal(size=(outputs, inputs)) / np.sqrt(inputs)
    return {
        f"{name}.weight": weight.astype(np.float32),
        f"{name}.bias": generator.normal(size=outputs).astype(np.float32) / 10,
    }


def norm(generator: np.random.Generator, name: str, width: int) -> Weights:
    return {
        f"{name}.weight": (1 + generator.normal(size=width) / 10).astype(np.float32),
        f"{name}.bias": (generator.normal(size=width) / 10).astype(np.float32),
    }


def encoder(prefix: str, layers: int) -> Weights:
    generator = np.random.default_rng(1)
    sizes = {"word_embeddings": VOCABULARY, "position_embeddings": 20, "token_type_embeddings": 2}
    made: Weights = {
        f"{prefix}embeddings.{name}.weight": generator.normal(size=(size, WIDTH)).astype(np.float32)
        for name, size in sizes.items()
    }
    made |= norm(generator, f"{prefix}embeddings.LayerNorm", WIDTH)
    for layer in range(layers):
        name = f"{prefix}encoder.layer.{layer}"
        for part in ("self.query", "self.key", "self.value", "output.dense"):
            made |= dense(generator, f"{name}.attention.{part}", WIDTH, WIDTH)
        made |= norm(generator, f"{name}.attention.output.LayerNorm", WIDTH)
        made |= dense(generator, f"{name}.intermediate.dense", WIDTH, INNER)
        made |= dense(generator, f"{name}.output.dense", INNER, WIDTH)
        made |= norm(generator, f"{name}.output.LayerNorm", WIDTH)
    return made


def masked_lm_weights() -> Weights:
    generator = np.random.default_rng(2)
    made = encoder("bert.", graphs.BERT_LAYERS)
    made |= dense(generator, "cls.predictions.transform.dense", WIDTH, WIDTH)
    made |= norm(generator, "cls.predictions.transform.LayerNorm", WIDTH)
    made["cls.predictions.bias"] = generator.normal(size=VOCABULARY).astype(np.float32)
    return made | dense(generator, "verdict", WIDTH, 2)


def entailment_weights(places: int) -> Weights:
    generator = np.random.default_rng(3)
    made = encoder("encoder.", graphs.MINILM_LAYERS)
    made |= dense(generator, "dense", places * WIDTH, WIDTH)
    return made | dense(generator, "classes", WIDTH, 3)


MODELS: dict[str, Callable[[], onnx.ModelProto]] = {
    "masked LM": lambda: graphs.masked_lm(masked_lm_weights()),
    "entailment, mean": lambda: graphs.entailment(entailment_weights(2)),
    "entailment, changed word": lambda: graphs.entailment(entailment_weights(3)),
    "sentence encoder": lambda: graphs.sentence_encoder(encoder("", graphs.MINILM_LAYERS)),
}


@pytest.mark.parametrize("name", MODELS)
def test_numpy_finds_the_same_bits(name: str) -> None:
    """Alone by numpy, together by ONNX Runtime: every output of every input is the same."""
    model = MODELS[name]()
    expected = Reference(model, {}).run(TOKENS)
    found = Session(model.SerializeToString(), {}).run(packed(TOKENS))
    assert found.keys() == expected.keys()
    assert all(np.array_equal(found[output], rows) for output, rows in expected.items())


def test_probes_are_asked_and_not_read() -> None:
    """Each answers as if it were alone beside its text, in order, whoever else is in the pack; the text knows of none."""
    model = MODELS["masked LM"]()
    graph = model.SerializeToString()
    network = Network(graph, {}, threads=2, batch_size=3)
    found = network.run(PROBED)
    verdicts, logits = [], []
    for tokens in PROBED:
        for probe in tokens.probes or (None,):
            lone = replace(tokens, probes=() if probe is None else (replace(probe, predicts=True),))
            answers = Reference(model, {}).run([lone])
            verdicts.append(answers["verdicts"])
            if probe is None or probe.predicts:
                logits.append(answers["logits"])
    assert np.array_equal(found["verdicts"], np.concatenate(verdicts))
    assert np.array_equal(found["logits"], np.concatenate(logits))


def test_a_text_is_read_once_for_probes_that_come_later() -> None:
    """Probes added beside texts that were read before get the bits that they get beside texts that are read with them."""
    network = Network(MODELS["masked LM"]().SerializeToString(), {}, threads=2, batch_size=3)
    masked = [replace(tokens, probes=(Probe(5, 1, predicts=True),)) for tokens in TOKENS]
    further = [
        tuple(Probe(Random(count).randrange(VOCABULARY), number % 3) for number in range(count))
        for count in (2, 0, 2 * PROBES_AT_ONCE + 1, 1)
    ]
    first: dict[int, NDArray[np.float32]] = {}

    def ask(pack: Sequence[int], answers: Answers) -> list[tuple[Probe, ...]]:
        first.update(zip(pack, answers["logits"], strict=True))
        return [further[index] for index in pack]

    found = network.run_twice(masked, ask)
    assert np.array_equal([first[index] for index in range(len(masked))], network.run(masked)["logits"])
    for tokens, probes, answers in zip(TOKENS, further, found, strict=True):
        if probes:
            assert np.array_equal(answers["verdicts"], network.run([replace(tokens, probes=probes)])["verdicts"])
        else:
            assert answers == {}


def test_numpy_gives_the_same_reading() -> None:
    """What a later run takes has the same bits as well, whole numbers and scales."""
    model = MODELS["masked LM"]()
    _, kept = Session(model.SerializeToString(), {}).read(packed(PROBED))
    expected = Reference(model, {}).run_feed(packed(PROBED))
    assert len(kept) == 2 * graphs.BERT_LAYERS
    assert all(np.array_equal(rows, expected[GIVEN + name.removeprefix(KEPT)]) for name, rows in kept.items())


def test_nobody_predicts() -> None:
    """Where no probe asks for the vocabulary there is no row of it."""
    silent = replace(TOKENS[0], probes=(Probe(3, 1),))
    found = Network(MODELS["masked LM"]().SerializeToString(), {}, threads=1, batch_size=3).run([silent])
    assert (len(found["logits"]), len(found["verdicts"])) == (0, 1)


def test_lower_layers_see_what_the_whole_sees() -> None:
    """Training starts from states that have the bits of the shipped network, batch or not."""
    model = graphs.lower_layers(encoder("bert.", 2), layers=2)
    ids = np.array([tokens.ids for tokens in TOKENS if len(tokens.ids) == 9])
    feed = {"input_ids": ids, "token_type_ids": np.zeros_like(ids)}
    found = Session(model.SerializeToString(), {}).run(feed)["hidden"]
    assert found.shape == (len(ids), 9, WIDTH)
    assert np.array_equal(found, Reference(model, {}).run_feed(feed)["hidden"])
    alone = Session(model.SerializeToString(), {}).run({name: values[:1] for name, values in feed.items()})["hidden"]
    assert np.array_equal(found[:1], alone)


@pytest.mark.parametrize("name", MODELS)
def test_nothing_is_fused(name: str, tmp_path: Path) -> None:
    """The optimised graph has no operation that numpy was not told of: no softmax, no norm, no float products."""
    options = session_options()
    options.optimized_model_filepath = str(tmp_path / "optimised.onnx")
    onnxruntime.InferenceSession(MODELS[name]().SerializeToString(), options, providers=["CPUExecutionProvider"])
    nodes = onnx.load(tmp_path / "optimised.onnx").graph.node
    assert {node.op_type for node in nodes} <= set(OPERATIONS)
    assert all(
        one.f == 1 for node in nodes for one in node.attribute if one.name == "alpha"
    )  # no scale joins a product


def gelu(values: NDArray[np.float64]) -> NDArray[np.float64]:
    from scipy.special import ndtr

    return np.asarray(values * ndtr(values))


def normalised(values: NDArray[np.float64]) -> NDArray[np.float64]:
    centred = values - values.mean(axis=-1, keepdims=True)
    return np.asarray(centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True)))


def run_step(step: Callable[[exact_steps.Graph, str], str], values: NDArray[np.float32]) -> NDArray[np.float32]:
    graph = exact_steps.Graph()
    result = step(graph, "values")
    inputs: exact_steps.Dimensions = {"values": (onnx.TensorProto.FLOAT, list(values.shape))}
    model = graph.model(inputs, {"found": (result, [None, None])})
    return Session(model.SerializeToString(), {}).run({"values": values})["found"]


def test_gelu_is_near() -> None:
    """Within less than a step of the bits that follow, and exact far out."""
    values = np.linspace(-30, 30, 6001, dtype=np.float32)[None]
    found = run_step(exact_steps.gelu, values) * exact_steps.GELU_UNIT
    assert np.abs(found - gelu(values.astype(np.float64))).max() < 0.0083
    assert found[0, 0] == pytest.approx(0, abs=1e-4)


def test_layer_norm_is_near() -> None:
    """Also where one number is far from all others."""
    values = np.random.default_rng(5).normal(1, 2, size=(40, 768)).astype(np.float32)
    values[:, 7] = 30
    plain = {"norm.weight": np.ones(768, np.float32), "norm.bias": np.zeros(768, np.float32)}
    found = run_step(lambda graph, name: exact_steps.layer_norm(graph, name, plain, "norm"), values)
    assert found == pytest.approx(normalised(values.astype(np.float64)), rel=0.01, abs=0.01)


def test_shares_are_near_to_exponentials() -> None:
    """Within a step, and the highest has all of it."""
    logits = np.linspace(-12, 0, 400, dtype=np.float32)[None]
    units = logits * np.float32(graphs.EXP_UNIT * graphs.EXP_SLOPE / graphs.EXP_POWER)
    found = run_step(graphs.powers, units)
    assert found.max() == graphs.EXP_LEVELS
    assert np.abs(found - graphs.EXP_LEVELS * np.exp(logits)).max() < 0.7
    assert found.min() == 0
