"""Whoever may mark sends the owner's bytes first, as another format, so that the owner's copies come out garbled."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.server.served import bearer, fake_engine, wait_for

from lexprint.coding.keys import Keyring, MasterKey
from lexprint.errors import InputError
from lexprint.registry.protocol import Registry, open_registry
from lexprint.server.app import create_app
from lexprint.server.limits import Limits
from lexprint.server.tokens import create_token
from lexprint.settings import Settings
from lexprint.testing import fake_text
from lexprint.text.editing import apply_edits
from lexprint.workflows.issuing import Master, copy_edits, issue_one
from lexprint.workflows.tracing import trace

KEYRING = Keyring((MasterKey.generate(),))
# Indented paragraphs are code to Markdown, which leaves them out.
MEMO = "\n\n".join(f"    R&amp;D meets.\n\n{fake_text(words=100, seed=one)}" for one in range(3)) + "\n"


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    with open_registry(str(tmp_path / "lexprint.db")) as opened:
        yield opened


@pytest.fixture
def service(registry: Registry) -> Iterator[TestClient]:
    app = create_app(fake_engine(), registry, keyring=KEYRING, limits=Limits(requests_per_minute=100_000))
    with TestClient(app, base_url="http://localhost") as client:
        yield client


def issue(client: TestClient, file_name: str, recipient: str, headers: dict[str, str]) -> str:
    """The document's id."""
    sent = client.post("/v1/files", files={"file": (file_name, MEMO.encode())}, headers=headers).json()
    asked = {"file": sent["id"], "recipients": [recipient, "Archive"]}
    done = wait_for(client, client.post("/v1/issue", json=asked, headers=headers).json(), headers=headers)
    assert done["state"] == "done", done
    return str(done["result"]["document"]["id"])


def test_the_owners_file_is_read_as_what_it_is(service: TestClient, registry: Registry) -> None:
    """The first to send it called it Markdown; the owner's plain text has a record and a file of its own, and copies are traced."""
    mallory, owner = (bearer(create_token(registry, name, scopes={"mark"})[0]) for name in ("mallory", "owner"))
    poisoned = issue(service, "memo.md", "Mallory", mallory)
    own = issue(service, "memo.txt", "Ada", owner)
    assert own != poisoned
    record = registry.document(own)
    assert record.text == MEMO
    for recipient, status in (("Ada", 200), ("Bo", 201)):
        answer = service.post(f"/v1/documents/{own}/copies/{recipient}", headers=owner)
        assert answer.status_code == status, answer.text
        assert answer.text.count("    R&amp;D meets.") == 3
        (codeword,) = (copy.codeword for copy in registry.copies(own) if copy.recipient == recipient)
        assert answer.text == apply_edits(MEMO, copy_edits(record.sites, codeword)), "nothing but words was exchanged"
        assert [copy.recipient for copy in trace(registry, answer.text, document_id=own).accused] == [recipient]
    assert service.post(f"/v1/documents/{poisoned}/copies/Mallory", headers=mallory).status_code == 200


def test_a_master_that_reads_as_another_text_is_refused(
    service: TestClient, registry: Registry, tmp_path: Path
) -> None:
    """In one sentence, before anything is drawn from it."""
    headers = bearer(create_token(registry, "owner", scopes={"mark"})[0])
    record = registry.document(issue(service, "memo.txt", "Ada", headers))
    master = Master.of(MEMO.encode(), file_name="memo.md", name=record.name)
    with pytest.raises(InputError, match="reads as another text"):
        issue_one(
            record, master, "Bo", keyring=KEYRING, registry=registry, folder=tmp_path / "out", settings=Settings()
        )
    with registry.writing() as statements:
        statements.change("UPDATE files SET name = 'memo.md'")
    answer = service.post(f"/v1/documents/{record.id}/copies/Bo", headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (409, "OtherText")
    assert [copy.recipient for copy in registry.copies(record.id)] == ["Ada", "Archive"]
