"""Webhooks as a way to learn who is named, to reach into the operator's network, or to be told lies."""

import json
import logging
import socket
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.server.receiver import listening
from tests.server.served import bearer, fake_engine

from lexprint.coding.keys import Keyring, MasterKey
from lexprint.errors import InputError
from lexprint.registry.protocol import Registry, open_registry
from lexprint.server import outgoing
from lexprint.server.outgoing import Target, Unreachable, post
from lexprint.server.webhooks import EVENTS, add_webhook, claim_message

from starlette.testclient import TestClient  # isort: skip
from lexprint.server.app import create_app  # isort: skip
from lexprint.server.tokens import create_token  # isort: skip

KEYS = Keyring((MasterKey.generate(),))


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    with open_registry(str(tmp_path / "lexprint.db")) as opened:
        yield opened


def told(registry: Registry) -> list[bytes]:
    """Everything that a receiver of all events is told."""
    bodies = []
    while (message := claim_message(registry)) is not None:
        bodies.append(message.body)
        with registry.writing() as statements:
            statements.change("UPDATE webhooks SET leased_until = NULL, cursor = :at", at=message.sequence)
    return bodies


def test_nobody_learns_from_a_webhook_who_is_named(registry: Registry) -> None:
    """Whether a report names a copy, which, and whose: the message is the same but for the id of the report."""
    add_webhook(registry, KEYS, "https://store.example/", events=EVENTS, token="a" * 12)
    named = json.dumps({"verdict": "one copy", "accused": [{"number": 7, "recipient": "Ada Lovelace"}]})
    for report_id, text in (("a" * 16, named), ("b" * 16, json.dumps({"verdict": "inconclusive", "accused": []}))):
        registry.save_report(report_id, None, text, datetime.now(UTC))
        registry.record_event("case made", {"report": report_id, "document": None, "case": "c" * 64})
        registry.record_event("report downloaded", {"report": report_id, "token": "a" * 12})
        registry.record_event("report shown", {"report": report_id, "number": 7})
    first, second = map(json.loads, told(registry))
    assert set(first) == set(second) == {"event", "at", "document", "report"}
    assert {key: value for key, value in first.items() if key not in ("at", "report")} == {
        key: value for key, value in second.items() if key not in ("at", "report")
    }


def test_messages_hold_no_names_tokens_or_digests(registry: Registry) -> None:
    """Numbers and ids only; a digest of a name could be guessed."""
    add_webhook(registry, KEYS, "https://store.example/", events=EVENTS, token="a" * 12)
    details = {"document": "0" * 16, "number": 3, "token": "d" * 12, "recipient": "Ada Lovelace", "sha256": "e" * 64}
    registry.record_event("copy downloaded", details)
    registry.save_report("a" * 16, None, "{}", datetime.now(UTC))
    written = b"".join(told(registry)).decode()
    for secret in ("Ada", "d" * 12, "e" * 64, "sha256", "token"):
        assert secret not in written


@pytest.mark.parametrize(
    "url",
    [
        "http://store.example/",
        "https://127.0.0.1/",
        "https://127.1.2.3:8400/v1/tokens",
        "https://10.0.0.1/",
        "https://192.168.1.1/",
        "https://169.254.169.254/latest/meta-data/",
        "https://100.64.0.1/",
        "https://0.0.0.0/",
        "https://[::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://[64:ff9b::7f00:1]/",
        "https://[::127.0.0.1]/",
        "https://240.0.0.1/",
        "https://[2002:7f00:1::]/",
        "https://[fd00::1]/",
        "https://224.0.0.1/",
        "https://user:password@store.example/",
        "https://store.example/#fragment",
        "https://store.example:0/",
        "https://store.example/a b",
        "https://store.exämple/",
        "https:///nowhere",
        "https://[::1",
        "file:///etc/passwd",
        "gopher://store.example/",
        f"https://store.example/{'x' * 500}",
    ],
)
def test_addresses_that_are_refused_at_once(url: str) -> None:
    """Those of this machine, of networks, without TLS, with passwords in them; also where they are wrapped in others."""
    with pytest.raises(InputError) as refused:
        Target.of(url)
    assert "password@" not in str(refused.value)


@pytest.mark.parametrize("addresses", [["127.0.0.1"], ["93.184.215.14", "10.0.0.1"], ["::1"], ["fe80::1%eth0"], []])
def test_a_public_name_with_a_private_address_is_not_called(
    monkeypatch: pytest.MonkeyPatch, addresses: list[str]
) -> None:
    """Whoever owns a name decides where it leads, and may decide anew between a look and a call."""
    asked: list[str] = []

    def look_up(host: str, port: int, **_: object) -> list[object]:
        asked.append(host)
        return [(2, 1, 6, "", (address, port)) for address in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    monkeypatch.setattr(socket, "create_connection", lambda *_: pytest.fail("it was called"))
    with pytest.raises(Unreachable):
        post(Target.of("https://store.example/"), b"{}", {})
    assert asked == ["store.example"]


def test_the_address_that_was_looked_at_is_the_one_that_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that leads elsewhere at the second look is of no use: there is no second look."""
    called: list[object] = []

    def connect(address: object, *_: object) -> socket.socket:
        called.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [(2, 1, 6, "", ("93.184.215.14", 443))])
    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(Unreachable):
        post(Target.of("https://store.example/"), b"{}", {})
    assert called == [("93.184.215.14", 443)]


def test_redirects_lead_nowhere() -> None:
    """A public receiver cannot send the service on to the operator's network."""
    with listening(307) as receiver:
        assert post(Target.of(receiver.url, trusted_hosts=["127.0.0.1"]), b"{}", {}) == 307
        time.sleep(0.1)
        assert len(receiver.came) == 1


def test_a_receiver_that_answers_a_letter_at_a_time_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole exchange has a time."""
    monkeypatch.setattr(outgoing, "TIMEOUT_SECONDS", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as server:

        def drip() -> None:
            connection, _ = server.accept()
            with connection:
                try:
                    for letter in b"HTTP/1.1 200 OK\r\n" + b"x" * 1_000:
                        connection.sendall(bytes([letter]))
                        time.sleep(0.2)
                except OSError:
                    return

        threading.Thread(target=drip, daemon=True).start()
        begun = time.monotonic()
        target = Target.of(f"http://127.0.0.1:{server.getsockname()[1]}/", trusted_hosts=["127.0.0.1"])
        with pytest.raises(Unreachable):
            post(target, b"{}", {})
        assert time.monotonic() - begun < 15


def test_administrators_cannot_trust_hosts_themselves(registry: Registry, caplog: pytest.LogCaptureFixture) -> None:
    """Over HTTP nobody widens what the operator allowed; and neither answers nor logs tell what is at an address."""
    admin = bearer(create_token(registry, "admin", scopes={"admin"})[0])
    with (
        caplog.at_level(logging.DEBUG),
        TestClient(
            create_app(fake_engine(), registry, keyring=KEYS), base_url="http://localhost", headers=admin
        ) as client,
    ):
        for url in ("https://127.0.0.1:8400/v1/health", "http://intranet.example/", "https://[::1]/"):
            assert client.post("/v1/webhooks", json={"url": url}).status_code == 422
        assert client.post("/v1/webhooks", json={"url": "https://x.example/", "trusted": True}).status_code == 422
        assert client.get("/v1/webhooks").json() == []
    assert "intranet" not in caplog.text


def test_messages_cannot_be_forged_from_the_database(registry: Registry) -> None:
    """The secret follows from the master key: neither it nor anything to sign with is stored."""
    webhook = add_webhook(registry, KEYS, "https://store.example/", events=EVENTS, token="a" * 12)
    with registry.reading() as statements:
        (row,) = statements.rows("SELECT * FROM webhooks")
    secret = webhook.secret(KEYS)
    assert secret.hex() not in json.dumps({name: str(value) for name, value in row.items()})
    other = add_webhook(registry, KEYS, "https://store.example/", events=EVENTS, token="a" * 12)
    assert other.secret(KEYS) != secret
    assert webhook.secret(Keyring((MasterKey.generate(), *KEYS))) == secret, "a new key leaves it as it is"
