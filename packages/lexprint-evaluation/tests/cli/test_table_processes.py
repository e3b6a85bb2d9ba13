"""Tables measured by processes of their own."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from threading import Barrier, Event

import pytest

from lexprint_evaluation.cli.table_processes import Finished, Processes, failure_of, measure_side_by_side


def test_none_begins_before_the_one_it_comes_after() -> None:
    """The order is kept otherwise; what is not asked for is not waited for."""
    begun: list[str] = []
    ended: list[str] = []

    def run(name: str, arguments: Sequence[object]) -> Finished:
        return Finished(name, 0.0, None)

    def finish(finished: Finished) -> None:
        ended.append(finished.name)

    def begin(name: str) -> None:
        assert name != "quality" or "rivals" in ended
        begun.append(name)

    measure_side_by_side(
        dict.fromkeys(("quality", "rivals", "swords", "tracing"), ()),
        workers=2,
        after={"quality": "rivals", "tracing": "absent"},
        on_begin=begin,
        on_finish=finish,
        run=run,
    )
    assert sorted(begun) == sorted(ended) == ["quality", "rivals", "swords", "tracing"]
    assert begun[0] == "rivals"


def test_so_many_run_at_once() -> None:
    """Two tables that wait for each other both come to an end."""
    together = Barrier(2)

    def run(name: str, arguments: Sequence[object]) -> Finished:
        together.wait(timeout=10)
        return Finished(name, 0.0, None)

    ended: list[str] = []
    measure_side_by_side(
        {"one": (), "other": ()},
        workers=2,
        after={},
        on_begin=lambda name: None,
        on_finish=lambda finished: ended.append(finished.name),
        run=run,
    )
    assert sorted(ended) == ["one", "other"]


@pytest.mark.parametrize(
    ("code", "errors", "failure"),
    [
        (0, "lexprint: nothing", None),
        (2, "some bar\nlexprint: no set has 9 words; needed: fewer\n", "no set has 9 words; needed: fewer"),
        (1, "Traceback\nKeyError: 3\n", "its process ended with exit code 1: KeyError: 3"),
        (-9, "", "its process ended with exit code -9: it said nothing"),
    ],
)
def test_a_failure_is_one_sentence(code: int, errors: str, failure: str | None) -> None:
    """The one that the command said, or how it ended."""
    assert failure_of(code, errors) == failure


def test_a_process_is_the_command_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one thread for each library, and its refusal for a failure."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    finished = Processes().run("watermark", ["--data", tmp_path / "nowhere"])
    assert finished.failure is not None
    assert "nowhere does not exist" in finished.failure


def test_what_still_runs_is_ended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Whoever stops the whole stops every table, and none begins afterwards."""
    processes, begun = Processes(), Event()

    def begin_and_stop(name: str) -> None:
        if name == "one":
            begun.set()
            return
        raise KeyboardInterrupt

    def run(name: str, arguments: Sequence[object]) -> Finished:
        return processes.run(name, arguments)

    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    with pytest.raises(KeyboardInterrupt):
        measure_side_by_side(
            {"one": (), "other": ()},
            workers=2,
            after={},
            on_begin=begin_and_stop,
            on_finish=lambda finished: None,
            run=run,
        )
    assert begun.is_set()
    processes.close()
    assert processes.run("watermark", ()).failure == "stopped"
