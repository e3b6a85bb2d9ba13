"""Copies by mail, handed to a real SMTP server: each to its recipient, once, through a kill."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path

import pytest
from tests.workflows.mailbox import Mailbox, serving
from tests.workflows.patient import PatientEngine

from lexprint.coding.keys import create_key_file
from lexprint.errors import InputError
from lexprint.formats.reading import read_as
from lexprint.formats.source import open_source
from lexprint.registry.deliveries import deliveries
from lexprint.registry.protocol import Registry, open_registry
from lexprint.testing import fake_text
from lexprint.workflows.issuing import Master, issue
from lexprint.workflows.letters import Letter
from lexprint.workflows.mailing import MailServer, parcels, send, write_messages
from lexprint.workflows.results import IssuedDocument
from lexprint.workflows.tracing import trace

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")

PEOPLE = {f"Person {number}": f"person{number}@example.org" for number in range(1, 41)}
LETTER = Letter("office@example.org", "The memo", "Please find it attached.")
KILLED_AT = 17


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, IssuedDocument]:
    """Forty copies in a folder, with registry and list."""
    folder = tmp_path_factory.mktemp("office")
    text = fake_text(words=700, seed=3)
    keyring = create_key_file(folder / "lexprint.key")
    master = Master(open_source(text.encode(), name="memo.txt"), "memo", "ab" * 32, ".txt")
    with open_registry(str(folder / "lexprint.db"), keys=keyring) as registry:
        done = issue(
            PatientEngine(), master, list(PEOPLE), keyring=keyring, registry=registry, folder=folder / "copies"
        )
    lines = "".join(f"{name},{address}\n" for name, address in PEOPLE.items())
    (folder / "people.csv").write_text(f"name,email\n{lines}")
    return folder, done


@pytest.fixture
def office(made: tuple[Path, IssuedDocument]) -> Iterator[tuple[Path, IssuedDocument, Registry]]:
    """The same with nothing sent yet."""
    folder, done = made
    with open_registry(str(folder / "lexprint.db")) as registry:
        with registry.writing() as statements:
            statements.change("DELETE FROM deliveries")
        yield folder, done, registry


@pytest.mark.parametrize("arrives", [True, False])
def test_killed_and_resumed_each_gets_one(office: tuple[Path, IssuedDocument, Registry], arrives: bool) -> None:
    """Killed with a message under way, that has arrived or has not: it is named, and nobody else gets two or none."""
    folder, done, registry = office
    running: list[subprocess.Popen[bytes]] = []
    logged = len(registry.audit())

    def kill() -> str:
        os.kill(running[0].pid, signal.SIGKILL)
        return "250 OK" if arrives else "451 gone"

    mailbox = Mailbox(KILLED_AT, kill)
    with serving(mailbox) as server:
        url = f"smtp://{server.host}:{server.port}"
        command = [sys.executable, "-m", "lexprint", "send", "copies", "--to", "people.csv", "--smtp", url]
        command += ["--from", LETTER.sender, "--per-minute", "100000"]
        running.append(subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL))
        assert running[0].wait() == -signal.SIGKILL
        finished = subprocess.run(command, cwd=folder, capture_output=True, check=False)
        assert finished.returncode == 1
        number = next(one.number for one in deliveries(registry, done.document.id) if not one.is_sent)
        assert f"not known whether they arrived: copies {number};" in finished.stderr.decode()
        assert len(mailbox.messages) == (40 if arrives else 39)
        if not arrives:
            subprocess.run([*command, "--again"], cwd=folder, capture_output=True, check=True)
    assert mailbox.addresses == sorted(PEOPLE.values())
    sent = [json.loads(entry.details)["number"] for entry in registry.audit()[logged:] if entry.event == "copy sent"]
    assert sorted(sent) == [number for number in range(1, 41) if number != KILLED_AT or not arrives]


def test_a_forwarded_copy_is_traced_from_its_mail(office: tuple[Path, IssuedDocument, Registry]) -> None:
    """With a comment above it, as an attachment of an attachment."""
    folder, done, registry = office
    messages = write_messages(parcels(registry, done.document.id, folder / "copies", PEOPLE), LETTER)
    original = message_from_bytes(messages["memo-0012-Person-12.eml"], policy=default)
    forwarded = EmailMessage()
    forwarded["From"], forwarded["To"], forwarded["Message-ID"] = "x@example.org", "press@example.org", "<2@x>"
    forwarded.set_content("You did not get this from me. Look at the second paragraph.")
    forwarded.add_attachment(original)
    leak = read_as("mail", forwarded.as_bytes(), name="leak.eml")
    assert leak is not None
    report = trace(registry, leak.text)
    assert [copy.recipient for copy in report.accused] == ["Person 12"]


def test_swapped_files_are_not_sent(office: tuple[Path, IssuedDocument, Registry]) -> None:
    """Who exchanges the files of two recipients cannot make one the recipient of the other's copy."""
    folder, done, registry = office
    one, other = (folder / "copies" / copy.file_name for copy in done.copies[:2])
    kept = one.read_bytes(), other.read_bytes()
    try:
        one.write_bytes(kept[1])
        other.write_bytes(kept[0])
        with pytest.raises(InputError, match="is not the copy that was issued"):
            parcels(registry, done.document.id, folder / "copies", PEOPLE)
    finally:
        one.write_bytes(kept[0])
        other.write_bytes(kept[1])


def test_addresses_do_not_move(office: tuple[Path, IssuedDocument, Registry]) -> None:
    """Nobody's copy goes to a second address, and no address gets two copies."""
    folder, done, registry = office
    copies = folder / "copies"
    with pytest.raises(InputError, match="the same address"):
        parcels(registry, done.document.id, copies, PEOPLE | {"Person 2": "PERSON1@example.org"})
    mailbox = Mailbox()
    with serving(mailbox) as server:
        first = {"Person 1": PEOPLE["Person 1"]}
        send(registry, parcels(registry, done.document.id, copies, first), LETTER, server=server)
        moved = parcels(registry, done.document.id, copies, {"Person 1": "elsewhere@example.org"})
        with pytest.raises(InputError, match="another address before"):
            send(registry, moved, LETTER, server=server)
    assert mailbox.addresses == ["person1@example.org"]


def test_a_password_is_no_argument() -> None:
    """Others see the arguments of a command."""
    with pytest.raises(InputError, match="LEXPRINT_SMTP_PASSWORD"):
        MailServer.of("smtp://ada:secret@mail.example.org")
