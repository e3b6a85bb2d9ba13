"""How messages are handed over: encrypted, to the server that was meant, no faster than it was said."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.smtp import AuthResult, LoginPassword
from tests.adversaries.office import KEYRING, Office
from tests.workflows.mailbox import Certified, Mailbox, certified, serving

from lexprint.errors import InputError, LexprintError
from lexprint.registry.deliveries import deliveries
from lexprint.registry.protocol import Registry, open_registry
from lexprint.workflows.letters import Letter
from lexprint.workflows.mailing import Parcel, Unsent, parcels, send

pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore:Requiring AUTH while not requiring TLS"
)

PEOPLE = {name: f"{name.lower()}@example.org" for name in ("Ada", "Bo", "Cy")}
LETTER = Letter("office@example.org", "The memo", "Please find it attached.")
NOWHERE_NEAR = "127.0.0.2"  # answers here, and is none of the names of this machine
Sending = tuple[Registry, tuple[Parcel, ...]]


@pytest.fixture
def sending(tmp_path: Path) -> Iterator[Sending]:
    """Three copies that wait to be sent."""
    with open_registry(str(tmp_path / "lexprint.db"), keys=KEYRING) as registry:
        done = Office(registry, tmp_path).issue(list(PEOPLE), folder="copies")
        yield registry, parcels(registry, done.document.id, tmp_path / "copies", PEOPLE)


@pytest.fixture
def trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Certified:
    """A certificate that this process trusts."""
    made = certified(tmp_path, "127.0.0.1", NOWHERE_NEAR)
    monkeypatch.setenv("SSL_CERT_FILE", str(made.path))
    return made


@pytest.mark.parametrize("how", ["STARTTLS", "TLS"])
def test_messages_and_passwords_are_encrypted(sending: Sending, trusted: Certified, how: str) -> None:
    """By STARTTLS or from the first byte, to a server whose certificate is known; the password goes the same way."""
    registry, waiting = sending
    shown: list[tuple[bytes, bytes]] = []

    def check(server: object, session: object, envelope: object, mechanism: str, data: LoginPassword) -> AuthResult:
        shown.append((data.login, data.password))
        return AuthResult(success=data.password == b"secret", auth_data=data.login.decode())

    mailbox = Mailbox()
    with_tls: dict[str, Any] = {"ssl_context": trusted.context} if how == "TLS" else {"tls_context": trusted.context}
    options: dict[str, Any] = {
        "auth_required": True,
        "auth_require_tls": how == "STARTTLS",
        "authenticator": check,
        **with_tls,
    }
    with serving(mailbox, host=NOWHERE_NEAR, user="ada", **options) as server:
        assert send(registry, waiting, LETTER, server=server, password="secret", per_minute=1e6) == Unsent()
    assert mailbox.addresses == sorted(PEOPLE.values())
    assert mailbox.users == ["ada"] * 3
    assert shown == [(b"ada", b"secret")]
    if how == "STARTTLS":
        assert mailbox.encrypted == [True] * 3  # aiosmtpd says it of no other kind


@pytest.mark.parametrize("how", ["STARTTLS", "TLS"])
def test_a_server_that_nobody_knows_gets_nothing(
    sending: Sending, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """Who stands between with a certificate of their own reads no copy and learns no password."""
    registry, waiting = sending
    (tmp_path / "other").mkdir()
    impostor, meant = certified(tmp_path, NOWHERE_NEAR), certified(tmp_path / "other", NOWHERE_NEAR)
    monkeypatch.setenv("SSL_CERT_FILE", str(meant.path))
    mailbox = Mailbox()
    with_tls: dict[str, Any] = {"ssl_context": impostor.context} if how == "TLS" else {"tls_context": impostor.context}
    with (
        serving(mailbox, host=NOWHERE_NEAR, **with_tls) as server,
        pytest.raises(LexprintError, match="nothing more was sent"),
    ):
        send(registry, waiting, LETTER, server=server)
    assert mailbox.messages == []
    assert deliveries(registry, waiting[0].copy.document_id) == []


def test_encryption_cannot_be_taken_away(sending: Sending) -> None:
    """Who strikes STARTTLS from what a server offers gets no copies in the clear."""
    registry, waiting = sending
    mailbox = Mailbox()
    with serving(mailbox, host=NOWHERE_NEAR) as server, pytest.raises(InputError, match="offers no encryption"):
        send(registry, waiting, LETTER, server=server)
    assert mailbox.messages == []


def test_no_faster_than_said(sending: Sending) -> None:
    """600 a minute are one in a tenth of a second."""
    registry, waiting = sending
    mailbox = Mailbox()
    with serving(mailbox) as server:
        send(registry, waiting, LETTER, server=server, per_minute=600)
    first, second, third = mailbox.arrived
    assert second - first >= 0.1
    assert third - second >= 0.1


class Impatient(Mailbox):
    """Hangs up once it has said that a message is taken."""

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802 # as aiosmtpd calls it
        asyncio.get_running_loop().call_later(0.01, server.transport.close)
        return await super().handle_DATA(server, session, envelope)


def test_a_server_that_hangs_up_between_two_messages(sending: Sending) -> None:
    """Servers do that to the slow; it is called again, and no message is in doubt."""
    registry, waiting = sending
    mailbox = Impatient()
    with serving(mailbox) as server:
        assert send(registry, waiting, LETTER, server=server, per_minute=150) == Unsent()
    assert mailbox.addresses == sorted(PEOPLE.values())
    assert all(one.is_sent for one in deliveries(registry, waiting[0].copy.document_id))


class Choosy(Mailbox):
    """Knows no Bo."""

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:  # noqa: N802
        if address.startswith("bo@"):
            return "550 no such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 OK"


def test_an_address_that_is_refused_keeps_nobody_waiting(sending: Sending, tmp_path: Path) -> None:
    """The others get theirs; it is named, and goes to the address that is mended, and to no other that was sent to."""
    registry, waiting = sending
    mailbox = Choosy()
    document = waiting[0].copy.document_id
    with serving(mailbox) as server:
        for _ in range(2):
            assert send(registry, waiting, LETTER, server=server, per_minute=1e6) == Unsent(refused=(2,))
        assert mailbox.addresses == ["ada@example.org", "cy@example.org"]
        mended = parcels(registry, document, tmp_path / "copies", PEOPLE | {"Bo": "b.o@example.org"})
        assert send(registry, mended, LETTER, server=server, per_minute=1e6) == Unsent()
    assert mailbox.addresses == ["ada@example.org", "b.o@example.org", "cy@example.org"]
    assert [one.number for one in deliveries(registry, document)] == [1, 2, 3]


def test_a_server_of_seven_bits(sending: Sending) -> None:
    """Every message can be relayed by the oldest of servers."""
    registry, waiting = sending
    mailbox = Mailbox()
    with serving(mailbox, decode_data=True) as server:
        send(registry, waiting, Letter("office@example.org", "Äpfel", "Bitte schön."), server=server, per_minute=1e6)
    assert mailbox.addresses == sorted(PEOPLE.values())
    assert all("Äpfel" in str(message["Subject"]) for message in mailbox.messages)
