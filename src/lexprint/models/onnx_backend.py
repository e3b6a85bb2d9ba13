"""Runs a network with ONNX Runtime, whatever the number of inputs, in batches of equal length.

Equal lengths mean no padding and no mask, so an input meets the same arithmetic alone as in company.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from lexprint.errors import ModelError
from lexprint.models.protocols import Floats
from lexprint.models.weights import SHIPPED

EXTREME_PRODUCT = SHIPPED / "extreme_product.onnx"
TOKENS_PER_BATCH = 2048  # beyond this a batch only costs memory


@dataclass(frozen=True, slots=True)
class Tokens:
    """One input: token ids, the segment each belongs to, and the position asked about (0: none)."""

    ids: tuple[int, ...]
    segments: tuple[int, ...]
    position: int = 0


@cache
def sums_are_exact() -> bool:
    """Whether this processor adds up int8 products exactly as it is asked to.

    Older ones saturate on the way and would find other words, unless ONNX Runtime is told to take its exact kernels, which
    are several times slower where there was no need. The integers, and so all answers, are the same either way.
    """
    session = onnxruntime.InferenceSession(EXTREME_PRODUCT.read_bytes(), providers=["CPUExecutionProvider"])
    width = session.get_inputs()[0].shape[1]
    (product,) = session.run(None, {"activations": np.full((width, width), 255, dtype=np.uint8)})
    return bool((product == 255 * 127 * width).all())


class Network:
    """A graph and its weights, ready to run."""

    def __init__(self, graph: bytes, weights: dict[str, NDArray[np.generic]], *, threads: int, batch_size: int) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = 3
        if not sums_are_exact():
            options.add_session_config_entry("session.x64quantprecision", "1")
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # others may want the cores
        # The session refers to these arrays instead of copying them, so they must live as long as it does.
        self._values = [onnxruntime.OrtValue.ortvalue_from_numpy(value) for value in weights.values()]
        options.add_external_initializers(list(weights), self._values)
        try:
            self._session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime raises a dozen private classes
            raise ModelError("ONNX Runtime could not load the model graph; reinstall lexprint") from error
        self._inputs = {declared.name for declared in self._session.get_inputs()}
        self._batch_size = batch_size

    def run(self, inputs: Sequence[Tokens], *, extra: dict[str, Floats] | None = None) -> Floats:
        """One row of output per input, in the order given; `extra` feeds inputs that a spliced graph may have."""
        rows: list[Floats | None] = [None] * len(inputs)
        for batch in equal_lengths(inputs, batch_size=self._batch_size):
            for index, row in zip(batch, self._run_batch([inputs[index] for index in batch], extra or {}), strict=True):
                rows[index] = row
        return np.stack([row for row in rows if row is not None]) if rows else np.empty((0, 0), np.float32)

    def _run_batch(self, batch: Sequence[Tokens], extra: dict[str, Floats]) -> Floats:
        if len(batch) == 1 and "position" not in self._inputs:
            # ONNX Runtime averages the tokens of a lone input in another order: 1e-6 apart, so it gets company.
            return self._run_batch([*batch, *batch], extra)[:1]
        feed: dict[str, NDArray[np.generic]] = {
            "input_ids": np.array([tokens.ids for tokens in batch], dtype=np.int64),
            "token_type_ids": np.array([tokens.segments for tokens in batch], dtype=np.int64),
            "position": np.array([tokens.position for tokens in batch], dtype=np.int64),
            **extra,
        }
        output: Floats = self._session.run(None, {name: value for name, value in feed.items() if name in self._inputs})[
            0
        ]
        return output


def equal_lengths(inputs: Sequence[Tokens], *, batch_size: int) -> Iterator[list[int]]:
    """Indices of inputs that have the same number of tokens, at most `batch_size` together."""
    by_length: defaultdict[int, list[int]] = defaultdict(list)
    for index, tokens in enumerate(inputs):
        by_length[len(tokens.ids)].append(index)
    for length, indices in by_length.items():
        size = max(1, min(batch_size, TOKENS_PER_BATCH // length))
        yield from (indices[start : start + size] for start in range(0, len(indices), size))
