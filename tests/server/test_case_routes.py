"""Notes, statuses and cases over HTTP."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.server.conftest import Serve
from tests.server.served import bearer
from tests.server.test_routes import events, issued

from lexprint.coding.keys import Keyring
from lexprint.registry.protocol import Registry
from lexprint.reports.signed_file import require_signer
from lexprint.server.tokens import create_token
from lexprint.workflows.cases import read_case, status_in_case

__all__ = ["issued"]


@pytest.fixture
def leak(client: TestClient, issued: dict[str, Any]) -> str:
    return client.get(f"/v1/documents/{issued['document']['id']}/copies/2/content").text


@pytest.fixture
def report(client: TestClient, leak: str) -> str:
    """The id of one that names Bo's copy."""
    found = client.post("/v1/trace", json={"text": leak}).json()["report"]
    assert [one["number"] for one in found["accused"]] == [2]
    return str(found["id"])


def test_what_became_of_a_report(
    client: TestClient, registry: Registry, report: str, leak: str, keyring: Keyring
) -> None:
    """Notes and statuses in order, in the list, in the audit log; the case has leak and report, and verifies."""
    path = f"/v1/reports/{report}/reviews"
    assert client.get(path).json() == []
    (listed,) = client.get("/v1/reports").json()["items"]
    assert listed["status"] == "open"
    assert client.post(path, json={"note": "Called Bo's manager."}).status_code == 201
    made = client.post(path, json={"status": "confirmed", "note": "Bo said so."})
    assert (made.status_code, made.json()["status"], made.json()["number"]) == (201, "confirmed", 2)
    assert [(one["status"], one["note"]) for one in client.get(path).json()] == [
        ("open", "Called Bo's manager."),
        ("confirmed", "Bo said so."),
    ]
    (listed,) = client.get("/v1/reports").json()["items"]
    assert listed["status"] == "confirmed"
    assert events(client).count("review served") == 2
    for wrong in ({}, {"status": "guilty"}, {"note": "x" * 10_001}, {"note": " "}):
        assert client.post(path, json=wrong).status_code == 422, wrong

    case = client.post(f"/v1/reports/{report}/case", json={"text": leak})
    assert case.status_code == 200, case.text
    assert case.headers["content-type"] == "application/zip"
    read = read_case(case.content, name="case.zip")
    assert read.id == report
    require_signer(read, {key.public_key.fingerprint for key in keyring}, name="case.zip")
    again = client.post(f"/v1/reports/{report}/case", json={"text": leak}, headers={"Idempotency-Key": "1"})
    assert again.content == case.content
    assert events(client).count("case downloaded") == 2
    assert status_in_case(case.content, name="case.zip") == ("confirmed", ("Called Bo's manager.", "Bo said so."))

    other = client.post(f"/v1/reports/{report}/case", json={"text": f"{leak} More."})
    assert other.status_code == 422
    assert "is not the leak" in other.json()["detail"]
    assert client.post(f"/v1/reports/{report}/case", json={}).status_code == 422
    assert registry.verify_audit() is None


def test_the_leak_may_be_a_file(client: TestClient, leak: str, tmp_path: Path) -> None:
    """As it was traced."""
    sent = client.post("/v1/files", files={"file": ("leak.txt", leak.encode())}).json()["id"]
    report = client.post("/v1/trace", json={"file": sent}).json()["report"]["id"]
    case = client.post(f"/v1/reports/{report}/case", json={"file": sent})
    assert read_case(case.content, name="case.zip").id == report
    assert client.post(f"/v1/reports/{report}/case", json={"file": "0" * 32}).status_code == 404


def test_nobody_is_confirmed_who_is_not_named(client: TestClient) -> None:
    """A report without a copy can be noted and dismissed."""
    report = client.post("/v1/trace", json={"text": "Some other text altogether."}).json()["report"]["id"]
    path = f"/v1/reports/{report}/reviews"
    refused = client.post(path, json={"status": "confirmed"})
    assert refused.status_code == 422
    assert "names no copy" in refused.json()["detail"]
    assert client.post(path, json={"status": "dismissed"}).status_code == 201


def test_unknown_reports(client: TestClient, registry: Registry) -> None:
    """404 for each route; one whose text was changed is refused."""
    path = f"/v1/reports/{'0' * 16}"
    assert client.get(f"{path}/reviews").status_code == 404
    assert client.post(f"{path}/reviews", json={"note": "x"}).status_code == 404
    assert client.post(f"{path}/case", json={"text": "x"}).status_code == 404
    registry.save_report("0" * 16, None, "{}", datetime.now(UTC))
    assert client.post(f"{path}/reviews", json={"note": "x"}).status_code == 500


def test_who_marks_does_not_judge(client: TestClient, registry: Registry, report: str, leak: str) -> None:
    """Statuses and cases need the scope to trace; the log has the token of whoever set them."""
    path = f"/v1/reports/{report}"
    for scope in ("mark", "copies", "admin"):
        headers = bearer(create_token(registry, scope, scopes={scope})[0])
        assert client.get(f"{path}/reviews", headers=headers).status_code == 403
        assert client.post(f"{path}/reviews", json={"note": "x"}, headers=headers).status_code == 403
        assert client.post(f"{path}/case", json={"text": leak}, headers=headers).status_code == 403
    written, token = create_token(registry, "tracer", scopes={"trace"})
    assert client.post(f"{path}/reviews", json={"status": "dismissed"}, headers=bearer(written)).status_code == 201
    assert token.id in registry.audit()[-1].details


def test_a_status_needs_the_key(client: TestClient, serve: Serve, report: str) -> None:
    """Without it anybody's entry could be taken for the owner's, so a service without keys writes none."""
    with serve(keyring=None) as keyless:
        assert keyless.post(f"/v1/reports/{report}/reviews", json={"status": "dismissed"}).status_code >= 400
    assert client.get(f"/v1/reports/{report}/reviews").json() == []
