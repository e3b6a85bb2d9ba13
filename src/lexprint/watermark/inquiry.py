"""Questions to the models, asked by many walks at once and answered in one batch per step.

A walk is a generator that yields questions and is sent their answers, so it reads like the paper's loop while the
models see large batches. An answer depends on its question only, hence neither the window nor the order matters.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest
from typing import Any, TypeAlias, TypeVar

from lexprint.models.protocols import Gap
from lexprint.substitution.candidates import Candidate
from lexprint.substitution.substituter import Matters, Substituter, Weighed, always

T = TypeVar("T")

WINDOW = 256  # walks under way at once: enough for full batches, and memory that does not grow with the text
FULL = 48  # gaps in a call that keep a masked LM busy on a few cores; fewer cost nearly as much


@dataclass(frozen=True, slots=True)
class Propose:
    """Candidates of a gap; the answer is a tuple of them, most probable first, those judged that matter."""

    gap: Gap
    matters: Matters = always


@dataclass(frozen=True, slots=True)
class Expect:
    """What will be proposed next and, unless a word changes, thereafter; the answer is None.

    It is asked for ahead where a call has room for it.
    """

    questions: tuple[Propose, ...]


@dataclass(frozen=True, slots=True)
class Rate:
    """SR of words in a gap; the answer is a list of numbers in the same order, exact where they are above the floor."""

    gap: Gap
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Weigh:
    """What speaks for putting a candidate into a gap; the answer is `Weighed`, or None if it would not lead back."""

    gap: Gap
    candidate: Candidate


@dataclass(frozen=True, slots=True)
class Turn:
    """Go on when every earlier inquiry has ended, or their order has come to matter no more; the answer is None."""

    is_pointless: Callable[[], bool] = lambda: False


Question: TypeAlias = Propose | Expect | Rate | Weigh | Turn
Answer: TypeAlias = tuple[Candidate, ...] | list[float] | Weighed | None
Inquiry: TypeAlias = Generator[Question, Any, T]  # what is sent depends on what was asked


def answer_all(inquiries: Iterable[Inquiry[T]], substituter: Substituter, *, window: int = WINDOW) -> list[T]:
    """Results of the inquiries, in order; at most `window` of them are under way at once."""
    results: dict[int, T] = {}
    upcoming = enumerate(inquiries)
    under_way: dict[int, Inquiry[T]] = {}  # in order, so that the first is the earliest
    questions: dict[int, Question] = {}

    def send(number: int, answer: Answer) -> None:
        try:
            questions[number] = under_way[number].send(answer)
        except StopIteration as end:
            results[number] = end.value
            del under_way[number]
            questions.pop(number, None)

    while True:
        room = window - len(under_way)
        begun = dict(islice(upcoming, room))
        under_way |= begun
        for number in begun:
            send(number, None)
        while granted := _granted(questions, list(under_way)):
            for number in granted:
                send(number, None)
        if not under_way and len(begun) < room:  # all have ended and no more are to come
            return [results[number] for number in sorted(results)]
        for number, answer in _answer(questions, substituter).items():
            send(number, answer)


def _granted(questions: Mapping[int, Question], under_way: Sequence[int]) -> list[int]:
    """Those that wait for a turn no longer."""
    waiting = ((number, questions[number]) for number in under_way)
    return [
        number
        for number, question in waiting
        if isinstance(question, Turn) and (number == under_way[0] or question.is_pointless())
    ]


def _answer(questions: Mapping[int, Question], substituter: Substituter) -> dict[int, Answer]:
    """Answers to all that the models are asked, from one call to each."""
    proposing = {number: question for number, question in questions.items() if isinstance(question, Propose)}
    rating = {number: question for number, question in questions.items() if isinstance(question, Rate)}
    weighing = {number: question for number, question in questions.items() if isinstance(question, Weigh)}
    expecting = {number: question for number, question in questions.items() if isinstance(question, Expect)}
    answers: dict[int, Answer] = dict.fromkeys(expecting)
    if weighing:
        exchanges = [(question.gap, question.candidate) for question in weighing.values()]
        answers |= zip(weighing, substituter.weigh(exchanges), strict=True)
    ahead = _ahead(list(expecting.values()), room=FULL - len(proposing))
    for matters in dict.fromkeys(question.matters for question in (*proposing.values(), *ahead)):
        gaps = {number: question.gap for number, question in proposing.items() if question.matters == matters}
        later = [question.gap for question in ahead if question.matters == matters]
        found = substituter.most_probable([*gaps.values(), *later], matters=matters)
        answers |= zip(gaps, found, strict=False)
    if rating:
        flat = [(question.gap, word) for question in rating.values() for word in question.words]
        ratings = iter(substituter.rate(flat))
        answers |= {number: list(islice(ratings, len(question.words))) for number, question in rating.items()}
    return answers


def _ahead(expecting: Sequence[Expect], *, room: int) -> list[Propose]:
    """The next question of each, and further ones of all alike until the call is full."""
    chosen: list[Propose] = []
    for depth in zip_longest(*(one.questions for one in expecting)):
        if chosen and len(chosen) >= room:
            break
        chosen += [question for question in depth if question is not None]
    return chosen
