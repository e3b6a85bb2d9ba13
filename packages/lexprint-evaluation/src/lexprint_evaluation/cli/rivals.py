"""`lexprint evaluate rivals`, `ablations`, `recoverability`, `train-awt`: our scheme beside others, and without its tests."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from lexprint.cli import console
from lexprint.cli.console import progress, say
from lexprint.cli.files import write_bytes
from lexprint_evaluation.cli.measuring import (
    AS_JSON,
    AWT,
    CACHE,
    DATA,
    OUTPUT,
    SETS,
    begin,
    draw,
    listed,
    machine,
    plots,
    report,
    with_awt,
)

if TYPE_CHECKING:
    from lexprint.engine import Engine
    from lexprint_evaluation.ablations import AblationRow
    from lexprint_evaluation.checkpoint import Checkpoint
    from lexprint_evaluation.datasets import Corpus

RECENT_STEPS = 50  # of training, that its last figures are the means of
METHODS = ("topkara", "hao", "paper", "lexprint")
REFERENCE = "lexprint"  # whose payload the rivals that can write less are measured at, too
THINNED = ("topkara", "hao")

SENTENCES = typer.Option(300, "--sentences", min=1, help="Sentences of at least five words, from each set.")
SEED = typer.Option(1, "--seed", help="Seed of the random bits and the choice of examples.")
EXAMPLES = typer.Option(4, "--examples", min=0, help="Sentences to show for each set.")
PROFILES = typer.Option(["paper", "lexprint"], "--profiles", help="Profiles to measure, also with commas.")


def add_to(app: typer.Typer) -> None:
    """Give the group these commands."""
    app.command("rivals")(rivals)
    app.command("ablations")(ablations)
    app.command("recoverability")(recoverability)
    app.command("train-awt")(train_awt)


def rivals(
    context: typer.Context,
    data: Path | None = DATA,
    sets: list[str] = SETS,
    methods: list[str] = typer.Option(list(METHODS), "--methods", help="Ways of marking, also with commas."),
    awt: Path | None = AWT,
    sentences: int = SENTENCES,
    seed: int = SEED,
    examples: int = EXAMPLES,
    output: Path | None = OUTPUT,
    cache: Path | None = CACHE,
    threads: int = console.THREADS,
    as_json: bool = AS_JSON,
) -> None:
    """SR, SS, payload, bit errors and speed of every way of marking, beside the paper's figures."""
    from lexprint_evaluation import comparison, datasets
    from lexprint_evaluation.rivals.awt_output import has_published_blocks, published_blocks
    from lexprint_evaluation.schemes import schemes

    folder = datasets.data_folder(data)
    corpora = datasets.corpora(folder, listed(sets))
    checkpoint, engine = begin("rivals", output=output, cache=cache, threads=threads)
    names = with_awt(listed(methods), awt)
    schemes(engine, names, trained=awt)  # a wrong name, or WordNet missing, is better known now than in an hour

    def measured(corpus: Corpus, name: str, budgets: Sequence[int] = ()) -> comparison.MethodRow:
        def measure() -> dict[str, object]:
            (writer,) = schemes(engine, [name], side="writer", trained=awt)
            (reader,) = schemes(engine, [name], side="reader", trained=awt)
            with progress(f"{corpus.title}, {name}") as on_progress:
                row = comparison.compare(
                    engine,
                    corpus,
                    writer=writer,
                    reader=reader,
                    sentences=sentences,
                    seed=seed,
                    examples=0 if budgets else examples,
                    budgets=budgets,
                    on_progress=on_progress,
                )
            return comparison.row_json(row)

        asked = f"{engine.fingerprint} {corpus.name} {name} {sentences} {seed} {examples} {awt} {list(budgets)}"
        return comparison.row_from(checkpoint.once(asked, measure))

    rows = [measured(corpus, name) for name in names for corpus in corpora]
    budgets = {row.title: row.bits_of_parts for row in rows if row.method == REFERENCE}
    thinned = [
        measured(corpus, name, budgets[corpus.title])
        for name in THINNED
        for corpus in corpora
        if name in names and any(budgets.get(corpus.title, ()))
    ]
    if any(corpus.name == "wikitext2" for corpus in corpora) and has_published_blocks(folder):
        rows.append(comparison.score_published(engine, published_blocks(folder), sentences=sentences))
    unmarked = {
        corpus.title: comparison.originals(corpus, sentences=sentences, seed=seed, count=examples) for corpus in corpora
    }
    equal = comparison.equal_payload_table(REFERENCE, rows, thinned) if thinned else ""
    tables = [comparison.comparison_tables(rows), equal, comparison.example_lists(unmarked, rows)]
    result = {
        "rows": [comparison.row_json(row) for row in rows],
        "equal_payload": [comparison.row_json(row) for row in thinned],
        "unmarked": unmarked,
    }
    where = _Where(context, "rivals", engine, checkpoint, sentences, seed, output, as_json)
    where.tell(result, tables, lambda: plots().rivals_plot(rows, thinned))


def ablations(
    context: typer.Context,
    data: Path | None = DATA,
    sets: list[str] = SETS,
    profiles: list[str] = PROFILES,
    sentences: int = SENTENCES,
    seed: int = SEED,
    examples: int = EXAMPLES,
    output: Path | None = OUTPUT,
    cache: Path | None = CACHE,
    threads: int = console.THREADS,
    as_json: bool = AS_JSON,
) -> None:
    """Bits and words lost without the synchronicity test, and without the substitutability test."""
    from lexprint_evaluation import ablations as measuring

    checkpoint, engine = begin("ablations", output=output, cache=cache, threads=threads)
    names = [
        f"{profile}{suffix}"
        for profile in listed(profiles)
        for suffix in ("", "-without-synchronicity", "-without-substitutability")
    ]
    rows = _ablation_rows(
        checkpoint,
        engine,
        names,
        data=data,
        sets=sets,
        sentences=sentences,
        seed=seed,
        examples=examples,
    )
    tables = [measuring.ablation_table(rows), measuring.failure_list(rows)]
    result = {"rows": [measuring.row_json(row) for row in rows]}
    where = _Where(context, "ablations", engine, checkpoint, sentences, seed, output, as_json)
    where.tell(result, tables, lambda: plots().ablations_plot(rows))


def recoverability(
    context: typer.Context,
    data: Path | None = DATA,
    sets: list[str] = SETS,
    profiles: list[str] = PROFILES,
    sentences: int = SENTENCES,
    seed: int = SEED,
    output: Path | None = OUTPUT,
    cache: Path | None = CACHE,
    threads: int = console.THREADS,
    as_json: bool = AS_JSON,
) -> None:
    """Share of the substituted words that the masked LM puts back, beside the paper's."""
    from lexprint_evaluation import ablations as measuring

    checkpoint, engine = begin("recoverability", output=output, cache=cache, threads=threads)
    rows = _ablation_rows(
        checkpoint,
        engine,
        listed(profiles),
        data=data,
        sets=sets,
        sentences=sentences,
        seed=seed,
        examples=0,
    )
    result = {"rows": [measuring.row_json(row) for row in rows]}
    where = _Where(context, "recoverability", engine, checkpoint, sentences, seed, output, as_json)
    where.tell(result, [measuring.recovery_table(rows)], lambda: plots().recoverability_plot(rows))


def train_awt(
    output: Path = typer.Option(..., "--output", metavar="FILE", help="File for the trained network."),
    data: Path | None = DATA,
    sets: list[str] = SETS,
    minutes: float = typer.Option(15.0, "--minutes", min=0.01, help="How long to train."),
    seed: int = typer.Option(1, "--seed", help="Seed of weights, blocks and messages."),
) -> None:
    """Train the adversarial watermarking transformer on the text behind the sentences that are measured."""
    from lexprint_evaluation import datasets
    from lexprint_evaluation.rivals import awt

    corpora = datasets.corpora(datasets.data_folder(data), listed(sets))
    figures: deque[awt.Figures] = deque(maxlen=RECENT_STEPS)
    steps = 0

    def on_step(step: int, figure: awt.Figures) -> None:
        nonlocal steps
        steps = step
        figures.append(figure)

    with progress("training") as on_progress:
        scheme = awt.train(
            corpora,
            awt.Training(minutes=minutes, seed=seed),
            on_minutes=lambda done, total: on_progress(round(60 * done), round(60 * total)),
            on_step=on_step,
        )
    write_bytes(str(output), scheme.to_bytes())
    recent = [(figure.bit_error_rate, figure.exchanged) for figure in figures]
    errors, exchanged = (sum(column) / len(column) for column in zip(*recent, strict=True))
    say(
        f"{steps} steps in {minutes:g} minutes, seed {seed}, machine {machine()}; at the end {errors:.1%} of the bits "
        f"were misread and {exchanged:.1f} of {awt.BLOCK} words exchanged"
    )


def _ablation_rows(
    checkpoint: Checkpoint,
    engine: Engine,
    names: Sequence[str],
    *,
    data: Path | None,
    sets: list[str],
    sentences: int,
    seed: int,
    examples: int,
) -> list[AblationRow]:
    from lexprint_evaluation import ablations as measuring, datasets
    from lexprint_evaluation.schemes import blind_schemes

    corpora = datasets.corpora(datasets.data_folder(data), listed(sets))

    def measured(corpus: Corpus, name: str) -> AblationRow:
        def measure() -> dict[str, object]:
            # One for both sides: what is lost here is lost for want of a test, not because a reader asks anew.
            (scheme,) = blind_schemes(engine, [name])
            with progress(f"{corpus.title}, {name}") as on_progress:
                row = measuring.ablate(
                    engine,
                    corpus,
                    writer=scheme,
                    reader=scheme,
                    sentences=sentences,
                    seed=seed,
                    examples=examples,
                    on_progress=on_progress,
                )
            return measuring.row_json(row)

        asked = f"{engine.fingerprint} {corpus.name} {name} {sentences} {seed} {examples}"
        return measuring.row_from(checkpoint.once(asked, measure))

    blind_schemes(engine, names)  # a wrong name is better known now than in an hour
    return [measured(corpus, name) for corpus in corpora for name in names]


@dataclass(frozen=True)
class _Where:
    """An experiment, and where its results go."""

    context: typer.Context
    experiment: str
    engine: Engine
    checkpoint: Checkpoint
    sentences: int
    seed: int
    output: Path | None
    as_json: bool

    def tell(self, result: Mapping[str, object], tables: Sequence[str], plot: Callable[[], bytes]) -> None:
        """Report what was found with its circumstances, draw it, and forget the checkpoint."""
        fingerprint = self.engine.fingerprint
        circumstances = {
            "experiment": self.experiment,
            "sentences": self.sentences,
            "seed": self.seed,
            "fingerprint": fingerprint,
        }
        shown = "\n".join(filter(None, tables))
        report(self.context, {**circumstances, **result}, shown, output=self.output, as_json=self.as_json)
        draw(self.context, self.output, plot)
        self.checkpoint.done()
        say(
            f"first {self.sentences} sentences of each set, seed {self.seed}, fingerprint {fingerprint}, "
            f"machine {machine()}"
        )
