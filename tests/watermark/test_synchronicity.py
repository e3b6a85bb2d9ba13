"""Pairs that lead back to each other, and what finding them costs."""

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from tests.watermark.given import GivenEntailment

from lexprint.models.protocols import Floats, Gap
from lexprint.settings import SubstitutionSettings
from lexprint.substitution.substituter import Substituter
from lexprint.testing import FakeEntailment, FakeMaskedLM, fake_families, fake_text
from lexprint.text.pairs import Pair
from lexprint.text.segmentation import segment
from lexprint.watermark.by_entailment import FIRST_CHUNK, ByEntailment
from lexprint.watermark.inquiry import answer_all
from lexprint.watermark.risk_set import any_pair
from lexprint.watermark.synchronicity import SynchronicityTest, Synchronous

WORD, PARTNER, THIRD = fake_families()[0]
GAP = Gap("the ", WORD, " of")
SYNCHRONOUS = {
    (WORD, WORD): 0.99,
    (WORD, PARTNER): 0.97,
    (PARTNER, PARTNER): 0.98,
    (PARTNER, WORD): 0.975,
}


def find(ratings: dict[tuple[str, str], float], gap: Gap = GAP, *, guard_band: float = 1e-4) -> Synchronous | None:
    settings = SubstitutionSettings(proposals=6, guard_band=guard_band)
    substituter = Substituter(FakeMaskedLM(), GivenEntailment(ratings), settings)
    test = SynchronicityTest(ByEntailment(settings, any_pair), substituter.may_be_replaced)
    return answer_all([test.find_pair(gap)], substituter)[0]


def test_mutual_best_is_synchronous() -> None:
    """The verdict holds the pair, both entailments and the closest comparison."""
    found = find(SYNCHRONOUS)
    assert found is not None
    assert found.pair == Pair.of(WORD, PARTNER)
    assert [found.entailment, found.entailment_back] == pytest.approx([0.97, 0.975])
    assert found.clearance == pytest.approx(0.97 - 0.95, abs=1e-6)


def test_both_members_say_the_same() -> None:
    """Whichever word the reader finds, he finds the pair."""
    found, back = find(SYNCHRONOUS), find(SYNCHRONOUS, Gap("the ", PARTNER, " of"))
    assert found is not None
    assert back == found.seen_from_partner()


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({(WORD, WORD): 0.9}, id="word below the floor"),
        pytest.param({(WORD, PARTNER): 0.9}, id="no other passes the floor"),
        pytest.param({(PARTNER, WORD): 0.9}, id="word does not pass from the partner"),
        pytest.param({(PARTNER, PARTNER): 0.9}, id="partner does not pass from itself"),
        pytest.param({(WORD, THIRD): 0.97}, id="tie for the second place"),
        pytest.param({(WORD, THIRD): 0.995, (WORD, PARTNER): 0.994}, id="two others outrank the word"),
        pytest.param({(PARTNER, THIRD): 0.99}, id="partner prefers another"),
        pytest.param({(PARTNER, THIRD): 0.975}, id="tie in the partner's gap"),
    ],
)
def test_anything_less_is_not(change: dict[tuple[str, str], float]) -> None:
    """One broken condition is enough, in either gap."""
    assert find(SYNCHRONOUS | change) is None


@pytest.mark.parametrize(
    "near",
    [
        {(WORD, PARTNER): 0.951},
        {(WORD, WORD): 0.951},
        {(PARTNER, WORD): 0.951},
        {(PARTNER, PARTNER): 0.951},
        {(WORD, THIRD): 0.969},
        {(PARTNER, THIRD): 0.974},
    ],
)
def test_comparisons_within_the_guard_band_are_not_made(near: dict[tuple[str, str], float]) -> None:
    """What is accepted with a narrow band is refused with a wide one."""
    assert find(SYNCHRONOUS | near, guard_band=1e-4) is not None
    assert find(SYNCHRONOUS | near, guard_band=0.002) is None


class GivenMaskedLM(FakeMaskedLM):
    """Predicts the listed words of one family in steps of one; whatever else it knows comes far behind.

    With `tied` in the gap, the last of them is as probable as a stranger.
    """

    tied = ""

    def predict(self, gaps: Sequence[Gap]) -> Floats:
        rows = np.full((len(gaps), len(self.vocabulary)), -20.0, np.float32)
        for gap, row in zip(gaps, rows, strict=True):
            last = PARTNER if gap.word == WORD else WORD
            words = [gap.word, THIRD, last]
            row[[self.vocabulary.index(word) for word in words]] = [-1.0, -2.0, -3.0]
            row[self.vocabulary.index(fake_families()[1][0])] = -3.0 if gap.word == self.tied else -4.0
        return rows


@pytest.mark.parametrize("tied", [WORD, PARTNER])
def test_a_member_that_may_miss_the_cut_elsewhere_is_refused(tied: str) -> None:
    """Where the K-th and the next candidate tie, in either gap, another machine might leave the member out."""
    settings = SubstitutionSettings(proposals=3)
    verdicts = []
    for place in ("", tied):
        masked_lm = GivenMaskedLM()
        masked_lm.tied = place
        substituter = Substituter(masked_lm, GivenEntailment(SYNCHRONOUS), settings)
        test = SynchronicityTest(ByEntailment(settings, any_pair), substituter.may_be_replaced)
        verdicts += answer_all([test.find_pair(GAP)], substituter)
    assert [verdict is not None for verdict in verdicts] == [True, False]


def test_comparisons_that_do_not_matter_may_be_close() -> None:
    """The order within the pair, and candidates near the floor behind a clear pair, decide nothing."""
    assert find(SYNCHRONOUS | {(WORD, PARTNER): 0.99}) is not None
    assert find(SYNCHRONOUS | {(WORD, THIRD): 0.95}) is not None


def test_words_in_the_risk_set_ask_nothing() -> None:
    """A function word is no site, and no model hears of it."""
    masked_lm, entailment = FakeMaskedLM(), FakeEntailment()
    substituter = Substituter(masked_lm, entailment, SubstitutionSettings())
    test = SynchronicityTest(ByEntailment(substituter.settings, any_pair), substituter.may_be_replaced)
    assert answer_all([test.find_pair(Gap("he saw ", "the", " house"))], substituter) == [None]
    assert masked_lm.calls == entailment.calls == 0


def test_two_words_that_outrank_end_the_search() -> None:
    """The rest of the candidates are not rated, for the word cannot be in its own pair."""
    settings = SubstitutionSettings(proposals=32)
    entailment = GivenEntailment(SYNCHRONOUS | {(WORD, PARTNER): 0.992, (WORD, THIRD): 0.991})
    substituter = Substituter(FakeMaskedLM(), entailment, settings)
    test = SynchronicityTest(ByEntailment(settings, any_pair), substituter.may_be_replaced)
    assert answer_all([test.find_pair(GAP)], substituter) == [None]
    assert len(entailment.asked) == FIRST_CHUNK


def test_the_partner_is_asked_only_as_far_as_needed() -> None:
    """A word that its partner does not pass costs no second call to the masked LM and two entailments."""
    settings = SubstitutionSettings(proposals=6)
    masked_lm, entailment = FakeMaskedLM(), GivenEntailment(SYNCHRONOUS | {(PARTNER, WORD): 0.9})
    substituter = Substituter(masked_lm, entailment, settings)
    test = SynchronicityTest(ByEntailment(settings, any_pair), substituter.may_be_replaced)
    assert answer_all([test.find_pair(GAP)], substituter) == [None]
    assert masked_lm.inputs == 1
    assert [asked for place, asked in entailment.asked if place == PARTNER] == [PARTNER, WORD]


def test_verdicts_are_remembered() -> None:
    """A second question about the same gap, or about the partner's, asks no model."""
    masked_lm, entailment = FakeMaskedLM(), GivenEntailment(SYNCHRONOUS)
    substituter = Substituter(masked_lm, entailment, SubstitutionSettings(proposals=6))
    test = SynchronicityTest(ByEntailment(substituter.settings, any_pair), substituter.may_be_replaced)
    answer_all([test.find_pair(GAP)], substituter)
    before = masked_lm.inputs, len(entailment.asked)
    answer_all([test.find_pair(GAP), test.find_pair(Gap("the ", PARTNER, " of"))], substituter)
    assert (masked_lm.inputs, len(entailment.asked)) == before


class DriftingEntailment(FakeEntailment):
    """Another machine: every answer is off by up to `drift`, either way."""

    drift = 0.0

    def entails(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        answers = super().entails(pairs)
        signs = np.array([1 if self._draw("drift", *pair) < 0.5 else -1 for pair in pairs], np.float32)
        return answers + self.drift * signs


def gaps() -> Iterator[Gap]:
    for sentence in segment(fake_text(words=2500, seed=5)).sentences:
        for position in range(1, len(sentence) - 1):
            left, word = sentence.excerpt(0, position), sentence.words[position].text
            yield Gap(f"{left} ", word, " of")


def test_machines_within_the_guard_band_never_disagree_on_a_pair() -> None:
    """With drift below half the band they find the same pair, or one of them none; with more they may not."""
    band = 0.004
    settings = SubstitutionSettings(proposals=8, guard_band=band)

    def verdicts(drift: float) -> list[Synchronous | None]:
        entailment = DriftingEntailment()
        entailment.drift = drift
        substituter = Substituter(FakeMaskedLM(), entailment, settings)
        test = SynchronicityTest(ByEntailment(settings, any_pair), substituter.may_be_replaced)
        return answer_all(map(test.find_pair, gaps()), substituter)

    def conflicts(drift: float) -> int:
        both = [(one, other) for one, other in zip(here, verdicts(drift), strict=True) if one and other]
        assert len(both) > 10
        return sum(one.pair != other.pair for one, other in both)

    here = verdicts(0.0)
    assert conflicts(0.49 * band) == 0
    assert conflicts(6 * band) > 0
