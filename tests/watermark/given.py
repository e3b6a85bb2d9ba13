"""Models whose answers a test writes down."""

from collections.abc import Mapping, Sequence

import numpy as np

from lexprint.models.protocols import Floats


class GivenEntailment:
    """Answers from a table of (word in place, word asked)."""

    fingerprint = "given"

    def __init__(self, ratings: Mapping[tuple[str, str], float]) -> None:
        self.ratings, self.asked = ratings, list[tuple[str, str]]()

    def fits(self, sentence: str) -> bool:
        return True

    def entails(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        words = [(premise.split()[1], hypothesis.split()[1]) for premise, hypothesis in pairs]
        self.asked += words
        return np.array([self.ratings.get(exchange, 0.1) for exchange in words], np.float32)
