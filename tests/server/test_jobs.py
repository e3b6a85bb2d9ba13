"""Jobs outlive the process that does them, and are finished once."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest
from tests.server.conftest import Serve
from tests.server.killable import SlowMaskedLM
from tests.server.served import fake_engine, on_both_databases, wait_for

from lexprint.coding.keys import create_key_file
from lexprint.registry.protocol import Registry, open_registry
from lexprint.server.job_store import (
    MOST_ATTEMPTS,
    LeaseLost,
    add_job,
    claim_job,
    count_by_state,
    end_job,
    find_job,
    finish_job,
    park_job,
    renew_lease,
)
from lexprint.server.problems import Refusal
from lexprint.server.tokens import list_tokens
from lexprint.testing import fake_text

ROOT = Path(__file__).parents[2]


@on_both_databases
def test_only_the_holder_of_the_lease_finishes(registry: Registry) -> None:
    """A process that was given up for dead cannot finish what another has taken over."""
    job = add_job(registry, "me", "analyse", "{}", most=10)
    assert claim_job(registry, "slow", lease_seconds=0.01) is not None
    time.sleep(0.02)
    taken = claim_job(registry, "quick", lease_seconds=60)
    assert taken is not None
    assert (taken.id, taken.attempts) == (job.id, 2)
    assert claim_job(registry, "third", lease_seconds=60) is None
    with pytest.raises(LeaseLost):
        finish_job(registry, job.id, "slow", result={"by": "slow"})
    with pytest.raises(LeaseLost):
        renew_lease(registry, job.id, "slow", lease_seconds=60, done=1, total=2)
    finish_job(registry, job.id, "quick", result={"by": "quick"})
    with pytest.raises(LeaseLost):
        finish_job(registry, job.id, "quick", result={"by": "quick, again"})
    found = find_job(registry, "me", job.id)
    assert (found.state, found.result, found.request) == ("done", {"by": "quick"}, "")
    assert [entry.event for entry in registry.audit()] == ["job asked for", "job finished"]


@on_both_databases
def test_jobs_are_done_in_order(registry: Registry) -> None:
    """First come, first served; a parked one keeps its place and its attempts."""
    first, second = (add_job(registry, "me", "analyse", "{}", most=10) for _ in range(2))
    claimed = claim_job(registry, "a", lease_seconds=60)
    assert claimed is not None
    assert claimed.id == first.id
    park_job(registry, first.id, "a")
    again = claim_job(registry, "b", lease_seconds=60)
    assert again is not None
    assert (again.id, again.attempts) == (first.id, 1)
    other = claim_job(registry, "a", lease_seconds=60)
    assert other is not None
    assert other.id == second.id


@on_both_databases
def test_no_job_is_claimed_twice(registry: Registry) -> None:
    """Several that look for work at once, as processes on one database do, share it without a gap."""
    asked = [add_job(registry, "me", "analyse", "{}", most=100).id for _ in range(12)]

    def claim_all(runner: str) -> list[str]:
        claimed = []
        while (job := claim_job(registry, runner, lease_seconds=60)) is not None:
            claimed.append(job.id)
        return claimed

    with ThreadPoolExecutor(4) as runners:
        shares = list(runners.map(claim_all, "abcd"))
    assert sorted(job for share in shares for job in share) == sorted(asked)


@on_both_databases
def test_a_job_that_kills_its_process_is_given_up(registry: Registry) -> None:
    """After some attempts it fails, so that those behind it come to their turn."""
    job = add_job(registry, "me", "analyse", "{}", most=10)
    for _ in range(MOST_ATTEMPTS):
        assert claim_job(registry, "x", lease_seconds=-1) is not None
    assert claim_job(registry, "x", lease_seconds=-1) is None
    found = find_job(registry, "me", job.id)
    assert found.state == "failed"
    assert found.problem is not None
    assert found.problem["code"] == "Interrupted"


@on_both_databases
def test_cancelled_jobs_end(registry: Registry) -> None:
    """One that waits at once, one at work when it next tells its progress."""
    job = add_job(registry, "me", "analyse", "{}", most=10)
    claim_job(registry, "x", lease_seconds=60)
    with pytest.raises(Refusal, match="not yours"):
        end_job(registry, "you", job.id)
    assert end_job(registry, "me", job.id).state == "cancelled"
    with pytest.raises(LeaseLost):
        renew_lease(registry, job.id, "x", lease_seconds=60, done=1, total=2)
    assert count_by_state(registry) == {"cancelled": 1}


@on_both_databases
def test_a_service_that_stops_parks_its_job(serve: Serve, registry: Registry, memo: str) -> None:
    """The next one does it."""
    engine = fake_engine()
    vars(engine)["masked_lm"] = SlowMaskedLM(pause_seconds=0.5)
    with serve(engine=engine) as client:
        job = client.post("/v1/analyse", json={"text": memo}).json()
        _until(lambda: client.get(f"/v1/jobs/{job['id']}").json()["state"] == "running")
    parked = find_job(registry, list_tokens(registry)[0].id, job["id"])
    assert (parked.state, parked.attempts) == ("queued", 0)
    with serve() as client:
        assert wait_for(client, job)["state"] == "done"


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@contextmanager
def running(folder: Path, port: int) -> Iterator["subprocess.Popen[bytes]"]:
    """The service in a process; killed at the end if it still runs."""
    command = [sys.executable, "-m", "tests.server.killable", str(folder), str(port)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    with subprocess.Popen(command, cwd=ROOT, env=environment) as process:
        try:
            _until(lambda: httpx.get(f"http://127.0.0.1:{port}/ready").status_code == 200)
            yield process
        finally:
            process.kill()


def _until(is_so: Callable[[], bool], *, seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if is_so():
                return
        except httpx.TransportError:
            pass
        time.sleep(0.05)
    raise AssertionError(f"not within {seconds} s")


def kill_and_restart(folder: Path, *, jobs: int, kills: int) -> None:
    """Queue jobs, kill the process again and again, and see that each job was finished once, with the right result."""
    create_key_file(folder / "lexprint.key")
    draw, port = Random(1), free_port()
    url = f"http://127.0.0.1:{port}"
    texts = [fake_text(words=200, seed=seed) for seed in range(3)]
    asked: list[dict[str, Any]] = []
    with running(folder, port):
        for number in range(jobs):
            recipients = [f"Recipient {number}", f"Recipient {number + 1}"]
            asked.append(
                httpx.post(f"{url}/v1/issue", json={"text": texts[number % 3], "recipients": recipients}).json()
            )
        time.sleep(draw.uniform(0.05, 0.5))
    finished = ("done", "failed", "cancelled")

    def count_ended() -> int:
        return sum(httpx.get(f"{url}/v1/jobs/{job['id']}").json()["state"] in finished for job in asked)

    def has_ended(least: int) -> bool:
        return count_ended() >= least

    for _ in range(kills - 1):
        with running(folder, port):
            # On a slow machine the same job would be begun in vain until it is given up: some job ends in between.
            wanted = min(count_ended() + 1, jobs)
            _until(partial(has_ended, wanted))
            time.sleep(draw.uniform(0.1, 1.5))
    with running(folder, port) as process:
        _until(partial(has_ended, jobs))
        found = [httpx.get(f"{url}/v1/jobs/{job['id']}").json() for job in asked]
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) in (0, -signal.SIGTERM)
    assert [job["state"] for job in found] == ["done"] * jobs
    for number, job in enumerate(found):
        names = {copy["recipient"] for copy in job["result"]["copies"]}
        assert names == {f"Recipient {number}", f"Recipient {number + 1}"}
    with open_registry(str(folder / "lexprint.db")) as registry:
        assert registry.verify_audit() is None
        ended = [json.loads(one.details)["job"] for one in registry.audit() if one.event == "job finished"]
        assert sorted(ended) == sorted(job["id"] for job in asked)
        assert {document.planned == document.issued for document in registry.documents()} == {True}


def test_killed_services_finish_their_jobs_once(tmp_path: Path) -> None:
    """Whenever the process is killed, every job is finished exactly once after it is started again."""
    kill_and_restart(tmp_path, jobs=4, kills=1)


@pytest.mark.slow
def test_fifty_jobs_under_ten_kills(tmp_path: Path) -> None:
    """The same with many of both."""
    kill_and_restart(tmp_path, jobs=50, kills=10)
