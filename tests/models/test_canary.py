"""Fixed questions show a machine that answers otherwise."""

from collections.abc import Sequence

import numpy as np

from lexprint.models.canary import canary_of
from lexprint.models.protocols import Floats
from lexprint.testing import FakeEntailment, FakeMaskedLM


class Faulty(FakeEntailment):
    """Wrong in one last bit."""

    def entails(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        right = super().entails(pairs)
        right[-1] = np.nextafter(right[-1], np.float32(2))
        return right


def test_the_same_answers_have_the_same_canary() -> None:
    """It depends on nothing but the answers."""
    assert canary_of(FakeMaskedLM(), FakeEntailment()) == canary_of(FakeMaskedLM(), FakeEntailment())


def test_one_bit_is_enough() -> None:
    """The last bit of one answer changes it."""
    assert canary_of(FakeMaskedLM(), Faulty()) != canary_of(FakeMaskedLM(), FakeEntailment())
