"""Works on queued jobs, one at a time, in a thread of its own."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from lexprint.errors import LexprintError, RegistryError
from lexprint.registry.protocol import Registry
from lexprint.server.background import Background
from lexprint.server.job_store import Job, LeaseLost, claim_job, finish_job, park_job, renew_lease
from lexprint.server.limits import OnPart, OnProgress
from lexprint.server.problems import Refusal, places, problem, problem_of

PROGRESS_SECONDS = 0.5  # between two notes of it in the database
POLL_SECONDS = 1.0  # another process may have queued a job
RETRY_SECONDS = 5.0  # after the database has failed

Doing: TypeAlias = Callable[[], str | None]  # what is done before any of the work is, asked while it goes on
Work: TypeAlias = Callable[[Job, OnProgress, OnPart], Mapping[str, Any]]
_LOG = logging.getLogger("lexprint.jobs")


class Parked(Exception):
    """The service is stopping; the job goes on when it starts again."""


class JobRunner(Background):
    """Begins with the service, ends with it, and leaves no job behind half-known."""

    def __init__(
        self, registry: Registry, work: Work, *, new_job: threading.Event, lease_seconds: float, doing: Doing
    ) -> None:
        super().__init__("jobs")
        self._registry, self._work, self._new_job, self._lease_seconds = registry, work, new_job, lease_seconds
        self._doing = doing
        self._name = secrets.token_hex(8)

    def stop(self, *, seconds: float) -> None:
        """Park the job at hand when it next tells its progress, or let it end."""
        self._stopping.set()
        self._new_job.set()
        super().stop(seconds=seconds)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                job = claim_job(self._registry, self._name, lease_seconds=self._lease_seconds)
                if job is not None:
                    self._do(job)
                    continue
                self._new_job.wait(POLL_SECONDS)
                self._new_job.clear()
            except RegistryError as error:
                _LOG.error("jobs wait, for the registry failed: %s", error)
                self._stopping.wait(RETRY_SECONDS)

    def _do(self, job: Job) -> None:
        pulse = _Pulse(
            self._registry, job.id, self._name, self._lease_seconds, stopping=self._stopping, doing=self._doing
        )
        try:
            with pulse:
                result = self._work(job, pulse.on_progress, pulse.on_part)
            finish_job(self._registry, job.id, self._name, result=result)
        except Parked:
            park_job(self._registry, job.id, self._name)
        except LeaseLost:
            _LOG.info("job %s was cancelled, or taken over", job.id)
        except RegistryError:
            raise
        except LexprintError as error:
            self._fail(job, problem_of(error))
        except Refusal as refusal:
            self._fail(job, problem(refusal.status_code, refusal.detail, code=refusal.code))
        except Exception as error:  # noqa: BLE001 # a bug must fail its job, not the thread
            _LOG.error("job %s failed: %s\n%s", job.id, type(error).__name__, places(error))
            self._fail(job, problem(500, "something went wrong inside the service", code="Bug"))

    def _fail(self, job: Job, found: Mapping[str, Any]) -> None:
        try:
            finish_job(self._registry, job.id, self._name, problem=found)
        except LeaseLost:
            _LOG.info("job %s was cancelled, or taken over", job.id)


class _Pulse:
    """Renews the lease of a job while it is worked on, also when that tells no progress for long."""

    def __init__(
        self,
        registry: Registry,
        job_id: str,
        runner: str,
        lease_seconds: float,
        *,
        stopping: threading.Event,
        doing: Doing,
    ) -> None:
        self._registry, self._job_id, self._runner = registry, job_id, runner
        self._lease_seconds, self._stopping, self._doing = lease_seconds, stopping, doing
        self._done = self._total = 0
        self._part: Mapping[str, Any] | None = None  # that was not told yet
        self._told_at = time.monotonic()
        self._is_lost = False
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="lexprint-lease", daemon=True)

    def __enter__(self) -> _Pulse:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._ended.set()
        self._thread.join()

    def on_progress(self, done: int, total: int) -> None:
        """Called by the work; this is where it can be stopped."""
        self._done, self._total = done, total
        if self._is_lost:
            raise LeaseLost
        if self._stopping.is_set():
            raise Parked

    def on_part(self, part: Mapping[str, Any]) -> None:
        """What the work has found so far; the beat writes it down, so that the work need not wait."""
        self._part = part

    def _beat(self) -> None:
        told: tuple[int, int, str | None] = (0, 0, None)
        while not self._ended.wait(PROGRESS_SECONDS):
            doing = None if self._done else self._doing()  # of what is counted already the count tells enough
            known, part = (self._done, self._total, doing), self._part
            is_due = time.monotonic() - self._told_at > self._lease_seconds / 3
            if known == told and part is None and not is_due:
                continue
            try:
                renew_lease(
                    self._registry,
                    self._job_id,
                    self._runner,
                    lease_seconds=self._lease_seconds,
                    done=known[0],
                    total=known[1],
                    doing=known[2],
                    part=part,
                )
                self._part = None if self._part is part else self._part
                told, self._told_at = known, time.monotonic()
            except LeaseLost:
                self._is_lost = True
            except RegistryError as error:
                _LOG.error("the lease of job %s was not renewed: %s", self._job_id, error)
