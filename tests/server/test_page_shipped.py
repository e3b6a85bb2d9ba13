"""The whole story of the page in a real Chromium with the shipped models: at a desk with a mouse, and on a phone with a finger.

`LEXPRINT_PICTURES=FOLDER` keeps a picture of each view, to be looked at.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.server.browser import Tab
from tests.server.paged import is_shown, needs_browser, page_served, require_fine, sign_in, text_of
from tests.server.test_page_story import copy_text, trace, wait_for_files

from lexprint.engine import Engine
from lexprint.registry.protocol import Registry, open_registry
from lexprint.workflows.cases import read_case

pytestmark = [needs_browser, pytest.mark.slow]

DESK, PHONE = 1280, 390
PATIENCE_SECONDS = 900.0  # for models on a busy machine
LEAKED = 4  # Emmy Noether's copy comes back, without its ends and with a few words changed
CHANGES = (("Sales had", "Turnover had"), ("many months", "quite some time"), ("three years", "3 years"))


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Registry]:
    with open_registry(str(tmp_path_factory.mktemp("shipped") / "lexprint.db")) as opened:
        yield opened


@pytest.fixture(scope="module")
def url(registry: Registry) -> Iterator[str]:
    with page_served(registry, Engine()) as address:
        yield address


class Album:
    """Pictures of the views of one story."""

    def __init__(self, tab: Tab, story: str, folder: Path) -> None:
        self._tab, self._story, self._folder = tab, story, Path(os.environ.get("LEXPRINT_PICTURES") or folder)
        self._folder.mkdir(parents=True, exist_ok=True)
        self._number = 0

    def look(self, view: str) -> None:
        """Nothing is wrong with the view, and it is kept."""
        require_fine(self._tab)
        self.keep(view)

    def keep(self, view: str) -> None:
        self._number += 1
        self._tab.run("new Promise((resolve) => setTimeout(resolve, 400))")  # for what fades
        self._tab.screenshot(self._folder / f"{self._story}-{self._number:02}-{view}.png")


@pytest.mark.parametrize(("story", "theme", "width"), [("desk", "light", DESK), ("phone", "dark", PHONE)])
def test_the_whole_story(
    tab: Tab, url: str, registry: Registry, tmp_path: Path, story: str, theme: str, width: int
) -> None:
    """From the example to the case: words, choices, copies, a leak, its report, and what became of it."""
    album = Album(tab, story, tmp_path / "pictures")
    name = f"Shipped, {story}"
    sign_in(tab, url, registry, theme=theme, width=width, scopes=("mark", "trace", "admin"))
    (tmp_path / "downloads").mkdir()
    tab.save_into(tmp_path / "downloads")
    album.look("empty")
    sites = _words(tab, album)
    _choices(tab, album, is_phone=width == PHONE)
    _copies(tab, album, registry, name, sites)
    report = _leak(tab, album, registry, name)
    _what_became_of_it(tab, album, report, tmp_path / "downloads")


def _words(tab: Tab, album: Album) -> int:
    """Find them, with a word on how it goes from the first moment; how many there are."""
    tab.run(
        "(() => { window.said = []; const node = document.getElementById('analyse-progress');"
        " new MutationObserver(() => said.push([performance.now(), node.textContent]))"
        ".observe(node, {childList: true, subtree: true, characterData: true}); })()"
    )
    tab.click("example")
    tab.click("analyse")
    tab.wait_for("said.length")
    album.keep("progress")
    tab.wait_for(f"{is_shown('step-recipients')} || {is_shown('analyse-problem')}", seconds=PATIENCE_SECONDS)
    assert text_of(tab, "analyse-problem") == ""
    said = [words for _, words in tab.run("said") if words]
    assert all("left" in words or "then" in words or "longer than thought" in words for words in said)
    text = tab.run("document.getElementById('document-text').value")
    assert text_of(tab, "manuscript") == text
    sites: int = tab.run("document.querySelectorAll('.site').length")
    assert sites > 15
    tab.run("document.getElementById('title-words').scrollIntoView({behavior: 'instant'})")
    album.look("words")
    return sites


def _choices(tab: Tab, album: Album, *, is_phone: bool) -> None:
    """The card of a word opens with a click or a tap, forbids nothing by itself, and its word can be forbidden there."""
    act = tab.tap if is_phone else tab.click_on
    act('.site[data-index="3"]')
    tab.wait_for("document.querySelector('#card.open .choice')")
    assert tab.run("document.querySelectorAll('.site.struck, .site.partly').length") == 0
    assert "%" in text_of(tab, "card")
    tab.settle()  # what else was considered
    album.look("card")
    act("#forbid-word")
    tab.wait_for("document.querySelectorAll('.site.struck').length === 1")
    assert "Allow it again" in text_of(tab, "card")
    album.look("forbidden")
    tab.press("Escape")


def _copies(tab: Tab, album: Album, registry: Registry, name: str, sites: int) -> None:
    """One for each of ten people, without the word that was forbidden; each can be read."""
    assert text_of(tab, "recipients-count") == "10 recipients"
    tab.fill("name", name)
    tab.click("issue")
    tab.wait_for(f"{is_shown('step-copies')} || {is_shown('issue-problem')}", seconds=PATIENCE_SECONDS)
    assert text_of(tab, "issue-problem") == ""
    tab.wait_for("document.querySelectorAll('#copies tbody tr').length === 10")
    (document,) = [one for one in registry.documents() if one.name == name]
    assert document.sites == sites - 1
    album.look("copies")
    tab.run("document.querySelector('#copies td.acts button').click()")
    tab.wait_for("document.getElementById('reader').open && document.querySelector('#reader-text mark')")
    assert text_of(tab, "reader-title") == "Ada Lovelace"
    album.look("preview")
    tab.click("reader-close")


def _leak(tab: Tab, album: Album, registry: Registry, name: str) -> bytes:
    """Somebody's copy comes back in part and changed, and is told; too little of it is a lead. The signed report."""
    leak = "\n\n".join(copy_text(tab, registry, name, LEAKED).split("\n\n")[1:-1])
    for was, becomes in CHANGES:
        leak = leak.replace(was, becomes)
    little = trace(tab, leak[: len(leak) // 6])
    assert "No copy can be named" in little
    album.look("inconclusive")
    found = trace(tab, leak)
    assert f"The leak comes from copy {LEAKED}" in found
    assert "Emmy Noether" in found
    album.look("verdict")
    tab.run(
        "[...document.querySelectorAll('#verdict button')].find((b) => b.textContent === 'Download the case').click()"
    )
    return registry.report(registry.reports()[-1].id).text.encode()


def _what_became_of_it(tab: Tab, album: Album, report: bytes, downloads: Path) -> None:
    """The case, the history with a note, the report verified by dropping it, and the page for counsel."""
    (case,) = wait_for_files(tab, downloads)
    assert [one.number for one in read_case(case.read_bytes(), name="case").accused] == [LEAKED]
    tab.run("location.hash = '#history'")
    tab.wait_for("document.querySelector('#reports tbody tr') && document.querySelector('#documents tbody tr')")
    album.look("history")
    tab.run("[...document.querySelectorAll('#reports button')].find((b) => b.textContent === 'Notes, case').click()")
    tab.wait_for("document.getElementById('reviews').open")
    tab.run("document.getElementById('review-status').value = 'confirmed'")
    tab.fill("review-note", "She said so herself.")
    tab.click("review-save")
    tab.wait_for("document.getElementById('reviews-said').textContent.includes('Confirmed')")
    album.look("notes")
    tab.click("reviews-close")
    signed = downloads / "report.json"
    signed.write_bytes(report)
    tab.run("location.hash = '#verify'")
    tab.wait_for(is_shown("view-verify"))
    tab.drop("report-well", signed)
    tab.wait_for("document.getElementById('finding').textContent.includes('report.json')")
    assert "The report is genuine" in text_of(tab, "finding"), json.loads(report)["signature"]
    album.look("verified")
    tab.open(tab.run("location.origin") + "/counsel.html")
    assert "chance of error" in text_of(tab, "main")
    album.look("counsel")
