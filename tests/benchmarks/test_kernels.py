"""The arithmetic of the models is counted as their layers say, and measured beside its limit."""

import pytest

from benchmarks import kernels
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
