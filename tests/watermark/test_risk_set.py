"""The careful risk set: halves of expressions stay, and false friends are no pair, from either side."""

import pytest

from lexprint.models.protocols import Gap
from lexprint.settings import SubstitutionSettings, WatermarkSettings
from lexprint.substitution.substituter import Substituter
from lexprint.testing import FakeEntailment, FakeMaskedLM, fake_families
from lexprint.watermark.false_friends import stands_in_expression
from lexprint.watermark.risk_set import risks

PAPER, CAREFUL = WatermarkSettings(), WatermarkSettings(risk_set="careful")


@pytest.fixture
def substituter() -> Substituter:
    return Substituter(FakeMaskedLM(), FakeEntailment(), SubstitutionSettings())


def test_the_paper_lets_any_two_words_be_a_pair(substituter: Substituter) -> None:
    """Its risk set is about words alone."""
    assert risks(substituter, PAPER).may_be_pair("told", "said")


@pytest.mark.parametrize(("one", "other"), [("told", "said"), ("number", "amount"), ("falls", "drops")])
def test_false_friends_are_no_pair(substituter: Substituter, one: str, other: str) -> None:
    """Whichever of the two is asked first."""
    careful = risks(substituter, CAREFUL)
    assert not careful.may_be_pair(one, other)
    assert not careful.may_be_pair(other, one)
    assert careful.may_be_pair("big", "large")


def test_a_verb_before_a_particle_stays(substituter: Substituter) -> None:
    """It may be half of an expression; before another word it may be replaced as in the paper."""
    careful = risks(substituter, CAREFUL).may_be_replaced
    words = [word for family in fake_families() for word in family]
    free = [word for word in words if careful(Gap("They all ", word, " quietly"))]
    kept = [word for word in free if not careful(Gap("They all ", word, " out"))]
    assert 0 < len(kept) < len(free)
    assert all(risks(substituter, PAPER).may_be_replaced(Gap("They all ", word, " out")) for word in kept)


@pytest.mark.parametrize(("word", "is_kept"), [("makes", True), ("gave", True), ("wrote", False), ("holder", False)])
def test_light_verbs_stay(word: str, is_kept: bool) -> None:
    """Their object decides what they mean."""
    assert stands_in_expression(Gap("He ", word, " no")) is is_kept
