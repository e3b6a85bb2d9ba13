"""The careful risk set: what could change a fact is neither a site nor a pair, from either side."""

import pytest

from lexprint.models.protocols import Gap
from lexprint.settings import SubstitutionSettings, WatermarkSettings
from lexprint.substitution.substituter import Substituter
from lexprint.testing import FakeEntailment, FakeMaskedLM
from lexprint.watermark.risk_set import risks

PAPER, CAREFUL = WatermarkSettings(), WatermarkSettings(risk_set="careful")


class Lawyer(FakeMaskedLM):
    """Knows a word that states a fact."""

    def __init__(self) -> None:
        super().__init__()
        self.vocabulary = ("convicted", *self.vocabulary[1:])


@pytest.fixture
def substituter() -> Substituter:
    return Substituter(Lawyer(), FakeEntailment(), SubstitutionSettings())


@pytest.mark.parametrize(("one", "other"), [("left", "remained"), ("slightly", "considerably"), ("allows", "requires")])
def test_facts_are_apart(substituter: Substituter, one: str, other: str) -> None:
    """Whichever of the two is asked first; the paper's risk set is about words alone."""
    careful = risks(substituter, CAREFUL)
    assert not careful.may_be_pair(one, other)
    assert not careful.may_be_pair(other, one)
    assert careful.may_be_pair("big", "large")
    assert risks(substituter, PAPER).may_be_pair(one, other)


def test_a_fixed_word_stays(substituter: Substituter) -> None:
    """The paper would exchange it."""
    gap = Gap("He was ", "convicted", " of")
    assert risks(substituter, PAPER).may_be_replaced(gap)
    assert not risks(substituter, CAREFUL).may_be_replaced(gap)
