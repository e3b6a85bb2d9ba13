"""Messages with copies in every format: as attachments and as bodies, and whether a leak of them is traced."""

from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from html import escape
from pathlib import Path

import pytest
from tests.formats.corpus import make_docx, paragraph_xml
from tests.workflows.patient import PatientEngine

from lexprint.coding.keys import Keyring, MasterKey
from lexprint.errors import InputError
from lexprint.formats.page_as_text import page_as_text
from lexprint.formats.reading import read_as
from lexprint.registry.protocol import Registry, open_registry
from lexprint.testing import fake_text
from lexprint.workflows.issuing import issue
from lexprint.workflows.letters import Enclosure, Letter, message_with, own_subject
from lexprint.workflows.mailing import message_of, parcels, write_messages
from lexprint.workflows.planning import Master
from lexprint.workflows.tracing import trace

TEXT = fake_text(words=500, seed=5)
PEOPLE = {"Ada": "ada@example.org", "Bo": "bo@example.org"}
ATTACHED = Letter("office@example.org", "The memo", "Please find it attached.")
BODY = Letter("office@example.org", "The memo", "", is_body=True)


def mail_of(text: str, *, html: bool = False) -> bytes:
    message = EmailMessage()
    message["From"], message["To"] = "chief@example.org", "all@example.org"
    message["Cc"], message["Bcc"], message["Reply-To"] = "press@example.org", "spy@example.org", "spy@example.org"
    message["Resent-To"], message["Subject"] = "spy@example.org", "Wages, for all"
    message["Message-ID"], message["Received"] = "<7@example.org>", "from desk-12.example.org"
    message.set_content(text)
    if html:
        message.add_alternative("".join(f"<p>{escape(one)}</p>" for one in text.split("\n\n")), subtype="html")
    return message.as_bytes()


MASTERS = {
    "memo.txt": TEXT.encode(),
    "memo.md": f"# Wages\n\n{TEXT}".encode(),
    "memo.html": f"<!doctype html><title>x</title><p>{escape(TEXT)}</p><p hidden>unseen</p>".encode(),
    "memo.eml": mail_of(TEXT, html=True),
    "memo.docx": make_docx(paragraph_xml(TEXT)),
}


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    return open_registry(str(tmp_path / "lexprint.db"))


def issued(registry: Registry, folder: Path, name: str) -> list[EmailMessage | None]:
    """Bo's copy in a message: attached, and as the body, if it can be that."""
    keyring = Keyring((MasterKey.generate(),))
    master = Master.of(MASTERS[name], file_name=name)
    done = issue(PatientEngine(), master, list(PEOPLE), keyring=keyring, registry=registry, folder=folder)
    parcel = parcels(registry, done.document.id, folder, PEOPLE)[1]
    return [message_of(parcel, ATTACHED), None if name.endswith(".docx") else message_of(parcel, BODY)]


@pytest.mark.parametrize("name", list(MASTERS))
def test_a_leaked_message_names_the_copy(registry: Registry, tmp_path: Path, name: str) -> None:
    """As it was sent, or forwarded as an attachment; in all of its parts alike."""
    with registry:
        for message in issued(registry, tmp_path / "copies", name):
            if message is None:
                continue
            sent = message_from_bytes(message.as_bytes(), policy=default)
            forwarded = EmailMessage()
            forwarded["From"], forwarded["Message-ID"] = "x@example.org", "<8@example.org>"
            forwarded.set_content("Look.")
            forwarded.add_attachment(sent)
            saved = EmailMessage()  # as a file that some program thinks of as bytes
            saved["From"], saved["Message-ID"] = "x@example.org", "<9@example.org>"
            saved.set_content("Look.")
            saved.add_attachment(sent.as_bytes(), maintype="application", subtype="octet-stream", filename="a.eml")
            for leak in (sent, forwarded, saved):
                found = read_as("mail", leak.as_bytes(), name="leak.eml")
                assert found is not None
                assert [copy.recipient for copy in trace(registry, found.text).accused] == ["Bo"]


def test_mail_is_attached_as_a_message(registry: Registry, tmp_path: Path) -> None:
    """Base64 is not allowed for one (RFC 2046, section 5.2.1), and no mail program would open it."""
    with registry:
        attached, _ = issued(registry, tmp_path / "copies", "memo.eml")
    assert attached is not None
    parts = list(message_from_bytes(attached.as_bytes(), policy=default).iter_attachments())
    (inner,) = parts
    assert (inner.get_content_type(), inner.get_filename()) == ("message/rfc822", "memo-0002-Bo.eml")
    assert inner["Content-Transfer-Encoding"] in ("7bit", "8bit")
    assert inner.get_content()["Subject"] == "Wages, for all"


def test_a_page_comes_with_plain_text(registry: Registry, tmp_path: Path) -> None:
    """Both say the same words, and nothing that the page hides."""
    with registry:
        _, body = issued(registry, tmp_path / "copies", "memo.html")
    assert body is not None
    message = message_from_bytes(body.as_bytes(), policy=default)
    assert message.get_content_type() == "multipart/alternative"
    plain, page = (part.get_content() for part in message.iter_parts())
    assert page_as_text(page).split() == plain.split()
    assert "unseen" not in plain
    assert "unseen" in page


def test_a_body_of_mail_forgets_its_way(registry: Registry, tmp_path: Path) -> None:
    """From the mail that was the master only its text is kept: not from whom it came, who else had it, how it went."""
    with registry:
        _, body = issued(registry, tmp_path / "copies", "memo.eml")
    assert body is not None
    assert sorted(name for name in body if not name.startswith("Content-")) == sorted(
        ["From", "To", "Subject", "Message-ID", "MIME-Version"]
    )
    assert b"spy@" not in body.as_bytes()
    assert (body["From"], body["To"]) == ("office@example.org", "bo@example.org")
    assert own_subject(MASTERS["memo.eml"], name="memo.eml") == "Wages, for all"
    assert own_subject(MASTERS["memo.txt"], name="memo.txt") is None


def test_a_document_is_no_body(registry: Registry, tmp_path: Path) -> None:
    """It is refused with what can be one."""
    enclosed = Enclosure("memo.docx", MASTERS["memo.docx"], "bo@example.org", "<1@x>")
    with pytest.raises(InputError, match=r"memo\.docx cannot be the body .* plain text, HTML or mail"):
        message_with(enclosed, BODY)


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16"])
def test_bodies_in_any_encoding(encoding: str) -> None:
    """What stands in the file stands in the message."""
    enclosed = Enclosure("memo.txt", "Žižek, naïve".replace("Ž", "Z").encode(encoding), "bo@example.org", "<1@x>")
    assert message_with(enclosed, BODY).get_content() == "Zižek, naïve\n"


@pytest.mark.parametrize("address", ["bo@example.org, spy@example.org", "all: bo@example.org, spy@example.org;"])
def test_a_copy_has_one_address(address: str) -> None:
    """Two who are sent one copy could each say that it was the other."""
    with pytest.raises(InputError, match="several addresses"):
        message_with(Enclosure("memo.txt", b"text", address, "<1@x>"), ATTACHED)


@pytest.mark.parametrize("line", ["bo@example.org\nBcc: spy@example.org", "bo@example.org\r\n\r\nHello"])
def test_headers_cannot_be_slipped_in(line: str) -> None:
    """Neither by an address nor by a subject."""
    for enclosed, letter in (
        (Enclosure("memo.txt", b"text", line, "<1@x>"), ATTACHED),
        (Enclosure("memo.txt", b"text", "bo@example.org", "<1@x>"), Letter("a@example.org", line, "")),
    ):
        with pytest.raises(InputError, match="one line each"):
            message_with(enclosed, letter)


def test_messages_for_a_folder_are_the_same_each_time(registry: Registry, tmp_path: Path) -> None:
    """But for the boundaries that the email package draws, nothing of them is of the hour."""
    with registry:
        issued(registry, tmp_path / "copies", "memo.txt")
        (document,) = registry.documents()
        sending = parcels(registry, document.id, tmp_path / "copies", PEOPLE)
        one, other = (write_messages(sending, BODY) for _ in range(2))
    assert one == other
    assert list(one) == ["memo-0001-Ada.eml", "memo-0002-Bo.eml"]
