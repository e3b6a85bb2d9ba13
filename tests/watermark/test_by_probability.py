"""The most probable words that pass are the pair, and nobody behind them is asked about."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from tests.watermark.given import GivenEntailment

from lexprint.models.protocols import Floats, Gap
from lexprint.settings import SubstitutionSettings
from lexprint.substitution.substituter import Substituter
from lexprint.testing import FakeMaskedLM, fake_families
from lexprint.watermark.by_probability import FIRST_CHUNK, ByProbability
from lexprint.watermark.inquiry import answer_all
from lexprint.watermark.risk_set import any_pair
from lexprint.watermark.sites import Pair
from lexprint.watermark.synchronicity import SynchronicityTest, Synchronous

WORD, PARTNER, THIRD = fake_families()[0]
GAP = Gap("the ", WORD, " of")
FAR = -9.0  # everybody else, one step after the other
PROBABILITIES = {WORD: {WORD: -1.0, PARTNER: -2.0, THIRD: -3.0}, PARTNER: {PARTNER: -1.0, WORD: -2.0, THIRD: -3.0}}
RATINGS = {
    (WORD, WORD): 0.99,
    (WORD, PARTNER): 0.96,
    (WORD, THIRD): 0.98,
    (PARTNER, PARTNER): 0.99,
    (PARTNER, WORD): 0.97,
    (PARTNER, THIRD): 0.98,
}


class GivenMaskedLM(FakeMaskedLM):
    """Log-probabilities from a table by the word in the gap."""

    def __init__(self, table: Mapping[str, Mapping[str, float]]) -> None:
        super().__init__()
        self._table = table

    def predict(self, gaps: Sequence[Gap]) -> Floats:
        self.inputs += len(gaps)
        rows = np.tile(FAR - np.arange(len(self.vocabulary), dtype=np.float32), (len(gaps), 1))
        for gap, row in zip(gaps, rows, strict=True):
            for word, figure in self._table[gap.word].items():
                row[self.vocabulary.index(word)] = figure
        return rows


def find(
    ratings: Mapping[tuple[str, str], float], probabilities: Mapping[str, Mapping[str, float]], *, word: str = WORD
) -> tuple[Synchronous | None, GivenEntailment]:
    settings = SubstitutionSettings(proposals=32, guard_band=1e-4)
    entailment = GivenEntailment(ratings)
    substituter = Substituter(GivenMaskedLM(probabilities), entailment, settings)
    test = SynchronicityTest(ByProbability(settings, any_pair), substituter.may_be_replaced)
    return answer_all([test.find_pair(GAP.with_word(word))], substituter)[0], entailment


@pytest.mark.parametrize("word", [WORD, PARTNER])
def test_the_most_probable_that_passes_is_the_partner(word: str) -> None:
    """From either side, though a third word has a higher SR; the clearance is the same from both."""
    found, _ = find(RATINGS, PROBABILITIES, word=word)
    assert found is not None
    assert found.pair == Pair.of(WORD, PARTNER)
    assert found.clearance == pytest.approx(0.96 - 0.95, abs=1e-6)


def test_only_words_that_matter_are_rated() -> None:
    """Those before the partner and one portion in its own gap, the two members in the other."""
    _, entailment = find(RATINGS, PROBABILITIES)
    assert [asked for place, asked in entailment.asked if place == WORD][:2] == [WORD, PARTNER]
    assert sum(place == WORD for place, _ in entailment.asked) == 1 + FIRST_CHUNK
    assert [asked for place, asked in entailment.asked if place == PARTNER] == [PARTNER, WORD]


def test_a_more_probable_word_that_fails_is_passed_over() -> None:
    """What stands before the partner must be below the floor, and then does not matter."""
    ahead = {WORD: {**PROBABILITIES[WORD], THIRD: -1.5}, PARTNER: {**PROBABILITIES[PARTNER], THIRD: -1.5}}
    failing = RATINGS | {(WORD, THIRD): 0.9, (PARTNER, THIRD): 0.9}
    found, _ = find(failing, ahead)
    assert found is not None
    assert found.pair == Pair.of(WORD, PARTNER)


@pytest.mark.parametrize("place", [WORD, PARTNER])
def test_an_intruder_in_either_gap_ends_it(place: str) -> None:
    """A third word that passes before the weaker member makes another pair there."""
    ahead = PROBABILITIES | {place: {**PROBABILITIES[place], THIRD: -1.5}}
    found, _ = find(RATINGS, ahead)
    assert found is None


@pytest.mark.parametrize("place", [WORD, PARTNER])
def test_a_tie_in_probability_is_refused(place: str) -> None:
    """Another machine might see the two in the other order."""
    tied = PROBABILITIES | {place: {**PROBABILITIES[place], THIRD: -2.00005}}
    found, _ = find(RATINGS, tied)
    assert found is None


@pytest.mark.parametrize("exchange", list(RATINGS)[:2] + list(RATINGS)[3:5])
def test_members_must_clear_the_floor(exchange: tuple[str, str]) -> None:
    """Each of the four ratings of the pair, by more than the guard band."""
    found, _ = find(RATINGS | {exchange: 0.95005}, PROBABILITIES)
    assert found is None
