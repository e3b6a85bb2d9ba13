"""Many questions at once."""

import pytest

from lexprint.models.protocols import Gap
from lexprint.settings import SubstitutionSettings
from lexprint.substitution.substituter import Substituter
from lexprint.testing import FakeEntailment, FakeMaskedLM, fake_families
from lexprint.watermark import inquiry
from lexprint.watermark.inquiry import Expect, Inquiry, Propose, Rate, Turn, answer_all


@pytest.fixture
def substituter(masked_lm: FakeMaskedLM, entailment: FakeEntailment) -> Substituter:
    return Substituter(masked_lm, entailment, SubstitutionSettings(proposals=5))


def rate_all(number: int) -> Inquiry[tuple[int, int]]:
    """Ask for candidates and their ratings, `number` times."""
    asked = 0
    for turn in range(number):
        gap = Gap(f"{number} {turn} ", fake_families()[0][0], " of")
        words = tuple(candidate.word for candidate in (yield Propose(gap)))
        asked += len((yield Rate(gap, words)))
    return number, asked


@pytest.mark.parametrize("window", [1, 2, 3, 100])
def test_results_come_in_order_for_any_window(substituter: Substituter, window: int) -> None:
    """Short inquiries end before long ones that began earlier, and still come after them."""
    numbers = [3, 0, 1, 0, 0, 2, 5, 0]
    results = answer_all(map(rate_all, numbers), substituter, window=window)
    assert results == [(number, 5 * number) for number in numbers]


def test_nothing_to_ask_is_no_call(
    substituter: Substituter, masked_lm: FakeMaskedLM, entailment: FakeEntailment
) -> None:
    """No inquiries, or inquiries without questions, leave the models alone."""
    assert answer_all([], substituter) == []
    assert answer_all([rate_all(0)] * 1, substituter) == [(0, 0)]
    assert masked_lm.calls == entailment.calls == 0


def test_a_step_is_one_call_to_each_model(
    substituter: Substituter, masked_lm: FakeMaskedLM, entailment: FakeEntailment
) -> None:
    """Questions of all inquiries travel together."""
    answer_all(map(rate_all, [2] * 9 + [1]), substituter)
    assert (masked_lm.calls, entailment.calls) == (2, 2)


@pytest.mark.parametrize("window", [1, 2, 100])
def test_turns_are_granted_in_order(substituter: Substituter, window: int) -> None:
    """Whoever waits for a turn goes on only after all earlier inquiries have ended."""
    order: list[tuple[int, int]] = []

    def take_turns(place: int, number: int) -> Inquiry[None]:
        yield from rate_all(number)
        for turn in range(2):
            yield Turn()
            order.append((place, turn))
            yield from rate_all(number)

    numbers = [4, 0, 1, 3, 0]
    answer_all((take_turns(place, number) for place, number in enumerate(numbers)), substituter, window=window)
    assert order == [(place, turn) for place in range(len(numbers)) for turn in range(2)]


@pytest.mark.parametrize("window", [1, 2, 3])
def test_a_full_window_that_ends_on_its_turns_is_not_the_end(substituter: Substituter, window: int) -> None:
    """Inquiries are still begun when all that were under way end in the same step."""

    def end_on_turn(number: int) -> Inquiry[int]:
        yield from rate_all(number % 2)
        yield Turn()
        return number

    assert answer_all(map(end_on_turn, range(1, 8)), substituter, window=window) == list(range(1, 8))


def test_only_a_window_of_inquiries_is_under_way(substituter: Substituter) -> None:
    """Inquiries are begun as others end, so memory does not grow with their number."""
    begun = ended = most = 0

    def count() -> Inquiry[None]:
        nonlocal begun, ended, most
        begun += 1
        most = max(most, begun - ended)
        yield from rate_all(2)
        ended += 1

    answer_all((count() for _ in range(50)), substituter, window=7)
    assert (begun, most) == (50, 7)


@pytest.mark.parametrize(("full", "calls"), [(4, 1), (2, 2), (1, 3), (0, 3)])
def test_what_is_expected_is_asked_ahead(
    substituter: Substituter, masked_lm: FakeMaskedLM, monkeypatch: pytest.MonkeyPatch, full: int, calls: int
) -> None:
    """As far as a call has room, the next question of each inquiry in any case; answers are those of questions one by one."""
    monkeypatch.setattr(inquiry, "FULL", full)
    words = [fake_families()[number][0] for number in range(3)]
    questions = tuple(Propose(Gap("He saw the ", word, " of")) for word in words)

    def look_ahead() -> Inquiry[list[object]]:
        assert (yield Expect(questions)) is None
        found: dict[Propose, object] = {}
        for question in questions:
            found[question] = yield question
        return list(found.values())

    (found,) = answer_all([look_ahead()], substituter)
    assert masked_lm.calls == calls
    assert found == substituter.most_probable([question.gap for question in questions])
