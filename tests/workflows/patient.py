"""An engine of fakes that finds many sites in a sentence."""

import numpy as np
from tests.fakes import FakeEngine

from lexprint.models.protocols import Entailment
from lexprint.testing import FakeEntailment


class PatientEntailment(FakeEntailment):
    """Bears several exchanges at once: the least of what it thinks of each pair of words."""

    def _entails(self, premise: str, hypothesis: str) -> float:
        one, other = premise.split(" "), hypothesis.split(" ")
        changed = [pair for pair in zip(one, other, strict=False) if pair[0] != pair[1]]
        if len(one) != len(other):
            return 0.1
        opinion = super()._entails
        return float(np.min([opinion(*pair) for pair in changed])) if changed else 0.99


class PatientEngine(FakeEngine):
    def _load_entailment(self) -> Entailment:
        return PatientEntailment()
