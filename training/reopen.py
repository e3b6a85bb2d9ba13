"""Turns shipped tensors back into checkpoints, so that training can go on from what is shipped.

Weights come back as they run, on their int8 grid; what training had below that grid is gone, and matters little.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor

from lexprint.models.weights import shipped_model
from masked_lm import FROZEN_LAYERS

TABLES = {"words": "word_embeddings", "positions": "position_embeddings", "segments": "token_type_embeddings"}


def state(tensors: dict[str, np.ndarray], *, prefix: str) -> dict[str, Tensor]:
    """A state dictionary with torch's names; `prefix` is the encoder's."""
    found = {}
    for name, value in tensors.items():
        stem, _, kind = name.rpartition(".")
        if kind == "scale":
            continue
        if kind == "int8":
            value = value.astype(np.float32) * tensors[f"{stem}.scale"]
            value = value if stem in TABLES else value.T
            name = stem if stem in TABLES else f"{stem}.weight"
        if name in TABLES:
            name = f"{prefix}embeddings.{TABLES[name]}.weight"
        found[name] = torch.tensor(np.ascontiguousarray(value, dtype=np.float32))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="with the shipped files")
    parser.add_argument("output", type=Path)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    judge = state(shipped_model("entailment", folder=options.folder).load_tensors(), prefix="encoder.")
    save_file(judge, options.output / "entailment.safetensors")
    filler = state(shipped_model("masked_lm", folder=options.folder).load_tensors(), prefix="bert.")
    upper = ("cls.", *(f"bert.encoder.layer.{layer}." for layer in range(FROZEN_LAYERS, 12)))
    save_file(
        {name: value for name, value in filler.items() if name.startswith(upper)},
        options.output / "masked-lm.safetensors",
    )


if __name__ == "__main__":
    main()
