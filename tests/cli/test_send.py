"""`lexprint send`, and what is said wherever copies with more than their text go out."""

from email import message_from_bytes
from email.policy import default
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.formats.corpus import make_docx, paragraph_xml
from tests.formats.test_hidden_contents import AUTHOR, with_part
from tests.workflows.mailbox import Mailbox, serving
from tests.workflows.test_letters import mail_of

from lexprint.registry.deliveries import deliveries
from lexprint.registry.protocol import open_registry

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")

SEND = ("send", "copies", "--to", "people.csv", "--from", "Office <office@example.org>")
CARRIED = "warning: every copy carries what the document carries: "


@pytest.fixture
def office(folder_with_key: Path, prose: str) -> Path:
    """Masters in several formats, two recipients and a key."""
    folder = folder_with_key
    (folder / "people.csv").write_text("name,email\nAda,ada@example.org\nBo,bo@example.org\n")
    (folder / "memo.eml").write_bytes(mail_of(prose))
    (folder / "memo.docx").write_bytes(with_part(make_docx(paragraph_xml(prose)), "docProps/core.xml", AUTHOR))
    return folder


def test_messages_in_a_folder(run: Run, office: Path) -> None:
    """Ready, and private; nothing is sent, and nothing is recorded as sent."""
    assert run("issue", "in.txt", "--to", "people.csv", "--out", "copies", "--name", "memo").code == 0
    done = run(*SEND, "--eml", "outbox", "--text", "people.csv")
    assert done.code == 0, done.errors
    assert "2 messages written to outbox; nothing was sent or recorded as sent" in done.errors
    files = sorted((office / "outbox").iterdir())
    assert [path.name for path in files] == ["memo-0001-Ada.eml", "memo-0002-Bo.eml"]
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
    message = message_from_bytes(files[1].read_bytes(), policy=default)
    assert (message["To"], message["Subject"]) == ("bo@example.org", "memo")
    (copy,) = message.iter_attachments()
    assert copy.get_payload(decode=True) == (office / "copies" / "memo-0002-Bo.txt").read_bytes()
    with open_registry("lexprint.db") as registry:
        (document,) = registry.documents()
        assert deliveries(registry, document.id) == []


def test_messages_do_not_take_the_place_of_copies(run: Run, office: Path) -> None:
    """Copies of a mail bear the very names of the messages that would bring them."""
    assert run("issue", "memo.eml", "--to", "people.csv", "--out", "copies").code == 0
    before = {path.name: path.read_bytes() for path in (office / "copies").iterdir()}
    assert run(*SEND, "--eml", "copies").is_refusal(2, "would replace the copies")
    assert {path.name: path.read_bytes() for path in (office / "copies").iterdir()} == before


def test_a_mail_is_sent_as_itself_and_to_nobody_else(run: Run, office: Path) -> None:
    """Whoever else got the master, or is named in its headers, gets no copy that is somebody's own."""
    issued = run("issue", "memo.eml", "--to", "people.csv", "--out", "copies")
    assert issued.code == 0, issued.errors
    assert f"{CARRIED}the addresses of hidden recipients" in issued.errors
    mailbox = Mailbox()  # which asserts that each message goes to whom it names, and to nobody besides
    with serving(mailbox) as server:
        url = f"smtp://{server.host}:{server.port}"
        done = run(*SEND, "--smtp", url, "--body", "--per-minute", "100000")
    assert done.code == 0, done.errors
    assert CARRIED in done.errors
    assert mailbox.addresses == ["ada@example.org", "bo@example.org"]
    for message in mailbox.messages:
        assert message["Subject"] == "Wages, for all"
        assert message["From"] == "Office <office@example.org>"
        assert message["Date"] is not None
        assert "spy@" not in message.as_string()
        assert "press@" not in message.as_string()


def test_a_document_as_a_body_is_refused(run: Run, office: Path) -> None:
    """Before anything is sent, with what would do."""
    done = run("issue", "memo.docx", "--to", "people.csv", "--out", "copies")
    assert done.code == 0, done.errors
    assert f"{CARRIED}the names of its authors; remove them first if need be" in done.errors
    refused = run(*SEND, "--eml", "outbox", "--body")
    assert refused.code == 2
    assert "plain text, HTML or mail" in refused.errors


def test_folders_that_are_issued_warn_too(run: Run, office: Path) -> None:
    """By name, in what is said and in the report."""
    (office / "in").mkdir()
    (office / "memo.docx").rename(office / "in" / "memo.docx")
    batch = run("batch", "issue", "in", "out", "--to", "people.csv", "--workers", "1", "--json")
    assert batch.code == 0, batch.errors
    assert "warning: memo.docx: every copy carries" in batch.errors
    assert '"warnings": [' in batch.text
    watched = run("watch", "in", "out2", "--to", "people.csv", "--once", "--settled", "0", "--every", "0.05")
    assert watched.code == 0, watched.errors
    assert "warning: memo: every copy carries" in watched.errors
