"""Workers on this machine: order does not matter, and nobody's death loses a document."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fakes import FakeEngine
from tests.scale.corpora import Clumsy, Deadly

from lexprint.scale.jobs import Failure, Item, Job, Product
from lexprint.scale.pools import IN_FLIGHT, LocalPool


def jobs(count: int) -> list[Job]:
    return [Job(str(number), (Item(str(number), f"text {number}"),)) for number in range(count)]


@pytest.mark.parametrize("deaths", [1, 2])
def test_a_killed_worker_loses_nothing(tmp_path: Path, deaths: int) -> None:
    """Its jobs are done by another, each once."""
    task = Deadly("3", tmp_path, deaths)
    outcomes = list(LocalPool(2).run(FakeEngine(), task, jobs(9)))
    assert len(list(tmp_path.iterdir())) == deaths
    assert sorted(outcome.job for outcome in outcomes) == [str(number) for number in range(9)]
    made = {result.name: getattr(result, "content", None) for outcome in outcomes for result in outcome.results}
    assert made == {str(number): f"TEXT {number}" for number in range(9)}


def test_a_deadly_document_fails_alone(tmp_path: Path) -> None:
    """Whoever kills every worker is given up; its neighbours are not blamed."""
    outcomes = list(LocalPool(2).run(FakeEngine(), Deadly("3", tmp_path, 99), jobs(6)))
    results = {result.name: result for outcome in outcomes for result in outcome.results}
    assert len(results) == len(outcomes) == 6
    assert [name for name, result in results.items() if isinstance(result, Failure)] == ["3"]
    assert results["3"].kind == "WorkerDied"  # type: ignore[union-attr]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_bug_fails_its_document(workers: int) -> None:
    """And says nothing of the text, which a foreign message may quote."""
    work = [Job("all", (Item("one", ""), Item("odd", ""), Item("two", "")))]
    (outcome,) = LocalPool(workers).run(FakeEngine(), Clumsy(), work)
    one, odd, two = outcome.results
    assert isinstance(one, Product)
    assert isinstance(two, Product)
    assert isinstance(odd, Failure)
    assert odd.kind == "ZeroDivisionError"
    assert "secret" not in odd.message


def test_jobs_are_taken_when_there_is_room() -> None:
    """However many there are, only a few are in memory."""
    taken = 0

    def counted() -> Iterator[Job]:
        nonlocal taken
        for job in jobs(40):
            taken += 1
            yield job

    running = LocalPool(2).run(FakeEngine(), Clumsy(), counted())
    for finished, _ in enumerate(running, start=1):
        assert taken <= finished + 2 * IN_FLIGHT
    assert taken == 40
