"""The shipped graphs as they are written down: one length at a time. What the packed graphs must agree with, bit by bit."""

from collections.abc import Sequence

import numpy as np

from lexprint.models.onnx_backend import Session, Tokens
from lexprint.models.protocols import Floats
from lexprint.models.weights import shipped_model


class Literal:
    """A model that runs the graph its fingerprint names."""

    def __init__(self, role: str) -> None:
        files = shipped_model(role)
        self._session = Session(files.read(files.graph), files.load_tensors())
        self._averages = role != "masked_lm"

    def run(self, inputs: Sequence[Tokens]) -> Floats:
        """One row of output per input, those of equal length in one batch."""
        rows: dict[int, Floats] = {}
        for length in {len(tokens.ids) for tokens in inputs}:
            batch = [index for index, tokens in enumerate(inputs) if len(tokens.ids) == length]
            rows |= zip(batch, self.run_batch([inputs[index] for index in batch]), strict=True)
        return np.stack([rows[index] for index in range(len(inputs))])

    def run_batch(self, batch: Sequence[Tokens]) -> Floats:
        if len(batch) == 1 and self._averages:
            # ONNX Runtime averages the tokens of a lone input in another order: 1e-6 apart, so it gets company.
            return self.run_batch([*batch, *batch])[:1]
        return self._session.run(
            {
                "input_ids": np.array([tokens.ids for tokens in batch], dtype=np.int64),
                "token_type_ids": np.array([tokens.segments for tokens in batch], dtype=np.int64),
                "position": np.array([tokens.position for tokens in batch], dtype=np.int64),
            }
        )
