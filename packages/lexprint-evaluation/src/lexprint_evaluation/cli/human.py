"""`lexprint evaluate human-sheet` and `human-score`: people judge, without knowing who marked what."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from lexprint.cli import console
from lexprint.cli.console import counted, print_json, print_line, progress, say
from lexprint.cli.files import read_bytes, write_bytes
from lexprint_evaluation.cli.measuring import AS_JSON, DATA, SETS, listed, open_checkpoint
from lexprint_evaluation.cli.quality import SCHEMES

if TYPE_CHECKING:
    from lexprint_evaluation.datasets import Corpus
    from lexprint_evaluation.quality import MarkedSet, Marker


def add_to(app: typer.Typer) -> None:
    """Give the group these commands."""
    app.command("human-sheet")(human_sheet)
    app.command("human-score")(human_score)


def human_sheet(
    data: Path | None = DATA,
    sets: list[str] = SETS,
    schemes: list[str] = SCHEMES,
    sentences: int = typer.Option(80, "--sentences", min=1, help="Sentences of each set that pairs are drawn from."),
    pairs: int = typer.Option(12, "--pairs", min=1, help="Pairs of each scheme."),
    unmarked: int = typer.Option(6, "--unmarked", min=0, help="Pairs in which nothing was exchanged, for comparison."),
    seed: int = typer.Option(1, "--seed", help="Seed of bits, choice and order."),
    output: Path = typer.Option(
        Path("ratings"), "--output", metavar="FOLDER", help="Folder for sheet.html, to be sent out, and key.json."
    ),
    threads: int = console.THREADS,
) -> None:
    """A form with sentences before and after marking, all schemes mixed and unnamed, for people to rate."""
    from lexprint_evaluation import datasets, human_sheet as sheets, quality as measuring
    from lexprint_evaluation.rivals.awt_output import has_published_blocks, published_blocks

    folder = datasets.data_folder(data)
    corpora = datasets.corpora(folder, listed(sets))
    engine = console.build_engine(threads=threads)
    chosen = measuring.markers(engine, listed(schemes))
    checkpoint = open_checkpoint("human-sheet", output)

    def marked_by(marker: Marker, corpus: Corpus) -> MarkedSet:
        def mark() -> dict[str, Any]:
            with progress(f"{corpus.title}, {marker.name}") as on_progress:
                return asdict(measuring.mark(marker, corpus, sentences=sentences, seed=seed, on_progress=on_progress))

        asked = f"{engine.copies_fingerprint} {corpus.name} {marker.name} {sentences} {seed}"
        return measuring.marked_set_from(checkpoint.once(asked, mark))

    marked = [marked_by(marker, corpus) for marker in chosen for corpus in corpora]
    wikitext = next((corpus for corpus in corpora if corpus.name == "wikitext2"), None)
    if wikitext and has_published_blocks(folder):
        marked.append(measuring.published_set(published_blocks(folder), title=wikitext.title))
    sheet = sheets.make_sheet(marked, pairs=pairs, unmarked=unmarked, seed=seed)
    write_bytes(str(output / "sheet.html"), sheets.sheet_page(sheet).encode())
    write_bytes(str(output / "key.json"), sheets.sheet_key(sheet).encode())
    checkpoint.done()
    say(
        f"wrote {output / 'sheet.html'} with {counted(len(sheet.pairs), 'pair')} for the raters, "
        f"and {output / 'key.json'}, which they must not see; score their files with: lexprint evaluate human-score"
    )


def human_score(
    key: Path = typer.Argument(..., metavar="KEY", help="The key.json of the sheet."),
    answers: list[Path] = typer.Argument(..., metavar="ANSWERS...", help="Files that raters sent back."),
    seed: int = typer.Option(1, "--seed", help="Seed of the bootstrap."),
    as_json: bool = AS_JSON,
) -> None:
    """What raters said of each scheme, with confidence intervals, and how far they agree."""
    from lexprint_evaluation import human_scores as scoring
    from lexprint_evaluation.human_sheet import read_key

    sheet = read_key(read_bytes(key), name=key.name)
    returned = [scoring.read_answers(read_bytes(path), sheet, name=path.name) for path in answers]
    scores = scoring.human_scores(sheet, returned, seed=seed)
    if as_json:
        print_json({"experiment": "human", "sheet": sheet.id, "seed": seed, **asdict(scores)})
    else:
        print_line(f"{scoring.score_table(scores)}\n{scoring.agreement_text(scores)}".rstrip("\n"))
