"""The command line: one file per command; here the group and the exit codes.

0: done; 1: what was asked cannot be done; 2: it was asked wrongly; 3: the installation lacks something.
"""

from __future__ import annotations

import sys

import typer

import lexprint
from lexprint.cli import demo, evaluate, substitutes
from lexprint.errors import LexprintError

app = typer.Typer(
    name="lexprint",
    help="Mark a text so that its copies can be told apart, by swapping a few well-chosen words.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("substitutes")(substitutes.substitutes)
app.command("demo")(demo.demo)
app.add_typer(evaluate.app, name="evaluate")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"lexprint {lexprint.__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version and stop."
    ),
) -> None:
    """Options of the group itself."""


def main() -> None:
    """Run a command; every failure is one sentence and an exit code."""
    try:
        app()
    except LexprintError as error:
        typer.echo(f"lexprint: {error}", err=True)
        sys.exit(error.exit_code)
    except BrokenPipeError:  # the reader of a pipe has had enough
        sys.stderr.close()
        sys.exit(0)
    except KeyboardInterrupt:
        typer.echo("lexprint: stopped", err=True)
        sys.exit(130)
