"""Workers on a Ray cluster, or on this machine under Ray: one engine per actor; the sole importer of ray (extra: ray).

Ray places, watches, restarts and retries; here is only what it must know. Documents travel to the actors and results back, so
the machines need no common disk, but each needs the same lexprint on a processor of the same kind.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, cycle, islice
from typing import Any

from lexprint.cores import available_cores
from lexprint.engine import Engine
from lexprint.errors import ExtraMissing, FingerprintMismatch, InputError, LexprintError
from lexprint.scale.jobs import Job, Outcome, Task, lost, perform
from lexprint.scale.pools import ATTEMPTS, IN_FLIGHT

try:
    import ray
    from ray.exceptions import RayActorError, RayError
except ImportError as error:
    raise ExtraMissing("ray", extra="ray") from error


class Worker:
    """What an actor is: an engine that is loaded once, with one thread."""

    def __init__(self, engine: Engine, task: Task) -> None:
        self._engine, self._task = engine, task

    def begin(self) -> str | LexprintError:
        """Load the models; the fingerprint, or why there is none."""
        try:
            self._task.prepare(self._engine)
        except LexprintError as error:
            return error
        return self._engine.copies_fingerprint

    def perform(self, job: Job) -> Outcome:
        return perform(self._engine, self._task, job)


@dataclass(frozen=True)
class RayPool:
    """So many actors of one core each, on the cluster at an address; None starts Ray on this machine for as long as needed."""

    workers: int | None = None  # None: one for each core that the cluster has
    address: str | None = None

    def run(self, engine: Engine, task: Task, jobs: Iterable[Job]) -> Iterator[Outcome]:
        waiting = iter(jobs)
        for first in islice(waiting, 1):  # where all is done already, no cluster is asked
            self._connect()
            try:
                yield from self._run(engine, task, chain([first], waiting))
            finally:
                ray.shutdown()

    def _connect(self) -> None:
        options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
        if self.address is None:
            options |= {"num_cpus": self.workers or available_cores(), "include_dashboard": False}
        else:
            options |= {"address": self.address}
        try:
            ray.init(**options)
        except (RayError, ConnectionError, RuntimeError, ValueError) as error:
            raise InputError(
                f"Ray does not answer ({type(error).__name__})", needed="the address of a running cluster, or none"
            ) from error

    def _run(self, engine: Engine, task: Task, jobs: Iterable[Job]) -> Iterator[Outcome]:
        workers = self.workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
        actor = ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=ATTEMPTS - 1)(Worker)
        actors = [actor.remote(replace(engine), task) for _ in range(workers)]  # without models that are loaded here
        _require_same(_begun(actors), engine.copies_fingerprint)
        under_way: dict[Any, tuple[Any, Job]] = {}  # by the reference to what will be the outcome
        upcoming = iter(jobs)
        for one, job in zip(islice(cycle(actors), IN_FLIGHT * workers), upcoming, strict=False):
            under_way[one.perform.remote(job)] = one, job
        while under_way:
            (done,), _ = ray.wait(list(under_way), num_returns=1)
            one, job = under_way.pop(done)
            for following in islice(upcoming, 1):  # whoever is free takes the next
                under_way[one.perform.remote(following)] = one, following
            yield _outcome(done, job)


def _outcome(reference: Any, job: Job) -> Outcome:
    try:
        outcome: Outcome = ray.get(reference)
    except RayActorError:
        return lost(job, times=ATTEMPTS)
    return outcome


def _begun(actors: list[Any]) -> list[str | LexprintError]:
    try:
        found: list[str | LexprintError] = ray.get([one.begin.remote() for one in actors])
    except RayError as error:
        raise LexprintError(
            f"Ray's workers do not begin ({type(error).__name__}); give them the same lexprint and memory, or run: lexprint "
            "batch with --engine local"
        ) from error
    return found


def _require_same(found: list[str | LexprintError], needed: str) -> None:
    for one in found:
        if isinstance(one, LexprintError):
            raise one
        if one != needed:
            raise FingerprintMismatch(
                needed=needed, loaded=one, advice="install the same lexprint on every machine of the cluster"
            )
