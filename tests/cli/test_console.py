"""Progress that tells the truth."""

import os

import pytest
from rich.console import Console
from rich.progress import Progress

from lexprint.cli import console
from lexprint.cli.console import Bar, TimeLeft


def shown(done: float, total: float | None, *, after: float) -> str:
    """What stands beside a bar after so many seconds."""
    now = 100.0
    bar = Progress(TimeLeft(), console=Console(quiet=True), get_time=lambda: now)
    task = bar.add_task("x", total=total)
    now += after
    bar.update(task, completed=done)
    return TimeLeft().render(bar.tasks[0]).plain


def test_time_left_from_the_first_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is done, by the usual speed; then by the speed that was measured."""
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert shown(0, 1200, after=0.0) == "about 1 min 40 s left"
    assert shown(0, 1200, after=70.0) == "about 30 s left"
    assert shown(300, 1200, after=10.0) == "about 30 s left"
    assert shown(0, None, after=5.0) == ""


def test_one_bar_never_goes_back() -> None:
    """Words, then copies, though they are counted differently."""
    told: list[float] = []
    bar = Bar(lambda done, total, words: told.append(done / total))
    for done in range(0, 1201, 300):
        bar(done, 1200)
    for done in range(0, 41, 10):
        bar.copies(done, 40)
    assert told == sorted(told)
    assert (told[0], told[-1]) == (0.0, 1.0)


def test_copies_alone_fill_the_bar() -> None:
    """Where the words are known already."""
    told: list[float] = []
    Bar(lambda done, total, words: told.append(done / total)).copies(20, 40)
    assert told == [0.5]


def test_the_bar_does_not_wait() -> None:
    """No step is silent for two seconds."""
    assert console.BAR_AFTER_SECONDS < 1.0
