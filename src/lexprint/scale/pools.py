"""Workers on this machine: processes that share the loaded models, with one thread each.

Processes are forked after the models are loaded where the system can do that, so the weights are in memory once. A worker
that dies is replaced and its work done again; a document that kills three of them is given up.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Protocol

from lexprint.cores import available_cores
from lexprint.engine import Engine
from lexprint.scale.jobs import Job, Outcome, Task, lost, perform

IN_FLIGHT = 2  # jobs for each worker: one being done and one ready; no more are read from disk
ATTEMPTS = 3  # of a job whose worker dies; the last one alone, so that no other is blamed


class Pool(Protocol):
    def run(self, engine: Engine, task: Task, jobs: Iterable[Job]) -> Iterator[Outcome]:
        """Outcomes in the order in which jobs are finished; jobs are taken only when there is room for them."""


@dataclass(frozen=True)
class LocalPool:
    """So many processes on this machine; with one, the work is done in this process."""

    workers: int = field(default_factory=available_cores)

    def run(self, engine: Engine, task: Task, jobs: Iterable[Job]) -> Iterator[Outcome]:
        waiting = iter(jobs)
        for first in islice(waiting, 1):  # where all is done already, nothing is loaded
            everything = chain([first], waiting)
            if self.workers == 1:
                task.prepare(engine)
                yield from (perform(engine, task, job) for job in everything)
            else:
                yield from _run_processes(engine, task, everything, workers=self.workers)


def _run_processes(engine: Engine, task: Task, jobs: Iterable[Job], *, workers: int) -> Iterator[Outcome]:
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # its threads would not survive the fork
    method = "fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn"
    if method == "fork":
        task.prepare(engine)
    context = multiprocessing.get_context(method)

    def processes(count: int) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(count, mp_context=context, initializer=_begin, initargs=(engine, task))

    trials: Iterator[_Trial] = (_Trial(job) for job in jobs)
    while True:
        with processes(workers) as pool:
            left = yield from _run_until_death(pool, trials, room=IN_FLIGHT * workers)
        if not left:
            return
        for trial in (trial for trial in left if trial.attempts == ATTEMPTS - 1):
            with processes(1) as alone:
                if (yield from _run_until_death(alone, iter([trial]), room=1)):
                    yield lost(trial.job, times=ATTEMPTS)
        trials = chain([trial for trial in left if trial.attempts < ATTEMPTS - 1], trials)


@dataclass(frozen=True, slots=True)
class _Trial:
    job: Job
    attempts: int = 0  # that ended with the death of a worker


def _run_until_death(
    pool: ProcessPoolExecutor, trials: Iterator[_Trial], *, room: int
) -> Generator[Outcome, None, list[_Trial]]:
    """Outcomes, until all is done or a worker dies; returns what was under way then."""
    under_way: dict[Future[Outcome], _Trial] = {}
    unbegun: list[_Trial] = []
    try:
        while True:
            for trial in islice(trials, room - len(under_way)):
                unbegun.append(trial)
                under_way[pool.submit(_perform_here, trial.job)] = trial
                unbegun.clear()
            if not under_way:
                return []
            for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                outcome = future.result()
                del under_way[future]
                yield outcome
    except BrokenProcessPool:
        return unbegun + [_Trial(trial.job, trial.attempts + 1) for trial in under_way.values()]
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


# What a worker process was begun with.
_begun: list[tuple[Engine, Task]] = []


def _begin(engine: Engine, task: Task) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started it hears it too, and ends it
    task.prepare(engine)
    _begun[:] = [(engine, task)]


def _perform_here(job: Job) -> Outcome:
    ((engine, task),) = _begun
    return perform(engine, task, job)
