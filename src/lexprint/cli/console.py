"""What the commands share: options, the engine they build, reading texts, printing, progress."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, Task, TextColumn, TimeElapsedColumn
from rich.text import Text

from lexprint.cores import available_cores
from lexprint.errors import FormatError, SettingsError

if TYPE_CHECKING:
    from lexprint.engine import Engine

BAR_AFTER_SECONDS = 0.3  # a bar for less is only a flicker
# Until the work itself tells (`python -m benchmarks.stopwatch`); the rate is that of a core.
USUAL_SECONDS_TO_BEGIN, USUAL_WORDS_PER_SECOND = 2.5, 65.0
WORDS = "words"
WORDS_SHARE = 0.95  # of the bar; writing copies takes little

SETTINGS = typer.Option(
    None, "--settings", metavar="FILE", help="TOML file with settings; writer and reader need the same."
)
PROFILE = typer.Option(None, "--profile", metavar="NAME", help="Named settings, such as paper.")
GAP = typer.Option(None, "--gap", help="Words skipped after a site (f in the paper).")
THREADS = typer.Option(0, "--threads", min=0, help="Threads of the models; 0: one per core.")
BATCH_SIZE = typer.Option(64, "--batch-size", min=1, help="Inputs that a model is given at once; changes no result.")
CACHE = typer.Option(
    None,
    "--cache",
    metavar="FILE",
    help="Keep the models' answers there for other documents and runs; else LEXPRINT_CACHE.",
)
_HUB = "name or folder of a hub model; default: the shipped one."
MASKED_LM = typer.Option(None, "--masked-lm", metavar="MODEL", help=f"Masked LM: {_HUB} Implies --profile paper.")
ENTAILMENT = typer.Option(None, "--entailment", metavar="MODEL", help=f"Entailment model: {_HUB}")
SENTENCE_ENCODER = typer.Option(None, "--sentence-encoder", metavar="MODEL", help=f"Sentence encoder: {_HUB}")
FORCE = typer.Option(False, "--force", help="Mark what does not look English too.")
AS_JSON = typer.Option(False, "--json", help="Print JSON instead.")


def build_engine(
    *,
    settings: Path | None = None,
    profile: str | None = None,
    gap: int | None = None,
    threads: int = 0,
    batch_size: int = 64,
    cache: Path | None = None,
    masked_lm: str | None = None,
    entailment: str | None = None,
    sentence_encoder: str | None = None,
    arguments: Mapping[str, object] | None = None,
) -> Engine:
    """The engine that the options ask for; no model is loaded yet."""
    from lexprint.engine import Engine
    from lexprint.settings import load_models, load_settings

    options = {
        "watermark.gap": gap,
        "models.masked_lm": masked_lm,
        "models.entailment": entailment,
        "models.sentence_encoder": sentence_encoder,
    }
    given = {**(arguments or {}), **{name: value for name, value in options.items() if value is not None}}
    chosen = load_settings(profile=profile, file=settings, arguments=given)
    models = load_models(file=settings, arguments=given)
    if cache is None and (named := os.environ.get("LEXPRINT_CACHE")):
        cache = Path(named)
    megabytes = os.environ.get("LEXPRINT_CACHE_MEGABYTES", "512")
    if not (megabytes.isascii() and megabytes.isdigit()):
        raise SettingsError("LEXPRINT_CACHE_MEGABYTES", megabytes, needed="a whole number")
    return Engine(
        settings=chosen,
        models=models,
        threads=threads,
        batch_size=batch_size,
        cache=cache,
        cache_megabytes=int(megabytes),
    )


def read_text(argument: str) -> str:
    """The argument itself, or standard input for `-`."""
    if argument != "-":
        return argument
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError("standard input", found="not UTF-8", needed="text in UTF-8") from error


class OutputClosed(Exception):
    """The reader of standard output closed it before the end."""


def print_line(line: str) -> None:
    try:
        typer.echo(line)
    except BrokenPipeError as error:
        raise OutputClosed from error


def print_json(value: object) -> None:
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    print_line(json_text(value, ensure_ascii=not encoding.lower().startswith("utf")).rstrip("\n"))


def json_text(value: object, *, ensure_ascii: bool = False) -> str:
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=2) + "\n"


def say(sentence: str) -> None:
    """Tell the user what was done, on standard error: standard output is for results."""
    typer.echo(sentence, err=True)


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


class Output(Console):
    """Standard output in colour."""

    def __init__(self) -> None:
        super().__init__(highlight=False)

    @property
    def is_plain(self) -> bool:
        """Whether colours would be lost."""
        return not self.is_terminal or self.no_color

    def on_broken_pipe(self) -> None:
        raise OutputClosed


def printable(text: str) -> str:
    """As long as before, on one line, and without characters that would steer the terminal."""
    spaced = (" " if character.isspace() else character for character in text)
    return "".join(character if character.isprintable() else "�" for character in spaced)


class TimeLeft(ProgressColumn):
    """How long it will still take: as fast as it went so far, and at first as fast as it usually goes."""

    max_refresh = 0.5

    def render(self, task: Task) -> Text:
        if not task.total:
            return Text("")
        elapsed = task.elapsed or 0.0
        if task.completed:
            left = elapsed * (task.total - task.completed) / task.completed
        elif task.fields["unit"] == WORDS:
            usual = USUAL_SECONDS_TO_BEGIN + task.total / (USUAL_WORDS_PER_SECOND * available_cores())
            left = max(usual - elapsed, 1.0)
        else:
            return Text("")
        minutes, seconds = divmod(round(left), 60)
        return Text(f"about {minutes} min {seconds:02} s left" if minutes else f"about {seconds} s left")


class Doing(ProgressColumn):
    """What is being done: the work, or before it the loading of the models."""

    def __init__(self, engine: Engine | None) -> None:
        super().__init__()
        self._engine = engine

    def render(self, task: Task) -> Text:
        is_loading = self._engine is not None and self._engine.loading is not None
        return Text("loading the models" if is_loading else task.description)


class Bar:
    """One bar for all of the work: words, which take the time, then copies."""

    def __init__(self, update: Callable[[float, float, str], None], *, unit: str = WORDS) -> None:
        self._update, self._unit = update, unit
        self._start = 0.0  # share of the bar that belongs to the words

    def __call__(self, done: int, total: int) -> None:
        """So many words of so many are done, or of what else it counts."""
        self._start = WORDS_SHARE if self._unit == WORDS else 1.0
        self._update(done * self._start, total, f"{done:,} of {total:,} {self._unit}")

    def copies(self, done: int, total: int) -> None:
        self._update(total * self._start + done * (1 - self._start), total, f"{done:,} of {total:,} copies")


def getting_ready() -> AbstractContextManager[object]:
    """Under it a command loads what it needs and reads what it is given, which takes a second or two."""
    return progress("getting ready")


@contextmanager
def progress(label: str, engine: Engine | None = None, *, unit: str = WORDS) -> Iterator[Bar]:
    """A bar on standard error from the first second, with the time left; gives what is to be told how much is done.

    While the engine loads its models the bar says so. `unit` is what is counted.
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        yield Bar(lambda done, total, shown: None, unit=unit)
        return
    columns = (
        SpinnerColumn(),
        Doing(engine),
        BarColumn(),
        TextColumn("{task.fields[shown]}"),
        TimeElapsedColumn(),
        TimeLeft(),
    )
    bar = Progress(*columns, console=console, transient=True)
    task = bar.add_task(label, total=None, shown="", unit=unit)
    timer = Timer(BAR_AFTER_SECONDS, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield Bar(lambda done, total, shown: bar.update(task, completed=done, total=total, shown=shown), unit=unit)
    finally:
        timer.cancel()
        timer.join()
        bar.stop()
