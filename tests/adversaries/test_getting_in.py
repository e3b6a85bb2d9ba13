"""Strangers before the service: other sites, other users of the machine, proxies that hide themselves, thieves of cookies."""

import logging
import re
import socket
import threading
import webbrowser
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.server.served import bearer, fake_engine

from lexprint.registry.protocol import Registry, open_registry
from lexprint.server import process
from lexprint.server.access import Access
from lexprint.server.app import create_app
from lexprint.server.logins import FailedLogins, LoginFailed
from lexprint.server.process import ServeOptions, browser_url, new_link, open_page
from lexprint.server.sessions import HEADER
from lexprint.server.tokens import SCOPES, create_link, create_token, delete_old_sessions, list_tokens, revoke_token

HERE = "http://127.0.0.1:8400"


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    with open_registry(str(tmp_path / "lexprint.db")) as opened:
        yield opened


def visit(registry: Registry, *, access: Access = "tokens") -> TestClient:
    return TestClient(create_app(fake_engine(), registry, access=access), base_url=HERE)


@pytest.fixture
def browser(registry: Registry) -> Iterator[TestClient]:
    """Keeps cookies, as browsers do."""
    with visit(registry) as client:
        yield client


def sign_in(browser: TestClient, registry: Registry) -> dict[str, str]:
    """By a link; returns what the page adds to its requests."""
    answer = browser.post("/v1/session", json={"code": create_link(registry)})
    assert answer.status_code == 200
    return {HEADER: answer.json()["session"]}


def test_a_proxy_that_rewrites_the_host_opens_nothing(browser: TestClient) -> None:
    """Requests that look as if they came from this machine by its own name need a token like all others."""
    for method, path, json in (
        ("GET", "/v1/documents", None),
        ("POST", "/v1/tokens", {"name": "x", "scopes": ["admin"]}),
    ):
        assert browser.request(method, path, json=json, headers={"Host": "127.0.0.1:8400"}).status_code == 401


def test_without_tokens_nobody_becomes_administrator(registry: Registry) -> None:
    """Where --no-tokens opens the rest, no token can be made, listed or revoked, and the audit log stays closed."""
    with visit(registry, access="open") as client:
        assert client.get("/v1/documents").status_code == 200
        assert client.post("/v1/tokens", json={"name": "x", "scopes": ["admin"]}).status_code == 401
        assert client.get("/v1/tokens").status_code == 401
        assert client.get("/v1/audit").status_code == 401
    assert list_tokens(registry) == []


def test_a_link_opens_one_session(browser: TestClient, registry: Registry) -> None:
    """Who comes second is refused, and a link is no token for anything else."""
    link = create_link(registry)
    assert browser.get("/v1/documents", headers=bearer(link)).status_code == 401
    assert browser.post("/v1/session", json={"token": link}).status_code == 401
    session = browser.post("/v1/session", json={"code": link}).json()["session"]
    assert browser.get("/v1/documents", headers={HEADER: session}).status_code == 200
    assert browser.get("/v1/tokens", headers={HEADER: session}).status_code == 200
    assert browser.post("/v1/session", json={"code": link}).status_code == 401


def test_a_link_does_not_last(browser: TestClient, registry: Registry) -> None:
    """Ten minutes later it opens nothing, nor once it was revoked."""
    old, revoked = create_link(registry), create_link(registry)
    with registry.writing() as statements:
        statements.change(
            "UPDATE tokens SET expires_at = '2020-01-01T00:00:00.000000+00:00' WHERE id = :id", id=old[4:16]
        )
    revoke_token(registry, revoked[4:16])
    for link in (old, revoked):
        assert browser.post("/v1/session", json={"code": link}).status_code == 401


def test_neither_half_of_a_session_opens_anything(browser: TestClient, registry: Registry) -> None:
    """A cookie goes to every port of the machine, and with requests of other sites; what the page keeps does not."""
    page = sign_in(browser, registry)
    (name, half), *_ = browser.cookies.items()
    assert browser.get("/v1/documents").status_code == 401, "the cookie alone"
    thief = {"Cookie": f"{name}={half}", HEADER: f"{name.removeprefix('lexprint_')}.{'A' * 22}"}
    assert browser.get("/v1/documents", headers=thief).status_code == 401
    browser.cookies.clear()
    assert browser.get("/v1/documents", headers=page).status_code == 401, "the page's half alone"
    for nonsense in ("", ".", "x.y", f"{name.removeprefix('lexprint_')}.é", f"{page[HEADER]};"):
        assert browser.get("/v1/documents", headers={HEADER.encode(): nonsense.encode()}).status_code == 401


def test_the_cookie_is_for_the_browser_alone(browser: TestClient, registry: Registry) -> None:
    """No script reads it, no other site sends it; over TLS it is not sent without."""
    answer = browser.post("/v1/session", json={"code": create_link(registry)})
    written = answer.headers["set-cookie"].lower()
    assert all(part in written for part in ("httponly", "samesite=strict", "path=/v1", "max-age="))
    assert "secure" not in written
    assert re.search(r"lxp_", answer.text + written) is None, "the token itself is nowhere"
    encrypted = {"X-Forwarded-Proto": "https"}
    again = browser.post("/v1/session", json={"code": create_link(registry)}, headers=encrypted)
    assert "secure" in again.headers["set-cookie"].lower()


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:9999"},
        {"Sec-Fetch-Site": "cross-site"},
    ],
)
def test_no_other_site_signs_a_browser_in(browser: TestClient, registry: Registry, headers: dict[str, str]) -> None:
    """Nobody is made to work in a session that a stranger can look into."""
    link = create_link(registry)
    assert browser.post("/v1/session", json={"code": link}, headers=headers).status_code == 403
    assert browser.post("/v1/session", json={"code": link}, headers={"Origin": HERE}).status_code == 200


def test_browsers_sign_in_through_a_proxy(browser: TestClient, registry: Registry) -> None:
    """One that gives the service another name of the host than the browser knows, as many do."""
    headers = {"Origin": "https://lexprint.example", "Sec-Fetch-Site": "same-origin", "X-Forwarded-Proto": "https"}
    assert browser.post("/v1/session", json={"code": create_link(registry)}, headers=headers).status_code == 200


def test_what_strangers_send_is_small(browser: TestClient) -> None:
    """Nothing large is read before somebody is known."""
    assert browser.post("/v1/session", json={"token": "x" * 2_000}).status_code == 413
    assert browser.post("/v1/session", content=iter([b'{"token": "x"}'])).status_code == 411
    assert browser.post("/v1/session", json={}).status_code == 422
    assert browser.post("/v1/session", json={"token": "x", "code": "y"}).status_code == 422


def test_signing_out_ends_the_session(browser: TestClient, registry: Registry) -> None:
    """For good: whoever has kept both halves gets in no more."""
    page = sign_in(browser, registry)
    cookies = dict(browser.cookies)
    assert browser.delete("/v1/session", headers=page).status_code == 204
    assert not browser.cookies
    browser.cookies.update(cookies)
    assert browser.get("/v1/documents", headers=page).status_code == 401


def test_a_token_can_be_a_session_too(browser: TestClient, registry: Registry) -> None:
    """With its own scopes; signing out leaves it to the programs that use it, and revoking it ends the session."""
    written, token = create_token(registry, "press", scopes={"mark"})
    page = {HEADER: browser.post("/v1/session", json={"token": f" {written}\n"}).json()["session"]}
    assert browser.get("/v1/documents", headers=page).status_code == 200
    assert browser.get("/v1/tokens", headers=page).status_code == 403
    assert browser.delete("/v1/session", headers=bearer(written)).status_code == 409
    assert browser.delete("/v1/session", headers=page).status_code == 204
    assert browser.get("/v1/documents", headers=bearer(written)).status_code == 200
    page = {HEADER: browser.post("/v1/session", json={"token": written}).json()["session"]}
    revoke_token(registry, token.id)
    assert browser.get("/v1/documents", headers=page).status_code == 401


def test_services_on_one_machine_do_not_end_each_others_sessions(browser: TestClient, registry: Registry) -> None:
    """Cookies are shared by all ports of a host, so each session has a name of its own."""
    pages = [sign_in(browser, registry) for _ in range(2)]
    assert [browser.get("/v1/documents", headers=page).status_code for page in pages] == [200, 200]


def test_failed_logins_are_logged_and_counted(
    browser: TestClient, registry: Registry, caplog: pytest.LogCaptureFixture
) -> None:
    """With the address and what is public of the token; never with the token. Who shows nothing has not failed."""
    written, token = create_token(registry, "revoked", scopes=set(SCOPES))
    revoke_token(registry, token.id)
    operator = bearer(create_token(registry, "operator", scopes={"admin"})[0])
    with caplog.at_level(logging.WARNING, "lexprint.access"):
        assert browser.get("/v1/documents").status_code == 401
        assert browser.get("/v1/documents", headers=bearer(written)).status_code == 401
        assert browser.get("/v1/documents", headers={HEADER: "nonsense"}).status_code == 401
        assert browser.post("/v1/session", json={"token": "nonsense"}).status_code == 401
    assert "lexprint_failed_logins 3" in browser.get("/v1/metrics", headers=operator).text
    assert f"login failed from testclient with token {token.id}" in caplog.text
    assert written not in caplog.text


def test_a_flood_of_failures_does_not_fill_the_log(browser: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    """A line a second, which says how many there were."""
    now = 0.0
    failures = FailedLogins(clock=lambda: now)
    request = browser.build_request("GET", "/v1/documents")
    request.client = None  # type: ignore[attr-defined] # as starlette has it for some servers
    with caplog.at_level(logging.WARNING, "lexprint.access"):
        for _ in range(1_000):
            failures.note(request, LoginFailed("no", shown="x"))  # type: ignore[arg-type]
        now = 1.5
        failures.note(request, LoginFailed("no", shown="x"))  # type: ignore[arg-type]
    assert failures.count == 1_001
    assert len(caplog.records) == 2
    assert "999 more" in caplog.text


def test_old_sessions_are_forgotten(registry: Registry) -> None:
    """Links and sessions that ended; tokens stay, for whoever wants to know who had one."""
    create_link(registry)
    create_token(registry, "kept", scopes={"mark"})
    delete_old_sessions(registry, before=datetime.now(UTC) + timedelta(hours=1))
    assert [token.name for token in list_tokens(registry)] == ["kept"]


def test_the_link_is_not_on_a_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, registry: Registry) -> None:
    """Every user can read the command lines of all: the browser is given a private file that leads to the link."""
    opened: list[tuple[str, str, int]] = []

    def note(url: str) -> None:
        page = Path(url.removeprefix("file://"))
        opened.append((url, page.read_text(), page.parent.stat().st_mode & 0o777))

    options = ServeOptions(registry=str(tmp_path / "lexprint.db"))
    link = new_link(options)
    assert link.startswith(f"{browser_url(options)}#login=lxp_")

    class Listening:
        def close(self) -> None: ...

    monkeypatch.setattr(socket, "create_connection", lambda *_, **__: Listening())
    monkeypatch.setattr(webbrowser, "open", note)
    monkeypatch.setattr(process, "OPENING_SECONDS", 0.0)
    monkeypatch.setattr(threading.Thread, "start", lambda thread: thread.run())
    open_page(options, link)
    ((url, page, mode),) = opened
    assert link.partition("#")[2] not in url
    assert link in page
    assert mode == 0o700
