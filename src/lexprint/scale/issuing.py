"""Copies of every document of a folder for the same recipients: workers analyse, this process records and writes.

The registry has one writer and the master key stays where it is; what takes time, asking the models, is what workers do.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from lexprint.coding.keys import Keyring
from lexprint.engine import Engine
from lexprint.errors import LexprintError
from lexprint.registry.protocol import Registry
from lexprint.scale.batch import Report, Tally, names_below, read_file, require_apart
from lexprint.scale.jobs import Failure, Item, Job, OnItems, Product, failure_of
from lexprint.scale.pools import Pool
from lexprint.scale.state import STATE
from lexprint.scale.tasks import Analysing
from lexprint.workflows import Analysis
from lexprint.workflows.copy_files import sole_writer
from lexprint.workflows.issuing import IssueOptions, Master, is_analysed, issue


def issue_folder(
    pool: Pool,
    engine: Engine,
    source: Path,
    target: Path,
    recipients: Sequence[str],
    *,
    keyring: Keyring,
    registry: Registry,
    options: IssueOptions,
    on_items: OnItems | None = None,
) -> Report:
    """The copies of each document go to a folder of its name below the target; those that are there already stay.

    Run again after it was interrupted, or with more recipients, it analyses only what the registry does not know.
    """
    require_apart(source, target)
    names = names_below(source)
    tally = Tally(len(names), on_items)
    masters: dict[str, Master] = {}

    def finish(name: str, analysis: Analysis | None) -> None:
        master = masters.pop(name)
        try:
            issued = issue(
                engine,
                master,
                recipients,
                keyring=keyring,
                registry=registry,
                folder=target / name,
                options=options,
                analysis=analysis,
            )
        except LexprintError as error:
            tally.fail(failure_of(name, error))
            return
        if issued.is_known:
            tally.skip()
        else:
            tally.finish(Product(name, None, words=0 if analysis is None else analysis.words))

    def pending() -> Iterator[Job]:
        for name in names:
            try:
                content = read_file(source / name)
                masters[name] = _master(source / name, name, content)
            except LexprintError as error:
                tally.fail(failure_of(name, error))
                continue
            if is_analysed(engine, masters[name], registry, options):
                finish(name, None)
            else:
                yield Job(name, (Item(name, content),))

    with sole_writer(target / STATE):
        task = Analysing(protected_phrases=options.protected_phrases, protections=tuple(sorted(options.protections)))
        for outcome in pool.run(engine, task, pending()):
            (result,) = outcome.results
            if isinstance(result, Failure):
                masters.pop(result.name)
                tally.fail(result)
            else:
                assert isinstance(result.content, Analysis)
                finish(result.name, result.content)
    return tally.report()


def _master(path: Path, name: str, content: bytes) -> Master:
    """Called by its place below the folder, without the ending: files of one name in two folders are two documents."""
    called = Path(name).with_suffix("").as_posix()
    master = Master.of(content, file_name=path.name, name=called, mode=stat.S_IMODE(path.stat().st_mode))
    if not master.source.is_writable:
        master.source.with_edits(())  # says in the format's own words what to start from
    return master
