"""`lexprint demo`: a first look, on a text written for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from lexprint.errors import CapacityError

if TYPE_CHECKING:
    from lexprint.engine import Engine

SENTENCES = (
    ("The board expects a significant rise in costs.", "significant"),
    ("She tried to conceal her anger from the others.", "conceal"),
    ("They purchased a house near the river.", "purchased"),
    ("The old bridge was nearly destroyed by the flood.", "nearly"),
    ("It is important to read the contract carefully.", "important"),
)
MEMO = """\
Dear colleagues,

The board met on Monday to discuss the future of the harbour project. Several members were worried about the cost, and the
chairman tried to calm them with a brief report. He said that the company would begin the work in spring and finish it
within three years. A large part of the money will come from the city, which wants to construct new homes near the old
docks. Nobody knows how the residents will respond, but they have always demanded better schools and cleaner streets.

Please keep this note to yourself. We shall announce the decision shortly, and until then any rumour could hurt us. If
journalists phone you, answer politely that you cannot help them and that we will publish a statement soon.
"""


def demo() -> None:
    """Show what lexprint does, on a few sentences of its own: propose words, mark a memo, read the mark, undo it."""
    from lexprint.engine import Engine

    console = Console()
    engine = Engine()
    with console.status("loading the models that came with the package"):
        engine.substituter.substitutes([])
    _show_substitutes(console, engine)
    _show_mark(console, engine)
    console.print(f"Fingerprint of models and settings: [bold]{engine.fingerprint}[/]")
    console.print(
        'Next: [bold]lexprint substitutes "He watches his favorite show." --word favorite[/], or lexprint --help\n'
    )


def _show_substitutes(console: Console, engine: Engine) -> None:
    from lexprint.workflows import find_substitutes

    console.print(
        "\n[bold]1. What may stand in for a word?[/] A masked language model proposes, an entailment model ranks.\n"
    )
    table = Table(box=None, pad_edge=False)
    table.add_column("sentence")
    table.add_column("best substitutes, with SR", style="cyan")
    for text, word in SENTENCES:
        found = find_substitutes(engine, text, word=word)
        sentence = Text(text)
        sentence.highlight_words([word], "bold underline")
        table.add_row(sentence, ", ".join(f"{one.word} {one.entailment:.2f}" for one in found.substitutes[:4]))
    console.print(table)


def _show_mark(console: Console, engine: Engine) -> None:
    from lexprint import workflows

    console.print(
        "\n[bold]2. Mark a memo.[/] Bits go into words that writer and reader both find; nothing else changes.\n"
    )
    with console.status("marking, and reading back"):
        bits = [(number // 2 + number) % 2 for number in range(workflows.capacity(engine, MEMO).bits)]
        try:
            marked = workflows.embed(engine, MEMO, bits)
        except CapacityError as full:  # swapped words are context to later ones, which may then carry nothing
            marked = workflows.embed(engine, MEMO, bits[: full.found])
    copy = Text(marked.text)
    for edit in marked.record.edits:
        copy.highlight_words([edit.replacement], "bold green")
    console.print(copy)
    for edit in marked.record.edits:
        console.print(f"  {edit.span.of(MEMO)} → [bold green]{edit.replacement}[/]")
    read = workflows.extract(engine, marked.text)
    console.print("\n[bold]3. Read it, and undo it.[/]\n")
    console.print(f"  written {''.join(map(str, marked.record.bits))}, read {''.join(map(str, read.bits))}")
    restored = workflows.restore(marked.text, marked.record).text
    console.print(
        f"  restored with the record: {'the original, to the last byte' if restored == MEMO else 'NOT the original'}\n"
    )
