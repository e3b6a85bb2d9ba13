"""`lexprint batch`: folders and tables of documents, on all cores of this machine or on a Ray cluster."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.table import Table as Printed
from rich.text import Text

from lexprint.cli import console, keys
from lexprint.cli.extract import FALSE_POSITIVE, PAYLOAD_BITS
from lexprint.cli.files import read_text_file, require_writable, write_bytes
from lexprint.cli.issue import (
    ERROR_BOUND,
    PROTECT,
    STRICTNESS,
    UNPROTECT,
    parse_options,
    profile_of,
    require_bound,
    require_options,
    say_warnings,
)
from lexprint.cli.registry import REGISTRY
from lexprint.errors import InputError

if TYPE_CHECKING:
    from lexprint.engine import Engine
    from lexprint.scale.batch import Report
    from lexprint.scale.jobs import OnItems
    from lexprint.scale.pools import Pool
    from lexprint.scale.tasks import Analysing, Embedding

SHOWN_FAILURES = 50  # in the table; the report has all

app = typer.Typer(
    help="""Mark, issue or analyse many documents at once.

    What was done already, and is unchanged, is skipped: after an interruption run the same command again. A document that
    fails does not stop the rest; failures are listed at the end, and the exit code is then 1. Whatever the number of workers,
    the outputs are the same bytes.""",
    no_args_is_help=True,
)

SOURCE = typer.Argument(..., metavar="IN", help="A folder of documents, or a table of texts (.jsonl or .parquet).")
TARGET = typer.Argument(..., metavar="OUT", help="A folder for the outputs, or a table of the same kind.")
WORKERS = typer.Option(0, "--workers", min=0, help="Processes, of one thread each; 0: one for each core.")
ENGINE = typer.Option("local", "--engine", metavar="local|ray", help="Where the work is done.")
ADDRESS = typer.Option(None, "--address", help="Of a running Ray cluster; else Ray is started on this machine.")
COLUMN = typer.Option("text", "--column", help="Column of a table that holds the texts.")
REPORT = typer.Option(None, "--report", metavar="FILE", help="Where to write what was done and what failed, as JSON.")
AS_JSON = typer.Option(False, "--json", help="Print the report on standard output.")


@app.command("embed")
def embed(
    source: str = SOURCE,
    target: str = TARGET,
    message: str | None = typer.Option(None, "--message", help="What to write to every document, as text."),
    payload: str | None = typer.Option(None, "--payload", help="What to write to every document under your key."),
    payload_column: str | None = typer.Option(
        None, "--payload-column", help="Column of a table that holds a payload for each text, such as an account."
    ),
    key: Path | None = keys.KEY,
    payload_bits: int | None = PAYLOAD_BITS,
    false_positive: float = FALSE_POSITIVE,
    records: Path | None = typer.Option(
        None, "--records", metavar="FOLDER", help="Where to keep the restoration records."
    ),
    column: str = COLUMN,
    force: bool = console.FORCE,
    workers: int = WORKERS,
    where: str = ENGINE,
    address: str | None = ADDRESS,
    report: str | None = REPORT,
    settings: Path | None = console.SETTINGS,
    profile: str | None = console.PROFILE,
    gap: int | None = console.GAP,
    batch_size: int = console.BATCH_SIZE,
    cache: Path | None = console.CACHE,
    as_json: bool = AS_JSON,
) -> None:
    """Write a message or a payload into every document of a folder or a table.

    Files keep their names and formats. Rows of a table keep their other columns; rows that fail are left out. Workers read
    the key from its file: on a cluster it must be in the same place on every machine.
    """
    from lexprint.scale.tasks import Embedding, KeyPlace

    given = {"--message": message, "--payload": payload, "--payload-column": payload_column}
    named = [name for name, value in given.items() if value is not None]
    if len(named) != 1:
        raise InputError(f"of {', '.join(given)} {len(named)} were given", needed="one of them")
    if message is not None and (key is not None or payload_bits is not None):
        raise InputError("--key and --payload-bits are for payloads, none was given", needed="--payload")
    place = None
    if message is None:
        resolved = None if key is None else key.resolve()
        place = KeyPlace(resolved, keys.load_keys(resolved).newest.id)
    task = Embedding(
        any_language=force,
        message=message,
        payload=payload,
        key=place,
        payload_bits=payload_bits,
        false_positive=false_positive,
        with_records=records is not None,
    )
    engine = console.build_engine(
        settings=settings, profile=profile, gap=gap, threads=1, batch_size=batch_size, cache=cache
    )
    pool = _pool(where, workers=workers, address=address)
    _run(
        lambda on_items: _run_documents(
            pool, engine, task, source, target, column, on_items, payload_column=payload_column, records=records
        ),
        report=report,
        as_json=as_json,
        verb="marked",
    )


@app.command("analyse")
def analyse(
    source: str = SOURCE,
    target: str = TARGET,
    protect: str | None = PROTECT,
    unprotect: list[str] = UNPROTECT,
    force: bool = console.FORCE,
    strictness: str | None = STRICTNESS,
    column: str = COLUMN,
    workers: int = WORKERS,
    where: str = ENGINE,
    address: str | None = ADDRESS,
    report: str | None = REPORT,
    settings: Path | None = console.SETTINGS,
    profile: str | None = console.PROFILE,
    batch_size: int = console.BATCH_SIZE,
    cache: Path | None = console.CACHE,
    as_json: bool = AS_JSON,
) -> None:
    """Tell where copies of each document may differ: a JSON file for each file, or a column `analysis` in a table."""
    from lexprint.scale.tasks import Analysing

    profile = profile_of(strictness, profile)
    options = parse_options(protect=protect, unprotect=unprotect, force=force, strictness=strictness)
    task = Analysing(protected_phrases=options.protected_phrases, protections=tuple(sorted(options.protections)))
    engine = console.build_engine(settings=settings, profile=profile, threads=1, batch_size=batch_size, cache=cache)
    pool = _pool(where, workers=workers, address=address)
    _run(
        lambda on_items: _run_documents(pool, engine, task, source, target, column, on_items),
        report=report,
        as_json=as_json,
        verb="analysed",
    )


@app.command("issue")
def issue(
    source: str = typer.Argument(..., metavar="IN", help="A folder of documents that can be written."),
    target: str = typer.Argument(..., metavar="OUT", help="A folder; each document's copies go to a folder below it."),
    to: str = typer.Option(..., "--to", metavar="FILE", help="Recipients: a CSV with a header, or one a line."),
    registry: str = REGISTRY,
    key: Path | None = keys.KEY,
    code: str | None = typer.Option(
        None,
        "--code",
        help="independent, or tardos, which is collusion-resistant; the default depends on the number of sites.",
    ),
    protect: str | None = PROTECT,
    unprotect: list[str] = UNPROTECT,
    force: bool = console.FORCE,
    strictness: str | None = STRICTNESS,
    error_bound: float | None = ERROR_BOUND,
    workers: int = WORKERS,
    where: str = ENGINE,
    address: str | None = ADDRESS,
    report: str | None = REPORT,
    settings: Path | None = console.SETTINGS,
    profile: str | None = console.PROFILE,
    batch_size: int = console.BATCH_SIZE,
    cache: Path | None = console.CACHE,
    as_json: bool = AS_JSON,
) -> None:
    """Write a copy of every document of a folder for each recipient, as `lexprint issue` does for one.

    Workers analyse; this process alone writes to the registry and knows the key.
    """
    from lexprint.registry.protocol import open_registry
    from lexprint.scale.issuing import issue_folder
    from lexprint.workflows.recipients import read_recipients

    require_options(code=code, blind=False, review=None, protect=protect, unprotect=unprotect)
    require_bound(error_bound)
    profile = profile_of(strictness, profile)
    options = parse_options(
        code=code, protect=protect, unprotect=unprotect, error_bound=error_bound, force=force, strictness=strictness
    )
    recipients = read_recipients(read_text_file(to).text, name=Path(to).name)
    keyring = keys.load_keys(key)
    engine = console.build_engine(settings=settings, profile=profile, threads=1, batch_size=batch_size, cache=cache)
    pool = _pool(where, workers=workers, address=address)
    with open_registry(registry, keys=keyring) as opened:
        _run(
            lambda on_items: issue_folder(
                pool,
                engine,
                Path(source),
                Path(target),
                recipients,
                keyring=keyring,
                registry=opened,
                options=options,
                on_items=on_items,
            ),
            report=report,
            as_json=as_json,
            verb="issued",
        )


def _pool(where: str, *, workers: int, address: str | None) -> Pool:
    from lexprint.cores import available_cores
    from lexprint.scale.pools import LocalPool

    if where == "local":
        if address is not None:
            raise InputError("--address is for Ray", needed="--engine ray")
        return LocalPool(workers or available_cores())
    if where != "ray":
        raise InputError(f"--engine {console.printable(where)} is unknown", needed="local or ray")
    from lexprint.scale.ray_pool import RayPool

    return RayPool(workers or None, address)


def _run_documents(
    pool: Pool,
    engine: Engine,
    task: Embedding | Analysing,
    source: str,
    target: str,
    column: str,
    on_items: OnItems,
    *,
    payload_column: str | None = None,
    records: Path | None = None,
) -> Report:
    from lexprint.scale.batch import run_folder, run_table
    from lexprint.scale.tables import is_table, open_table

    one, other = Path(source), Path(target)
    if is_table(one) and not one.is_dir():
        if one.suffix.lower() != other.suffix.lower():
            raise InputError(f"{target} is no table like {source}", needed=f"a name that ends in {one.suffix}")
        if records is not None:
            raise InputError("--records is for files", needed="to keep the table that was read")
        table = open_table(one, text_column=column, payload_column=payload_column)
        return run_table(pool, engine, task, table, other, on_items=on_items)
    if payload_column is not None:
        raise InputError("--payload-column is for tables", needed="--payload, or a table")
    return run_folder(pool, engine, task, one, other, records=records, on_items=on_items)


def _run(work: Callable[[OnItems], Report], *, report: str | None, as_json: bool, verb: str) -> None:
    """Do it under a bar, tell what came of it, and end with 1 if any document failed."""
    if report is not None:
        require_writable(report)
    with console.progress(verb, unit="documents") as on_progress:
        done = work(on_progress)
    if report is not None:
        write_bytes(report, console.json_text(done.as_json()).encode())
    if as_json:
        console.print_json(done.as_json())
    for one in done.warnings[:SHOWN_FAILURES]:
        say_warnings([one.message], of=one.name)
    if len(done.warnings) > SHOWN_FAILURES:
        console.say(f"and {len(done.warnings) - SHOWN_FAILURES:,} more warnings; --report FILE lists all")
    if done.failures:
        _print_failures(done)
    skipped = f", {done.skipped:,} were done before" if done.skipped else ""
    failed = f", {len(done.failures):,} failed" if done.failures else ""
    console.say(f"{console.counted(done.done, 'document')} {verb}{skipped}{failed}")
    if done.failures:
        raise typer.Exit(1)


def _print_failures(done: Report) -> None:
    table = Printed("document", "error", "what happened")
    for failure in done.failures[:SHOWN_FAILURES]:
        table.add_row(*(Text(console.printable(part)) for part in (failure.name, failure.kind, failure.message)))
    Console(stderr=True).print(table)
    if len(done.failures) > SHOWN_FAILURES:
        console.say(f"and {len(done.failures) - SHOWN_FAILURES:,} more; --report FILE lists all")
