"""Long work, in the database: it outlives the process that does it.

A runner holds a job by a lease that it renews. When a process dies its lease runs out and another takes the job over; only
the holder of the lease can finish it, so it is finished once, however often it was begun.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, TypeAlias

from lexprint.registry.audit import time_text
from lexprint.registry.protocol import Registry
from lexprint.registry.statements import Statements
from lexprint.server.problems import busy, not_found

State: TypeAlias = Literal["queued", "running", "done", "failed", "cancelled"]
RESULT_LIFETIME = timedelta(days=7)  # after which a finished job is forgotten, with its result
MOST_ATTEMPTS = 5  # a job that was begun so often and never ended is likely what kills its process

_KEPT = "(finished_at IS NULL OR finished_at > :then)"


@dataclass(frozen=True, slots=True)
class Job:
    """Something that takes long, and how far it is."""

    id: str
    owner: str
    verb: str
    request: str = field(repr=False)  # JSON; empty once it is finished
    state: State
    done: int
    total: int  # 0: not known yet
    doing: str | None  # what it does before any of that
    attempts: int
    result: Mapping[str, Any] | None = field(repr=False)  # while it runs: what was found so far
    problem: Mapping[str, Any] | None
    created_at: datetime
    finished_at: datetime | None

    @property
    def is_finished(self) -> bool:
        return self.state in ("done", "failed", "cancelled")


class LeaseLost(Exception):
    """The job was cancelled, or another process has taken it over."""


def add_job(registry: Registry, owner: str, verb: str, request: str, *, most: int) -> Job:
    """Put a job at the end of the queue, unless that is full."""
    job_id = secrets.token_hex(16)
    with registry.writing() as statements:
        (queue,) = statements.rows("SELECT count(*) AS length FROM jobs WHERE state IN ('queued', 'running')")
        if queue["length"] >= most:
            raise busy(f"{queue['length']} jobs are queued already", seconds=30)
        statements.change(
            "INSERT INTO jobs (id, owner, verb, request, state, done, total, attempts, created_at) "
            "VALUES (:id, :owner, :verb, :request, 'queued', 0, 0, 0, :now)",
            id=job_id,
            owner=owner,
            verb=verb,
            request=request,
            now=_now(),
        )
        statements.log("job asked for", {"job": job_id, "verb": verb, "token": owner})
        return _found(statements, job_id)


def find_job(registry: Registry, owner: str, job_id: str) -> Job:
    """A job of one's own."""
    with registry.reading() as statements:
        job = _found(statements, job_id)
    if job.owner != owner:
        raise not_found("job", job_id)
    return job


def list_jobs(registry: Registry, owner: str, *, limit: int, offset: int) -> tuple[list[Job], int]:
    """One's own, newest first, and how many there are."""
    with registry.reading() as statements:
        values = {"owner": owner, "then": _forgotten()}
        (count,) = statements.rows(f"SELECT count(*) AS jobs FROM jobs WHERE owner = :owner AND {_KEPT}", **values)
        rows = statements.rows(
            f"SELECT * FROM jobs WHERE owner = :owner AND {_KEPT} ORDER BY serial DESC LIMIT :limit OFFSET :offset",
            **values,
            limit=limit,
            offset=offset,
        )
    return [_job(row) for row in rows], count["jobs"]


def count_by_state(registry: Registry) -> dict[str, int]:
    with registry.reading() as statements:
        rows = statements.rows("SELECT state, count(*) AS jobs FROM jobs GROUP BY state")
    return {row["state"]: row["jobs"] for row in rows}


def end_job(registry: Registry, owner: str, job_id: str) -> Job:
    """Cancel a job, at once or when it next tells its progress; one that is finished is deleted, with its result."""
    with registry.writing() as statements:
        job = _found(statements, job_id)
        if job.owner != owner:
            raise not_found("job", job_id)
        if job.is_finished:
            statements.change("DELETE FROM jobs WHERE id = :id", id=job_id)
            statements.log("job deleted", {"job": job_id, "token": owner})
            return replace(job, result=None)
        statements.change(
            "UPDATE jobs SET state = 'cancelled', request = '', doing = NULL, result = NULL, finished_at = :now WHERE id = :id",
            id=job_id,
            now=_now(),
        )
        return _found(statements, job_id)


_FREE = "(state = 'queued' OR (state = 'running' AND leased_until < :now))"


def claim_job(registry: Registry, runner: str, *, lease_seconds: float) -> Job | None:
    """The first job that nobody works on, leased to this runner; None if there is none."""
    query = f"SELECT id, attempts FROM jobs WHERE {_FREE} ORDER BY serial LIMIT 1"
    with registry.reading() as statements:
        if not statements.rows(query, now=_now()):
            return None  # without waiting in the queue of writers
    with registry.writing() as statements:
        rows = statements.rows(query, now=_now())
        if not rows:
            return None
        job_id, attempts = rows[0]["id"], rows[0]["attempts"]
        if attempts >= MOST_ATTEMPTS:
            problem = {"code": "Interrupted", "detail": f"it was begun {attempts} times and never ended"}
            _finish(statements, job_id, state="failed", problem=problem)
            return None
        statements.change(
            "UPDATE jobs SET state = 'running', runner = :runner, leased_until = :until, attempts = attempts + 1, "
            "done = 0, total = 0, doing = NULL, result = NULL WHERE id = :id",
            id=job_id,
            runner=runner,
            until=_later(lease_seconds),
        )
        return _found(statements, job_id)


def renew_lease(
    registry: Registry,
    job_id: str,
    runner: str,
    *,
    lease_seconds: float,
    done: int,
    total: int,
    doing: str | None = None,
    part: Mapping[str, Any] | None = None,
) -> None:
    """Say that the job is still worked on, how far it is, what it does, and what was found so far if that is more than before."""
    with registry.writing() as statements:
        if not statements.change(
            "UPDATE jobs SET leased_until = :until, done = :done, total = :total, doing = :doing, "
            "result = coalesce(:part, result) "
            "WHERE id = :id AND runner = :runner AND state = 'running'",
            id=job_id,
            runner=runner,
            until=_later(lease_seconds),
            done=done,
            total=total,
            doing=doing,
            part=None if part is None else json.dumps(part),
        ):
            raise LeaseLost


def park_job(registry: Registry, job_id: str, runner: str) -> None:
    """Back to the queue, for the next process; it does not count as an attempt."""
    with registry.writing() as statements:
        statements.change(
            "UPDATE jobs SET state = 'queued', runner = NULL, leased_until = NULL, attempts = attempts - 1, doing = NULL, result = NULL "
            "WHERE id = :id AND runner = :runner AND state = 'running'",
            id=job_id,
            runner=runner,
        )


def finish_job(
    registry: Registry,
    job_id: str,
    runner: str,
    *,
    result: Mapping[str, Any] | None = None,
    problem: Mapping[str, Any] | None = None,
) -> None:
    """Keep the result, or what went wrong; refused to whoever has lost the lease."""
    with registry.writing() as statements:
        held = statements.rows(
            "SELECT id FROM jobs WHERE id = :id AND runner = :runner AND state = 'running'", id=job_id, runner=runner
        )
        if not held:
            raise LeaseLost
        _finish(statements, job_id, state="done" if problem is None else "failed", result=result, problem=problem)


def _finish(
    statements: Statements,
    job_id: str,
    *,
    state: State,
    result: Mapping[str, Any] | None = None,
    problem: Mapping[str, Any] | None = None,
) -> None:
    """The text that was sent is no longer needed, hence no longer kept."""
    statements.change(
        "UPDATE jobs SET state = :state, request = '', result = :result, problem = :problem, runner = NULL, doing = NULL, "
        "leased_until = NULL, finished_at = :now, done = CASE WHEN :state = 'done' THEN total ELSE done END WHERE id = :id",
        id=job_id,
        state=state,
        result=None if result is None else json.dumps(result),
        problem=None if problem is None else json.dumps(problem),
        now=_now(),
    )
    statements.log("job finished", {"job": job_id, "state": state})


def _found(statements: Statements, job_id: str) -> Job:
    rows = statements.rows(f"SELECT * FROM jobs WHERE id = :id AND {_KEPT}", id=job_id, then=_forgotten())
    if not rows:
        raise not_found("job", job_id)
    return _job(rows[0])


def _job(row: Mapping[str, Any]) -> Job:
    return Job(
        id=row["id"],
        owner=row["owner"],
        verb=row["verb"],
        request=row["request"],
        state=row["state"],
        done=row["done"],
        total=row["total"],
        doing=row["doing"],
        attempts=row["attempts"],
        result=None if row["result"] is None else json.loads(row["result"]),
        problem=None if row["problem"] is None else json.loads(row["problem"]),
        created_at=datetime.fromisoformat(row["created_at"]),
        finished_at=None if row["finished_at"] is None else datetime.fromisoformat(row["finished_at"]),
    )


def _forgotten() -> str:
    return time_text(datetime.now(UTC) - RESULT_LIFETIME)


def _now() -> str:
    return time_text(datetime.now(UTC))


def _later(seconds: float) -> str:
    return time_text(datetime.now(UTC) + timedelta(seconds=seconds))
