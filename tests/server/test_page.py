"""The page in a real Chromium: the whole story, in both themes and on a phone, without a complaint from axe or the console."""

import json
import threading
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from tests.server.browser import PROGRAM, Tab, browser
from tests.server.served import fake_engine
from tests.server.test_jobs import free_port

from lexprint.coding.keys import Keyring, MasterKey
from lexprint.server.app import PAGE, create_app
from lexprint.server.limits import Limits
from lexprint.testing import fake_text
from lexprint.tracing.registry import Registry, open_registry
from lexprint.tracing.tokens import create_token

MEMO = "\n\n".join(fake_text(words=100, seed=seed) for seed in range(2)) + "\n"
PEOPLE = "Name,Room\nAda <b>Lovelace</b>,1\nBo,2\nCleo,3\n"
FOLDER = Path(__file__).parents[2] / "src" / "lexprint" / "server" / "page"

needs_browser = pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium")


def test_the_page_loads_nothing_from_elsewhere() -> None:
    """Its three files name no other host, no inline script and no inline style, which its policy would refuse."""
    for name, _ in PAGE.values():
        text = (FOLDER / name).read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "http:" not in text
        assert "https:" not in text
        assert "@import" not in text
    page = (FOLDER / "index.html").read_text(encoding="utf-8")
    assert " style=" not in page
    assert "<style" not in page
    assert page.count("<script") == page.count('<script src="page.js" defer></script>') == 1
    script = (FOLDER / "page.js").read_text(encoding="utf-8")
    for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert way not in script, "names and texts must not become markup"


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Registry]:
    with open_registry(str(tmp_path_factory.mktemp("page") / "lexprint.db")) as opened:
        yield opened


@pytest.fixture(scope="module")
def url(registry: Registry) -> Iterator[str]:
    """A service that needs tokens, in a thread."""
    port = free_port()
    limits = Limits(requests_per_minute=100_000)
    app = create_app(fake_engine(), registry, keyring=Keyring((MasterKey.generate(),)), limits=limits)
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    deadline = time.monotonic() + 30
    while not server.started and time.monotonic() < deadline:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{port}/"
    server.should_exit = True
    thread.join(20)


@pytest.fixture(scope="module")
def tab() -> Iterator[Tab]:
    with browser() as opened:
        yield opened


def fill(tab: Tab, element: str, text: str) -> None:
    tab.run(
        f"(() => {{ const e = document.getElementById('{element}'); e.value = {json.dumps(text)}; "
        "e.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )


def click(tab: Tab, element: str) -> None:
    tab.run(f"document.getElementById('{element}').click()")


def is_shown(element: str) -> str:
    return f"!document.getElementById('{element}').hidden"


def complaints(tab: Tab) -> list[str]:
    """What axe-core finds serious on the view as it is now."""
    spec = find_spec("axe_core_python")
    if spec is None or spec.origin is None:
        return []
    tab.run(Path(spec.origin).with_name("axe.min.js").read_text(encoding="utf-8") + "; 0")
    assert tab.run("axe.run().then((r) => r.passes.length)") > 5
    found: Any = tab.run(
        "axe.run({resultTypes: ['violations']}).then((r) => r.violations.filter((v) => ['serious', 'critical'].includes(v.impact))"
        ".map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html).join(' ')}`))"
    )
    return list(found)


def require_fine(tab: Tab) -> None:
    """Nothing sticks out sideways, and nobody complains."""
    assert tab.run("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than the screen"
    assert complaints(tab) == []
    assert tab.console == []


@needs_browser
@pytest.mark.slow
@pytest.mark.parametrize(
    ("theme", "width"),
    [("light", 1280), ("dark", 1280), ("dark", 390), ("light", 390)],
)
def test_from_drop_to_verdict(tab: Tab, url: str, registry: Registry, theme: str, width: int) -> None:
    """Sign in, paste, forbid a word by keyboard, issue, and trace a leak to the right person."""
    written, _ = create_token(registry, "page", scopes={"mark", "trace"})
    tab.look(width=width, height=800, theme=theme)
    tab.open("about:blank")
    tab.open(url)
    tab.run("sessionStorage.clear()")
    tab.open("about:blank")
    tab.open(url)
    require_fine(tab)
    fill(tab, "document-text", MEMO)
    click(tab, "analyse")
    tab.wait_for("document.getElementById('token-dialog').open")
    tab.console.clear()  # a browser notes every 401
    require_fine(tab)
    fill(tab, "token", written)
    tab.run("document.querySelector('#token-form button').click()")
    tab.wait_for(is_shown("step-words"))
    sites = tab.run("document.querySelectorAll('.site').length")
    assert tab.run("document.getElementById('manuscript').textContent") == MEMO
    assert sites > 25
    tab.run("document.querySelector('.site').focus()")
    tab.press("ArrowRight")
    tab.press("Enter")
    assert tab.run("document.querySelectorAll('.site[aria-pressed=true]').length") == 1
    assert tab.run("document.activeElement.dataset.index") == "1"
    tab.wait_for(is_shown("card"))
    assert str(sites - 1) in tab.run("document.getElementById('words-summary').textContent")
    require_fine(tab)
    fill(tab, "recipients", PEOPLE)
    assert tab.run("document.getElementById('recipients-count').textContent") == "3 recipients"
    fill(tab, "name", f"Memo {theme} {width}")
    click(tab, "issue")
    tab.wait_for(f"{is_shown('step-copies')} || {is_shown('issue-problem')}")
    assert "3 copies" in tab.run("document.getElementById('copies').textContent")
    assert "Ada <b>Lovelace</b>" in tab.run("document.getElementById('copies').textContent")
    require_fine(tab)
    (document,) = [one for one in registry.documents() if one.name == f"Memo {theme} {width}"]
    assert document.sites == sites - 1
    headers = f"{{headers: {{Authorization: 'Bearer {written}'}}}}"
    leak = tab.run(f"fetch('/v1/documents/{document.id}/copies/1/content', {headers}).then((r) => r.text())")
    tab.run("location.hash = '#trace'")
    tab.wait_for(is_shown("view-trace"))
    require_fine(tab)
    fill(tab, "leak-text", leak)
    click(tab, "trace")
    tab.wait_for("document.getElementById('verdict').children.length")
    verdict = tab.run("document.getElementById('verdict').textContent")
    assert "The leak comes from copy 1" in verdict
    assert "Ada <b>Lovelace</b>" in verdict
    assert "The chance that a copy is named wrongly is" in verdict
    assert tab.run("document.querySelectorAll('.leak mark.match').length") >= 0.8 * document.sites
    assert tab.run("document.querySelectorAll('.chart .bar').length") == 3
    require_fine(tab)
    tab.run("location.hash = '#history'")
    tab.wait_for("document.querySelector('#reports table')")
    assert f"Memo {theme} {width}" in tab.run("document.getElementById('documents').textContent")
    require_fine(tab)


@needs_browser
def test_problems_are_shown(tab: Tab, url: str, registry: Registry) -> None:
    """A text that is too short is refused in words, and the page goes on."""
    written, _ = create_token(registry, "page", scopes={"mark", "trace"})
    tab.look(width=1280, height=800, theme="light")
    tab.open("about:blank")
    tab.open(url)
    tab.run(f"sessionStorage.setItem('lexprint-token', '{written}')")
    tab.open("about:blank")
    tab.open(url)
    click(tab, "analyse")
    tab.wait_for(is_shown("analyse-problem"))
    assert "Paste a text first" in tab.run("document.getElementById('analyse-problem').textContent")
    fill(tab, "document-text", "Too short.")
    click(tab, "analyse")
    tab.wait_for(is_shown("step-words"))
    assert "too few" in tab.run("document.getElementById('words-summary').textContent")
    assert tab.run("document.getElementById('step-recipients').hidden")
    assert tab.run("document.getElementById('analyse-problem').hidden")
