"""The documentation says what the program does."""

import os
import re
import runpy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from lexprint.cli import app

DOCS = Path(__file__).parent.parent / "docs"


def commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        yield (*path, name), command
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))


COMMANDS = dict(commands(typer.main.get_command(app)))


def test_the_command_line_reference_is_current() -> None:
    """docs/cli.md is what the commands' own help says; `make docs` writes it."""
    current: str = runpy.run_path(str(DOCS / "build.py"))["cli_reference"]()
    assert (DOCS / "cli.md").read_text("utf-8") == current, "run: make docs"
    assert {("embed",), ("doctor",), ("report", "verify")} <= set(COMMANDS)
    for path in COMMANDS:
        assert f"# `lexprint {' '.join(path)}`\n" in current


def test_the_leaderboard_is_current() -> None:
    """docs/leaderboard.md is made of the results in docs/tables; `make docs` writes it."""
    current: str = runpy.run_path(str(DOCS / "build.py"))["leaderboard_page"]()
    assert (DOCS / "leaderboard.md").read_text("utf-8") == current, "run: make docs"
    for table in {*(DOCS / "tables").glob("*.json")} - {DOCS / "tables" / "bench-history.json"}:
        assert f"| {table.stem} " in current


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_explains_itself(path: tuple[str, ...]) -> None:
    """A sentence for the command, and one for each of its arguments and options."""
    command = COMMANDS[path]
    told = [command.help, *(parameter.help for parameter in command.params)]
    assert all(told), "something has no help"
    assert [text for text in told if not text.rstrip().endswith(".")] == []


def lexprint(*arguments: str, **variables: str) -> str:
    """Standard output of the command under its own name, by which completion knows it."""
    program = "import sys; from lexprint.cli import main; sys.argv[0] = 'lexprint'; main()"
    finished = subprocess.run(
        [sys.executable, "-W", "error", "-c", program, *arguments],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | variables,
    )
    return finished.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_are_offered_completion(shell: str) -> None:
    """A script that asks lexprint itself."""
    script = lexprint("--show-completion", shell, _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert "_LEXPRINT_COMPLETE" in script


def test_completion_knows_commands_and_options() -> None:
    """What the script is answered."""

    def completed(line: str, word: int) -> list[str]:
        variables = {"_LEXPRINT_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(word)}
        return lexprint(**variables).split()

    assert completed("lexprint ca", 1) == ["capacity"]
    assert "--payload" in completed("lexprint embed --pay", 2)
    assert "verify" in completed("lexprint report ", 2)


def test_links_between_pages_lead_somewhere() -> None:
    """Files that the documentation names are there."""
    for page in (*DOCS.glob("*.md"), DOCS.parent / "README.md"):
        for target in re.findall(r"\]\((?!https?://|#|mailto:)([^)#\s]+)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_tests_that_pages_name_are_there() -> None:
    """A link that is called like a test leads to the file that holds it."""
    for page in DOCS.glob("*.md"):
        for name, target in re.findall(r"\[(test_\w+)\]\(([^)\s]+)\)", page.read_text("utf-8")):
            assert f"def {name}(" in (page.parent / target).read_text("utf-8"), f"{page.name}: {name}"
