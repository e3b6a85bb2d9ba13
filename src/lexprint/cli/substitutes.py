"""`lexprint substitutes`: what may stand in for a word."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from lexprint.cli import console


def substitutes(
    text: str = typer.Argument(..., help="A text, or - to read it from standard input."),
    word: str = typer.Option(..., "--word", "-w", help="The word to replace, spelled as in the text."),
    occurrence: int = typer.Option(1, "--occurrence", help="Which occurrence of the word, from 1."),
    top: int = typer.Option(10, "--top", min=1, help="How many to print."),
    settings: Path | None = console.SETTINGS,
    profile: str | None = console.PROFILE,
    masked_lm: str | None = console.MASKED_LM,
    entailment: str | None = console.ENTAILMENT,
    threads: int = console.THREADS,
    as_json: bool = typer.Option(False, "--json", help="Print JSON instead of a table."),
) -> None:
    """Rank what may stand in for a word of a text.

    A masked language model proposes; what readers would accept ranks first. SR is the probability that the sentence entails
    itself with the other word in place. The profile paper ranks by SR alone.
    """
    from lexprint.workflows import find_substitutes

    engine = console.build_engine(
        settings=settings, profile=profile, threads=threads, masked_lm=masked_lm, entailment=entailment
    )
    found = find_substitutes(engine, console.read_text(text), word=word, occurrence=occurrence)
    if as_json:
        console.print_json({**asdict(found), "substitutes": [asdict(one) for one in found.substitutes[:top]]})
        return
    out = Console()
    sentence = Text(found.sentence if len(found.sentence) <= 400 else f"{found.sentence[:400]} ...")
    sentence.highlight_words([found.word], "bold underline")
    out.print(sentence)
    table = Table(box=None, pad_edge=False)
    table.add_column("", justify="right", style="dim")
    table.add_column("word", style="bold")
    table.add_column("accepted by", justify="right")
    table.add_column("SR", justify="right")
    table.add_column("masked LM", justify="right")
    itself = found.itself
    table.add_row(
        "", f"{found.word} (itself)", "", f"{itself.entailment:.3f}", f"{itself.probability:.4f}", style="dim"
    )
    for rank, one in enumerate(found.substitutes[:top], start=1):
        accepted = "" if one.acceptance is None else f"{one.acceptance:.0%}"
        table.add_row(str(rank), one.word, accepted, f"{one.entailment:.3f}", f"{one.probability:.4f}")
    out.print(table)
