"""An administrator, or whoever holds a token for one recipient, draws copies in another's name, or of what they were never to have."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.server.served import bearer, fake_engine, wait_for

from lexprint.coding.keys import Keyring, MasterKey
from lexprint.registry.protocol import Registry, open_registry
from lexprint.reports.audit_extract import extract_bytes, require_extract
from lexprint.reports.signed_file import read_report
from lexprint.server.app import create_app
from lexprint.server.job_store import LeaseLost, add_job, claim_job, find_job, finish_job
from lexprint.server.limits import Limits
from lexprint.server.tokens import create_link, create_token, revoke_token
from lexprint.testing import fake_text

MEMO, MINUTES = ("\n\n".join(fake_text(words=100, seed=seed + one) for seed in range(2)) + "\n" for one in (0, 10))
KEYRING = Keyring((MasterKey.generate(),))


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    with open_registry(str(tmp_path / "lexprint.db")) as opened:
        yield opened


@pytest.fixture
def service(registry: Registry) -> Iterator[TestClient]:
    """With a document for Ada."""
    app = create_app(fake_engine(), registry, keyring=KEYRING, limits=Limits(requests_per_minute=100_000))
    owner = bearer(create_token(registry, "owner", scopes={"mark", "trace", "admin"})[0])
    with TestClient(app, base_url="http://localhost", headers=owner) as client:
        issue(client, MEMO, ["Archive", "Ada Lovelace"], name="memo")
        yield client


def issue(client: TestClient, text: str, recipients: list[str], *, name: str) -> str:
    asked = {"text": text, "recipients": recipients, "name": name}
    done = wait_for(client, client.post("/v1/issue", json=asked).json())
    assert done["state"] == "done"
    (document,) = [one for one in client.get("/v1/documents").json()["items"] if one["name"] == name]
    return str(document["id"])


def fetch(client: TestClient, document: str, recipient: str, headers: dict[str, str]) -> Any:
    return client.post(f"/v1/documents/{document}/copies/{recipient}", headers=headers)


def details(registry: Registry, event: str) -> list[dict[str, Any]]:
    return [json.loads(one.details) for one in registry.audit() if one.event == event]


def test_the_maker_of_her_token_is_in_the_evidence(service: TestClient, registry: Registry) -> None:
    """An administrator makes a token for Ada, fetches her copy with it and leaks it: the case says who made the token, and when."""
    written, admin = create_token(registry, "Mallory", scopes={"admin"})
    asked = {"name": "Ada", "scopes": ["copies"], "recipient": "Ada Lovelace"}
    made = service.post("/v1/tokens", json=asked, headers=bearer(written)).json()
    (document,) = service.get("/v1/documents").json()["items"]
    leak = fetch(service, document["id"], "Ada Lovelace", bearer(made["token"])).text
    found = service.post("/v1/trace", json={"text": leak}).json()["report"]
    assert [one["recipient"] for one in found["accused"]] == ["Ada Lovelace"]
    report = read_report(registry.report(found["id"]).text.encode())
    content = extract_bytes(registry.audit(), report)
    extract = require_extract(content, report, name="case.zip")
    created = {one["token"]: one for one in (json.loads(e.details) for e in extract if e.event == "token created")}
    hers = created[made["id"]]
    assert (hers["name"], hers["recipient"], hers["scopes"]) == ("Ada", "Ada Lovelace", ["copies"])
    assert hers["by"] == {"token": admin.id, "kind": "api", "name": "Mallory"}
    assert created[admin.id]["by"] == {"command": "lexprint"}, "and who made the maker's"
    assert next(entry.at for entry in extract if made["id"] in entry.details) < extract[-1].at


def test_a_session_is_known_by_its_link(service: TestClient, registry: Registry) -> None:
    """Who came in by a link did so by that one, whoever made it."""
    link = create_link(registry, scopes=("mark", "trace"))
    assert service.post("/v1/session", json={"code": link}).status_code == 200
    by_link, session = details(registry, "token created")[-2:]
    assert (by_link["kind"], session["kind"]) == ("link", "session")
    assert session["by"] == {"token": by_link["token"], "kind": "link", "name": "one-time link"}


def test_who_revokes_a_token_is_logged(service: TestClient, registry: Registry) -> None:
    """So that nobody else's token is blamed for a gap."""
    _, token = create_token(registry, "store", scopes={"copies"})
    assert service.delete(f"/v1/tokens/{token.id}").status_code == 200
    (revoked,) = details(registry, "token revoked")
    assert (revoked["token"], revoked["by"]["name"]) == (token.id, "owner")


def test_a_recipients_token_opens_no_document_they_are_not_on(service: TestClient, registry: Registry) -> None:
    """Bo knows the id of a memo that was never meant for him: he gets no copy of it, and is told nothing of it."""
    (memo,) = [one["id"] for one in service.get("/v1/documents").json()["items"]]
    minutes = issue(service, MINUTES, ["Archive", "Bo"], name="minutes")
    bo = bearer(create_token(registry, "Bo", scopes={"copies"}, recipient="Bo")[0])
    assert fetch(service, minutes, "Bo", bo).status_code == 200
    refused = [fetch(service, memo, "Bo", bo), fetch(service, "0" * 16, "Bo", bo), fetch(service, minutes, "Ada", bo)]
    assert {one.status_code for one in refused} == {403}
    assert len({one.text for one in refused}) == 1, "nor whether there is such a document"
    assert [one["planned"] for one in service.get("/v1/documents").json()["items"]] == [2, 2]


def test_who_is_put_on_the_list_may_fetch(service: TestClient, registry: Registry) -> None:
    """By whoever may issue, or by the document store."""
    (memo,) = [one["id"] for one in service.get("/v1/documents").json()["items"]]
    bo = bearer(create_token(registry, "Bo", scopes={"copies"}, recipient="Bo")[0])
    assert fetch(service, memo, "Bo", bo).status_code == 403
    store = bearer(create_token(registry, "store", scopes={"copies"})[0])
    first = fetch(service, memo, "Bo", store)
    assert first.status_code == 201
    assert fetch(service, memo, "bo", bo).content == first.content


def test_a_revoked_token_has_nothing_done(registry: Registry) -> None:
    """Whoever stole it and asked for a thousand copies in a row: those that are not made yet are not made any more."""
    (_, stolen), (_, other) = (create_token(registry, name, scopes={"mark"}) for name in ("stolen", "other"))
    asked = [add_job(registry, stolen.id, "issue", "{}", most=10) for _ in range(2)]
    kept = add_job(registry, other.id, "issue", "{}", most=10)
    running = claim_job(registry, "somebody", lease_seconds=60.0)
    assert running is not None
    revoke_token(registry, stolen.id)
    assert [find_job(registry, stolen.id, job.id).state for job in asked] == ["cancelled", "cancelled"]
    with pytest.raises(LeaseLost):
        finish_job(registry, running.id, "somebody", result={})
    following = claim_job(registry, "somebody", lease_seconds=60.0)
    assert following is not None
    assert following.id == kept.id
    revoke_token(registry, other.id, by=other.id)  # who signs out has their work finished
    assert find_job(registry, other.id, kept.id).state == "running"
