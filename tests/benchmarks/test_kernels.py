"""The arithmetic of the models is counted as their layers say, and measured beside its limit."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from benchmarks import kernels
from lexprint.models.onnx_backend import Probe
from lexprint.models.weights import shipped_model

WIDTH, INNER, LAYERS = 384, 4 * 384, 6
BERT_WIDTH, BERT_LAYERS, VOCABULARY, VERDICTS = 768, 12, 28_996, 2


def test_products_of_an_encoder() -> None:
    """Every layer has four square products and two with its wider middle."""
    layers = kernels.products(shipped_model("sentence_encoder").load_tensors())
    batch = kernels.made((7, 5))
    expected = 2 * (7 + 5) * LAYERS * (4 * WIDTH**2 + 2 * WIDTH * INNER)
    assert sum(layer.operations(batch) for layer in layers) == expected


def test_the_last_layer_of_the_masked_lm_sees_one_token() -> None:
    """All but keys and values of its last layer is computed for the token asked about only; heads take two digits of it."""
    layers = kernels.products(shipped_model("masked_lm").load_tensors())
    whole = 12 * BERT_WIDTH**2
    for_all = (BERT_LAYERS - 1) * whole + 2 * BERT_WIDTH**2
    for_asked = (whole - 2 * BERT_WIDTH**2) + 2 * (BERT_WIDTH**2 + BERT_WIDTH * (VOCABULARY + VERDICTS))
    batch = kernels.made((7, 5))
    assert sum(layer.operations(batch) for layer in layers) == 2 * ((7 + 5) * for_all + 2 * for_asked)


def test_probes_are_counted() -> None:
    """They are asked about and have no keys and values; words are predicted where some of them stand."""
    layers = kernels.products(shipped_model("masked_lm").load_tensors())
    probes = (Probe(5, 1, predicts=True), Probe(6, 1), Probe(7, 2))
    batch = [replace(tokens, probes=probes) for tokens in kernels.made((7,))]
    square = BERT_WIDTH**2
    for_all = (BERT_LAYERS - 1) * ((7 + 3) * 10 * square + 7 * 2 * square) + 7 * 2 * square
    for_asked = 3 * (10 * square + 2 * BERT_WIDTH * VERDICTS) + 2 * (square + BERT_WIDTH * VOCABULARY)
    assert sum(layer.operations(batch) for layer in layers) == 2 * (for_all + for_asked)


def test_the_limit_does_all_of_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many inputs a run has, as many rows go through the plain products."""
    tensors = shipped_model("sentence_encoder").load_tensors()
    layers = kernels.products(tensors)
    plain = kernels.Plain(layers, tensors, threads=1)
    fed: list[int] = []
    monkeypatch.setattr(
        plain, "_session", SimpleNamespace(run=lambda _, feed: fed.append(sum(map(len, feed.values()))))
    )
    batch = kernels.made((30,) * 200)
    plain.run(batch)
    assert len(fed) > 1
    widths = {layer.shape[0]: layer.rows(batch) for layer in layers}
    assert sum(fed) == sum(widths.values())


def test_a_table_with_its_limit(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """What is reached stands beside what plain products reach in the same run."""
    monkeypatch.setattr(kernels, "ROUNDS", 1)
    monkeypatch.setattr(kernels, "available_cores", lambda: 2)
    figures = kernels.compare("sentence_encoder", {"two": [kernels.made((6, 4))]})
    printed = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in printed[-2:]] == [["two", "1"], ["two", "2"]]
    reached, share = figures["two, 1 threads, GOPS"], figures["two, 1 threads, share of the limit"]
    assert float(printed[-2].split()[4]) == pytest.approx(reached, abs=0.5)
    assert float(printed[-2].split()[3]) == pytest.approx(reached / share, abs=0.5)
