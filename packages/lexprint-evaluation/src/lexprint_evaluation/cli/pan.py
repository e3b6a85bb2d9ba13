"""`lexprint evaluate pan`: the score of the shared task, over attacks of our own."""

from __future__ import annotations

from pathlib import Path

import typer

from lexprint.cli import console
from lexprint.cli.console import progress, say
from lexprint.cli.pan import key_for, read_rows
from lexprint.errors import InputError
from lexprint_evaluation.cli.measuring import AS_JSON, CACHE, DATA, begin, listed, report


def add_to(app: typer.Typer) -> None:
    """Give the group this command."""
    app.command("pan")(pan)


def pan(
    context: typer.Context,
    data: Path | None = DATA,
    limit: int | None = typer.Option(None, "--limit", min=1, help="Only the first N texts."),
    longest: int | None = typer.Option(None, "--longest", min=1, help="Only texts of at most N words."),
    attacks: list[str] = typer.Option([], "--attacks", help="Names of attacks, also with commas; default: all."),
    profile: str | None = typer.Option(None, "--profile", metavar="NAME", help="Named settings; default: presence."),
    seed: int = typer.Option(1, "--seed", help="Seed of the attacks."),
    output: Path | None = typer.Option(None, "--output", metavar="FOLDER", help="Folder for pan.json and pan.md."),
    cache: Path | None = CACHE,
    threads: int = console.THREADS,
    as_json: bool = AS_JSON,
) -> None:
    """Fidelity times balanced accuracy, as PAN at CLEF 2026 scores watermarks; data: pan/*.jsonl, or *.jsonl right there."""
    from lexprint.workflows.presence import PROFILE
    from lexprint_evaluation import datasets, presence as measuring, token_networks
    from lexprint_evaluation.attack_table import ON_PRESENCE

    folder = datasets.data_folder(data)
    rows = read_rows(folder / "pan" if (folder / "pan").is_dir() else folder)
    fitting = [row for row in rows if longest is None or len(row["text"].split()) <= longest]
    texts = {str(row["id"]): row["text"] for row in fitting[:limit]}
    if not texts:
        raise InputError("no text is left to be measured", needed="another --longest")
    checkpoint, engine = begin("pan", output=output, cache=cache, profile=profile or PROFILE, threads=threads)
    network = token_networks.network_at_hand()
    with progress("texts and attacks") as on_progress:
        found = measuring.measure(
            engine,
            texts,
            listed(attacks) or list(ON_PRESENCE),
            key=key_for(None),
            seed=seed,
            network=network,
            checkpoint=checkpoint,
            on_progress=on_progress,
        )
    result = {
        "experiment": "pan",
        "profile": engine.settings.profile,
        "texts": len(texts),
        "seed": seed,
        "fingerprint": engine.fingerprint,
        **measuring.presence_json(found),
    }
    report(context, result, measuring.presence_table(found), output=output, as_json=as_json)
    checkpoint.done()
    say(f"{len(texts)} texts, score {found.score:.3f}, seed {seed}, fingerprint {engine.fingerprint}")
