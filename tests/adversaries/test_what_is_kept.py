"""What the service keeps longer than it says: whoever reads the database, or asks late, finds nothing."""

import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.server.served import bearer, fake_engine, wait_for

from lexprint.errors import RegistryError
from lexprint.registry.audit import time_text
from lexprint.registry.protocol import Registry, open_registry
from lexprint.server import retention
from lexprint.server.app import create_app
from lexprint.server.limits import Limits
from lexprint.server.tokens import SCOPES, create_token

SECRET = "A sentence that nobody else may read."


@pytest.fixture
def location(tmp_path: Path) -> Path:
    return tmp_path / "lexprint.db"


@pytest.fixture
def registry(location: Path) -> Iterator[Registry]:
    with open_registry(str(location)) as opened:
        yield opened


def serve(registry: Registry, *, retention_seconds: float = 600.0) -> TestClient:
    headers = bearer(create_token(registry, "operator", scopes=SCOPES)[0])
    app = create_app(fake_engine(), registry, limits=Limits(retention_seconds=retention_seconds))
    return TestClient(app, base_url="http://localhost", headers=headers)


@pytest.fixture
def client(registry: Registry) -> Iterator[TestClient]:
    with serve(registry) as client:
        yield client


def age(registry: Registry, table: str, column: str, *, days: float) -> None:
    """As if so many days had gone by."""
    then = time_text(datetime.now(UTC) - timedelta(days=days))
    with registry.writing() as statements:
        assert statements.change(f"UPDATE {table} SET {column} = :then", then=then)


def rows(registry: Registry, table: str) -> int:
    with registry.reading() as statements:
        (counted,) = statements.rows(f"SELECT count(*) AS rows FROM {table}")
    count: int = counted["rows"]
    return count


def contents(location: Path) -> bytes:
    """Every byte of the database, with what is beside it."""
    return b"".join(path.read_bytes() for path in location.parent.glob(f"{location.name}*"))


def test_a_new_token_is_nowhere_in_the_database(client: TestClient, location: Path) -> None:
    """Not even when its request can be sent again: then it is said that it was made, and not shown twice."""
    asked = {"json": {"name": "press", "scopes": ["mark"]}, "headers": {"Idempotency-Key": "once"}}
    made = client.post("/v1/tokens", **asked)  # type: ignore[arg-type]
    assert made.status_code == 201
    assert made.json()["token"].encode() not in contents(location)
    again = client.post("/v1/tokens", **asked)  # type: ignore[arg-type]
    assert (again.status_code, again.json()["code"]) == (409, "ShownOnce")
    assert len([one for one in client.get("/v1/tokens").json() if one["name"] == "press"]) == 1


def test_other_answers_are_still_given_again(client: TestClient) -> None:
    """The same job for the same key, so that nothing is done twice."""
    asked = {"json": {"text": SECRET}, "headers": {"Idempotency-Key": "once"}}
    first, again = (client.post("/v1/analyse", **asked).json() for _ in range(2))  # type: ignore[arg-type]
    assert first["id"] == again["id"]


def test_files_are_not_served_after_their_days(client: TestClient, registry: Registry) -> None:
    """However late the clock that deletes them: neither they nor their text, nor as the input of anything."""
    file = client.post("/v1/files", files={"file": ("a.txt", SECRET.encode())}).json()["id"]
    assert client.get(f"/v1/files/{file}/content").content == SECRET.encode()
    age(registry, "files", "expires_at", days=0.0)
    for path in (f"/v1/files/{file}", f"/v1/files/{file}/content", f"/v1/files/{file}/text"):
        assert client.get(path).status_code == 404
    assert client.post("/v1/capacity", json={"file": file}).status_code == 404
    assert client.post("/v1/analyse", json={"file": file}).status_code == 404


def test_results_are_not_served_after_their_days(client: TestClient, registry: Registry) -> None:
    """A week after it was finished a job is gone for whoever asked for it."""
    job = client.post("/v1/analyse", json={"text": SECRET}).json()
    assert wait_for(client, job)["result"]["text"] == SECRET
    age(registry, "jobs", "finished_at", days=7.1)
    assert client.get(f"/v1/jobs/{job['id']}").status_code == 404
    assert client.get(f"/v1/jobs/{job['id']}/events").status_code == 404
    assert client.get("/v1/jobs").json()["total"] == 0


def test_finished_jobs_can_be_deleted(client: TestClient, registry: Registry, location: Path) -> None:
    """With their result, and at once; the deleted text is overwritten."""
    job = client.post("/v1/analyse", json={"text": SECRET}).json()
    wait_for(client, job)
    assert SECRET.encode() in contents(location)
    deleted = client.delete(f"/v1/jobs/{job['id']}")
    assert (deleted.status_code, deleted.json()["result"]) == (200, None)
    assert client.get(f"/v1/jobs/{job['id']}").status_code == 404
    assert client.delete(f"/v1/jobs/{job['id']}").status_code == 404
    assert rows(registry, "jobs") == 0
    assert SECRET not in str([entry.details for entry in registry.audit()])


def test_old_things_are_deleted_while_the_service_runs(registry: Registry) -> None:
    """By the clock, not when it next starts: files, answers and finished jobs."""
    with serve(registry, retention_seconds=0.05) as client:
        client.post("/v1/files", files={"file": ("a.txt", SECRET.encode())})
        job = client.post("/v1/analyse", json={"text": SECRET}, headers={"Idempotency-Key": "once"}).json()
        wait_for(client, job)
        for table, column, days in (
            ("files", "expires_at", 0.0),
            ("answers", "asked_at", 1.1),
            ("jobs", "finished_at", 8),
        ):
            assert rows(registry, table) == 1
            age(registry, table, column, days=days)
            deadline = time.monotonic() + 20
            while rows(registry, table) and time.monotonic() < deadline:
                time.sleep(0.02)
            assert rows(registry, table) == 0, table


def test_the_clock_survives_a_registry_that_fails(
    registry: Registry, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """What could not be deleted now is deleted the next time."""
    failed = threading.Event()
    real = retention.forget_old

    def fail_once(registry: Registry) -> None:
        if not failed.is_set():
            failed.set()
            raise RegistryError("the disk is away")
        real(registry)

    monkeypatch.setattr(retention, "forget_old", fail_once)
    with serve(registry, retention_seconds=0.05) as client:
        client.post("/v1/files", files={"file": ("a.txt", SECRET.encode())})
        age(registry, "files", "expires_at", days=0.0)
        deadline = time.monotonic() + 20
        while rows(registry, "files") and time.monotonic() < deadline:
            time.sleep(0.02)
    assert failed.is_set()
    assert rows(registry, "files") == 0
    assert "the disk is away" in caplog.text
