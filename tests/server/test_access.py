"""Nobody gets in without a token, but for the few open routes."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.testclient import TestClient
from tests.server.conftest import Serve
from tests.server.served import bearer, fake_engine

from lexprint.registry.protocol import Registry, open_registry
from lexprint.server.access import is_loopback
from lexprint.server.app import PAGE, create_app
from lexprint.server.guarding import GuardedRoute
from lexprint.server.tokens import SCOPES, Scope, create_token, revoke_token

OPEN = {*PAGE, "/health", "/ready"}
ENTRANCE = ("POST", "/v1/session")
IDS = {
    "document_id": "0" * 16,
    "report_id": "0" * 16,
    "token_id": "0" * 12,
    "number": "1",
    "recipient": "Ada",
    "webhook_id": "0" * 16,
}


def routes_of(app: FastAPI) -> list[tuple[str, str, frozenset[Scope] | None]]:
    """Every method and path, with its scopes; None: open."""
    found = []
    for route in app.routes:
        assert isinstance(route, APIRoute), f"{route} is neither guarded nor known to be open"
        scopes = route.scopes if isinstance(route, GuardedRoute) else None
        found += [(method, route.path, scopes) for method in sorted(route.methods or ())]
    return found


@pytest.fixture(scope="module")
def all_routes(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str, frozenset[Scope] | None]]:
    with open_registry(str(tmp_path_factory.mktemp("routes") / "lexprint.db")) as registry:
        return routes_of(create_app(fake_engine(), registry))


@pytest.fixture
def guarded(serve: Serve) -> Iterator[TestClient]:
    with serve(access="tokens") as client:
        yield client


def url_of(path: str) -> str:
    return path.replace(":path", "").format_map({"file_id": "0" * 32, "job_id": "0" * 32} | IDS)


def test_only_these_routes_are_open(all_routes: list[tuple[str, str, frozenset[Scope] | None]]) -> None:
    """Whatever else is added to the service needs a token."""
    assert {path for _, path, scopes in all_routes if scopes is None} == OPEN | {ENTRANCE[1]}
    assert all(scopes for method, path, scopes in all_routes if path not in OPEN and (method, path) != ENTRANCE)


def test_every_other_route_needs_a_token_of_its_scope(
    guarded: TestClient, registry: Registry, all_routes: list[tuple[str, str, frozenset[Scope] | None]]
) -> None:
    """None, nonsense, revoked or expired: 401; of another scope: 403; of the right one: neither."""
    tokens = {scope: create_token(registry, scope, scopes={scope})[0] for scope in SCOPES}
    revoked, token = create_token(registry, "revoked", scopes=set(SCOPES))
    revoke_token(registry, token.id)
    expired, _ = create_token(registry, "expired", scopes=set(SCOPES), expires_at=datetime.now(UTC) + timedelta(days=1))
    with registry.writing() as statements:
        statements.change("UPDATE tokens SET expires_at = '2020-01-01T00:00:00.000000+00:00' WHERE name = 'expired'")
    seen = 0
    for method, path, scopes in all_routes:
        if scopes is None:
            continue
        url = url_of(path)
        for headers in ({}, bearer("nonsense"), bearer(revoked), bearer(expired), {"Authorization": tokens["mark"]}):
            refused = guarded.request(method, url, headers=headers)
            assert refused.status_code == 401, f"{method} {path}"
            assert refused.headers["www-authenticate"].startswith("Bearer")
        for scope in SCOPES:
            status = guarded.request(method, url, headers=bearer(tokens[scope])).status_code
            assert (status == 403) == (scope not in scopes), f"{method} {path} with {scope}: {status}"
            assert status != 401
        seen += 1
    assert seen > 25


def test_open_routes_need_none(guarded: TestClient) -> None:
    """Health and the page itself hold nothing secret."""
    assert [guarded.get(path).status_code for path in sorted(OPEN)] == [200] * len(OPEN)


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:9999"},
        {"Sec-Fetch-Site": "cross-site"},
        {"X-Forwarded-For": "203.0.113.7"},
        {"Host": "[::1"},
        {"Origin": "http://[::1"},
    ],
)
def test_without_tokens_it_is_open_to_loopback_alone(serve: Serve, headers: dict[str, str]) -> None:
    """A page of another site, a name that was bound anew, or a proxy does not get in without a token."""
    with serve(access="open") as client:
        assert client.get("/v1/documents").status_code == 200
        assert client.get("/v1/documents", headers={"Origin": "http://localhost"}).status_code == 200
        assert client.get("/v1/documents", headers=headers).status_code == 401


def test_a_wrong_token_is_refused_without_tokens_too(serve: Serve) -> None:
    """Who shows a token means it."""
    with serve(access="open") as client:
        assert client.get("/v1/documents", headers=bearer("nonsense")).status_code == 401


def test_files_and_jobs_are_their_owners(guarded: TestClient, registry: Registry) -> None:
    """Another token of the same scope does not see them."""
    mine, yours = (bearer(create_token(registry, name, scopes={"mark"})[0]) for name in ("mine", "yours"))
    file = guarded.post("/v1/files", files={"file": ("a.txt", b"Some words.")}, headers=mine).json()
    job = guarded.post("/v1/analyse", json={"text": "Some words."}, headers=mine).json()
    for path in (
        f"/v1/files/{file['id']}",
        f"/v1/files/{file['id']}/content",
        f"/v1/jobs/{job['id']}",
        f"/v1/jobs/{job['id']}/events",
    ):
        assert guarded.get(path, headers=mine).status_code == 200
        assert guarded.get(path, headers=yours).status_code == 404
    assert guarded.delete(f"/v1/files/{file['id']}", headers=yours).status_code == 404
    assert guarded.post("/v1/capacity", json={"file": file["id"]}, headers=yours).status_code == 404
    assert guarded.get("/v1/jobs", headers=yours).json()["items"] == []


def test_loopback_hosts() -> None:
    """Addresses of this machine, and nothing that only looks so."""
    assert all(map(is_loopback, ("127.0.0.1", "127.8.8.8", "::1", "LOCALHOST")))
    assert not any(map(is_loopback, ("", "0.0.0.0", "::", "localhost.example", "192.168.0.1", "127.0.0.1.example")))
