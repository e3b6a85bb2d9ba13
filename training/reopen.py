"""Turns shipped tensors back into checkpoints, so that training can go on from what is shipped.

Weights come back as they run, on their grid of whole numbers; what training had below that grid is gone, and matters little.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor

from lexprint.models.weights import shipped_model

TABLES = {"words": "word_embeddings", "positions": "position_embeddings", "segments": "token_type_embeddings"}


def state(tensors: dict[str, np.ndarray], *, prefix: str) -> dict[str, Tensor]:
    """A state dictionary with torch's names; `prefix` is the encoder's."""
    found = {}
    for name, value in tensors.items():
        stem, _, kind = name.rpartition(".")
        if kind == "scale":
            continue
        if kind == "int8":
            by_word = stem in TABLES
            scale = tensors[f"{stem}.scale"]
            value = value.astype(np.float32) * (scale.reshape(-1, 1) if by_word else scale)
            value = value if by_word else value.T
            name = f"{stem}.weight"
        if name.partition(".")[0] in TABLES:
            name = f"{prefix}embeddings.{TABLES[name.partition('.')[0]]}.weight"
        for part, piece in _parts(name, value).items():
            found[part] = torch.tensor(np.ascontiguousarray(piece, dtype=np.float32))
    return found


def _parts(name: str, value: np.ndarray) -> dict[str, np.ndarray]:
    """Layers that lie side by side in one product, each by its own name."""
    stem, _, kind = name.rpartition(".")
    room, _, joined = stem.rpartition(".")
    if not room.endswith("attention.self"):
        return {name: value}
    names = joined.split("_")
    return {f"{room}.{part}.{kind}": piece for part, piece in zip(names, np.split(value, len(names)), strict=True)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="with the shipped files")
    parser.add_argument("output", type=Path)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    judge = state(shipped_model("entailment", folder=options.folder).load_tensors(), prefix="encoder.")
    save_file(judge, options.output / "entailment.safetensors")
    filler = state(shipped_model("masked_lm", folder=options.folder).load_tensors(), prefix="bert.")
    layers = {name: value for name, value in filler.items() if name.startswith(("cls.", "bert.encoder.layer."))}
    head = {f"head.{name}": value for name, value in filler.items() if name.startswith("verdict.")}
    save_file(layers | head, options.output / "masked-lm.safetensors")


if __name__ == "__main__":
    main()
