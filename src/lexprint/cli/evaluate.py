"""`lexprint evaluate`: the paper's tables, measured."""

from __future__ import annotations

import json
import platform
from dataclasses import asdict
from pathlib import Path

import typer

from lexprint.cli.console import print_json, progress

app = typer.Typer(help="Measure what the paper measures, on data that you provide.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """Measure what the paper measures, on data that you provide."""


@app.command("swords")
def swords(
    data: Path | None = typer.Option(None, "--data", help="Folder with the data; default: the variable LEXPRINT_DATA."),
    split: str = typer.Option("dev", "--split", help="dev or test."),
    limit: int | None = typer.Option(None, "--limit", min=1, help="Only the first N targets."),
    output: Path | None = typer.Option(None, "--output", help="Folder for swords.json and swords.md."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON instead of Markdown."),
) -> None:
    """Precision, recall and F at ten on the Stanford Word Substitution Benchmark, beside the paper's figures."""
    from lexprint.engine import Engine
    from lexprint.evaluation import datasets
    from lexprint.evaluation.swords import PUBLISHED, methods, score
    from lexprint.evaluation.tables import markdown_table

    targets = datasets.swords(datasets.data_folder(data), split)[:limit]
    engine = Engine()
    rows = []
    chosen = methods(engine)
    with progress("targets") as on_progress:
        for number, (name, method) in enumerate(chosen.items()):
            proposals = []
            for found in method(targets):
                proposals.append(found)
                on_progress(number * len(targets) + len(proposals), len(chosen) * len(targets))
            rows.append(score(name, targets, proposals))
    header = ["method", "lenient F10", "Fc10", "strict F10", "Fc10", "paper: F10", "Fc10", "F10", "Fc10"]
    body = [
        [
            row.method,
            *(f"{one.f:.1f}" for one in (row.lenient, row.lenient_conceivable, row.strict, row.strict_conceivable)),
            *("-" if figure is None else f"{figure:.1f}" for figure in PUBLISHED[row.method]),
        ]
        for row in rows
    ]
    table = markdown_table(header, body)
    result = {
        "experiment": "swords",
        "split": split,
        "targets": len(targets),
        "fingerprint": engine.fingerprint,
        "machine": platform.machine(),
        "rows": [
            {**asdict(row), "f": [row.lenient.f, row.lenient_conceivable.f, row.strict.f, row.strict_conceivable.f]}
            for row in rows
        ],
    }
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
        (output / "swords.json").write_text(json.dumps(result, indent=2) + "\n", "utf-8")
        (output / "swords.md").write_text(table, "utf-8")
    if as_json:
        print_json(result)
    else:
        typer.echo(table, nl=False)
        typer.echo(f"SWORDS {split}, {len(targets)} targets, fingerprint {engine.fingerprint}", err=True)
