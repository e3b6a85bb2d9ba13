"""Who could obtain somebody else's copy where copies are issued at download, and lay a leak at their door?"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.server.served import bearer, fake_engine, wait_for

from lexprint.coding.keys import Keyring, MasterKey
from lexprint.errors import InputError
from lexprint.registry.protocol import Registry, open_registry
from lexprint.reports.audit_extract import extract_bytes
from lexprint.reports.signed_file import read_report
from lexprint.server.app import create_app
from lexprint.server.limits import Limits
from lexprint.server.tokens import Scope, create_token
from lexprint.testing import fake_text

MEMO = "\n\n".join(fake_text(words=100, seed=seed) for seed in range(2)) + "\n"


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    with open_registry(str(tmp_path / "lexprint.db")) as opened:
        yield opened


@pytest.fixture
def service(registry: Registry) -> Iterator[TestClient]:
    """With a document that the archive has a copy of."""
    limits = Limits(requests_per_minute=100_000)
    app = create_app(fake_engine(), registry, keyring=Keyring((MasterKey.generate(),)), limits=limits)
    owner = bearer(create_token(registry, "owner", scopes={"mark", "trace", "admin"})[0])
    with TestClient(app, base_url="http://localhost", headers=owner) as client:
        asked = {"text": MEMO, "recipients": ["Archive", "Ada Lovelace"], "name": "memo"}
        assert wait_for(client, client.post("/v1/issue", json=asked).json())["state"] == "done"
        yield client


def token(registry: Registry, scope: Scope, recipient: str | None = None) -> dict[str, str]:
    return bearer(create_token(registry, "x", scopes={scope}, recipient=recipient)[0])


def fetch(service: TestClient, recipient: str, headers: dict[str, str]) -> Any:
    (document,) = service.get("/v1/documents").json()["items"]
    return service.post(f"/v1/documents/{document['id']}/copies/{recipient}", headers=headers)


def test_a_recipient_with_a_token_gets_their_own_copy_only(service: TestClient, registry: Registry) -> None:
    """Whatever they call themselves; and they cannot tell whether the other has one, nor which documents there are."""
    bo = token(registry, "copies", "Bo")
    assert fetch(service, "Bo", token(registry, "copies")).status_code == 201
    assert fetch(service, "bo", bo).status_code == 200
    refused = {fetch(service, name, bo).text for name in ("Ada Lovelace", "Nobody", "Archive", "Bo Ada", "B%D0%BE")}
    assert len(refused) == 1
    assert fetch(service, "Ada Lovelace", bo).status_code == 403
    unknown = service.post(f"/v1/documents/{'0' * 16}/copies/Ada", headers=bo)
    assert unknown.text in refused, "nor whether there is such a document"


def test_who_is_added_later_has_nobody_drawn_again(service: TestClient, registry: Registry) -> None:
    """A list that grows gives no copy away: were it logged, the log would say of Ada's that somebody wrote it out once more."""
    asked = {"text": MEMO, "recipients": ["Archive", "Ada Lovelace", "Bo"], "name": "memo"}
    assert wait_for(service, service.post("/v1/issue", json=asked).json())["state"] == "done"
    assert "copies written again" not in {one.event for one in registry.audit()}
    assert fetch(service, "Ada Lovelace", token(registry, "copies")).status_code == 200
    assert [one.event for one in registry.audit()].count("copy downloaded") == 1, "what leaves the service is"


def test_a_token_for_one_recipient_opens_nothing_wider(registry: Registry) -> None:
    """It cannot be made to mark, trace or administer in their name."""
    for scopes in ({"mark"}, {"copies", "mark"}, {"copies", "admin"}):
        with pytest.raises(InputError, match="the scope copies"):
            create_token(registry, "x", scopes=scopes, recipient="Bo")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name",
    [
        "Аda Lovelace",
        "Ada Love\u00adlace",
        "Ada L0velace",
        "ADA LOVELАCE",
        "Ａda Lovelace",
        "Ada Lovelace\u3164",
        "Ada LoveIace",
        "Ada\u2800Lovelace",
        "ꓮda Lovelace",
    ],
)
def test_nobody_gets_a_copy_under_a_name_that_looks_like_anothers(
    service: TestClient, registry: Registry, name: str
) -> None:
    """A leak of such a copy would name somebody whom every reader takes for Ada."""
    written, store = create_token(registry, "store", scopes={"copies"})
    answer = fetch(service, name, bearer(written))
    assert answer.status_code in (409, 422), answer.text
    if answer.status_code == 409:
        last = registry.audit()[-1]
        assert (last.event, store.id in last.details) == ("copy refused", True), "who tries names is known"
    assert len(service.get("/v1/recipients").json()["items"]) == 2


def test_whoever_draws_anothers_copy_is_in_the_evidence(service: TestClient, registry: Registry) -> None:
    """A clerk of the document store fetches Ada's copy and leaks it: the audit extract of the report has the clerk's token."""
    clerk, kept = create_token(registry, "store", scopes={"copies"})
    leak = fetch(service, "Ada Lovelace", bearer(clerk)).text
    found = service.post("/v1/trace", json={"text": leak}).json()
    (accused,) = found["report"]["accused"]
    assert accused["recipient"] == "Ada Lovelace"
    stored = registry.report(found["report"]["id"])
    extract = json.loads(extract_bytes(registry.audit(), read_report(stored.text.encode())))
    drawn = [json.loads(one["details"]) for one in extract if one["event"] == "copy downloaded"]
    assert [(one["number"], one["token"]) for one in drawn] == [(accused["number"], kept.id)]


def test_made_up_names_take_no_copy_away(service: TestClient, registry: Registry) -> None:
    """Who floods a document with names is refused where it has no room for more; the copies of others can be traced still."""
    store = token(registry, "copies")
    before = fetch(service, "Ada Lovelace", store).content
    for number in range(30):
        assert fetch(service, f"person{chr(97 + number % 26)}{number}", store).status_code in (201, 422)
    assert fetch(service, "Ada Lovelace", store).content == before
    report = service.post("/v1/trace", json={"text": before.decode()}).json()["report"]
    assert [one["recipient"] for one in report["accused"]] == ["Ada Lovelace"]
    assert registry.verify_audit() is None


def test_a_revoked_token_fetches_nothing(service: TestClient, registry: Registry) -> None:
    """From that moment on, also copies it had fetched before."""
    written, kept = create_token(registry, "store", scopes={"copies"})
    assert fetch(service, "Bo", bearer(written)).status_code == 201
    assert service.delete(f"/v1/tokens/{kept.id}").status_code == 200
    assert fetch(service, "Bo", bearer(written)).status_code == 401
