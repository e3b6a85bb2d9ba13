"""`lexprint evaluate quality`: marked sentences in the eyes of models that did not choose their words."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from lexprint.cli import console
from lexprint.cli.console import progress, say
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
    from lexprint_evaluation.confidence import Figure
    from lexprint_evaluation.datasets import Corpus
    from lexprint_evaluation.judges import Judge
    from lexprint_evaluation.quality import MarkedSet, Marker

NAMES = ("lexprint", "paper", "registered", "topkara", "hao")
JUDGES = ("mpnet", "fluency", "grammar")
SCHEMES = typer.Option(
    list(NAMES),
    "--schemes",
    help="Ways of marking, also with commas; registered is what `lexprint issue` does.",
)


def add_to(app: typer.Typer) -> None:
    """Give the group this command."""
    app.command("quality")(quality)


def quality(
    context: typer.Context,
    data: Path | None = DATA,
    sets: list[str] = SETS,
    sentences: int = typer.Option(300, "--sentences", min=1, help="Sentences of at least five words, from each set."),
    schemes: list[str] = SCHEMES,
    awt: Path | None = AWT,
    judges: list[str] = typer.Option(list(JUDGES), "--judges", help="Judges beside SR and SS, also with commas."),
    seed: int = typer.Option(1, "--seed", help="Seed of the random bits and of the bootstrap."),
    output: Path | None = typer.Option(
        None, "--output", metavar="FOLDER", help="Folder for quality.json, quality.md and quality.svg."
    ),
    cache: Path | None = CACHE,
    threads: int = console.THREADS,
    as_json: bool = AS_JSON,
) -> None:
    """SR and SS beside similarity, fluency and grammar as judged by models that had no say in the choice of words."""
    from lexprint_evaluation import datasets, judges as bench, quality as measuring
    from lexprint_evaluation.confidence import Figure
    from lexprint_evaluation.tables import ALL_SETS

    corpora = datasets.corpora(datasets.data_folder(data), listed(sets))
    checkpoint, engine = begin("quality", output=output, cache=cache, threads=threads)
    present = bench.judges(engine, listed(judges))
    chosen = measuring.markers(engine, with_awt(listed(schemes), awt), trained=awt)

    def marked_by(marker: Marker, corpus: Corpus, label: str) -> MarkedSet:
        def mark() -> dict[str, Any]:
            with progress(f"{label}: marking") as on_progress:
                return asdict(measuring.mark(marker, corpus, sentences=sentences, seed=seed, on_progress=on_progress))

        asked = f"{measuring.fingerprint_of(engine, marker.name)} {corpus.name} {marker.name} {sentences} {seed} {awt}"
        return measuring.marked_set_from(checkpoint.once(asked, mark))

    def figures(name: str, judge: Judge, marked: MarkedSet, label: str) -> list[Figure]:
        def ask() -> list[tuple[float, float]]:
            with progress(f"{label}: {name}") as on_progress:
                found = measuring.figures_of(judge, marked.pairs, on_progress=on_progress)
            return [(figure.amount, figure.weight) for figure in found]

        fingerprint = measuring.fingerprint_of(engine, marked.scheme)
        asked = f"{fingerprint} {marked.title} {marked.scheme} {sentences} {seed} {name} {awt}"
        return [Figure(*pair) for pair in checkpoint.once(asked, ask)]

    rows = []
    for marker in chosen:
        found = []
        for corpus in corpora:
            label = f"{corpus.title}, {marker.name}"
            marked = marked_by(marker, corpus, label)
            found.append((marked, {name: figures(name, judge, marked, label) for name, judge in present.items()}))
        rows += [measuring.quality_row(marked, each, seed=seed) for marked, each in found]
        if len(found) > 1:
            rows.append(measuring.pooled(found, seed=seed))
    titles = [*(corpus.title for corpus in corpora), ALL_SETS]
    rows.sort(key=lambda row: titles.index(row.title))
    result = {
        "experiment": "quality",
        "sentences": sentences,
        "seed": seed,
        "fingerprint": engine.copies_fingerprint,
        "rows": [measuring.row_json(row) for row in rows],
    }
    report(context, result, f"{measuring.quality_table(rows)}\n{measuring.LEGEND}", output=output, as_json=as_json)
    draw(context, output, lambda: plots().quality_plot(rows))
    checkpoint.done()
    say(f"first {sentences} sentences of each set, seed {seed}, fingerprint {engine.copies_fingerprint}")
