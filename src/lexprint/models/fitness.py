"""What readers would say of a word in a gap, from the state of the masked LM there: two logits, acceptable and good.

A small network over the state, the vectors of the word that stands there and of the candidate, and their products. It runs in
numpy and gives the same bits everywhere: what is multiplied and summed are whole numbers far below 2**53, carried in float64,
and everything else is element by element.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexprint.models.protocols import Floats

Doubles = NDArray[np.float64]
Columns = NDArray[np.intp]

LARGEST = 32_767.0  # of an activation as a whole number; 32,767 ** 2 times 2,304 terms is below 2 ** 42
SMALLEST_SCALE = 1e-12  # zeros must not divide by zero
PREFIX = "fitness."


@dataclass(frozen=True, slots=True)
class WholeWeights:
    """Weights as whole numbers, and a scale for each output: (inputs, outputs)."""

    values: Doubles
    scale: Doubles

    def product(self, inputs: Doubles) -> Doubles:
        """Inputs (rows, inputs) times the weights, exact but for the rounding of each input."""
        peak = np.maximum(np.abs(inputs).max(axis=1, keepdims=True), SMALLEST_SCALE)
        step = peak / LARGEST
        product: Doubles = np.rint(inputs / step) @ self.values * step * self.scale
        return product


class FitnessHead:
    """The shipped head and the vectors of the vocabulary it looks at."""

    def __init__(self, tensors: Mapping[str, NDArray[Any]]) -> None:
        def weights(name: str) -> WholeWeights:
            scale = tensors[f"{PREFIX}{name}.scale"].astype(np.float64)
            return WholeWeights(tensors[f"{PREFIX}{name}.int16"].astype(np.float64), scale)

        self._words, self._scales = tensors["words.int8"], tensors["words.scale"].astype(np.float64).reshape(-1)
        self._of_gap, self._of_candidate, self._output = map(weights, ("gap", "candidate", "output"))
        self._bias = tensors[f"{PREFIX}bias"].astype(np.float64)
        self._output_bias = tensors[f"{PREFIX}output.bias"].astype(np.float64)
        self._vector_unit = float(tensors[f"{PREFIX}vector_unit"])

    def judge(self, state: Floats, word: int, columns: Columns) -> Floats:
        """Logits of the words of these columns in place of `word`: (columns, 2)."""
        here, vector = state.astype(np.float64)[None], self._vectors(np.array([word]))
        candidates = self._vectors(columns)
        common = self._of_gap.product(np.concatenate([here, vector], axis=1)) + self._bias  # (1, hidden)
        beside = np.concatenate([candidates, here * candidates, vector * candidates], axis=1)
        hidden = np.maximum(self._of_candidate.product(beside) + common, 0.0)
        return (self._output.product(hidden) + self._output_bias).astype(np.float32)

    def _vectors(self, columns: Columns) -> Doubles:
        return self._words[columns] * (self._scales[columns] * self._vector_unit)[:, None]
