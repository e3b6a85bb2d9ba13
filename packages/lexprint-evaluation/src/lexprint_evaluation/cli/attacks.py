"""`lexprint evaluate attacks`: every scheme under every attack."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from lexprint.cli import console
from lexprint.cli.console import progress, say
from lexprint.errors import InputError
from lexprint_evaluation.cli.measuring import (
    AS_JSON,
    AWT,
    CACHE,
    DATA,
    SETS,
    begin,
    draw,
    listed,
    plots,
    report,
    with_awt,
)

if TYPE_CHECKING:
    from lexprint_evaluation.robustness import Case, Issued, Reading

NAMES = ("registered", "registered-dense", "blind", "lexprint", "paper", "topkara", "hao")


def add_to(app: typer.Typer) -> None:
    """Give the group this command."""
    app.command("attacks")(attacks)


def attacks(
    context: typer.Context,
    data: Path | None = DATA,
    sets: list[str] = SETS,
    schemes: list[str] = typer.Option(
        list(NAMES),
        "--schemes",
        help="Ways of marking, also with commas; registered and blind are those of `lexprint issue`.",
    ),
    awt: Path | None = AWT,
    wanted: list[str] = typer.Option([], "--attacks", help="Names of attacks, also with commas; default: all."),
    documents: int = typer.Option(1, "--documents", min=1, help="Documents made of each set."),
    words: int = typer.Option(1000, "--words", min=50, help="Words of a document, about."),
    leaks: int = typer.Option(1, "--leaks", min=1, help="Leaks of each document for each attack and strength."),
    recipients: int = typer.Option(1000, "--recipients", min=3, help="Copies that a leak may come from."),
    seed: int = typer.Option(1, "--seed", help="Seed of codewords, choices and attacks."),
    output: Path | None = typer.Option(
        None, "--output", metavar="FOLDER", help="Folder for attacks.json, attacks.md and attacks.svg."
    ),
    cache: Path | None = CACHE,
    threads: int = console.THREADS,
    as_json: bool = AS_JSON,
) -> None:
    """Bit errors, sites found again, who is traced and who is wrongly accused, by scheme, attack and strength."""
    from lexprint_evaluation import datasets, robustness as measuring
    from lexprint_evaluation.tracing import pieces

    corpora = datasets.corpora(datasets.data_folder(data), listed(sets))
    checkpoint, engine = begin("attacks", output=output, cache=cache, threads=threads)
    texts = {
        f"{corpus.name} {number}": text
        for corpus in corpora
        for number, text in enumerate(pieces(corpus, words=words, count=documents), start=1)
    }
    if not texts:
        raise InputError(f"no set has {words} words", needed="a smaller number of --words")
    issuers = measuring.issuers(engine, with_awt(listed(schemes), awt), trained=awt)
    # What a leak is copied into is another document, or one like it from the end of the first set.
    others = {name: next((text for each, text in texts.items() if each != name), "") for name in texts}
    tail = corpora[0].text[-8 * words :]
    by_text = {name: measuring.cases(engine, other=others[name] or tail, wanted=listed(wanted)) for name in texts}
    total = len(issuers) * leaks * sum(map(len, by_text.values()))
    readings: dict[tuple[str, str, str], list[Reading]] = {}
    done = 0
    with progress("leaks") as on_progress:
        for scheme, issuer in issuers.items():
            for name, text in texts.items():
                issue: Issued = issuer(text, recipients=recipients, seed=f"{seed} {name}")
                for case in by_text[name]:
                    for number in range(leaks):
                        asked = (
                            f"{engine.copies_fingerprint} {scheme} {name} {words} {recipients} {seed} {number} {awt}"
                        )
                        found = checkpoint.once(
                            f"{asked} {case.attack} {case.strength}",
                            _reader(issue, case, recipients=recipients, seed=f"{seed} {name} {number}"),
                        )
                        key = (scheme, case.attack, case.strength)
                        readings.setdefault(key, []).append(measuring.reading_from(found))
                        done += 1
                        on_progress(done, total)
    rows = [
        measuring.robustness_row(scheme, case, readings[scheme, case.attack, case.strength])
        for scheme in issuers
        for case in next(iter(by_text.values()))
    ]
    result = {
        "experiment": "attacks",
        "seed": seed,
        "documents": len(texts),
        "words": words,
        "leaks": leaks,
        "recipients": recipients,
        "fingerprint": engine.copies_fingerprint,
        "rows": [asdict(row) for row in rows],
    }
    report(context, result, measuring.robustness_tables(rows), output=output, as_json=as_json)
    draw(context, output, lambda: plots().robustness_plot(rows))
    checkpoint.done()
    say(
        f"{len(texts)} documents of about {words} words, {recipients} recipients, seed {seed}, fingerprint {engine.copies_fingerprint}"
    )


def _reader(issue: Issued, case: Case, *, recipients: int, seed: str) -> Any:
    from lexprint_evaluation.robustness import leak_and_read

    return lambda: asdict(leak_and_read(issue, case, recipients=recipients, seed=seed))
