"""A corpus through a pool: what is done already is skipped, what fails is listed at the end, and the rest continues.

Whatever the pool and the number of workers, the outputs are the same bytes.
"""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from itertools import count, islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from lexprint import __version__
from lexprint.engine import Engine
from lexprint.errors import FormatError, InputError, LexprintError
from lexprint.formats.folders import names_below
from lexprint.scale.jobs import Failure, Item, Job, OnItems, Outcome, Product, Warned, failure_of
from lexprint.scale.pools import Pool
from lexprint.scale.state import STATE, State, key_of, state_of
from lexprint.scale.tasks import Analysing, Embedding, json_bytes
from lexprint.workflows import Analysis, as_json
from lexprint.workflows.copy_files import digest_of_file

if TYPE_CHECKING:
    from lexprint.scale.tables import Table

ROWS_PER_JOB = 16  # of a table: enough to keep workers busy, few enough to lose little

DocumentTask: TypeAlias = Embedding | Analysing


@dataclass(frozen=True)
class Report:
    """What became of a corpus."""

    done: int  # documents that were worked on
    skipped: int  # done by an earlier run and unchanged since
    words: int  # of those done now
    failures: tuple[Failure, ...]
    warnings: tuple[Warned, ...] = ()

    def as_json(self) -> dict[str, object]:
        return {
            "done": self.done,
            "skipped": self.skipped,
            "failed": len(self.failures),
            "words": self.words,
            "failures": [asdict(failure) for failure in self.failures],
            "warnings": [asdict(warned) for warned in self.warnings],
        }


@dataclass
class Tally:
    """A report in the making."""

    total: int
    on_items: OnItems | None = None
    done: int = 0
    skipped: int = 0
    words: int = 0
    failures: list[Failure] = field(default_factory=list)
    warnings: list[Warned] = field(default_factory=list)

    def skip(self, documents: int = 1) -> None:
        self.skipped += documents
        self._tell()

    def warn(self, *warnings: Warned) -> None:
        self.warnings += warnings

    def fail(self, *failures: Failure) -> None:
        self.failures += failures
        self._tell()

    def finish(self, *products: Product) -> None:
        self.done += len(products)
        self.words += sum(product.words for product in products)
        self._tell()

    def _tell(self) -> None:
        if self.on_items is not None:
            self.on_items(self.done + self.skipped + len(self.failures), self.total)

    def report(self) -> Report:
        ordered = sorted(self.failures, key=lambda failure: _by_number(failure.name))
        return Report(self.done, self.skipped, self.words, tuple(ordered), tuple(self.warnings))


def _by_number(name: str) -> list[tuple[bool, int, str]]:
    """Row 9 before row 10."""
    parts = re.split("([0-9]+)", name)
    return [(part.isdecimal(), int(part), "") if part.isdecimal() else (False, 0, part) for part in parts]


def run_folder(
    pool: Pool,
    engine: Engine,
    task: DocumentTask,
    source: Path,
    target: Path,
    *,
    records: Path | None = None,
    on_items: OnItems | None = None,
) -> Report:
    """Every file below a folder, to a file of the same name below another; an analysis adds `.json` to the name."""
    require_apart(source, target, *([records] if records else []))
    names = names_below(source)
    tally = Tally(len(names), on_items)
    options = _options(engine, task)
    keys: dict[str, str] = {}
    with state_of(target) as state:
        pending = _pending_files(source, names, state, tally, keys, options)
        for outcome in pool.run(engine, task, pending):
            (result,) = outcome.results
            if isinstance(result, Failure):
                tally.fail(result)
                continue
            try:
                _place(result, state, keys.pop(result.name), source=source, records=records)
            except LexprintError as error:
                tally.fail(failure_of(result.name, error))
            else:
                tally.finish(result)
    return tally.report()


def _pending_files(
    source: Path, names: Sequence[str], state: State, tally: Tally, keys: dict[str, str], options: str
) -> Iterator[Job]:
    for name in names:
        try:
            content = read_file(source / name)
        except LexprintError as error:
            tally.fail(failure_of(name, error))
            continue
        key = key_of(options, content)
        if state.is_current(name, key):
            tally.skip()
        else:
            keys[name] = key
            yield Job(name, (Item(name, content),))


def _place(product: Product, state: State, key: str, *, source: Path, records: Path | None) -> None:
    if isinstance(product.content, Analysis):
        outputs = {f"{product.name}.json": json_bytes(as_json(product.content))}
    else:
        assert isinstance(product.content, bytes)
        outputs = {product.name: product.content}
    if records is not None and product.record is not None:
        # First: a marked text without its record could not be restored. Beside the target, so not among its outputs.
        path = records / f"{product.name}.json"
        outside = State(records, state.folder)
        with outside.placing(path.relative_to(records).as_posix(), mode=_mode(source / product.name)) as temporary:
            temporary.write_bytes(product.record)
    state.finish(product.name, key, outputs, mode=_mode(source / product.name))


def _mode(path: Path) -> int | None:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return None


def _options(engine: Engine, task: DocumentTask) -> str:
    """All that decides what a document becomes, beside the document; a repr never shows a key."""
    return "\n".join((__version__, engine.copies_fingerprint, repr(task)))


def run_table(
    pool: Pool,
    engine: Engine,
    task: DocumentTask,
    table: Table,
    target: Path,
    *,
    on_items: OnItems | None = None,
) -> Report:
    """Every row of a table, to a table of the same kind; rows that fail are left out of it, and named in the report.

    An interrupted run leaves its parts in a hidden folder beside the target, and the next one resumes there.
    """
    if target.is_dir():
        raise InputError(f"{target} is a folder", needed="the name of a file for the table")
    if target.exists() and target.samefile(table.path):
        raise InputError(f"{target} would be overwritten", needed="another file for the output")
    tally = Tally(table.count(), on_items)
    folder = target.with_name(f".{target.name}{STATE}")
    options = (_options(engine, task), table.text_column, table.payload_column or "", str(ROWS_PER_JOB))
    with state_of(target.parent, folder=folder) as state:
        key = key_of(*options, table.digest())
        if state.is_current(target.name, key):
            tally.skip(tally.total)
            return tally.report()
        state.require_own(target.name, target.name)
        parts = _Parts(State(folder, folder, state.finished), key)
        for outcome in pool.run(engine, task, _pending_rows(table, parts, tally)):
            tally.fail(*(result for result in outcome.results if isinstance(result, Failure)))
            tally.finish(*(result for result in outcome.results if isinstance(result, Product)))
            parts.keep(outcome)
        with state.placing(target.name, mode=_mode(table.path)) as temporary:
            table.write(temporary, parts.values(tally.total))
        digest = digest_of_file(target)
        # With failures it is ours too, but not finished: the next run tries those rows again.
        state.remember(target.name, key if not tally.failures else "", {target.name: digest or ""})
        if not tally.failures:
            parts.remove()
    return tally.report()


def _pending_rows(table: Table, parts: _Parts, tally: Tally) -> Iterator[Job]:
    numbered = enumerate(table.items())
    for number in count():
        items = tuple(item for _, item in islice(numbered, ROWS_PER_JOB))
        if not items:
            return
        name = parts.name(number)
        if parts.is_current(name):
            tally.skip(len(items))
        else:
            yield Job(name, items)


@dataclass(frozen=True)
class _Parts:
    """What rows became, some rows a file, until the table is whole."""

    state: State
    key: str

    def name(self, number: int) -> str:
        return f"part-{number:08}.json"

    def is_current(self, name: str) -> bool:
        return self.state.is_current(name, self.key)

    def keep(self, outcome: Outcome) -> None:
        content = json_bytes([_value(result) for result in outcome.results])
        is_final = not any(isinstance(result, Failure) for result in outcome.results)
        with self.state.placing(outcome.job) as temporary:
            temporary.write_bytes(content)
        self.state.remember(outcome.job, self.key if is_final else "", {outcome.job: sha256(content).hexdigest()})

    def values(self, rows: int) -> Iterator[object]:
        """What each row became, in order; None for those that failed."""
        for number in range(-(-rows // ROWS_PER_JOB)):
            yield from json.loads((self.state.folder / self.name(number)).read_bytes())

    def remove(self) -> None:
        for path in self.state.folder.glob("part-*.json"):
            path.unlink()


def _value(result: Product | Failure) -> object:
    if isinstance(result, Failure):
        return None
    return as_json(result.content) if isinstance(result.content, Analysis) else result.content


def require_apart(source: Path, *targets: Path) -> None:
    """Outputs among inputs would be inputs of the next run."""
    for target in targets:
        one, other = source.resolve(), target.resolve()
        if one == other or one in other.parents or other in one.parents:
            raise InputError(f"{target} and {source} are in each other", needed="a folder apart for the outputs")


def read_file(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise FormatError(path.name, found="not readable", needed="a file that may be read") from error
