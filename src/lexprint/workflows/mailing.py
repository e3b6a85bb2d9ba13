"""Copies by mail: each to its recipient, once.

What is sent to whom follows from the registry, never from the names of files: who could swap two files, or two lines of a
manifest, could else make somebody the recipient of another's copy.
"""

from __future__ import annotations

import smtplib
import ssl
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import EmailMessage
from hashlib import sha256
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lexprint.errors import InputError, LexprintError
from lexprint.registry.deliveries import begin_delivery, deliveries, end_delivery, forget_delivery
from lexprint.registry.packing import person
from lexprint.registry.protocol import Registry
from lexprint.registry.records import IssuedCopy
from lexprint.workflows.letters import Enclosure, Letter, message_with

LOOPBACK = ("localhost", "127.0.0.1", "::1")
SECONDS_PER_MINUTE = 60.0
TIMEOUT_SECONDS = 60.0
NOTHING_DONE = 250  # what a server says that is still there
PORTS = {"smtp": 587, "smtps": 465}


@dataclass(frozen=True)
class MailServer:
    """Where messages are handed in; encrypted, unless it is this very machine."""

    host: str
    port: int
    is_implicit_tls: bool
    user: str | None = None

    @classmethod
    def of(cls, url: str) -> MailServer:
        """
        >>> MailServer.of("smtps://ada@mail.example.org")
        MailServer(host='mail.example.org', port=465, is_implicit_tls=True, user='ada')
        """
        wrong = InputError("--smtp is no address of a mail server", needed="smtp://USER@HOST:PORT, or smtps://")
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise wrong from error
        if parts.scheme not in PORTS or not parts.hostname:
            raise wrong
        if parts.password:
            raise InputError(
                "the address of the mail server holds a password, which other users of this machine can see",
                needed="the variable LEXPRINT_SMTP_PASSWORD",
            )
        user = unquote(parts.username) if parts.username else None
        return cls(parts.hostname, port or PORTS[parts.scheme], parts.scheme == "smtps", user)


@dataclass(frozen=True)
class Parcel:
    """A copy, its file and the address it goes to."""

    copy: IssuedCopy
    address: str
    content: bytes

    @property
    def message_id(self) -> str:
        """The same whenever this copy is sent to this address, so that a second one can be told for what it is."""
        named = f"{self.copy.document_id} {self.copy.number} {self.copy.digest} {self.address}"
        return f"<{sha256(named.encode()).hexdigest()[:32]}@lexprint.invalid>"


@dataclass(frozen=True)
class Unsent:
    """Numbers of copies that are not known to have arrived."""

    doubtful: tuple[int, ...] = ()  # they were under way when something failed
    refused: tuple[int, ...] = ()  # the server does not take mail for that address

    def __bool__(self) -> bool:
        return bool(self.doubtful or self.refused)


def parcels(
    registry: Registry, document_id: str, folder: Path, addresses: Mapping[str, str | None]
) -> tuple[Parcel, ...]:
    """Every issued copy of a document for the people who have addresses; whatever is amiss is refused before any is sent."""
    by_person = {person(name): address for name, address in addresses.items()}
    copies = [copy for copy in registry.copies(document_id) if person(copy.recipient) in by_person and copy.is_issued]
    if len(copies) < len(by_person):
        raise InputError(
            f"{len(by_person) - len(copies)} of the recipients have no issued copy of this document",
            needed="the list with which it was issued; run lexprint issue first",
        )
    found = []
    for copy in copies:
        address = by_person[person(copy.recipient)]
        if address is None:
            raise InputError(f"the recipient of copy {copy.number} has no address", needed="a column email in the list")
        found.append(Parcel(copy, address, _content(copy, folder)))
    if len({parcel.address.casefold() for parcel in found}) < len(found):
        raise InputError("two recipients have the same address", needed="an address for each: whose copy would it be?")
    return tuple(found)


def _content(copy: IssuedCopy, folder: Path) -> bytes:
    """Of its file, read once: who swaps files after it was compared would else have another one sent."""
    try:
        content = (folder / copy.file_name).read_bytes()
    except OSError:
        content = b""
    if sha256(content).hexdigest() != copy.digest:
        raise InputError(
            f"{copy.file_name} is not there, or is not the copy that was issued",
            needed="the folder that lexprint issue wrote; run it again",
        )
    return content


def message_of(parcel: Parcel, letter: Letter, *, at: datetime | None = None) -> EmailMessage:
    """The message that brings a copy to its recipient; dated when it is about to be sent."""
    enclosed = Enclosure(parcel.copy.file_name, parcel.content, parcel.address, parcel.message_id)
    return message_with(enclosed, letter, at=at)


def write_messages(sending: Sequence[Parcel], letter: Letter) -> dict[str, bytes]:
    """Ready messages by the names of their files, for whoever sends them by other means."""
    return {f"{Path(one.copy.file_name).stem}.eml": message_of(one, letter).as_bytes() for one in sending}


def send(
    registry: Registry,
    sending: Sequence[Parcel],
    letter: Letter,
    *,
    server: MailServer,
    password: str | None = None,
    per_minute: float = 60.0,
    again: bool = False,  # also those of which nobody knows whether they arrived
    on_sent: Callable[[int, int], None] | None = None,
) -> Unsent:
    """Send what was not sent yet, and tell what was not; an address that is refused keeps nobody else from theirs."""
    if not sending:
        return Unsent()
    document_id = sending[0].copy.document_id
    known = {one.number: one for one in deliveries(registry, document_id)}
    for parcel in sending:
        earlier = known.get(parcel.copy.number)
        if earlier is not None and earlier.address.casefold() != parcel.address.casefold():
            raise InputError(
                f"copy {parcel.copy.number} went to another address before", needed="the address to which it was sent"
            )
    asked = {parcel.copy.number for parcel in sending}
    doubtful = tuple(number for number, one in known.items() if number in asked and not (one.is_sent or again))
    settled = {number for number, one in known.items() if one.is_sent} | set(doubtful)
    waiting = [one for one in sending if one.copy.number not in settled]
    now = datetime.now(UTC)
    messages = [(one, message_of(one, letter, at=now)) for one in waiting]  # refused before any is sent
    done = len(sending) - len(waiting) - len(doubtful)
    refused: list[int] = []
    if not messages:
        return Unsent(doubtful)
    with ExitStack() as opened:
        connection = opened.enter_context(_connected(server, password))
        for index, (parcel, message) in enumerate(messages):
            if index:
                time.sleep(SECONDS_PER_MINUTE / per_minute)
                if not _answers(connection):  # servers hang up on who is silent for some minutes
                    connection = opened.enter_context(_connected(server, password))
            if not _is_taken(registry, connection, parcel, message):
                refused.append(parcel.copy.number)
                continue
            done += 1
            if on_sent is not None:
                on_sent(done, len(sending))
    return Unsent(doubtful, tuple(refused))


def _is_taken(registry: Registry, connection: smtplib.SMTP, parcel: Parcel, message: EmailMessage) -> bool:
    """Whether the server takes a message for its address; else it has not arrived, and may be sent to another."""
    document_id, number = parcel.copy.document_id, parcel.copy.number
    named = {"address": parcel.address, "message_id": parcel.message_id}
    begin_delivery(registry, document_id, number, **named)
    try:
        connection.send_message(message, to_addrs=[parcel.address])  # whatever else stands in its headers
    except smtplib.SMTPServerDisconnected as error:
        raise LexprintError(
            f"the mail server hung up; whether copy {number} arrived is not known; run it again for the others"
        ) from error
    except smtplib.SMTPRecipientsRefused:
        forget_delivery(registry, document_id, number)
        return False
    except smtplib.SMTPException as error:  # it said no
        forget_delivery(registry, document_id, number)
        raise LexprintError(
            f"the mail server refused the message with copy {number} ({type(error).__name__}); run it again"
        ) from error
    except OSError as error:
        raise LexprintError(
            f"the connection failed ({error.strerror or type(error).__name__}); whether copy {number} arrived is not known"
        ) from error
    end_delivery(registry, document_id, number, **named)
    return True


def _answers(connection: smtplib.SMTP) -> bool:
    try:
        return connection.noop()[0] == NOTHING_DONE
    except (smtplib.SMTPException, OSError):
        return False


@contextmanager
def _connected(server: MailServer, password: str | None) -> Iterator[smtplib.SMTP]:
    context = ssl.create_default_context()
    try:
        if server.is_implicit_tls:
            connection: smtplib.SMTP = smtplib.SMTP_SSL(
                server.host, server.port, timeout=TIMEOUT_SECONDS, context=context
            )
        else:
            connection = smtplib.SMTP(server.host, server.port, timeout=TIMEOUT_SECONDS)
            connection.ehlo()
            if connection.has_extn("starttls"):
                connection.starttls(context=context)
            elif server.host not in LOOPBACK:
                connection.close()
                raise InputError("the mail server offers no encryption", needed="smtps://, or a server with STARTTLS")
        if server.user is not None:
            connection.login(server.user, password or "")
    except (smtplib.SMTPException, OSError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise LexprintError(
            f"the mail server {server.host} cannot be used ({reason}); nothing more was sent"
        ) from error
    try:
        yield connection
    finally:
        connection.close()
