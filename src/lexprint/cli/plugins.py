"""Commands that other packages bring: entry points of the group `lexprint.commands`, each a Typer app or a function.

They are looked for only when help is printed or a name is not one of our own, since looking takes longer than most commands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

from lexprint.errors import ExtraMissing

GROUP = "lexprint.commands"
PANEL = "Setting up"

# Ours, and found even where they are importable without being installed: command -> module with `app`, distribution, extra.
KNOWN: Mapping[str, tuple[str, str, str]] = {
    "evaluate": ("lexprint_evaluation.cli.evaluate", "lexprint-evaluation", "evaluation"),
}


class CommandGroup(TyperGroup):
    """Our own commands, and after them those of other packages."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(dict.fromkeys([*super().list_commands(ctx), *plugins()]))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        if cmd_name in KNOWN and cmd_name not in plugins():
            _, distribution, extra = KNOWN[cmd_name]
            raise ExtraMissing(f"lexprint {cmd_name} is in the package {distribution}, which", extra=extra)
        return _command(cmd_name) if cmd_name in plugins() else None


@cache
def plugins() -> Mapping[str, Callable[[], Any]]:
    """What loads each command of another package, by name."""
    from importlib.metadata import entry_points

    found: dict[str, Callable[[], Any]] = {entry.name: entry.load for entry in entry_points(group=GROUP)}
    for name, (module, _, _) in KNOWN.items():
        if name not in found and _is_importable(module):
            found[name] = lambda module=module: import_module(module).app  # type: ignore[misc]
    return found


def _is_importable(module: str) -> bool:
    from importlib.util import find_spec

    return find_spec(module.partition(".")[0]) is not None


@cache
def _command(name: str) -> Any:
    loaded = plugins()[name]()
    if not isinstance(loaded, typer.Typer):
        app = typer.Typer()
        app.command()(loaded)
        loaded = app
    command: Any = typer.main.get_command(loaded)
    command.name, command.rich_help_panel = name, PANEL
    return command
