"""A site must not wake the word before it."""

import pytest

from lexprint.models.protocols import Gap
from lexprint.settings import SubstitutionSettings
from lexprint.substitution.substituter import Substituter
from lexprint.testing import FakeEntailment, FakeMaskedLM
from lexprint.text.pairs import Pair
from lexprint.watermark.inquiry import Inquiry, answer_all
from lexprint.watermark.substitutability import keeps_neighbour, trusts_neighbour
from lexprint.watermark.synchronicity import Synchronous

QUIET, WAKING = Gap("an ", "old", " house"), Gap("an ", "old", " home")


@pytest.fixture
def substituter() -> Substituter:
    return Substituter(FakeMaskedLM(), FakeEntailment(), SubstitutionSettings())


class Finder:
    """Finds a pair in `WAKING` only, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Gap] = []

    def find_pair(self, gap: Gap) -> Inquiry[Synchronous | None]:
        self.asked.append(gap)
        yield from ()
        return Synchronous(Pair("ancient", "old"), 0.97, 0.97, 0.01) if gap == WAKING else None


@pytest.mark.parametrize(
    ("gaps", "keeps"), [((QUIET, QUIET), True), ((WAKING, QUIET), False), ((QUIET, WAKING), False)]
)
def test_either_member_may_wake_the_neighbour(substituter: Substituter, gaps: tuple[Gap, Gap], keeps: bool) -> None:
    """One member that makes the word before synchronous is enough to refuse the pair."""
    assert answer_all([keeps_neighbour(gaps, Finder().find_pair)], substituter) == [keeps]


def test_the_first_that_wakes_ends_the_test(substituter: Substituter) -> None:
    """The second member need not be asked."""
    finder = Finder()
    answer_all([keeps_neighbour((WAKING, QUIET), finder.find_pair)], substituter)
    assert finder.asked == [WAKING]


def test_the_ablation_asks_nothing(substituter: Substituter) -> None:
    """Without the test every pair is taken."""
    finder = Finder()
    assert answer_all([trusts_neighbour((WAKING, WAKING), finder.find_pair)], substituter) == [True]
    assert finder.asked == []
