"""Copies at download: issued once, the same bytes ever after, whoever asks at the same moment."""

from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from typing import Any
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient
from tests.server.conftest import Serve
from tests.server.served import bearer, on_both_databases, wait_for
from tests.server.test_routes import issued

from lexprint.engine import Engine
from lexprint.errors import RegistryError
from lexprint.registry.protocol import Registry
from lexprint.server import issued_files
from lexprint.server.tokens import create_token

__all__ = ["issued"]


def path_of(issued: dict[str, Any], recipient: str) -> str:
    return f"/v1/documents/{issued['document']['id']}/copies/{quote(recipient, safe='')}"


def entries(client: TestClient, event: str) -> list[dict[str, Any]]:
    items = client.get("/v1/audit", params={"limit": 500}).json()["items"]
    return [item["details"] for item in items if item["event"] == event][::-1]


@on_both_databases
def test_a_copy_is_issued_when_it_is_first_asked_for(client: TestClient, issued: dict[str, Any], memo: str) -> None:
    """The next number, recorded and audited; then the same bytes, however the name is written; its leak names it."""
    first = client.post(path_of(issued, "Dora O'Neil / Legal"))
    assert first.status_code == 201, first.text
    again = client.post(path_of(issued, "dora  o'neil / LEGAL"), headers={"Idempotency-Key": "1"})
    assert (again.status_code, again.content) == (200, first.content)
    assert "attachment" in again.headers["content-disposition"]
    assert first.text != memo
    info = client.get(f"/v1/documents/{issued['document']['id']}/copies").json()["items"][-1]
    assert (info["number"], info["recipient"]) == (4, "Dora O'Neil / Legal")
    assert info["sha256"] == sha256(first.content).hexdigest()
    downloads = entries(client, "copy downloaded")
    assert [one["number"] for one in downloads] == [4, 4]
    assert all(one["token"] for one in downloads)
    found = client.post("/v1/trace", json={"text": first.text}).json()
    assert [one["number"] for one in found["report"]["accused"]] == [4]
    assert client.get("/v1/audit").status_code == 200


def test_those_who_have_a_copy_get_theirs(client: TestClient, issued: dict[str, Any]) -> None:
    """Nothing is issued anew, and it is what the archive has."""
    document = issued["document"]["id"]
    by_number = client.get(f"/v1/documents/{document}/copies/2/content").content
    answer = client.post(path_of(issued, "Bo"))
    assert (answer.status_code, answer.content) == (200, by_number)
    assert len(entries(client, "copies issued")) == 1


@on_both_databases
def test_whoever_asks_at_once_gets_the_same_copy(client: TestClient, issued: dict[str, Any]) -> None:
    """Eight requests for one newcomer give one copy; eight newcomers get eight numbers."""
    with ThreadPoolExecutor(8) as threads:
        same = list(threads.map(lambda _: client.post(path_of(issued, "Dora")), range(8)))
        others = list(threads.map(lambda one: client.post(path_of(issued, one)), "EFGHIJKL"))
    assert {answer.status_code for answer in same} <= {200, 201}
    assert len({answer.content for answer in same}) == 1
    assert {answer.status_code for answer in others} == {201}
    assert len({answer.content for answer in others} | {same[0].content}) == 9
    issues = [one["numbers"] for one in entries(client, "copies issued")]
    assert sorted(number for ranges in issues for first, last in ranges for number in range(first, last + 1)) == [
        *range(1, 13)
    ]


def test_a_copy_that_was_planned_and_no_more_is_issued(
    serve: Serve, issued: dict[str, Any], registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that is killed between the two leaves a number without a file; the next request makes it."""

    def kill(*_: object) -> None:
        raise RegistryError("killed")

    document = issued["document"]["id"]
    with serve() as client:
        with monkeypatch.context() as patched:
            patched.setattr(type(registry), "mark_issued", kill)
            assert client.post(path_of(issued, "Dora")).status_code == 503
        assert not registry.copies(document, numbers=[4])[0].is_issued
        assert client.post(path_of(issued, "Dora")).status_code == 200
        assert registry.copies(document, numbers=[4])[0].is_issued
        assert client.post(path_of(issued, "Dora")).status_code == 200


def test_no_model_is_asked(serve: Serve, issued: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """The sites are known since the document was issued."""

    def refuse(*_: object) -> None:
        raise AssertionError

    with serve() as client:
        monkeypatch.setattr(Engine, "substituter", property(refuse))
        assert client.post(path_of(issued, "Dora")).status_code == 201


def test_what_cannot_be_issued_is_refused(client: TestClient, issued: dict[str, Any], essay: str, serve: Serve) -> None:
    """An unknown document, nobody, a name that no line shows, and a newcomer to blind copies."""
    assert client.post(f"/v1/documents/{'0' * 16}/copies/Ada").status_code == 404
    assert client.post(path_of(issued, " ")).status_code == 422
    assert client.post(path_of(issued, "Ada\nBo")).status_code == 404
    assert client.post(path_of(issued, "x" * 201)).status_code == 422
    asked = {"text": essay, "recipients": ["Ada"], "scheme": "blind", "error_bound": 0.1}
    blind = wait_for(client, client.post("/v1/issue", json=asked).json())["result"]
    assert client.post(path_of(blind, "Ada")).status_code == 200
    refused = client.post(path_of(blind, "Dora"))
    assert refused.status_code == 422
    assert "blind" in refused.json()["detail"]
    with serve(keyring=None) as keyless:
        assert keyless.post(path_of(issued, "Dora")).status_code == 503
        assert keyless.post(path_of(issued, "Ada")).status_code == 200


def test_documents_that_were_issued_elsewhere_have_no_file_here(
    client: TestClient, issued: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Said as such."""
    monkeypatch.setattr(issued_files, "find_kept", lambda *_: [])
    answer = client.post(path_of(issued, "Dora"))
    assert answer.status_code == 404
    assert "the file of document" in answer.json()["detail"]


def test_the_scope_opens_nothing_else(client: TestClient, issued: dict[str, Any], registry: Registry) -> None:
    """A document store needs neither names nor texts nor other people's numbers."""
    store = bearer(create_token(registry, "store", scopes={"copies"})[0])
    assert client.post(path_of(issued, "Dora"), headers=store).status_code == 201
    document = issued["document"]["id"]
    for path in (
        "/v1/documents",
        f"/v1/documents/{document}",
        f"/v1/documents/{document}/copies",
        f"/v1/documents/{document}/copies/1/content",
        f"/v1/documents/{document}/copies/1/text",
        f"/v1/documents/{document}/archive",
        "/v1/recipients",
        "/v1/reports",
        "/v1/audit",
        "/v1/tokens",
    ):
        assert client.get(path, headers=store).status_code == 403, path
    tracer = bearer(create_token(registry, "tracer", scopes={"trace"})[0])
    assert client.post(path_of(issued, "Dora"), headers=tracer).status_code == 403
