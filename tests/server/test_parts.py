"""An analysis tells what it has found while it goes on."""

import json
import time
from itertools import pairwise
from typing import Any

from starlette.testclient import TestClient
from tests.server.conftest import Serve
from tests.server.killable import SlowMaskedLM
from tests.server.served import fake_engine, on_both_databases

from lexprint.registry.protocol import Registry
from lexprint.server.job_store import add_job, claim_job, end_job, find_job, park_job, renew_lease
from lexprint.testing import fake_text

LONG = "\n\n".join(fake_text(words=150, seed=seed) for seed in range(4))


def events(client: TestClient, job: dict[str, Any]) -> list[dict[str, Any]]:
    with client.stream("GET", f"/v1/jobs/{job['id']}/events") as response:
        told = "".join(response.iter_text())
    return [json.loads(one.partition("data: ")[2]) for one in told.strip().split("\n\n")]


def test_first_words_are_told_while_the_rest_is_read(serve: Serve) -> None:
    """Sites come with the progress, growing, and are those of the result; how many words there are is known at once."""
    engine = fake_engine()
    vars(engine)["masked_lm"] = SlowMaskedLM(pause_seconds=0.1)
    with serve(engine=engine) as client:
        told = events(client, client.post("/v1/analyse", json={"text": LONG}).json())
    result = told[-1]["result"]
    parts = [one["part"]["sites"] for one in told if one["part"]]
    assert len(parts) > 2
    assert all(one["result"] is None for one in told[:-1])
    assert all(len(earlier) < len(later) for earlier, later in pairwise(parts))
    assert all(part == result["sites"][: len(part)] for part in parts)
    first = next(one for one in told if one["part"])
    assert 0 < first["done"] < first["total"] / 2
    running = [one for one in told if one["state"] == "running" and one["total"]]
    assert {one["total"] for one in running} == {result["words"]}


@on_both_databases
def test_what_was_found_is_not_kept_after_it_was_given_up(registry: Registry) -> None:
    """Neither a cancelled job nor one that is begun anew holds words of a document."""
    cancelled = add_job(registry, "me", "analyse", "{}", most=10)
    parked = add_job(registry, "me", "analyse", "{}", most=10)
    for job in (cancelled, parked):
        assert claim_job(registry, "runner", lease_seconds=60) is not None
        renew_lease(registry, job.id, "runner", lease_seconds=60, done=1, total=9, part={"sites": ["secret"]})
        renew_lease(registry, job.id, "runner", lease_seconds=60, done=2, total=9)
        assert find_job(registry, "me", job.id).result == {"sites": ["secret"]}
    assert end_job(registry, "me", cancelled.id).result is None
    park_job(registry, parked.id, "runner")
    assert find_job(registry, "me", parked.id).result is None


def test_a_job_that_goes_on_shows_its_part_but_the_list_does_not(serve: Serve) -> None:
    """Whoever comes back finds what is known so far; a list of jobs holds no texts."""
    engine = fake_engine()
    vars(engine)["masked_lm"] = SlowMaskedLM(pause_seconds=0.1)
    with serve(engine=engine) as client:
        job = client.post("/v1/analyse", json={"text": LONG}).json()
        found = job
        while not found["part"]:
            assert found["state"] in ("queued", "running")
            time.sleep(0.02)
            found = client.get(f"/v1/jobs/{job['id']}").json()
        assert found["part"]["sites"]
        (listed,) = client.get("/v1/jobs").json()["items"]
        assert (listed["part"], listed["result"]) == (None, None)
        assert client.delete(f"/v1/jobs/{job['id']}").json()["part"] is None
