"""The command line: one file per command; here the group and the exit codes. Other packages may bring commands (`plugins`).

0: done; 1: what was asked cannot be done; 2: usage error; 3: missing dependency, model or key; 141:
standard output was closed early (SIGPIPE).
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from io import BufferedWriter, FileIO, TextIOWrapper

import typer

import lexprint
from lexprint.cli import (
    batch,
    capacity,
    demo,
    diff,
    doctor,
    embed,
    evidence,
    extract,
    issue,
    keys,
    pan,
    rank,
    recover,
    registry,
    report,
    send,
    serve,
    substitutes,
    tokens,
    tools,
    trace,
    watch,
)
from lexprint.cli.console import OutputClosed
from lexprint.cli.plugins import PANEL as SET_UP, CommandGroup
from lexprint.errors import LexprintError

app = typer.Typer(
    name="lexprint",
    cls=CommandGroup,
    help="Mark a text so that its copies can be told apart, by swapping a few well-chosen words.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)

BROKEN_PIPE = 128 + 13  # SIGPIPE

COPIES = "Copies for recipients"
app.command("issue", rich_help_panel=COPIES)(issue.issue)
app.command("send", rich_help_panel=COPIES)(send.send)
app.command("watch", rich_help_panel=COPIES)(watch.watch)
app.command("trace", rich_help_panel=COPIES)(trace.trace)
app.command("analyse", rich_help_panel=COPIES)(issue.analyse)
app.add_typer(report.app, name="report", rich_help_panel=COPIES)
registry.app.command("rank")(rank.rank)
report.app.command("evidence")(evidence.evidence)
app.add_typer(registry.app, name="registry", rich_help_panel=COPIES)

MARKS = "Embedding and reading"
app.command("embed", rich_help_panel=MARKS)(embed.embed)
app.command("extract", rich_help_panel=MARKS)(extract.extract)
app.command("recover", rich_help_panel=MARKS)(recover.recover)
app.command("capacity", rich_help_panel=MARKS)(capacity.capacity)
app.command("diff", rich_help_panel=MARKS)(diff.diff)
app.command("substitutes", rich_help_panel=MARKS)(substitutes.substitutes)

MANY = "Many documents at once"
app.add_typer(batch.app, name="batch", rich_help_panel=MANY)
app.add_typer(pan.app, name="pan", rich_help_panel=MANY)

app.command("demo", rich_help_panel=SET_UP)(demo.demo)
app.command("doctor", rich_help_panel=SET_UP)(doctor.doctor)
app.add_typer(keys.app, name="key", rich_help_panel=SET_UP)
app.command("serve", rich_help_panel=SET_UP)(serve.serve)
app.add_typer(tokens.app, name="token", rich_help_panel=SET_UP)
app.command("mcp", rich_help_panel=SET_UP)(tools.mcp)


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
    if sys.stdout is None:  # a result that nobody gets is none; and the next file to be opened would take its place
        typer.echo("lexprint: standard output is closed; needed: an open one, such as > /dev/null", err=True)
        sys.exit(2)
    _accept_any_character()
    _write_all_or_fail()
    try:
        app()
    except LexprintError as error:
        typer.echo(f"lexprint: {error}", err=True)
        sys.exit(error.exit_code)
    except OutputClosed:
        _discard_output()
        sys.exit(BROKEN_PIPE)
    except OSError as error:  # standard output cannot be written
        _discard_output()
        typer.echo(f"lexprint: {error.strerror or error}", err=True)
        sys.exit(1)
    except KeyboardInterrupt:
        typer.echo("lexprint: stopped", err=True)
        sys.exit(130)


def _accept_any_character() -> None:
    """A terminal that lacks a character shows its number instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _write_all_or_fail() -> None:
    """With PYTHONUNBUFFERED, Python writes what fits and forgets the rest: on a full disk, in silence."""
    stream = sys.stdout
    if isinstance(stream, TextIOWrapper) and isinstance(stream.buffer, FileIO):
        sys.stdout = TextIOWrapper(
            BufferedWriter(stream.buffer), encoding=stream.encoding, errors=stream.errors, line_buffering=True
        )


def _discard_output() -> None:
    """Python writes what is left when it ends, and would complain again."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
