"""Progress that tells the truth."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.progress import Progress
from tests.fakes import FakeEngine
from tests.workflows.patient import PatientEngine
from typer.testing import CliRunner

from lexprint.cli import app, console
from lexprint.cli.console import Bar, Doing, TimeLeft
from lexprint.engine import Role
from lexprint.errors import InputError
from lexprint.models.protocols import MaskedLM
from lexprint.testing import fake_text
from lexprint.text.segmentation import segment

MEMO = fake_text(words=60, seed=1)


def shown(done: float, total: float | None, *, after: float, unit: str = "words") -> str:
    """What stands beside a bar after so many seconds."""
    now = 100.0
    bar = Progress(TimeLeft(), console=Console(quiet=True), get_time=lambda: now)
    task = bar.add_task("x", total=total, unit=unit)
    now += after
    bar.update(task, completed=done)
    return TimeLeft().render(bar.tasks[0]).plain


def test_time_left_from_the_first_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is done, by the usual speed; then by the speed that was measured."""
    monkeypatch.setattr(console, "available_cores", lambda: 2)
    assert shown(0, 12_000, after=0.0) == "about 1 min 35 s left"
    assert shown(0, 1200, after=0.0) == "about 12 s left"
    assert shown(0, 1200, after=7.0) == "about 5 s left"
    assert shown(300, 1200, after=10.0) == "about 30 s left"
    assert shown(0, None, after=5.0) == ""
    assert shown(0, 40, after=5.0, unit="documents") == "", "nobody knows how long they are"
    assert shown(10, 40, after=5.0, unit="documents") == "about 15 s left"


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


def test_a_bar_says_what_it_counts() -> None:
    """Documents are no words, and all of them fill the bar."""
    told: list[tuple[float, str]] = []
    bar = Bar(lambda done, total, words: told.append((done / total, words)), unit="documents")
    bar(3, 4)
    bar(4, 4)
    assert told == [(0.75, "3 of 4 documents"), (1.0, "4 of 4 documents")]


def test_copies_alone_fill_the_bar() -> None:
    """Where the words are known already."""
    told: list[float] = []
    Bar(lambda done, total, words: told.append(done / total)).copies(20, 40)
    assert told == [0.5]


def test_the_bar_does_not_wait() -> None:
    """No step is silent for two seconds."""
    assert console.BAR_AFTER_SECONDS < 1.0


def test_the_bar_says_that_models_are_loaded() -> None:
    """While they are, instead of the work that has not begun."""

    class Loading(FakeEngine):
        role: Role | None = None

        @property
        def loading(self) -> Role | None:
            return type(self).role

    bar = Progress(console=Console(quiet=True))
    bar.add_task("analysing", total=1200, unit="words")

    def said() -> str:
        return Doing(Loading()).render(bar.tasks[0]).plain

    assert said() == "analysing"
    Loading.role = "masked_lm"
    assert said() == "loading the models"
    assert Doing(None).render(bar.tasks[0]).plain == "analysing"


@pytest.mark.parametrize("command", [["analyse"], ["capacity"], ["embed", "--bits", "10"], ["extract"], ["recover"]])
def test_commands_say_that_models_are_loaded(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: list[str]
) -> None:
    """With how many words there are to read, on the bar of the command; models that take no time say nothing."""
    shown: list[tuple[str, float | None]] = []

    class Slow(PatientEngine):
        def _load_masked_lm(self) -> MaskedLM:
            (task,) = bars[-1].tasks
            column = next(one for one in bars[-1].columns if isinstance(one, Doing))
            shown.append((column.render(task).plain, task.total))
            return super()._load_masked_lm()

    bars: list[Progress] = []

    class Kept(Progress):
        def __init__(self, *columns: Any, **options: Any) -> None:
            super().__init__(*columns, **options)
            bars.append(self)

    monkeypatch.setattr(console, "Progress", Kept)
    monkeypatch.setattr(console, "Console", lambda **_: Console(file=io.StringIO(), force_terminal=True))
    monkeypatch.setattr(console, "build_engine", lambda **_: Slow())
    memo = tmp_path / "memo.txt"
    memo.write_text(MEMO)
    monkeypatch.chdir(tmp_path)
    verb, *options = command
    target = [str(tmp_path / "out.txt")] if verb in ("embed", "recover") else []
    CliRunner().invoke(app, [verb, str(memo), *target, *options])
    assert shown == [("loading the models", segment(MEMO).word_count)]


@pytest.mark.parametrize(
    ("command", "reader"),
    [
        (["issue", "in.txt", "--to", "people.csv", "--out", "copies"], "issue.read_master"),
        (["analyse", "in.txt"], "issue.read_master"),
        (["embed", "in.txt", "out.txt", "--bits", "1"], "embed.open_file"),
        (["capacity", "in.txt"], "capacity.open_file"),
        (["extract", "in.txt"], "extract.open_file"),
        (["recover", "in.txt", "out.txt"], "recover.open_file"),
        (["trace", "in.txt"], "trace.open_file"),
    ],
)
def test_commands_say_something_before_they_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: list[str], reader: str
) -> None:
    """What they need is loaded under a bar too: it takes longer than a reader of a blank screen waits."""
    events: list[str] = []
    begun = console.progress

    @contextmanager
    def noted(label: str, engine: Any = None, **options: Any) -> Iterator[Bar]:
        events.append("begun")
        with begun(label, engine, **options) as bar:
            yield bar
        events.append("ended")

    def read(*given: Any, **options: Any) -> Any:
        events.append("read")
        raise InputError("enough", needed="no more")

    monkeypatch.setattr(console, "progress", noted)
    monkeypatch.setattr(f"lexprint.cli.{reader}", read)
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("name\nAda\n")
    CliRunner().invoke(app, command)
    assert events.index("read") > 0
    assert events.count("begun") > events.count("ended")
