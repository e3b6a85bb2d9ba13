"""`lexprint evaluate all`: every table that needs no person, and one page with all of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import typer

from lexprint.cli import console
from lexprint.cli.console import say
from lexprint.cli.files import write_bytes
from lexprint.errors import ExtraMissing, InputError, WeightsMissing
from lexprint_evaluation.cli.measuring import AWT, DATA, SETS, command_of, listed, with_awt
from lexprint_evaluation.cli.table_processes import Finished, measure_side_by_side

if TYPE_CHECKING:
    from lexprint.engine import Engine
    from lexprint_evaluation.results_page import Section

PAGE = "index.html"
ANSWERS = "answers.partial"  # of the models, for all tables; gone when all are measured
ABSENT = (ExtraMissing, WeightsMissing, InputError)  # of this machine or this data: the other tables can be measured

# What each table is asked for besides sizes, in the order in which they are measured.
TABLES: Mapping[str, tuple[str, ...]] = {
    "swords": (),
    "acceptance": (),
    "watermark": ("--gap", "1,2,3", "--disturb", "--examples", "4"),
    "rivals": (),
    "quality": (),
    "ablations": (),
    "recoverability": (),
    "payload": ("--documents", "2", "--profile", "dense"),  # sixteen bits need more sites than the default finds
    "tracing": ("--documents", "1"),
    "attacks": (),
}
# The order for several processes: the longest first, and none before the one whose questions it asks again.
LONGEST_FIRST = (
    "rivals",
    "attacks",
    "quality",
    "acceptance",
    "watermark",
    "ablations",
    "payload",
    "tracing",
    "swords",
    "recoverability",
)
AFTER: Mapping[str, str] = {
    "quality": "rivals",
    "ablations": "rivals",
    "recoverability": "ablations",
    "tracing": "attacks",
}
# Every attacked leak is read from the start: with the paper's own settings that alone would take hours, and it is traced by the
# bits in order as `lexprint` is; `evaluate attacks` measures it too.
SLOW_TO_READ = "paper"
OF_SENTENCES = frozenset({"watermark", "rivals", "quality", "ablations", "recoverability"})


def add_to(app: typer.Typer) -> None:
    """Give the group this command."""
    app.command("all")(evaluate_all)


@dataclass(frozen=True)
class _Plan:
    """Whom to measure, and what is missing for the others."""

    rivals: tuple[str, ...]
    schemes: tuple[str, ...]  # for quality
    judges: tuple[str, ...]
    issuers: tuple[str, ...]  # for attacks
    attacks: tuple[str, ...]  # none: all
    left_out: tuple[str, ...]


def evaluate_all(
    context: typer.Context,
    data: Path | None = DATA,
    folder: Path = typer.Option(
        ..., "--report", metavar="FOLDER", help=f"Folder for all tables and for the page with them, {PAGE}."
    ),
    sets: list[str] = SETS,
    tables: list[str] = typer.Option(list(TABLES), "--tables", help="Tables to measure, also with commas."),
    sentences: int = typer.Option(300, "--sentences", min=1, help="Sentences of at least five words, from each set."),
    words: int = typer.Option(1000, "--words", min=50, help="Words of a document that is traced, about."),
    awt: Path | None = AWT,
    seed: int = typer.Option(1, "--seed", help="Seed of all that is drawn."),
    workers: int = typer.Option(
        0, "--workers", min=0, help="Tables measured at once, each by a process of its own; 0: as many as cores."
    ),
    threads: int = typer.Option(0, "--threads", min=0, help="Threads of the models with one worker; 0: one per core."),
) -> None:
    """Measure every table that needs no person, and write one page with all of them.

    What was measured before with the same models, seed and sizes is not measured again, so interrupted runs
    resume. Judges, rivals and tables for which something is missing are left out, with a sentence that says what to install.
    """
    from lexprint import __version__
    from lexprint.cores import available_cores
    from lexprint_evaluation import datasets
    from lexprint_evaluation.checkpoint import forget
    from lexprint_evaluation.results_page import results_page

    chosen = listed(tables)
    if unknown := sorted(set(chosen) - set(TABLES)):
        raise InputError(f"there is no table {', '.join(unknown)}", needed=f"some of {', '.join(TABLES)}")
    source = datasets.data_folder(data)
    datasets.corpora(source, listed(sets))  # a wrong name is better known now than in an hour
    engine = console.build_engine(threads=threads)
    plan = _plan(engine, chosen, awt)
    left_out = list(plan.left_out)
    for sentence in left_out:
        say(f"left out: {sentence}")
    workers = min(workers or available_cores(), len(chosen))
    sizes = {"sentences": sentences, "words": words, "seed": seed, "threads": threads if workers == 1 else 1}
    places = ["--data", source, "--output", folder]
    arguments = {name: [*places, *_arguments(name, plan, sets, sizes, awt, cache=folder / ANSWERS)] for name in chosen}
    run = _Run(folder, {name: _table(context, name, arguments[name]) for name in chosen})
    missing = [name for name in chosen if not run.is_measured(name)]
    if workers > 1:
        measure_side_by_side(
            {name: arguments[name] for name in sorted(missing, key=LONGEST_FIRST.index)},
            workers=workers,
            after=AFTER,
            on_begin=run.begin,
            on_finish=run.finish,
        )
    else:
        for name in missing:
            run.begin(name)
            run.finish(_measured_here(name, run.tables[name]))
    sections = [section for name in chosen if (section := run.section(name)) is not None]
    left_out += (sentence.replace(str(source), "FOLDER") for sentence in run.left_out)  # the page may be shown around
    page = results_page(
        sections, command=f"{command_of(context)} --report FOLDER", version=__version__, left_out=left_out
    )
    write_bytes(str(folder / PAGE), page.encode())
    forget(folder / ANSWERS)
    say(f"wrote {folder / PAGE} with {console.counted(len(sections), 'table')}")


@dataclass(frozen=True)
class _Run:
    """What becomes of the tables, and saying so."""

    folder: Path
    tables: Mapping[str, Any]  # contexts of their commands, by name
    left_out: list[str] = field(default_factory=list)

    def section(self, name: str) -> Section | None:
        table = self.tables[name]
        engine = console.build_engine(profile=table.params.get("profile"))
        return _section(self.folder, name, command_of(table), {engine.fingerprint, engine.copies_fingerprint})

    def is_measured(self, name: str) -> bool:
        section = self.section(name)
        if section is not None:
            say(f"{self._label(name)}: measured on {section.result['date']}")
        return section is not None

    def begin(self, name: str) -> None:
        say(f"{self._label(name)}: {command_of(self.tables[name])}")

    def finish(self, finished: Finished) -> None:
        label = self._label(finished.name)
        if finished.failure is None:
            say(f"{label}: done in {finished.seconds:.0f} s")
        else:
            self.left_out.append(f"{finished.name}: {finished.failure}")
            say(f"{label} is left out: {finished.failure}")

    def _label(self, name: str) -> str:
        return f"{list(self.tables).index(name) + 1}/{len(self.tables)} {name}"


def _measured_here(name: str, table: Any) -> Finished:
    """One table, in this process, with its bars."""
    begun = monotonic()
    try:
        with table:
            table.command.invoke(table)
    except ABSENT as error:
        return Finished(name, monotonic() - begun, str(error))
    return Finished(name, monotonic() - begun, None)


def _plan(engine: Engine, tables: Sequence[str], awt: Path | None) -> _Plan:
    """Tries everything that may be missing, if a table needs it."""
    from lexprint_evaluation import judges as bench, robustness
    from lexprint_evaluation.cli.attacks import NAMES as ISSUERS
    from lexprint_evaluation.cli.quality import JUDGES, NAMES as SCHEMES
    from lexprint_evaluation.cli.rivals import METHODS
    from lexprint_evaluation.schemes import schemes

    left_out: list[str] = []

    def there(names: Iterable[str], ask: Callable[[str], object]) -> tuple[str, ...]:
        return tuple(name for name in names if _is_there(name, ask, left_out))

    wanted = {"rivals", "quality", "attacks"} & set(tables)
    if wanted and awt is None:
        left_out.append("awt: it has not been trained; needed: --awt FILE, made by lexprint evaluate train-awt")
    rivals = with_awt(["topkara", "hao"], awt) if wanted else []
    present = there(rivals, lambda name: schemes(engine, [name], trained=awt))

    def known(names: Iterable[str]) -> tuple[str, ...]:
        return tuple(name for name in names if name in present or name not in ("topkara", "hao"))

    asked = there(JUDGES, lambda name: bench.judges(engine, [name])) if "quality" in tables else ()
    names = robustness.attack_names() if "attacks" in tables else []
    attacks = there(names, lambda name: robustness.cases(engine, other="", wanted=[name]))
    return _Plan(
        rivals=known(METHODS),
        schemes=known(SCHEMES),
        judges=asked,
        issuers=known(name for name in ISSUERS if name != SLOW_TO_READ),
        attacks=() if len(attacks) == len(names) else attacks,
        left_out=tuple(left_out),
    )


def _is_there(name: str, ask: Callable[[str], object], left_out: list[str]) -> bool:
    try:
        ask(name)
    except ABSENT as error:
        left_out.append(f"{name}: {error}")
        return False
    return True


def _arguments(
    name: str, plan: _Plan, sets: list[str], sizes: Mapping[str, int], awt: Path | None, *, cache: Path
) -> Iterator[object]:
    """The command line of one table, without data and output."""
    yield from TABLES[name]
    if name == "swords":
        return
    yield from ("--cache", cache, "--threads", sizes["threads"])
    if name == "acceptance":
        return
    yield from ("--sets", ",".join(listed(sets)), "--seed", sizes["seed"])
    size = "sentences" if name in OF_SENTENCES else "words"
    yield from (f"--{size}", sizes[size])
    given: dict[str, dict[str, tuple[str, ...]]] = {
        "rivals": {"--methods": plan.rivals},
        "quality": {"--schemes": plan.schemes, "--judges": plan.judges},
        "attacks": {"--schemes": plan.issuers, "--attacks": plan.attacks},
    }
    for option, names in given.get(name, {}).items():
        yield from (option, ",".join(names))
    if name in given and awt is not None:
        yield from ("--awt", awt)


def _table(context: typer.Context, name: str, arguments: Sequence[object]) -> Any:
    """The command of the same group, as if this had been typed."""
    group: Any = context.parent.command if context.parent else None
    return group.commands[name].make_context(name, [str(one) for one in arguments], parent=context.parent)


def _section(folder: Path, name: str, command: str, fingerprints: Collection[str]) -> Section | None:
    """What this command wrote there with the same models; None if anything differs or it was cut short."""
    from lexprint_evaluation.results_page import Section

    written = {ending: folder / f"{name}.{ending}" for ending in ("json", "md", "svg")}
    if (folder / f"{name}.partial.jsonl").exists() or not written["md"].is_file():
        return None
    try:
        result = json.loads(written["json"].read_bytes())
    except (OSError, ValueError):
        return None
    if result.get("command") != command or result.get("fingerprint") not in fingerprints:
        return None
    plot = written["svg"].read_text("utf-8") if written["svg"].is_file() else None
    return Section(name, result, written["md"].read_text("utf-8"), plot)
