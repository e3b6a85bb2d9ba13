"""What tests of the page share: the service in a thread, somebody who has signed in, and what is wrong with a view."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files

import pytest
import uvicorn
from tests.server.browser import PROGRAM, Tab
from tests.server.served import fake_engine
from tests.server.test_jobs import free_port

from lexprint.coding.keys import Keyring, MasterKey
from lexprint.engine import Engine
from lexprint.registry.protocol import Registry
from lexprint.server.app import create_app
from lexprint.server.limits import Limits
from lexprint.server.tokens import Scope, create_link
from lexprint.testing import fake_text

MEMO = "\n\n".join(fake_text(words=100, seed=seed) for seed in range(2)) + "\n"

needs_browser = pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium")


@contextmanager
def page_served(registry: Registry, engine: Engine | None = None) -> Iterator[str]:
    """A service that needs tokens, in a thread; its address."""
    port = free_port()
    limits = Limits(requests_per_minute=100_000)
    app = create_app(engine or fake_engine(), registry, keyring=Keyring((MasterKey.generate(),)), limits=limits)
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    deadline = time.monotonic() + 30
    while not server.started and time.monotonic() < deadline:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{port}/"
    finally:
        server.should_exit = True
        thread.join(20)


def is_shown(element: str) -> str:
    return f"!document.getElementById('{element}').hidden"


def sign_in(
    tab: Tab,
    url: str,
    registry: Registry,
    *,
    theme: str = "light",
    width: int = 1280,
    scopes: tuple[Scope, ...] = ("mark", "trace"),
) -> None:
    """The page as it is for somebody who has come by a link."""
    tab.look(width=width, height=800, theme=theme)
    tab.open(url)
    tab.run("localStorage.clear(), sessionStorage.clear()")
    tab.open("about:blank")
    tab.open(f"{url}#login={create_link(registry, scopes=scopes)}")
    tab.wait_for("localStorage.getItem('lexprint-session')")
    assert tab.run("location.hash") == ""
    assert "lexprint" not in tab.run("document.cookie")


def text_of(tab: Tab, element: str) -> str:
    """What stands there."""
    found: str = tab.run(f"document.getElementById('{element}').textContent")
    return found


def complaints(tab: Tab) -> list[str]:
    """What axe-core finds wrong with the view as it is now, little or much."""
    tab.run((files("axe_core_python") / "axe.min.js").read_text("utf-8") + "; 0")
    passed, found = tab.run(
        # Who speaks to the page says what is written on a button: newer versions ask for that unasked.
        "axe.run({resultTypes: ['violations'], rules: {'label-content-name-mismatch': {enabled: true}}}).then((r) =>"
        " [r.passes.length, r.violations.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html).join(' ')}`)])"
    )
    assert passed > 5  # it has looked
    return list(found)


def require_fine(tab: Tab) -> None:
    """Nothing sticks out sideways, and nobody complains."""
    assert tab.run("document.documentElement.scrollWidth") <= tab.width, "the page is wider than the screen"
    assert complaints(tab) == []
    tab.settle()
    assert tab.console == []
