"""Copies of every document of a folder for the same recipients: workers analyse, this process records and writes.

The registry has one writer and the master key stays where it is; what takes time, asking the models, is what workers do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lexprint.coding.keys import Keyring
from lexprint.engine import Engine
from lexprint.errors import LexprintError
from lexprint.formats.folders import names_below
from lexprint.registry.protocol import Registry
from lexprint.scale.batch import Report, Tally, read_file, require_apart
from lexprint.scale.jobs import Failure, Item, Job, OnItems, Product, Warned, failure_of
from lexprint.scale.pools import Pool
from lexprint.scale.state import STATE
from lexprint.scale.tasks import Analysing
from lexprint.workflows import Analysis
from lexprint.workflows.analysing import KeptAnalysis
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
    issuing = _Issuing(engine, source, target, tuple(recipients), keyring, registry, options, tally)
    with sole_writer(target / STATE):
        task = Analysing(protected_phrases=options.protected_phrases, protections=tuple(sorted(options.protections)))
        for outcome in pool.run(engine, task, issuing.unknown_documents(names)):
            (result,) = outcome.results
            issuing.take(result)
    return tally.report()


@dataclass(frozen=True)
class _Issuing:
    """Copies of many documents: those whose sites the registry knows are made at once, others when they were analysed."""

    engine: Engine
    source: Path
    target: Path
    recipients: tuple[str, ...]
    keyring: Keyring
    registry: Registry
    options: IssueOptions
    tally: Tally
    masters: dict[str, Master] = field(default_factory=dict)  # that are being analysed

    def unknown_documents(self, names: Iterable[str]) -> Iterator[Job]:
        for name in names:
            try:
                content = read_file(self.source / name)
                self.masters[name] = _master(self.source / name, name, content)
            except LexprintError as error:
                self.tally.fail(failure_of(name, error))
                continue
            master = self.masters[name]
            if (
                is_analysed(self.engine, master, self.registry, self.options)
                or self._kept(master).load(self.registry) is not None
            ):
                self._issue(name, None)
            else:
                yield Job(name, (Item(name, content),))

    def take(self, result: Product | Failure) -> None:
        if isinstance(result, Failure):
            self.masters.pop(result.name)
            self.tally.fail(result)
        else:
            assert isinstance(result.content, Analysis)
            self._kept(self.masters[result.name]).save(self.registry, result.content)
            self._issue(result.name, result.content)

    def _kept(self, master: Master) -> KeptAnalysis:
        """Workers have no registry: what they find is kept here, for every verb."""
        return KeptAnalysis.of(
            self.registry,
            master.text,
            self.engine.copies_fingerprint,
            spans=master.source.protected,
            phrases=self.options.protected_phrases,
            protections=self.options.protections,
        )

    def _issue(self, name: str, analysis: Analysis | None) -> None:
        try:
            issued = issue(
                self.engine,
                self.masters.pop(name),
                self.recipients,
                keyring=self.keyring,
                registry=self.registry,
                folder=self.target / name,
                options=self.options,
                analysis=analysis,
            )
        except LexprintError as error:
            self.tally.fail(failure_of(name, error))
            return
        self.tally.warn(*(Warned(name, one) for one in issued.warnings))
        if issued.is_known:
            self.tally.skip()
        else:
            self.tally.finish(Product(name, None, words=0 if analysis is None else analysis.words))


def _master(path: Path, name: str, content: bytes) -> Master:
    """Called by its place below the folder, without the ending: files of one name in two folders are two documents."""
    called = Path(name).with_suffix("").as_posix()
    master = Master.of(content, file_name=path.name, name=called)
    if not master.source.is_writable:
        master.source.with_edits(())  # says in the format's own words what to start from
    return master
