"""`lexprint evaluate twins`: marked texts and their originals, told apart without the key."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from statistics import fmean
from typing import Any

import typer

from lexprint.cli import console
from lexprint.cli.console import progress, say
from lexprint.errors import InputError
from lexprint_evaluation.cli.measuring import AS_JSON, CACHE, DATA, SETS, begin, listed, report


def add_to(app: typer.Typer) -> None:
    """Give the group this command."""
    app.command("twins")(twins)


def twins(
    context: typer.Context,
    data: Path | None = DATA,
    sets: list[str] = SETS,
    pairs: int = typer.Option(200, "--pairs", min=10, help="Pairs of texts, spread over the sets."),
    words: int = typer.Option(500, "--words", min=50, help="Words of a text, about."),
    schemes: list[str] = typer.Option(
        ["registered"], "--schemes", help="Ways of marking, also with commas; registered is what `lexprint issue` does."
    ),
    seed: int = typer.Option(1, "--seed", help="Seed of codewords, bits and folds."),
    output: Path | None = typer.Option(None, "--output", metavar="FOLDER", help="Folder for twins.json and twins.md."),
    cache: Path | None = CACHE,
    threads: int = console.THREADS,
    as_json: bool = AS_JSON,
) -> None:
    """How often a classifier without the key tells marked texts from their originals, and by what."""
    from lexprint_evaluation import datasets, robustness, twins as measuring
    from lexprint_evaluation.tracing import pieces

    corpora = datasets.corpora(datasets.data_folder(data), listed(sets))
    each = -(-pairs // len(corpora))
    texts = {
        f"{corpus.name} {number}": text
        for corpus in corpora
        for number, text in enumerate(pieces(corpus, words=words, count=each), start=1)
    }
    texts = dict(list(texts.items())[:pairs])
    if len(texts) < 2 * measuring.FOLDS:
        raise InputError(f"the sets have {len(texts)} texts of {words} words", needed="ten texts, or fewer --words")
    checkpoint, engine = begin("twins", output=output, cache=cache, threads=threads)
    issuers = robustness.issuers(engine, listed(schemes))
    rows, done = [], 0
    with progress("texts") as on_progress:
        for scheme, issuer in issuers.items():
            found, changed = [], []
            for name, text in texts.items():

                def ask(text: str = text, issuer: Any = issuer, name: str = name) -> dict[str, Any]:
                    marked: str = issuer(text, recipients=2, seed=f"{seed} {name}").copy(0)
                    known: dict[str, tuple[measuring.Seen, ...]] = {}
                    both = {
                        side: measuring.features(one, engine.masked_lm, known=known)
                        for side, one in (("original", text), ("marked", marked))
                    }
                    return {**both, "changed": measuring.words_changed(text, marked)}

                answer = checkpoint.once(f"{engine.copies_fingerprint} {scheme} {seed} {len(text)} {name}", ask)
                found.append(measuring.Twin(answer["original"], answer["marked"]))
                changed.append(answer["changed"])
                done += 1
                on_progress(done, len(issuers) * len(texts))
            size = fmean(len(text.split()) for text in texts.values())
            rows.append(measuring.twin_row(scheme, found, words=size, changed=fmean(changed), seed=seed))
    result = {
        "experiment": "twins",
        "pairs": len(texts),
        "words": words,
        "seed": seed,
        "fingerprint": engine.copies_fingerprint,
        "rows": [asdict(row) for row in rows],
    }
    report(context, result, measuring.twin_table(rows), output=output, as_json=as_json)
    checkpoint.done()
    say(f"{len(texts)} pairs of about {words} words, seed {seed}, fingerprint {engine.copies_fingerprint}")
