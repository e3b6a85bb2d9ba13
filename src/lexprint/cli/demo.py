"""`lexprint demo`: a first look, on a text written for it."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

MEMO = (
    ("The board expects a significant rise in costs next year.", "significant"),
    ("She tried to conceal her anger from the others.", "conceal"),
    ("They purchased a large house near the river.", "purchased"),
    ("He gave a brief answer and left the room.", "brief"),
    ("The journey was difficult because of the heavy rain.", "difficult"),
    ("Our guests will arrive shortly after sunset.", "arrive"),
)


def demo() -> None:
    """Show what lexprint does, on a few sentences of its own."""
    from lexprint.engine import Engine
    from lexprint.workflows import find_substitutes

    console = Console()
    engine = Engine()
    with console.status("loading the models that came with the package"):
        engine.substituter.propose([])
    console.print(
        "\n[bold]What may stand in for a word?[/] A masked language model proposes, an entailment model ranks.\n"
    )
    table = Table(box=None, pad_edge=False, show_header=True)
    table.add_column("sentence")
    table.add_column("best substitutes, with SR", style="cyan")
    for text, word in MEMO:
        found = find_substitutes(engine, text, word=word)
        best = ", ".join(f"{one.word} {one.entailment:.2f}" for one in found.substitutes[:4])
        table.add_row(text.replace(word, f"[bold underline]{word}[/]"), best)
    console.print(table)
    console.print(f"\nfingerprint of models and settings: [bold]{engine.fingerprint}[/]")
    console.print('Try it: [bold]lexprint substitutes "He watches his favorite show every night." --word favorite[/]\n')
