"""Copies by mail, handed to a real SMTP server: each to its recipient. That each gets one, through a kill: tests/cli/test_mail_story.py."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from tests.workflows.mailbox import Mailbox, serving
from tests.workflows.patient import PatientEngine

from lexprint.coding.keys import create_key_file
from lexprint.errors import InputError
from lexprint.formats.source import open_source
from lexprint.registry.protocol import Registry, open_registry
from lexprint.testing import fake_text
from lexprint.workflows.issuing import Master, issue
from lexprint.workflows.letters import Letter
from lexprint.workflows.mailing import MailServer, parcels, send
from lexprint.workflows.results import IssuedDocument

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")

PEOPLE = {f"Person {number}": f"person{number}@example.org" for number in range(1, 41)}
LETTER = Letter("office@example.org", "The memo", "Please find it attached.")


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


def test_files_that_are_swapped_in_between_are_not_sent(
    office: tuple[Path, IssuedDocument, Registry], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor who does so after they were looked at: what is sent is what was looked at."""
    folder, done, registry = office
    one, other = (folder / "copies" / copy.file_name for copy in done.copies[:2])
    looks, kept, read = 0, other.read_bytes(), Path.read_bytes

    def swapped(path: Path) -> bytes:
        nonlocal looks
        looks += path == one
        return kept if path == one and looks > 1 else read(path)

    monkeypatch.setattr(Path, "read_bytes", swapped)
    found = parcels(registry, done.document.id, folder / "copies", PEOPLE)
    assert found[0].copy.number == 1
    assert sha256(found[0].content).hexdigest() == found[0].copy.digest


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
