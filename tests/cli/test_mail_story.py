"""From a Word document to forty mailboxes and back: the commands as somebody types them, and a real SMTP server."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from email.message import EmailMessage
from hashlib import sha256
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.formats.corpus import make_docx, paragraph_xml
from tests.workflows.mailbox import Mailbox, serving
from tests.workflows.patient import PatientEngine

from lexprint.cli import console
from lexprint.coding.keys import create_key_file
from lexprint.engine import Engine
from lexprint.registry.protocol import open_registry
from lexprint.testing import fake_text

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")

PEOPLE = {f"Person {number}": f"person{number}@example.org" for number in range(1, 41)}
KILLED_AT = 17
LEAKED = "person31@example.org"
COMMENT = "You did not get this from me. Look at what they say in the second paragraph."


@pytest.fixture
def office(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A memo of four paragraphs, forty people and a key."""
    fake = console.build_engine

    def build(**options: object) -> Engine:
        return PatientEngine(settings=fake(**options).settings)  # type: ignore[arg-type] # whatever a command gives

    monkeypatch.setattr(console, "build_engine", build)
    for variable in ("LEXPRINT_KEY", "LEXPRINT_KEY_FILE", "LEXPRINT_REGISTRY"):
        monkeypatch.delenv(variable, raising=False)
    lines = "".join(f"{name},{address}\n" for name, address in PEOPLE.items())
    (folder / "people.csv").write_text(f"Name,E-Mail\n{lines}")
    create_key_file(folder / "lexprint.key")
    paragraphs = [paragraph_xml(fake_text(words=200, seed=seed)) for seed in range(4)]
    (folder / "memo.docx").write_bytes(make_docx("".join(paragraphs)))
    return folder


def forwarded(message: EmailMessage, *, whole: bool) -> bytes:
    """With a comment above it: as an attached message, or with its attachment taken over, as mail programs do."""
    forward = EmailMessage()
    forward["From"], forward["To"], forward["Subject"] = "x@example.org", "press@example.org", "Fwd: memo"
    forward.set_content(COMMENT)
    if whole:
        forward.add_attachment(message)
    else:
        for part in message.iter_attachments():
            content = part.get_payload(decode=True)
            assert isinstance(content, bytes)
            forward.add_attachment(
                content, maintype="application", subtype="octet-stream", filename=part.get_filename()
            )
    return forward.as_bytes()


@pytest.mark.parametrize("arrives", [True, False])
def test_forty_messages_through_a_kill_and_back_from_a_forwarded_one(run: Run, office: Path, arrives: bool) -> None:
    """SIGKILL in the middle, with a message under way that has arrived or has not: each gets theirs exactly once, and leaks name them."""
    issued = run("issue", "memo.docx", "--to", "people.csv", "--out", "copies")
    assert issued.code == 0, issued.errors
    running: list[subprocess.Popen[bytes]] = []

    def kill() -> str:
        os.kill(running[0].pid, signal.SIGKILL)
        return "250 OK" if arrives else "451 gone"

    mailbox = Mailbox(KILLED_AT, kill)
    with serving(mailbox) as server:
        command = [sys.executable, "-m", "lexprint", "send", "copies", "--to", "people.csv", "--from", "a@example.org"]
        command += ["--smtp", f"smtp://{server.host}:{server.port}", "--per-minute", "100000"]
        running.append(subprocess.Popen(command, stderr=subprocess.DEVNULL))
        assert running[0].wait() == -signal.SIGKILL
        assert len(mailbox.messages) == (KILLED_AT if arrives else KILLED_AT - 1)
        resumed = subprocess.run(command, capture_output=True, check=False)
        assert resumed.returncode == 1
        assert f"not known whether they arrived: copies {KILLED_AT};" in resumed.stderr.decode()
        if not arrives:  # its recipient says that nothing came
            subprocess.run([*command, "--again"], capture_output=True, check=True)
        idle = subprocess.run(command, capture_output=True, check=False)
        assert idle.returncode == (1 if arrives else 0)
    received = Counter(str(message["To"]) for message in mailbox.messages)
    assert received == dict.fromkeys(PEOPLE.values(), 1)
    with open_registry("lexprint.db") as registry:
        (document,) = registry.documents()
        logged = [json.loads(entry.details)["number"] for entry in registry.audit() if entry.event == "copy sent"]
        digests = {PEOPLE[copy.recipient]: copy.digest for copy in registry.copies(document.id)}
    assert sorted(logged) == [number for number in range(1, 41) if number != KILLED_AT or not arrives]
    for message in mailbox.messages:
        (enclosed,) = message.iter_attachments()
        content = enclosed.get_payload(decode=True)
        assert isinstance(content, bytes)
        assert sha256(content).hexdigest() == digests[str(message["To"])]
    (leaked,) = [message for message in mailbox.messages if message["To"] == LEAKED]
    for whole in (True, False):
        (office / "leak.eml").write_bytes(forwarded(leaked, whole=whole))
        traced = run("trace", "leak.eml", "--json")
        assert traced.code == 0, traced.errors
        report = json.loads(traced.output)["report"]
        assert [copy["recipient"] for copy in report["accused"]] == ["Person 31"]
