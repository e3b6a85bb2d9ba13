"""The form for raters in a real Chromium: answered by keyboard alone, in both themes and on a phone."""

import json
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.server.browser import PROGRAM, Tab, browser

from lexprint_evaluation.human_scores import read_answers
from lexprint_evaluation.human_sheet import RatedPair, Sheet, sheet_page

pytestmark = [pytest.mark.slow, pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium")]

SHEET = Sheet(
    "abc",
    1,
    (
        RatedPair("p1", "A cold day began early.", "A chilly day began early.", "ours", "X"),
        RatedPair("p2", "He ran <b>home</b> & slept.", "He hurried <b>home</b> & slept.", "theirs", "X"),
    ),
)
# What the page would save, instead of a download that a browser without a window does not make.
CATCH = "URL.createObjectURL = (blob) => { window.saved = blob.text(); return 'data:,'; }; 0"


@pytest.fixture(scope="module")
def tab() -> Iterator[Tab]:
    with browser() as opened:
        yield opened


@pytest.fixture
def sheet(request: pytest.FixtureRequest) -> Sheet:
    """One of its own for each test: all share a store, and Chromium may show a page of a file what was cleared there."""
    return replace(SHEET, id=request.node.name)


@pytest.fixture
def url(tmp_path: Path, sheet: Sheet) -> str:
    path = tmp_path / "sheet.html"
    path.write_text(sheet_page(sheet), encoding="utf-8")
    return path.as_uri()


def require_fine(tab: Tab) -> None:
    """Nothing sticks out sideways, and neither axe nor the console complains."""
    assert tab.run("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than the screen"
    assert tab.console == []
    spec = find_spec("axe_core_python")
    if spec is None or spec.origin is None:
        return
    tab.run(Path(spec.origin).with_name("axe.min.js").read_text(encoding="utf-8") + "; 0")
    found = tab.run(
        "axe.run({resultTypes: ['violations']}).then((r) => r.violations"
        ".map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html).join(' ')}`))"
    )
    assert found == []


def press_digit(tab: Tab, digit: int) -> None:
    for kind in ("keyDown", "keyUp"):
        tab.call("Input.dispatchKeyEvent", type=kind, key=str(digit), windowsVirtualKeyCode=48 + digit)


def reload(tab: Tab) -> None:
    """As a person does; the old page is gone when its mark is."""
    tab.run("window.before = true; setTimeout(() => location.reload()); 0")
    tab.wait_for("!window.before && document.readyState === 'complete'")


@pytest.mark.parametrize(("theme", "width"), [("light", 1000), ("dark", 1000), ("dark", 360), ("light", 360)])
def test_from_the_first_page_to_the_file(tab: Tab, sheet: Sheet, url: str, theme: str, width: int) -> None:
    """Name, two pairs, a word that disturbs; a reload loses nothing; the file is one that can be scored."""
    tab.look(width=width, height=800, theme=theme)
    tab.open("about:blank")
    tab.open(url)
    require_fine(tab)
    tab.run("document.getElementById('rater').focus()")
    tab.run("document.execCommand('insertText', false, 'Ada')")
    tab.press("Enter")
    tab.wait_for("!document.getElementById('pair').hidden")
    require_fine(tab)
    press_digit(tab, 4)
    press_digit(tab, 5)
    tab.run("document.querySelectorAll('.word')[1].focus()")
    tab.press("Enter")
    assert tab.run("document.querySelector('.word[aria-pressed=true]').textContent") == "chilly"
    reload(tab)
    assert tab.run("document.getElementById('state').textContent") == "1 of 2 answered."
    tab.run("document.getElementById('begin').click()")
    assert tab.run("document.getElementById('original').textContent") == "He ran <b>home</b> & slept."
    press_digit(tab, 2)
    press_digit(tab, 1)
    tab.press("Enter")
    tab.wait_for("!document.getElementById('end').hidden")
    require_fine(tab)
    tab.run(CATCH)
    tab.run("document.getElementById('save').click()")
    content = tab.run("window.saved")
    answers = read_answers(content.encode(), sheet, name="answers.json")
    assert (answers.rater, json.loads(content)["format"]) == ("Ada", "sentence ratings 1")
    first, second = answers.ratings["p1"], answers.ratings["p2"]
    assert (first.meaning, first.naturalness, first.words) == (4, 5, (1,))
    assert (second.meaning, second.naturalness, second.words) == (2, 1, ())
