"""Asking one question a call costs calls and changes no answer."""

from collections.abc import Sequence

import pytest
from benchmarks.rates import OneByOne, PairByPair
from tests.fakes import FakeEngine

from benchmarks import rates
from lexprint.models.canary import GAPS, PAIRS, canary_of
from lexprint.models.protocols import Columns, Floats, Gap
from lexprint.testing import FakeEntailment, FakeMaskedLM, fake_text


def test_each_question_is_a_call() -> None:
    """Gaps, candidates and pairs alike; all answers together are the same."""
    masked_lm, entailment = FakeMaskedLM(), FakeEntailment()
    assert canary_of(OneByOne(masked_lm), PairByPair(entailment)) == canary_of(FakeMaskedLM(), FakeEntailment())
    assert entailment.calls == len(PAIRS)
    assert masked_lm.calls == masked_lm.inputs == 2 * len(GAPS)  # pairs and masks; the fake does not count candidates


class Lonely(FakeMaskedLM):
    """Refuses two questions at once."""

    def judge(self, questions: Sequence[tuple[Gap, Columns]]) -> list[Floats]:
        ((_, (_,)),) = questions
        return super().judge(questions)


def test_each_candidate_is_a_call() -> None:
    """A gap without any costs nothing."""
    columns: list[Columns] = [[1, 2, 3], [], [4]]
    questions = list(zip(GAPS, columns, strict=True))
    found = OneByOne(Lonely()).assess(questions)
    expected = FakeMaskedLM().assess(questions)
    assert [one.verdicts.tolist() for one in found] == [one.verdicts.tolist() for one in expected]


def test_a_table(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Three ways of asking side by side, where there are three."""

    class Patient(FakeEngine):
        masked_lm = property(lambda self: OneByOne(FakeMaskedLM()))

    monkeypatch.setattr(rates, "Engine", FakeEngine)
    monkeypatch.setattr(rates, "PatientEngine", Patient)
    monkeypatch.setattr(rates, "WARM_UP", fake_text(words=20, seed=1))
    text = fake_text(words=120, seed=2)
    assert [len(cells) for cells in rates.rows("paper", text, has_literal=True)] == [6, 6]
    assert [cells[0] for cells in rates.rows("lexprint", text, has_literal=False)] == ["analyse", "mark", "read"]


def test_other_results_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """If one question a call found something else, the figures would be of other work."""

    class Other(FakeEngine):
        masked_lm = property(lambda self: FakeMaskedLM(key="other"))

    monkeypatch.setattr(rates, "Engine", FakeEngine)
    monkeypatch.setattr(rates, "PatientEngine", Other)
    with pytest.raises(SystemExit, match="found something else"):
        list(rates.rows("paper", fake_text(words=200, seed=2), has_literal=False))
