"""`lexprint evaluate acceptance` and `reading-sheet`: words in the eyes of readers."""

from __future__ import annotations

from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from lexprint.cli import console
from lexprint.cli.console import counted, print_json, print_line, progress, say
from lexprint.cli.files import open_file, read_bytes, write_bytes
from lexprint.errors import ExtraMissing, InputError, ModelError, WeightsMissing
from lexprint_evaluation.cli.measuring import (
    AS_JSON,
    AWT,
    CACHE,
    DATA,
    OUTPUT,
    draw,
    listed,
    open_checkpoint,
    remembering,
    report,
)

if TYPE_CHECKING:
    from lexprint.substitution.substituter import Substituter
    from lexprint_evaluation.acceptance import Opinion
    from lexprint_evaluation.checkpoint import Checkpoint
    from lexprint_evaluation.datasets import Judged
    from lexprint_evaluation.reading_sheet import Marked

RIVALS = ("topkara", "hao", "awt")


def add_to(app: typer.Typer) -> None:
    """Give the group these commands."""
    app.command("acceptance")(acceptance)
    app.command("reading-sheet")(reading_sheet)


def acceptance(
    context: typer.Context,
    data: Path | None = DATA,
    split: str = typer.Option("dev", "--split", help="dev or test."),
    limit: int | None = typer.Option(None, "--limit", min=1, help="Only the first N judged words."),
    weighed: float = typer.Option(
        0.4,
        "--weighed",
        min=0.0,
        max=1.0,
        help="Share of the candidates for which the reverse exchange and SR are computed.",
    ),
    profile: str | None = console.PROFILE,
    output: Path | None = OUTPUT,
    cache: Path | None = CACHE,
    threads: int = console.THREADS,
    as_json: bool = AS_JSON,
) -> None:
    """How well acceptance ranks and predicts what a reader said of words in context."""
    from lexprint_evaluation import acceptance as measuring, datasets

    judged = datasets.judgements(datasets.data_folder(data), split)[:limit]
    checkpoint = open_checkpoint("acceptance", output)
    engine = console.build_engine(profile=profile, threads=threads, cache=remembering(checkpoint, cache))
    if not measuring.knows_readers(engine.masked_lm):
        raise ModelError("the masked LM was never told what readers accept; needed: the shipped one")
    readable = [one for one in judged if engine.substituter.is_readable(one.gap)]
    opinions = _opinions(checkpoint, engine.substituter, readable, weighed, f"{engine.fingerprint} {split} {limit}")
    figures = measuring.figures_of(readable, opinions)
    result = {
        "experiment": "acceptance",
        "split": split,
        "profile": engine.settings.profile,
        "fingerprint": engine.fingerprint,
        "too_long": len(judged) - len(readable),
        **measuring.figures_json(figures),
    }
    report(context, result, measuring.figure_tables(figures), output=output, as_json=as_json)

    def plot() -> bytes:
        from lexprint_evaluation.acceptance_plot import acceptance_plot

        return acceptance_plot(figures)

    draw(context, output, plot)
    checkpoint.done()
    say(f"judgements {split}, {len(readable)} words, fingerprint {engine.fingerprint}")


def _opinions(
    checkpoint: Checkpoint, substituter: Substituter, judged: list[Judged], share: float, asked: str
) -> list[Opinion]:
    """What the models say of every candidate, block by block, so that interrupted runs resume."""
    from lexprint_evaluation import acceptance as measuring

    def look(block: range) -> list[dict[str, object]]:
        return [asdict(one) for one in measuring.look(substituter, judged, block)]

    opinions: list[Opinion] = []
    with progress("first look") as on_progress:
        for block in measuring.blocks(len(judged), measuring.BLOCK):
            rows = checkpoint.once(f"{asked} look {block}", partial(look, block))
            opinions += [measuring.Opinion(**row) for row in rows]
            on_progress(block.stop, len(judged))
    ahead = measuring.ahead_at_first_look(opinions, share)
    with progress("way back") as on_progress:
        for block in measuring.blocks(len(ahead), measuring.BLOCK):
            indices = ahead[block.start : block.stop]
            some = [opinions[index] for index in indices]
            weigh = partial(measuring.weigh, substituter, judged, some)
            pairs = checkpoint.once(f"{asked} {share} weigh {block}", weigh)
            for index, pair in zip(indices, pairs, strict=True):
                opinions[index] = replace(opinions[index], pair=pair)
            on_progress(block.stop, len(ahead))
    return opinions


def reading_sheet(
    files: list[str] = typer.Argument(
        ...,
        metavar="TEXT...",
        help="Texts whose words would be exchanged; with --score a sheet that came back, and its key.",
    ),
    score: bool = typer.Option(False, "--score", help="Score SHEET KEY instead."),
    out: Path | None = typer.Option(
        None, "--out", metavar="SHEET", help="File for the sheet (JSON lines); the key is written beside it."
    ),
    profiles: list[str] = typer.Option(
        ["lexprint", "dense"], "--profiles", help="Profiles of issued copies, also with commas."
    ),
    blind: list[str] = typer.Option(["lexprint"], "--blind", help="Profiles of blind marks, also with commas."),
    rivals: list[str] = typer.Option(
        list(RIVALS), "--rivals", help="Rivals, also with commas; those that are not installed are left out."
    ),
    awt: Path | None = AWT,
    per_scheme: int = typer.Option(0, "--per-scheme", min=0, help="Words of each scheme, drawn at random; 0: all."),
    controls: int = typer.Option(20, "--controls", min=0, help="Words whose author's own choice is judged."),
    above: list[str] = typer.Option(
        [], "--above", help="With --score: also the words with more acceptance than these, with commas."
    ),
    seed: int = typer.Option(1, "--seed", help="Seed of choice, order and marks."),
    threads: int = console.THREADS,
    as_json: bool = AS_JSON,
) -> None:
    """The words that each scheme would exchange in a text, mixed and unnamed, for readers to judge; or their scores."""
    from lexprint_evaluation import reading_sheet as sheets

    if score:
        _score(files, above, as_json=as_json)
        return
    if out is None:
        raise InputError("there is no place for the sheet", needed="--out SHEET.jsonl")
    opened = [open_file(name) for name in files]
    texts = [sheets.Text(Path(one.name).stem, one.text, one.protected) for one in opened]
    engine = console.build_engine(threads=threads)
    marked: list[Marked] = []
    chosen = sheets.exchangers(engine, copies=listed(profiles), blind=listed(blind), rivals=(), trained=awt, seed=seed)
    for name in listed(rivals):
        try:
            chosen |= sheets.exchangers(engine, copies=(), blind=(), rivals=[name], trained=awt, seed=seed)
        except (ExtraMissing, WeightsMissing, InputError) as error:
            if name not in RIVALS:
                raise
            say(f"left out: {name}: {error}")
    with progress("texts") as on_progress:
        for number, (name, exchange) in enumerate(chosen.items(), start=1):
            marked.append(sheets.mark(name, exchange, texts))
            on_progress(number, len(chosen))
    sheet = sheets.make_sheet(marked, texts, per_scheme=per_scheme, controls=controls, seed=seed)
    key = out.with_suffix(".key.json")
    write_bytes(str(out), sheets.sheet_lines(sheet).encode())
    write_bytes(str(key), sheets.sheet_key(sheet, fingerprint=engine.copies_fingerprint).encode())
    say(
        f"wrote {out} with {counted(len(sheet.lines), 'word')} for the readers, and {key}, which they must not see; "
        f"score what comes back with: lexprint evaluate reading-sheet --score {out.name} {key.name}"
    )


def _score(files: list[str], above: list[str], *, as_json: bool) -> None:
    from lexprint_evaluation import reading_scores as scoring

    try:
        thresholds = [float(one) for one in listed(above)]
    except ValueError as error:
        raise InputError("--above has something that is no number", needed="numbers from 0 to 1") from error

    if len(files) != 2:
        raise InputError(f"--score was given {counted(len(files), 'file')}", needed="--score SHEET KEY")
    sheet, key = map(Path, files)
    known = scoring.read_key(read_bytes(key), name=key.name)
    verdicts = scoring.read_sheet(read_bytes(sheet), known, name=sheet.name)
    scores = [*scoring.scores_of(known, verdicts), *scoring.scores_above(known, verdicts, thresholds)]
    if as_json:
        print_json({"experiment": "reading", **scoring.scores_json(known, scores)})
    else:
        print_line(f"{scoring.score_table(scores)}\n{scoring.LEGEND}".rstrip("\n"))
