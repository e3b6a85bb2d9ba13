"""Finds the shipped weights, proves them unharmed and names them by a fingerprint.

A graph is a small ONNX file; its tensors lie beside it in compressed `.npz` archives.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lexprint.errors import WeightsDamaged, WeightsMissing

SHIPPED = Path(__file__).parent / "weights"
MANIFEST = "manifest.json"


@dataclass(frozen=True)
class ModelFiles:
    """One model of a manifest: its graph, its tensors and its tokenizer."""

    folder: Path
    graph: str
    tensors: tuple[str, ...]
    tokenizer: str
    digests: tuple[tuple[str, str], ...]  # (file, SHA-256) of all of the above

    @cached_property
    def fingerprint(self) -> str:
        """Changes when any byte of graph, weights or tokenizer does."""
        digests = (digest for _, digest in self.digests)
        return hashlib.sha256("".join(digests).encode()).hexdigest()[:16]

    def read(self, name: str) -> bytes:
        """A file's bytes, proved to be those that were published."""
        try:
            content = (self.folder / name).read_bytes()
        except OSError as error:
            raise WeightsMissing(name) from error
        needed, found = dict(self.digests)[name], hashlib.sha256(content).hexdigest()
        if found != needed:
            raise WeightsDamaged(name, needed=needed, found=found)
        return content

    def load_tensors(self) -> dict[str, NDArray[np.generic]]:
        tensors: dict[str, NDArray[np.generic]] = {}
        for name in self.tensors:
            with np.load(BytesIO(self.read(name))) as archive:
                tensors.update(archive)
        return tensors


def shipped_model(name: str, *, folder: Path = SHIPPED) -> ModelFiles:
    """The files of `masked_lm`, `entailment` or `sentence_encoder`."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text("utf-8"))
        entry = manifest["models"][name]
        files = (entry["graph"], *entry["tensors"], entry["tokenizer"])
        digests = tuple((file, str(manifest["files"][file])) for file in files)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise WeightsMissing(MANIFEST) from error
    return ModelFiles(folder, entry["graph"], tuple(entry["tensors"]), entry["tokenizer"], digests)
