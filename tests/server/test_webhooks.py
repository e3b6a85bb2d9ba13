"""Webhooks: signed, in order, tried again, and not forgotten when the service ends."""

import hmac
import json
import time
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from starlette.testclient import TestClient
from tests.server.receiver import Receiver, listening
from tests.server.served import bearer, on_both_databases
from tests.server.test_jobs import free_port
from tests.workflows.leaks import issue

from lexprint.coding.keys import Keyring
from lexprint.engine import Engine
from lexprint.errors import InputError
from lexprint.registry.protocol import Registry
from lexprint.server import webhook_sender, webhooks
from lexprint.server.app import create_app
from lexprint.server.limits import Limits
from lexprint.server.tokens import SCOPES, create_token
from lexprint.server.webhooks import Message, add_webhook, claim_message, list_webhooks, mark_failed, mark_told

DOCUMENT = "0123456789abcdef"


@pytest.fixture
def serving(
    registry: Registry, engine: Engine, keyring: Keyring, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], object]:
    """The service of an operator who trusts this machine; it looks at the log often."""
    monkeypatch.setattr(webhook_sender, "POLL_SECONDS", 0.02)
    operator, _ = create_token(registry, "operator", scopes=SCOPES)

    @contextmanager
    def start(keyring: Keyring | None = keyring) -> Iterator[TestClient]:
        limits = Limits(requests_per_minute=1_000_000, webhook_pause_seconds=0.02)
        app = create_app(engine, registry, keyring=keyring, limits=limits, webhook_hosts=["127.0.0.1"])
        with TestClient(app, base_url="http://localhost", headers=bearer(operator)) as client:
            yield client

    return start


def download(registry: Registry, number: int) -> None:
    registry.record_event("copy downloaded", {"document": DOCUMENT, "number": number, "token": "a" * 12})


def numbers(receiver: Receiver, count: int) -> list[int]:
    return [json.loads(body)["numbers"][0][0] for _, body in receiver.wait_for(count)]


def require_signed(headers: dict[str, str], body: bytes, secret: str) -> None:
    """As a receiver does, by the words of Standard Webhooks."""
    key = b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = b64encode(hmac.digest(key, signed, "sha256")).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"
    assert abs(time.time() - int(headers["webhook-timestamp"])) < 120


@on_both_databases
def test_what_happens_is_told_and_signed(serving: Callable[[], object], registry: Registry) -> None:
    """Issued, downloaded, traced: with ids and numbers, and a signature that its receiver can check."""
    with listening() as receiver, serving() as client:  # type: ignore[attr-defined]
        download(registry, 1)  # before there was a webhook
        made = client.post("/v1/webhooks", json={"url": f"{receiver.url}/told?a=1"})
        assert made.status_code == 201, made.text
        download(registry, 2)
        registry.record_event("archive downloaded", {"document": DOCUMENT, "copies": 3, "token": "a" * 12})
        registry.record_event("report downloaded", {"report": DOCUMENT, "token": "a" * 12})
        registry.save_report("fedcba9876543210", None, "{}", datetime.now(UTC))
        came = receiver.wait_for(3)
    secret = made.json()["secret"]
    for headers, body in came:
        require_signed(headers, body, secret)
        assert headers["content-type"] == "application/json"
    told = [json.loads(body) for _, body in came]
    assert [one.pop("at")[:2] for one in told] == ["20"] * 3
    assert told == [
        {"event": "downloaded", "document": DOCUMENT, "numbers": [[2, 2]]},
        {"event": "downloaded", "document": DOCUMENT, "numbers": None},
        {"event": "traced", "document": None, "report": "fedcba9876543210"},
    ]
    assert len({headers["webhook-id"] for headers, _ in came}) == 3


def test_issued_copies_are_told_by_their_numbers(registry: Registry, keyring: Keyring) -> None:
    """As soon as their files exist, whoever issued them; that they were planned is told to nobody."""
    add_webhook(registry, keyring, "https://store.example/", events=["issued"], token="a" * 12)
    made = issue(registry, copies=5, words=200)  # the last one's file is never written
    message = claim_message(registry)
    assert message is not None
    said = json.loads(message.body)
    assert (said["event"], said["document"], said["numbers"]) == ("issued", made.record.id, [[1, 4]])
    assert set(said) == {"event", "at", "document", "numbers"}
    mark_told(registry, message)
    assert claim_message(registry) is None


def test_only_what_was_asked_for_is_told(serving: Callable[[], object], registry: Registry) -> None:
    """A receiver of traces hears of no download."""
    with listening() as receiver, serving() as client:  # type: ignore[attr-defined]
        client.post("/v1/webhooks", json={"url": receiver.url, "events": ["traced", "traced"]})
        download(registry, 1)
        registry.save_report("fedcba9876543210", None, "{}", datetime.now(UTC))
        ((_, body),) = receiver.wait_for(1)
        assert json.loads(body)["event"] == "traced"
        assert [one["events"] for one in client.get("/v1/webhooks").json()] == [["traced"]]


def test_failures_are_tried_again_in_order(serving: Callable[[], object], registry: Registry) -> None:
    """With the same id; what comes later waits, so that a receiver sees things in their order. Redirects are failures."""
    with listening(500, 307, 404) as receiver, serving() as client:  # type: ignore[attr-defined]
        client.post("/v1/webhooks", json={"url": receiver.url})
        download(registry, 1)
        download(registry, 2)
        assert numbers(receiver, 5) == [1, 1, 1, 1, 2]
        assert len({headers["webhook-id"] for headers, _ in receiver.came[:4]}) == 1
        assert len({headers["webhook-id"] for headers, _ in receiver.came}) == 2


def test_a_restart_loses_nothing(serving: Callable[[], object], registry: Registry) -> None:
    """What happened while the receiver was away, and while the service was, is told by the next service."""
    port = free_port()
    with serving() as client:  # type: ignore[attr-defined]
        client.post("/v1/webhooks", json={"url": f"http://127.0.0.1:{port}/"})
        download(registry, 1)
        deadline = time.monotonic() + 30
        while not client.get("/v1/webhooks").json()[0]["attempts"] and time.monotonic() < deadline:
            time.sleep(0.02)
    download(registry, 2)
    with listening(port=port) as receiver, serving():  # type: ignore[attr-defined]
        assert numbers(receiver, 2) == [1, 2]


@on_both_databases
def test_a_message_belongs_to_one_sender(registry: Registry, keyring: Keyring) -> None:
    """Of several processes one sends it; when that one is killed, another does after the lease."""
    add_webhook(registry, keyring, "https://store.example/", events=["downloaded"], token="a" * 12)
    assert claim_message(registry) is None
    download(registry, 1)
    message = claim_message(registry)
    assert message is not None
    assert claim_message(registry) is None, "another process"
    with registry.writing() as statements:
        statements.change("UPDATE webhooks SET leased_until = '2020-01-01T00:00:00.000000+00:00'")
    again = claim_message(registry)
    assert again is not None
    assert again.sequence == message.sequence
    mark_told(registry, again)
    assert claim_message(registry) is None


def test_pauses_grow_and_end(registry: Registry, keyring: Keyring, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice as long each time, at most an hour; after three days the next message has its turn, and the log says so."""
    add_webhook(registry, keyring, "https://store.example/", events=["downloaded"], token="a" * 12)
    download(registry, 1)
    download(registry, 2)
    pauses = []

    def claim_now() -> Message:
        with registry.writing() as statements:
            statements.change("UPDATE webhooks SET due_at = '2020-01-01T00:00:00.000000+00:00'")
        message = claim_message(registry)
        assert message is not None
        return message

    for _ in range(14):
        message = claim_now()
        mark_failed(registry, message, pause_seconds=5.0)
        pauses.append(list_webhooks(registry)[0].due_at - datetime.now(UTC))
    for pause, doubled in zip(pauses, (5, 10, 20, 40, 80), strict=False):
        assert doubled - 5 < pause.total_seconds() <= doubled, "five seconds for a busy machine"
    assert timedelta(minutes=59) < pauses[-1] < timedelta(minutes=61)
    monkeypatch.setattr(webhooks, "GIVEN_UP_AFTER", timedelta(0))
    mark_failed(registry, message, pause_seconds=5.0)
    assert claim_now().sequence > message.sequence
    assert registry.audit()[-1].event == "webhook message given up"


def test_webhooks_are_managed_by_administrators(serving: Callable[[], object], registry: Registry) -> None:
    """Set, listed without the secret, ended; all of it audited without the address."""
    tokens = {scope: bearer(create_token(registry, scope, scopes={scope})[0]) for scope in SCOPES}
    asked = {"url": "https://store.example/hook-of-a-secret-name"}
    with serving() as client:  # type: ignore[attr-defined]
        for scope in ("copies", "mark", "trace"):
            assert client.post("/v1/webhooks", json=asked, headers=tokens[scope]).status_code == 403
            assert client.get("/v1/webhooks", headers=tokens[scope]).status_code == 403
        made = client.post("/v1/webhooks", json=asked).json()
        (listed,) = client.get("/v1/webhooks").json()
        assert listed == {name: value for name, value in made.items() if name != "secret"}
        assert client.delete(f"/v1/webhooks/{made['id']}").status_code == 204
        assert client.delete(f"/v1/webhooks/{made['id']}").status_code == 404
        assert client.get("/v1/webhooks").json() == []
    log = "".join(entry.event + entry.details for entry in registry.audit())
    assert "webhook set" in log
    assert "webhook ended" in log
    assert "secret-name" not in log


def test_a_service_without_a_key_has_nothing_to_sign_with(serving: Callable[..., object]) -> None:
    """And says so."""
    with serving(keyring=None) as client:  # type: ignore[attr-defined]
        assert client.post("/v1/webhooks", json={"url": "https://store.example/"}).status_code == 503


def test_there_are_not_too_many(registry: Registry, keyring: Keyring) -> None:
    """Each is looked at once a second."""
    for _ in range(webhooks.MOST_WEBHOOKS):
        add_webhook(registry, keyring, "https://store.example/", events=["traced"], token="a" * 12)
    with pytest.raises(InputError, match="20 webhooks"):
        add_webhook(registry, keyring, "https://store.example/", events=["traced"], token="a" * 12)
