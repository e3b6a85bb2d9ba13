"""`lexprint evaluate`: the paper's tables, measured."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from lexprint.cli import console
from lexprint.cli.console import progress, say
from lexprint.errors import InputError
from lexprint_evaluation.cli import all_tables, attacks as attack_commands, human, pan, quality, readers, rivals, twins
from lexprint_evaluation.cli.measuring import (
    CACHE,
    DATA,
    SETS,
    begin,
    draw,
    listed,
    open_checkpoint,
    plots,
    remembering,
    report,
)

if TYPE_CHECKING:
    from lexprint.registry.records import DocumentRecord
    from lexprint.substitution.substituter import Substituter
    from lexprint_evaluation.datasets import Corpus
    from lexprint_evaluation.watermark import Row

app = typer.Typer(help="Measure what the paper measures, on data that you provide.", no_args_is_help=True)
attack_commands.add_to(app)
human.add_to(app)
pan.add_to(app)
quality.add_to(app)
readers.add_to(app)
rivals.add_to(app)
twins.add_to(app)
all_tables.add_to(app)


@app.callback()
def group() -> None:
    """Measure what the paper measures, on data that you provide."""


@app.command("swords")
def swords(
    context: typer.Context,
    data: Path | None = DATA,
    split: str = typer.Option("dev", "--split", help="dev or test."),
    limit: int | None = typer.Option(None, "--limit", min=1, help="Only the first N targets."),
    output: Path | None = typer.Option(
        None, "--output", metavar="FOLDER", help="Folder for swords.json, swords.md and swords.svg."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print JSON instead of Markdown."),
) -> None:
    """Precision, recall and F at ten on the Stanford Word Substitution Benchmark, beside the paper's figures."""
    from lexprint_evaluation import datasets
    from lexprint_evaluation.swords import PUBLISHED, methods, score
    from lexprint_evaluation.tables import markdown_table

    targets = datasets.swords(datasets.data_folder(data), split)[:limit]
    engine = console.build_engine()
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
        "rows": [
            {**asdict(row), "f": [row.lenient.f, row.lenient_conceivable.f, row.strict.f, row.strict_conceivable.f]}
            for row in rows
        ],
    }
    report(context, result, table, output=output, as_json=as_json)
    draw(context, output, lambda: plots().swords_plot(rows))
    say(f"SWORDS {split}, {len(targets)} targets, fingerprint {engine.fingerprint}")


@app.command("watermark")
def watermark(
    context: typer.Context,
    data: Path | None = DATA,
    sentences: int = typer.Option(300, "--sentences", min=1, help="Sentences of at least five words, from each set."),
    sets: list[str] = SETS,
    gap: list[str] = typer.Option(["1"], "--gap", help="Words skipped after a site (f), also several, with commas."),
    seed: int = typer.Option(1, "--seed", help="Seed of the random bits and the choice of examples."),
    disturb: bool = typer.Option(False, "--disturb", help="Also read re-flowed, re-typeset and re-encoded copies."),
    examples: int = typer.Option(0, "--examples", min=0, help="Marked sentences to print for each set."),
    output: Path | None = typer.Option(
        None, "--output", metavar="FOLDER", help="Folder for watermark.json, watermark.md and watermark.svg."
    ),
    settings: Path | None = console.SETTINGS,
    profile: str | None = console.PROFILE,
    masked_lm: str | None = console.MASKED_LM,
    entailment: str | None = console.ENTAILMENT,
    sentence_encoder: str | None = console.SENTENCE_ENCODER,
    threads: int = console.THREADS,
    batch_size: int = console.BATCH_SIZE,
    cache: Path | None = CACHE,
    as_json: bool = typer.Option(False, "--json", help="Print JSON instead of Markdown."),
) -> None:
    """Payload, bit errors, SR, SS and recovered words on running text, beside the paper's figures.

    SR and SS compare whole sentences before and after: those in which a word was exchanged, and all.
    """
    from lexprint_evaluation import datasets
    from lexprint_evaluation.disturbances import DISTURBANCES
    from lexprint_evaluation.sides import substituter_of
    from lexprint_evaluation.watermark import (
        Experiment,
        disturbance_table,
        example_list,
        measure,
        row_from,
        row_json,
        table,
    )

    gaps = _numbers(listed(gap))
    corpora = datasets.corpora(datasets.data_folder(data), listed(sets))
    checkpoint = open_checkpoint("watermark", output)
    engine = console.build_engine(
        settings=settings,
        profile=profile,
        threads=threads,
        batch_size=batch_size,
        cache=remembering(checkpoint, cache),
        masked_lm=masked_lm,
        entailment=entailment,
        sentence_encoder=sentence_encoder,
    )
    experiment = Experiment(
        sentences=sentences, seed=seed, examples=examples, disturbances=DISTURBANCES if disturb else {}
    )

    def row_of(corpus: Corpus, one: int, title: str, memories: dict[str, Substituter]) -> Row:
        def measured() -> dict[str, object]:
            with progress(title) as on_progress:
                return row_json(measure(engine, corpus, experiment, gap=one, **memories, on_progress=on_progress))

        asked = f"{engine.fingerprint} {corpus.name} f={one} {sentences} {seed} {examples} {disturb}"
        return row_from(checkpoint.once(asked, measured))

    rows = []
    for number, corpus in enumerate(corpora, start=1):
        memories = {"writer": substituter_of(engine, "writer"), "reader": substituter_of(engine, "reader")}
        title = f"{number}/{len(corpora)} {corpus.title}"
        rows += [row_of(corpus, one, f"{title}, f = {one}", memories) for one in gaps]
    rows.sort(key=lambda row: gaps.index(row.gap))
    parts = [table(rows)]
    if disturb:
        parts.append(f"Bit errors after changes that leave the words alone:\n\n{disturbance_table(rows)}")
    if examples:
        parts.append(example_list(rows))
    result = {
        "experiment": "watermark",
        "sentences": sentences,
        "seed": seed,
        "profile": engine.settings.profile,
        "fingerprint": engine.fingerprint,
        "rows": [row_json(row) for row in rows],
    }
    report(context, result, "\n".join(parts), output=output, as_json=as_json)
    draw(context, output, lambda: plots().watermark_plot(rows))
    checkpoint.done()
    say(f"first {sentences} sentences of each set, seed {seed}, fingerprint {engine.fingerprint}")


@app.command("tracing")
def tracing(
    context: typer.Context,
    data: Path | None = DATA,
    sets: list[str] = SETS,
    documents: int = typer.Option(2, "--documents", min=1, help="Documents made of each set."),
    words: int = typer.Option(1000, "--words", min=50, help="Words of a document, about."),
    recipients: int = typer.Option(1000, "--recipients", min=2, help="Copies that a leak may come from."),
    trials: int = typer.Option(200, "--trials", min=1, help="Leaks for each attack."),
    copies: int = typer.Option(16, "--copies", min=1, help="Copies of each document that SR and SS are measured on."),
    mixes: int = typer.Option(50, "--mixes", min=0, help="Leaks for each way of mixing copies; 0 leaves that out."),
    never_issued: int = typer.Option(10_000, "--never-issued", min=1, help="Innocent copies for each document."),
    seed: int = typer.Option(1, "--seed", help="Seed of codewords, choices and attacks."),
    profile: str | None = console.PROFILE,
    output: Path | None = typer.Option(
        None, "--output", metavar="FOLDER", help="Folder for tracing.json, tracing.md and tracing.svg."
    ),
    cache: Path | None = CACHE,
    threads: int = console.THREADS,
    as_json: bool = typer.Option(False, "--json", help="Print JSON instead of Markdown."),
) -> None:
    """Who is named after each attack on real marked texts, who never is, and how many colluders are caught."""
    from lexprint.registry.packing import site_from, site_row
    from lexprint_evaluation import datasets, tracing as measuring
    from lexprint_evaluation.attack_table import ON_TRACING, by_title

    corpora = datasets.corpora(datasets.data_folder(data), listed(sets))
    checkpoint, engine = begin("tracing", output=output, cache=cache, profile=profile, threads=threads)
    common = f"{engine.copies_fingerprint} {words} {seed}"

    def record_of(name: str, text: str) -> DocumentRecord:
        def analyse() -> list[dict[str, object]]:
            with progress(f"analysing {name}") as on_progress:
                found = measuring.master_of(engine, text, name=name, on_progress=on_progress)
            return [site_row(site) for site in found.sites]

        sites = tuple(map(site_from, checkpoint.once(f"{common} {documents} {name} sites", analyse)))
        return measuring.master_with(engine, text, sites, name=name)

    attacks = by_title(ON_TRACING)
    records = [
        record_of(f"{corpus.title} {number}", text)
        for corpus in corpora
        for number, text in enumerate(measuring.pieces(corpus, words=words, count=documents), start=1)
    ]
    if not records:
        raise InputError(f"no set has {words} words", needed="a smaller number of --words")
    common += f" {documents} {[record.name for record in records]}"

    def density(record: DocumentRecord) -> dict[str, object]:
        with progress(f"copies of {record.name}") as on_progress:
            row = measuring.density_row(engine, record, copies=copies, seed=seed, on_progress=on_progress)
        return asdict(row)

    def attacked_by(name: str) -> dict[str, object]:
        with progress(f"leaks, {name}") as on_progress:
            (row,) = measuring.attack_rows(
                records,
                {name: attacks[name]},
                recipients=recipients,
                trials=trials,
                seed=seed,
                on_progress=on_progress,
            )
        return asdict(row)

    def collude() -> list[dict[str, object]]:
        with progress("colluders") as on_progress:
            found = measuring.collusion_rows(
                sites=(100, 200, 400) if mixes else (),
                colluders=(2, 3),
                recipients=recipients,
                trials=mixes,
                seed=seed,
                on_progress=on_progress,
            )
        return [asdict(row) for row in found]

    densities = [
        measuring.DensityRow(**checkpoint.once(f"{common} {record.name} {copies} density", partial(density, record)))
        for record in records
    ]
    attacked = [
        measuring.AttackRow(
            **checkpoint.once(f"{common} {recipients} {trials} leaks {name}", partial(attacked_by, name))
        )
        for name in attacks
    ]
    innocent = measuring.innocence(
        records, [record.text for record in records], recipients=never_issued, seed=seed, unmarked_recipients=recipients
    )
    mixed = [
        measuring.CollusionRow(**row) for row in checkpoint.once(f"{seed} {recipients} {mixes} colluders", collude)
    ]
    parts = [
        measuring.density_table(densities),
        f"{recipients:,} recipients, chance of error at most 1e-6:\n\n{measuring.attack_table(attacked)}",
        measuring.innocence_text(innocent),
        *([f"At least one colluder caught:\n\n{measuring.collusion_table(mixed)}"] if mixed else []),
    ]
    result = {
        "experiment": "tracing",
        "profile": engine.settings.profile,
        "seed": seed,
        "recipients": recipients,
        "fingerprint": engine.copies_fingerprint,
        "densities": [asdict(row) for row in densities],
        "attacks": [asdict(row) for row in attacked],
        "innocence": asdict(innocent),
        "collusion": [asdict(row) for row in mixed],
    }
    report(context, result, "\n".join(parts), output=output, as_json=as_json)
    draw(context, output, lambda: plots().tracing_plot(attacked, mixed))
    checkpoint.done()
    say(f"{len(records)} documents of about {words} words, seed {seed}, fingerprint {engine.copies_fingerprint}")


@app.command("payload")
def payload(
    context: typer.Context,
    data: Path | None = DATA,
    sets: list[str] = SETS,
    documents: int = typer.Option(5, "--documents", min=1, help="Texts made of each set."),
    only_first: int | None = typer.Option(
        None, "--only-first", min=1, help="Measure only the first of each set's texts."
    ),
    words: int = typer.Option(1000, "--words", min=50, help="Words of a text, about."),
    bits: int = typer.Option(16, "--bits", min=1, max=64, help="Bits of the payload."),
    repeats: int = typer.Option(1, "--repeats", min=1, help="Attacks of each kind on each text."),
    marks: int = typer.Option(1, "--marks", min=1, help="Keys and payloads for each text; the first is attacked."),
    false_positive: float = typer.Option(1e-6, "--false-positive", help="Chance of error that a reader accepts."),
    keys: int = typer.Option(10_000, "--keys", min=0, help="Other keys in all, shared by readings of five texts."),
    seed: int = typer.Option(1, "--seed", help="Seed of keys, payloads and attacks; other keys are always new."),
    output: Path | None = typer.Option(
        None, "--output", metavar="FOLDER", help="Folder for payload.json and payload.md."
    ),
    settings: Path | None = console.SETTINGS,
    profile: str | None = console.PROFILE,
    threads: int = console.THREADS,
    cache: Path | None = CACHE,
    as_json: bool = typer.Option(False, "--json", help="Print JSON instead of Markdown."),
) -> None:
    """Payloads under a key on attacked texts, and bit errors in order beside those of Yoo et al. (2023)."""
    from lexprint_evaluation import datasets, payload as measuring
    from lexprint_evaluation.attack_table import ON_PAYLOADS, by_title
    from lexprint_evaluation.tracing import pieces

    corpora = datasets.corpora(datasets.data_folder(data), listed(sets))
    checkpoint, engine = begin(
        "payload", output=output, cache=cache, settings=settings, profile=profile, threads=threads
    )
    texts = {
        f"{corpus.name} {number}": text
        for corpus in corpora
        for number, text in enumerate(islice(pieces(corpus, words=words, count=documents), only_first))
    }
    if not texts:
        raise InputError(f"no set has {words} words", needed="a smaller number of --words")
    with progress("attacks") as on_progress:
        rows = measuring.payload_rows(
            engine,
            texts,
            by_title(ON_PAYLOADS),
            bits=bits,
            false_positive=false_positive,
            seed=seed,
            repeats=repeats,
            marks=marks,
            checkpoint=checkpoint,
            on_progress=on_progress,
        )
    others = measuring.strangers(
        engine, texts, keys=keys, bits=bits, false_positive=false_positive, seed=seed, checkpoint=checkpoint
    )
    table = measuring.payload_table(rows) + (
        f"\n{len(texts)} texts of about {words} words, each untouched under {marks} keys and payloads, attacked under the "
        f"first. {measuring.strangers_note(others)}\n"
    )
    result = {
        "experiment": "payload",
        "profile": engine.settings.profile,
        "seed": seed,
        "texts": len(texts),
        "words": words,
        "marks": marks,
        "bits": bits,
        "false_positive": false_positive,
        "fingerprint": engine.fingerprint,
        "rows": [asdict(row) for row in rows],
        "other_keys": asdict(others),
    }
    report(context, result, table, output=output, as_json=as_json)
    checkpoint.done()
    say(f"{len(texts)} texts of about {words} words, {bits} bits, fingerprint {engine.fingerprint}")


def _numbers(given: list[str]) -> list[int]:
    try:
        numbers = [int(one) for one in given]
    except ValueError as error:
        raise InputError("--gap holds something else than whole numbers", needed="numbers such as 1,2,3") from error
    if not numbers or min(numbers) < 1:
        raise InputError("--gap is not a list of positive numbers", needed="numbers such as 1,2,3")
    return numbers
