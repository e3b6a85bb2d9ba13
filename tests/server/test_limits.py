"""Too much at once, too long or too often is refused, and the service goes on."""

import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.testclient import TestClient
from tests.server.conftest import Serve
from tests.server.served import bearer, fake_engine, wait_for

from lexprint.engine import Engine
from lexprint.errors import SettingsError
from lexprint.models.protocols import Floats, Gap
from lexprint.registry.protocol import Registry
from lexprint.registry.records import DocumentSummary
from lexprint.server.limits import Limits, RateLimiter
from lexprint.server.problems import Refusal
from lexprint.server.service import RECORD_THREADS
from lexprint.server.tokens import create_token
from lexprint.testing import FakeMaskedLM


class Gate(FakeMaskedLM):
    """Answers nothing before it is opened."""

    def __init__(self) -> None:
        super().__init__()
        self.opened = threading.Event()

    def predict(self, gaps: Sequence[Gap]) -> Floats:
        self.opened.wait(30)
        return super().predict(gaps)


@pytest.fixture
def gated() -> tuple[Engine, Gate]:
    engine, gate = fake_engine(), Gate()
    vars(engine)["masked_lm"] = gate
    return engine, gate


def test_a_full_queue_refuses_at_once(serve: Serve, gated: tuple[Engine, Gate], memo: str) -> None:
    """One works, two wait, the fourth is told to come again; health answers meanwhile, and the three are served."""
    engine, gate = gated
    with serve(engine=engine, limits=Limits(waiting=2)) as client, ThreadPoolExecutor(3) as users:
        asked = [users.submit(client.post, "/v1/capacity", json={"text": memo}) for _ in range(3)]
        deadline = time.monotonic() + 20
        while 'lexprint_pending{bench="models"} 3' not in client.get("/v1/metrics").text:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        refused = client.post("/v1/capacity", json={"text": memo})
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "2")
        assert client.get("/health").status_code == 200
        gate.opened.set()
        assert [one.result().status_code for one in asked] == [200, 200, 200]
        assert client.post("/v1/capacity", json={"text": memo}).status_code == 200


def test_health_and_metrics_wait_for_nobody(serve: Serve, registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    """With every thread that may look into the registry stuck there, both answer; jobs are as they were counted last."""
    opened = threading.Event()
    stuck: list[int] = []

    def documents(registry: Registry) -> list[DocumentSummary]:
        stuck.append(1)
        opened.wait(30)
        return []

    monkeypatch.setattr(type(registry), "documents", documents)
    with serve() as client, ThreadPoolExecutor(RECORD_THREADS + 2) as users:
        job = client.post("/v1/analyse", json={"text": "Words."}).json()
        wait_for(client, job)
        deadline = time.monotonic() + 20
        while 'lexprint_jobs{state="done"} 1' not in client.get("/v1/metrics").text:  # counted a moment later
            assert time.monotonic() < deadline
            time.sleep(0.01)
        asked = [users.submit(client.get, "/v1/documents") for _ in range(RECORD_THREADS + 2)]
        while len(stuck) < RECORD_THREADS and time.monotonic() < deadline:
            time.sleep(0.01)
        assert client.get("/health").status_code == 200
        assert 'lexprint_jobs{state="done"} 1' in client.get("/v1/metrics").text
        assert len(stuck) == RECORD_THREADS
        opened.set()
        assert {one.result().status_code for one in asked} == {200}


def test_requests_end_in_time(serve: Serve, gated: tuple[Engine, Gate], memo: str) -> None:
    """Work that takes too long is answered with the way out, what waited behind it is told to come again."""
    engine, gate = gated
    with serve(engine=engine, limits=Limits(seconds=0.4)) as client, ThreadPoolExecutor(2) as users:
        first = users.submit(client.post, "/v1/capacity", json={"text": memo})
        time.sleep(0.1)
        second = users.submit(client.post, "/v1/capacity", json={"text": memo})
        assert (first.result().status_code, first.result().json()["code"]) == (503, "TimeUp")
        assert second.result().status_code == 429
        gate.opened.set()


def test_bodies_have_a_limit(serve: Serve) -> None:
    """Announced or not, as JSON or as a file."""
    form = {"Content-Type": "multipart/form-data; boundary=b"}
    part = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
    with serve(limits=Limits(body_bytes=1000)) as client:
        for path in ("/v1/trace", "/v1/files", "/nowhere"):
            assert client.post(path, content=b"x" * 1001).status_code == 413
        assert client.post("/v1/trace", content=iter([b'{"text": "', b"x" * 600, b"x" * 600, b'"}'])).status_code == 413
        assert (
            client.post("/v1/files", content=iter([part, b"x" * 1000, b"\r\n--b--"]), headers=form).status_code == 413
        )
        assert client.post("/v1/files", content=iter([part, b"x y", b"\r\n--b--\r\n"]), headers=form).status_code == 201
        assert client.post("/v1/trace", json={"text": "Words."}).status_code == 200


def test_a_token_that_asks_too_often_is_refused(serve: Serve, registry: Registry) -> None:
    """The others are not."""
    one, other = (bearer(create_token(registry, name, scopes={"trace"})[0]) for name in "ab")
    with serve(access="tokens", limits=Limits(requests_per_minute=50)) as client:
        statuses = [client.get("/v1/reports", headers=one).status_code for _ in range(7)]
        assert statuses[:5] == [200] * 5
        assert statuses[-1] == 429
        assert client.get("/v1/reports", headers=other).status_code == 200


def test_rates_recover() -> None:
    """A bucket fills evenly, up to a tenth of a minute's worth."""
    now = 0.0
    rates = RateLimiter(600, clock=lambda: now)
    for _ in range(60):
        rates.require("one")
    with pytest.raises(Refusal, match="too often"):
        rates.require("one")
    now = 0.1
    rates.require("one")
    with pytest.raises(Refusal):
        rates.require("one")
    now = 1e6
    for _ in range(60):
        rates.require("one")
    with pytest.raises(Refusal):
        rates.require("one")


def test_full_queues_of_jobs(serve: Serve, gated: tuple[Engine, Gate], memo: str) -> None:
    """Jobs that cannot be queued are refused."""
    engine, gate = gated
    with serve(engine=engine, limits=Limits(queued_jobs=2)) as client:
        statuses = [client.post("/v1/analyse", json={"text": memo}).status_code for _ in range(3)]
        gate.opened.set()
    assert statuses == [202, 202, 429]


def test_limits_are_above_nothing() -> None:
    """A limit of zero would close the service."""
    with pytest.raises(SettingsError, match="waiting"):
        Limits(waiting=0)


def test_every_response_is_framed(client: TestClient) -> None:
    """Security headers are on answers, refusals, pages and what does not exist; no script but our own may run."""
    for path in ("/", "/health", "/v1/documents", "/nowhere", "/v1/files/x"):
        headers = client.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert headers["referrer-policy"] == "no-referrer"


def test_bugs_tell_nothing(serve: Serve, caplog: pytest.LogCaptureFixture, memo: str) -> None:
    """What breaks inside is a 500 without its message, which may quote the text; the log has the place alone."""

    class Broken(FakeMaskedLM):
        def predict(self, gaps: Sequence[Gap]) -> Floats:
            raise RuntimeError("a secret sentence of the document")

    engine = fake_engine()
    vars(engine)["masked_lm"] = Broken()
    with serve(engine=engine) as client:
        answer = client.post("/v1/capacity", json={"text": memo})
        assert (answer.status_code, answer.json()["code"]) == (500, "Bug")
        job = client.post("/v1/capacity", json={"text": memo}, headers={"Prefer": "respond-async"}).json()
        found = wait_for(client, job)
        assert found["problem"]["code"] == "Bug"
    assert "RuntimeError" in caplog.text
    assert "secret sentence" not in caplog.text + answer.text + str(found)
