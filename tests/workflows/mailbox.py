"""A real SMTP server, in a thread of the test, with or without encryption."""

import socket
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from lexprint.workflows.mailing import MailServer


class Mailbox:
    """What arrived; may do something when the so-many-th message comes."""

    def __init__(self, at: int = 0, then: Callable[[], str] | None = None) -> None:
        self.messages: list[EmailMessage] = []
        self.arrived: list[float] = []  # when, in seconds
        self.encrypted: list[bool] = []
        self.users: list[str | None] = []
        self._at, self._then, self._seen = at, then, 0

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802 # as aiosmtpd calls it
        self._seen += 1
        answer = self._then() if self._then is not None and self._seen == self._at else "250 OK"
        if answer.startswith("250"):
            content = envelope.content if isinstance(envelope.content, bytes) else envelope.content.encode()
            message = message_from_bytes(content, policy=default)
            assert envelope.rcpt_tos == [message["To"]]
            self.messages.append(message)
            self.arrived.append(time.monotonic())
            self.encrypted.append(session.ssl is not None)
            self.users.append(session.auth_data)
        return answer

    @property
    def addresses(self) -> list[str]:
        return sorted(str(message["To"]) for message in self.messages)


@contextmanager
def serving(
    mailbox: Mailbox, *, host: str = "127.0.0.1", user: str | None = None, **options: Any
) -> Iterator[MailServer]:
    """A server on a port of this machine; `ssl_context` for TLS from the first byte, `tls_context` for STARTTLS."""
    with socket.create_server((host, 0)) as found:
        port = found.getsockname()[1]  # aiosmtpd takes none that the system chooses
    controller = Controller(mailbox, hostname=host, port=port, ready_timeout=60.0, **options)
    controller.start()
    try:
        yield MailServer(host, port, is_implicit_tls="ssl_context" in options, user=user)
    finally:
        controller.stop()


@dataclass(frozen=True)
class Certified:
    """A certificate that nobody else has signed, with its key."""

    context: ssl.SSLContext
    path: Path  # for who trusts it


def certified(folder: Path, *hosts: str) -> Certified:
    """For a mail server at some addresses."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "mail")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=30))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address(host)) for host in hosts]), critical=False
        )
        .sign(key, SHA256())
    )
    path, secret = folder / "certificate.pem", folder / "key.pem"
    path.write_bytes(certificate.public_bytes(Encoding.PEM))
    secret.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path, secret)
    return Certified(context, path)
