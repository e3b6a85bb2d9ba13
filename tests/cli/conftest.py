"""Commands run in this process, on fakes."""

import io
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.fakes import FakeEngine
from tests.workflows.patient import PatientEngine

from lexprint.cli import console, main
from lexprint.coding.keys import create_key_file
from lexprint.engine import Engine
from lexprint.testing import fake_text


@dataclass(frozen=True)
class Done:
    code: int
    output: bytes
    errors: str

    @property
    def text(self) -> str:
        return self.output.decode()

    def is_refusal(self, code: int, *words: str) -> bool:
        """One sentence on standard error that holds these words, nothing on standard output."""
        one_line = self.errors.startswith("lexprint: ") and self.errors.count("\n") == 1
        return one_line and self.code == code and not self.output and all(word in self.errors for word in words)


Run = Callable[..., Done]
GET_COMMAND = cache(typer.main.get_command)  # parsers of all commands, the same from run to run


MEMO = """\
The committee met on a cold evening to discuss the plan, and most of those who spoke were pleased with the progress.
A young engineer explained how the bridge would carry heavy trucks across the river without any danger to the old town.

Several people asked whether the new road could be finished quickly, because the harvest begins early in this valley.
"""


@pytest.fixture
def run_shipped(monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Runs `lexprint` with arguments and standard input, on the shipped models."""

    def run(*arguments: object, given: bytes = b"") -> Done:
        monkeypatch.setattr(typer.main, "get_command", GET_COMMAND)
        monkeypatch.setattr(sys, "argv", ["lexprint", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
        capsysbinary.readouterr()
        try:
            main()
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 0
        else:
            code = 0
        captured = capsysbinary.readouterr()
        return Done(code, captured.out, captured.err.decode())

    return run


@pytest.fixture
def run(run_shipped: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The same on fakes, which find many sites."""
    build_engine = console.build_engine

    def build_fake(**options: object) -> Engine:
        real = build_engine(**options)  # type: ignore[arg-type] # whatever a command gives
        return FakeEngine(settings=real.settings, threads=real.threads, batch_size=real.batch_size)

    monkeypatch.setattr(console, "build_engine", build_fake)
    monkeypatch.setenv("LEXPRINT_SUBSTITUTION_PROPOSALS", "8")
    return run_shipped


class PowerCut:
    """Lets a function be called so many times, then stops the program; `calls` counts those that were let through."""

    def __init__(self, function: Callable[..., Any], *, after: int) -> None:
        self._function, self._after, self.calls = function, after, 0

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        if self.calls == self._after:
            raise KeyboardInterrupt
        self.calls += 1
        return self._function(*arguments, **options)


@pytest.fixture(scope="session")
def prose() -> str:
    """Some three hundred words that the fakes know, in three paragraphs."""
    return "\n\n".join(fake_text(words=100, seed=seed) for seed in range(3)) + "\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, prose: str) -> Iterator[Path]:
    """The working folder, with the prose in `in.txt`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.txt").write_bytes(prose.encode())
    yield tmp_path
    leftovers = [path.name for path in tmp_path.rglob(".lexprint-*")]
    assert leftovers == [], "temporary files stay behind"


@pytest.fixture
def folder_with_key(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder with a key; commands load fakes that find sites in any text that the fakes know."""
    build_fake = console.build_engine  # by `run`

    def build(**options: object) -> Engine:
        return PatientEngine(settings=build_fake(**options).settings)  # type: ignore[arg-type] # whatever a command gives

    monkeypatch.setattr(console, "build_engine", build)
    for variable in ("LEXPRINT_KEY", "LEXPRINT_KEY_FILE", "LEXPRINT_REGISTRY"):
        monkeypatch.delenv(variable, raising=False)
    create_key_file(folder / "lexprint.key")
    return folder
