"""`lexprint demo`: the whole story on a memo written for it: mark copies, damage one, trace it."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from lexprint.cli.report import print_report, write_page

if TYPE_CHECKING:
    from lexprint.coding.keys import Keyring
    from lexprint.engine import Engine
    from lexprint.registry.protocol import Registry
    from lexprint.workflows.results import IssuedDocument

SENTENCES = (
    ("The board expects a significant rise in costs.", "significant"),
    ("She tried to conceal her anger from the others.", "conceal"),
    ("They purchased a house near the river.", "purchased"),
    ("The old bridge was nearly destroyed by the flood.", "nearly"),
    ("It is important to read the contract carefully.", "important"),
)
RECIPIENTS = ("Ada", "Bruno", "Chiara", "Dmitri", "Elif")
LEAKED_BY = "Chiara"
SHOWN = 6  # words of each copy
MEMO = """\
Dear colleagues,

The board met on Monday to discuss the future of the harbour project. Several members were worried about the cost, and the
chairman tried to calm them with a brief report. He said that the company would begin the work in spring and finish it
within three years. A large part of the money will come from the city, which wants to construct new homes near the old
docks. Nobody knows how the residents will respond, but they have always demanded better schools and cleaner streets.

The main problem is the soil. Our engineers found that the ground near the water is weak, and they suggested a different
plan for the tall buildings. This change would require additional steel, and it would probably delay the opening by several
months. The bank has agreed to help us, but it wants a clear answer before the end of the month. If we cannot give a
precise date, the whole agreement may collapse, and a rival company is ready to purchase the land.

There is also good news. The harbour office has finally given us permission to use the northern entrance, which will make the
transport of heavy material quicker and cheaper. The mayor told us that she is pleased with our progress and hopes that the
first families will move in soon. A famous architect has offered to design the central square without any payment, because
she grew up in this area and still loves it.

We should speak with one voice. Some of you have received calls from reporters who asked difficult questions about safety.
Please answer politely that you cannot help them, and inform me at once. The press office will publish a short statement
when the contract is complete. Until then, any rumour could hurt us and frighten the people who trust our work. I am sure
that we can solve the remaining problems together, and I want to thank you for your hard work and your patience.

Please keep this note to yourself. It is not intended for anybody outside the project, and each copy is addressed to one
person only. We shall meet again next week to choose the builder and to check the budget. Bring your own suggestions, even
if they seem strange; the best ideas often begin as silly ones.
"""


def demo() -> None:
    """Show what lexprint does: propose words, mark a memo for five people, damage one copy, find out whose it was."""
    from lexprint.coding.keys import create_key_file
    from lexprint.engine import Engine
    from lexprint.registry.protocol import open_registry

    console = Console()
    engine = Engine()
    folder = Path(mkdtemp(prefix="lexprint-demo-"))
    with console.status("loading the models that came with the package"):
        engine.substituter.substitutes([])
    _show_substitutes(console, engine)
    keyring = create_key_file(folder / "lexprint.key")
    with open_registry(str(folder / "lexprint.db"), keys=keyring) as registry:
        issued = _issue(console, engine, keyring, registry, folder)
        leak = _damage(console, folder, issued)
        _trace(console, keyring, registry, leak, folder)
    console.print(f"Fingerprint of models and settings: [bold]{engine.fingerprint}[/]")
    console.print("Next: [bold]lexprint issue MEMO --to recipients.csv --out copies/[/], or lexprint --help\n")


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


def _issue(console: Console, engine: Engine, keyring: Keyring, registry: Registry, folder: Path) -> IssuedDocument:
    from lexprint.workflows.issuing import Master, issue

    console.print(
        f"\n[bold]2. Issue a memo to {len(RECIPIENTS)} people.[/] Every copy reads the same and differs in a few words.\n"
    )
    content = MEMO.encode()
    master = Master.of(content, file_name="memo.txt", name="memo.txt")
    (folder / "copies").mkdir()
    with console.status("looking for words that may differ"):
        issued = issue(engine, master, RECIPIENTS, keyring=keyring, registry=registry, folder=folder / "copies")
    table = Table(box=None, pad_edge=False)
    for name in RECIPIENTS:
        table.add_column(name)
    for index in _telling(issued)[:SHOWN]:
        site = issued.document.sites[index]
        words = (site.words[copy.codeword[index]] for copy in issued.copies)
        table.add_row(*(f"[bold green]{word}[/]" if word != site.word else word for word in words))
    console.print(table)
    console.print(
        f"\n  and {len(issued.document.sites) - SHOWN} more of {len(MEMO.split())} words; copies in {folder}\n"
    )
    return issued


def _telling(issued: IssuedDocument) -> list[int]:
    """Sites where about half of the copies differ from the others, those first."""
    ones = [sum(copy.codeword[index] > 0 for copy in issued.copies) for index in range(len(issued.document.sites))]
    return sorted(range(len(ones)), key=lambda index: abs(2 * ones[index] - len(issued.copies)))


def _damage(console: Console, folder: Path, issued: IssuedDocument) -> str:
    """A third cut, capitals and punctuation lost, some words dropped and some misspelled."""
    copy = next(copy for copy in issued.copies if copy.recipient == LEAKED_BY)
    words = re.findall(r"[\w']+", (folder / "copies" / copy.file_name).read_text("utf-8").lower())
    chooser = Random(4)
    kept = [word for word in words[: 2 * len(words) // 3] if chooser.random() > 0.05]
    leak = " ".join(word[::-1] if chooser.random() < 0.03 else word for word in kept)
    (folder / "leak.txt").write_text(leak, "utf-8")
    console.print("[bold]3. One copy leaks,[/] cut, without capitals and commas, with words missing and misspelled:\n")
    console.print(f"  [italic]{leak[:240]} ...[/]\n")
    return leak


def _trace(console: Console, keyring: Keyring, registry: Registry, leak: str, folder: Path) -> None:
    from lexprint.workflows.tracing import trace

    console.print("[bold]4. Whose copy was it?[/] No language model is needed to find out.\n")
    report = trace(registry, leak, keys=keyring)
    print_report(report)
    page = folder / "report.html"
    write_page(report, str(page))
    console.print(f"\n  The signed report, with its evidence: [bold]{page}[/]\n", soft_wrap=True)
