"""Takes the pictures of the page again, with the shipped models and a real Chromium: `python -m docs.screenshots.take`.

They are of the page at work: the memorandum and the names are the page's example.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import uvicorn
from tests.server.browser import PROGRAM, Tab, browser
from tests.server.test_jobs import free_port

from lexprint.coding.keys import Keyring, MasterKey
from lexprint.engine import Engine
from lexprint.registry.protocol import open_registry
from lexprint.server.app import create_app

HERE = Path(__file__).parent
LEAKED = 4  # the copy that comes back, without its ends and with a few words changed
CHANGES = (("Sales had", "Turnover had"), ("many months", "quite some time"), ("three years", "3 years"))
FORBIDDEN, POINTED_AT = 1, 4  # words of the text that are struck out, and whose card is shown, counted from 0
DESK, PHONE = (1280, 800), (390, 844)


def main() -> None:
    if PROGRAM is None:
        raise SystemExit("there is no Chromium; run: apt install chromium")
    with service() as url, browser() as tab:
        words(tab, url)
        leak = issue(tab)
        trace(tab, leak)


@contextmanager
def service() -> Iterator[str]:
    """The page on this machine alone, with an empty registry."""
    port = free_port()
    with TemporaryDirectory() as folder, open_registry(str(Path(folder) / "lexprint.db")) as registry:
        app = create_app(Engine(threads=1), registry, keyring=Keyring((MasterKey.generate(),)), access="open")
        server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="warning"))
        thread = threading.Thread(target=server.run)
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.05)
        try:
            yield f"http://127.0.0.1:{port}/"
        finally:
            server.should_exit = True
            thread.join()


def words(tab: Tab, url: str) -> None:
    """The memorandum with its sites, a forbidden word, and the card of another."""
    tab.look(width=DESK[0], height=DESK[1], theme="light")
    tab.open(url)
    tab.click("example")
    tab.click("analyse")
    tab.wait_for("!document.getElementById('step-recipients').hidden", seconds=3600)  # the models read all of it
    tab.run(f"document.querySelectorAll('.site')[{FORBIDDEN}].focus()")
    tab.press("Delete")
    place(tab, "title-words")
    tab.run(f"document.querySelectorAll('.site')[{POINTED_AT}].click()")
    tab.wait_for("document.querySelector('#card dl')")
    tab.screenshot(HERE / "words-light.png")


def issue(tab: Tab) -> str:
    """Issue the copies; what leaks of one of them."""
    tab.fill("name", "Merger memo")
    tab.click("issue")
    tab.wait_for("!document.getElementById('step-copies').hidden", seconds=3600)
    copy = tab.run(
        "fetch('/v1/documents').then((r) => r.json())"
        f".then((found) => fetch(`/v1/documents/${{found.items[0].id}}/copies/{LEAKED}/content`)).then((r) => r.text())"
    )
    leak = "\n\n".join(str(copy).split("\n\n")[1:-1])
    for was, becomes in CHANGES:
        leak = leak.replace(was, becomes)
    return leak


def trace(tab: Tab, leak: str) -> None:
    """The verdict, on a desk at night and on a phone."""
    tab.run("location.hash = '#trace'")
    for name, theme, (width, height) in (("trace-dark", "dark", DESK), ("trace-phone", "light", PHONE)):
        tab.look(width=width, height=height, theme=theme)
        tab.fill("leak-text", leak)
        tab.run("document.getElementById('verdict').replaceChildren()")
        tab.click("trace")
        tab.wait_for("document.getElementById('verdict').children.length")
        place(tab, "verdict")
        tab.screenshot(HERE / f"{name}.png")


def place(tab: Tab, element: str) -> None:
    """Scroll so that it begins below the bar at the top, with nothing half behind it."""
    tab.run(
        f"scrollTo({{top: scrollY + document.getElementById('{element}').getBoundingClientRect().top"
        " - document.querySelector('.masthead').offsetHeight - 24, behavior: 'instant'})"
    )
    time.sleep(0.5)  # for what fades


if __name__ == "__main__":
    main()
