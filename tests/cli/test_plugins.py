"""Commands that other packages bring."""

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
import typer
from tests.cli.conftest import Run

from lexprint.cli import plugins


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Callable[[], Any]]]:
    """What other packages bring, as a test wants it."""
    found: dict[str, Callable[[], Any]] = {}

    def answer() -> Mapping[str, Callable[[], Any]]:
        return found

    monkeypatch.setattr(plugins, "plugins", answer)
    plugins._command.cache_clear()
    yield found
    plugins._command.cache_clear()


def test_a_group_and_a_function_become_commands(run: Run, installed: dict[str, Callable[[], Any]]) -> None:
    """They are listed and run as if they were ours."""
    app = typer.Typer(help="Measure rain.")

    @app.command("today")
    def today() -> None:
        typer.echo("wet")

    @app.command("tomorrow")
    def tomorrow() -> None:
        typer.echo("dry")

    def greet(name: str) -> None:
        """Say hello."""
        typer.echo(f"hello {name}")

    installed.update(rain=lambda: app, greet=lambda: greet)
    assert "Measure rain." in run("--help").text
    assert "Say hello." in run("--help").text
    assert run("rain", "today").text == "wet\n"
    assert run("greet", "Ada").text == "hello Ada\n"


def test_a_command_of_ours_wins(run: Run, installed: dict[str, Callable[[], Any]]) -> None:
    """No package can put itself in place of a command of the core."""
    installed["capacity"] = lambda: pytest.fail("loaded")
    assert "--profile" in run("capacity", "--help").text


def test_what_is_not_installed_says_so(run: Run, installed: dict[str, Callable[[], Any]]) -> None:
    """One sentence with what to type; any other unknown command is a usage error."""
    assert installed == {}
    done = run("evaluate", "swords")
    assert done.is_refusal(3, "lexprint-evaluation", "pip install 'lexprint[evaluation]'")
    assert run("evaluat").code == 2
    assert "evaluate" not in run("--help").text


def test_measuring_is_found_without_being_installed() -> None:
    """Where the package can be imported, its command is there, whatever the installer knows."""
    assert "evaluate" in plugins.plugins()


def test_commands_of_ours_look_for_no_plugin() -> None:
    """What takes longest is left out where it is not needed."""
    program = (
        "import sys\nfrom lexprint.cli import main\nsys.argv = ['lexprint', 'capacity', '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print('lexprint_evaluation' in sys.modules, file=sys.stderr)"
    )
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert finished.stderr == "False\n"
