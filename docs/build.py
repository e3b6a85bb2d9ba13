"""Rewrites the generated pages of the documentation: `make docs`; only some of them: `python docs/build.py substitutes cli`."""

from __future__ import annotations

import inspect
import json
import runpy
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import typer

from lexprint import cli
from lexprint.engine import Engine
from lexprint.workflows import find_substitutes
from lexprint_evaluation.leaderboard import leaderboard

HERE = Path(__file__).parent
SENTENCES = (
    ("The board expects a significant rise in costs.", "significant"),
    ("She tried to conceal her anger from the others.", "conceal"),
    ("They purchased a house near the river.", "purchased"),
    ("He gave a brief answer and left the room.", "brief"),
    ("The journey was difficult because of the snow.", "difficult"),
    ("Our guests will arrive shortly after sunset.", "arrive"),
    ("The committee postponed its decision until autumn.", "decision"),
    ("He usually reads the paper after dinner.", "usually"),
    ("The child was frightened by the sudden noise.", "frightened"),
    ("The company will begin production in Ohio.", "begin"),
    ("It is important to read the contract carefully.", "important"),
    ("The old bridge was nearly destroyed by the flood.", "nearly"),
    ("They attempted to open the door with a knife.", "attempted"),
    ("The new rules will affect the whole industry.", "whole"),
    ("She answered the question in a calm voice.", "calm"),
    ("The soldiers were weary after the long march.", "weary"),
    ("The report contains several errors.", "errors"),
    ("The minister refused to discuss the matter.", "discuss"),
    ("A stranger assisted the woman across the street.", "assisted"),
    ("The price of bread has risen rapidly.", "rapidly"),
)


def substitutes(engine: Engine) -> str:
    """Twenty sentences with their best substitutes."""
    lines = [
        "# Twenty sentences",
        "",
        "What `lexprint substitutes` says of twenty sentences written for this page; in brackets the share of readers that would accept the word, best first by the profile `lexprint`. Written by `make docs`; alone, in a minute, by `python docs/build.py substitutes`.",
        "",
        "| sentence | best substitutes |",
        "|---|---|",
    ]
    for text, word in SENTENCES:
        found = find_substitutes(engine, text, word=word).substitutes[:5]
        best = ", ".join(f"{one.word} ({one.acceptance or 0.0:.2f})" for one in found)
        lines.append(f"| {text.replace(word, f'**{word}**')} | {best} |")
    return "\n".join([*lines, "", f"Fingerprint: `{engine.fingerprint}`", ""])


def leaderboard_page() -> str:
    """The rankings of all results in docs/tables."""
    read = {path.stem: json.loads(path.read_bytes()) for path in sorted((HERE / "tables").glob("*.json"))}
    results = {name: result for name, result in read.items() if isinstance(result, dict)}  # the history is a list
    lines = [
        "# Leaderboard",
        "",
        "Every way of marking that was measured, beside what others published. Each line says whether its figures are ours or",
        "published; what has not been measured yet is absent. [Measuring](evaluation.md) says what the commands do. Written by",
        "`make docs` from the results in `docs/tables`.",
        "",
    ]
    return "\n".join([*lines, leaderboard(results)])


def cli_reference() -> str:
    """Every command with its arguments and options, as its own help has them."""
    group = typer.main.get_command(cli.app)
    codes = (cli.__doc__ or "").strip().split("\n\n")[1]
    lines = [
        "# The command line",
        "",
        "What `lexprint COMMAND --help` says, on one page. Written by `make docs`.",
        "",
        "Documents may be Word (.docx), OpenDocument (.odt), mail (.eml), HTML, Markdown or plain text; leaks may be PDFs, images",
        "and scans too. Formats are recognised by content, not by name. `-` is standard input or output; results go to standard output, all else to",
        "standard error.",
        "",
        f"Exit codes: {' '.join(codes.split())}",
        "",
        "Completion of commands and options for your shell: `lexprint --install-completion`.",
        "",
    ]
    return "\n".join([*lines, *_group(group, "lexprint")])


def _group(group: Any, path: str) -> Iterator[str]:
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        yield from _command(command, f"{path} {name}")
        if hasattr(command, "commands"):
            yield from _group(command, f"{path} {name}")


def _command(command: Any, path: str) -> Iterator[str]:
    """Markup of one command; a group's commands follow it, one level below."""
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    options = [one for one in command.params if one.param_type_name == "option" and not one.hidden]
    yield f"{'#' * (1 + path.count(' '))} `{path}`"
    yield ""
    yield from (" ".join(paragraph.split()) + "\n" for paragraph in (command.help or "").split("\n\n"))
    if hasattr(command, "commands"):
        return
    named = [(argument.metavar or argument.name.upper(), argument) for argument in arguments]
    shown = [name if argument.required else f"[{name}]" for name, argument in named]
    yield f"    {' '.join([path, *(['[OPTIONS]'] if options else []), *shown])}\n"
    for name, argument in named:
        yield f"- `{name}`: {argument.help}"
    for option in options:
        names = ", ".join([*option.opts, *option.secondary_opts])
        yield f"- `{names}{_value(command, option)}`: {option.help}{_notes(option)}"
    yield ""


def _value(command: Any, option: Any) -> str:
    if option.is_flag:
        return ""
    kind = str(inspect.signature(command.callback).parameters[option.name].annotation).partition(" ")[0]
    return f" {option.metavar or _KINDS.get(kind, 'TEXT')}"


_KINDS = {"int": "NUMBER", "float": "NUMBER", "Path": "FILE"}


def _notes(option: Any) -> str:
    """What must be given, and what stands where nothing is."""
    notes = ["Required."] if option.required else []
    if option.default and not option.required:  # of a number, 0 is explained where it means something
        shown = ", ".join(option.default) if isinstance(option.default, list) else f"{option.default}"
        notes.append(f"Default: {shown.removesuffix('.0')}.")
    if option.envvar:
        notes.append(f"Variable: `{option.envvar}`.")
    return "".join(f" {note}" for note in notes)


PAGES: Mapping[str, Callable[[], str]] = {
    "leaderboard": leaderboard_page,
    "cli": cli_reference,
    "substitutes": lambda: substitutes(Engine()),
}


def main(*names: str) -> None:
    """Write the pages of these names; without any, write all and refuse tables that were measured with other models."""
    if unknown := sorted({*names} - PAGES.keys()):
        sys.exit(f"there is no generated page {', '.join(unknown)}; needed: some of {', '.join(PAGES)}")
    for name in names or PAGES:
        (HERE / f"{name}.md").write_text(PAGES[name](), "utf-8")
    figures = runpy.run_path(str(HERE / "figures.py"))
    if not names and (stale := figures["stale_tables"]()):
        sys.exit(figures["complaint"](stale))


if __name__ == "__main__":
    main(*sys.argv[1:])
