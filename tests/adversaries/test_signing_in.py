"""The one-time link in a real Chromium, as `lexprint serve` prints it: it opens one session, and no second one."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.server.browser import PROGRAM, Tab, browser
from tests.server.paged import page_served

from lexprint.registry.protocol import Registry, open_registry
from lexprint.server.tokens import create_link

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium")

TIMEOUT_SECONDS = 300.0  # on a busy machine; seconds otherwise
SIGNED_IN = "localStorage.getItem('lexprint-session')"
WITH_BOTH_HALVES = f"fetch('/v1/jobs', {{headers: {{'X-Lexprint-Session': {SIGNED_IN}}}}}).then((r) => r.status)"
WITH_THE_COOKIE = "fetch('/v1/jobs').then((r) => r.status)"


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    with open_registry(str(tmp_path / "lexprint.db")) as opened:
        yield opened


@pytest.fixture
def url(registry: Registry) -> Iterator[str]:
    with page_served(registry) as address:
        yield address


def cookies(tab: Tab, url: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tab.call("Network.getCookies", urls=[f"{url}v1/jobs"])["cookies"]
    return found


def test_a_link_opens_one_session(url: str, registry: Registry) -> None:
    """Its cookie outlives the page and no script can read it; in a browser without it the same link is refused."""
    code = create_link(registry, scopes={"trace"})
    link = f"{url}#login={code}"
    with browser() as tab:
        tab.open(link)
        tab.wait_for(SIGNED_IN, seconds=TIMEOUT_SECONDS)
        assert tab.run("location.hash") == ""
        assert tab.run("document.cookie") == ""
        (cookie,) = cookies(tab, url)
        assert (cookie["httpOnly"], cookie["sameSite"], cookie["path"]) == (True, "Strict", "/v1")
        assert cookie["expires"] > time.time()
        assert tab.run(WITH_BOTH_HALVES) == 200
        tab.open("about:blank")
        tab.open(url)
        assert cookies(tab, url) == [cookie]
        assert (tab.run(WITH_BOTH_HALVES), tab.run(WITH_THE_COOKIE)) == (200, 401)
        assert not tab.run("document.getElementById('token-dialog').open")
        tab.run("localStorage.clear()")
        tab.call("Network.clearBrowserCookies")
        tab.open("about:blank")
        tab.open(link)
        tab.wait_for("document.getElementById('token-dialog').open", seconds=TIMEOUT_SECONDS)
        assert "used or has expired" in tab.run("document.body.innerText")
        assert (tab.run(SIGNED_IN), tab.run("location.hash"), cookies(tab, url)) == (None, "", [])
