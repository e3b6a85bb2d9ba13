"""The page in a real Chromium: the whole story, in both themes and on a phone, without a complaint from axe or the console."""

import json
import time
import zipfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from tests.formats.corpus import make_docx
from tests.server.browser import Tab
from tests.server.paged import MEMO, is_shown, needs_browser, page_served, require_fine, sign_in

from lexprint.formats.source import open_source
from lexprint.registry.protocol import Registry, open_registry
from lexprint.server.app import PAGE
from lexprint.server.tokens import create_token

PEOPLE = "Name,Room\nAda <b>Lovelace</b>,1\nBo,2\nCleo,3\n"
FOLDER = Path(__file__).parents[2] / "src" / "lexprint" / "server" / "page"
LINES = 400  # that a file of the page may have


def test_the_page_loads_nothing_from_elsewhere() -> None:
    """Its files name no other host, no inline script and no inline style, which its policy would refuse."""
    for name, _ in PAGE.values():
        text = (FOLDER / name).read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "http:" not in text
        assert "https:" not in text
        assert "@import" not in text
        if name.endswith(".html"):
            assert " style=" not in text
            assert "<style" not in text
            assert text.count("<script") == text.count('<script type="module" src="page.js"></script>') <= 1
    for script in FOLDER.glob("*.js"):
        for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
            assert way not in script.read_text(encoding="utf-8"), "names and texts must not become markup"


def test_each_file_of_the_page_is_one_idea() -> None:
    """Every module is served, imported by another, and short enough to be read."""
    scripts = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.js")}
    assert len(scripts) > 8
    for name, text in scripts.items():
        assert f"/{name}" in PAGE
        assert len(text.splitlines()) <= LINES
        assert name == "page.js" or any(f'"./{name}"' in other for other in scripts.values())


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Registry]:
    with open_registry(str(tmp_path_factory.mktemp("page") / "lexprint.db")) as opened:
        yield opened


@pytest.fixture(scope="module")
def url(registry: Registry) -> Iterator[str]:
    with page_served(registry) as address:
        yield address


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
    tab.run("localStorage.clear(), sessionStorage.clear()")
    tab.open("about:blank")
    tab.open(url)
    require_fine(tab)
    tab.fill("document-text", MEMO)
    tab.click("analyse")
    tab.wait_for("document.getElementById('token-dialog').open")
    tab.refused(401)
    require_fine(tab)
    tab.fill("token", written)
    tab.run("document.querySelector('#token-form button').click()")
    tab.wait_for(is_shown("step-recipients"))
    sites = tab.run("document.querySelectorAll('.site').length")
    assert tab.run("document.getElementById('manuscript').textContent") == MEMO
    assert sites > 25
    tab.run("document.querySelector('.site').focus()")
    tab.press("ArrowRight")
    tab.press("Delete")
    assert tab.run("document.querySelectorAll('.site.struck').length") == 1
    assert tab.run("document.activeElement.dataset.index") == "1"
    tab.wait_for(is_shown("card"))
    assert str(sites - 1) in tab.run("document.getElementById('words-summary').textContent")
    require_fine(tab)
    tab.fill("recipients", PEOPLE)
    assert tab.run("document.getElementById('recipients-count').textContent") == "3 recipients"
    tab.fill("name", f"Memo {theme} {width}")
    tab.click("issue")
    tab.wait_for(f"{is_shown('step-copies')} || {is_shown('issue-problem')}")
    tab.wait_for("document.querySelector('#copies tbody tr')")
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
    tab.fill("leak-text", leak)
    tab.click("trace")
    tab.wait_for("document.getElementById('verdict').children.length")
    verdict = tab.run("document.getElementById('verdict').textContent")
    assert "The leak comes from copy 1" in verdict
    assert "Ada <b>Lovelace</b>" in verdict
    assert "The chance that a copy is named wrongly is" in verdict
    assert tab.run("document.querySelectorAll('.leak mark.match').length") >= 0.8 * document.sites
    assert tab.run("document.querySelectorAll('.chart .bar').length") == 1, "only the copy that is named is shown"
    require_fine(tab)
    tab.run("location.hash = '#history'")
    tab.wait_for("document.querySelector('#reports table') && document.querySelector('#documents table')")
    assert f"Memo {theme} {width}" in tab.run("document.getElementById('documents').textContent")
    require_fine(tab)


@needs_browser
@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "theme", "width"),
    [("docx", "dark", 390), ("txt", "light", 1280)],
)
def test_files_that_are_dropped(
    tab: Tab, url: str, registry: Registry, tmp_path: Path, kind: str, theme: str, width: int
) -> None:
    """Drop a document and recipients, fetch all copies as a ZIP file, drop one of them and see whose it was."""
    sign_in(tab, url, registry, theme=theme, width=width)
    master = tmp_path / f"Board memo {width}.{kind}"
    master.write_bytes(word_document(MEMO) if kind == "docx" else MEMO.encode())
    tab.drop("document-well", master)
    tab.wait_for(
        f"document.getElementById('document-chip').textContent.includes('words') || {is_shown('document-problem')}"
    )
    assert tab.run("document.getElementById('document-problem').textContent") == ""
    assert master.name in tab.run("document.getElementById('document-chip').textContent")
    assert tab.run("document.getElementById('document-text').hidden")
    assert tab.run("document.getElementById('name').value") == master.stem
    require_fine(tab)
    tab.click("analyse")
    tab.wait_for(f"{is_shown('step-recipients')} || {is_shown('analyse-problem')}")
    if kind == "docx":
        people = tmp_path / "people.csv"
        people.write_text('Name,Room\n"Lovelace, Ada",1\nBo,2\nCleo,3\n', encoding="utf-8")
        tab.drop("recipients-well", people)
        names = ["Lovelace, Ada", "Bo", "Cleo"]
    else:
        names = ["Ada Lovelace", "Bo", "Cleo", "Dai"]
        tab.fill("recipients", "\n".join(names))
    tab.wait_for(f"document.getElementById('recipients-count').textContent === '{len(names)} recipients'")
    tab.click("issue")
    tab.wait_for(f"{is_shown('step-copies')} || {is_shown('issue-problem')}")
    tab.save_into(tmp_path)
    tab.run("document.querySelector('#copies .primary').click()")
    archive = downloaded(tmp_path / f"{master.stem}.zip")
    with zipfile.ZipFile(archive) as packed:
        assert packed.testzip() is None
        listed = json.loads(packed.read("manifest.json"))["copies"]
        assert [copy["recipient"] for copy in listed] == names
        assert sorted(packed.namelist()) == sorted(["manifest.json", *(copy["file_name"] for copy in listed)])
        contents = [packed.read(copy["file_name"]) for copy in listed]
    assert [sha256(content).hexdigest() for content in contents] == [copy["sha256"] for copy in listed]
    texts = [open_source(content, name=copy["file_name"]).text for content, copy in zip(contents, listed, strict=True)]
    assert len({MEMO, *texts}) == len(names) + 1, "two copies are the same, or one is the master"
    leak = tmp_path / f"leak.{kind}"
    leak.write_bytes(contents[1])
    tab.run("location.hash = '#trace'")
    tab.wait_for(is_shown("view-trace"))
    tab.drop("leak-well", leak)
    tab.wait_for("document.getElementById('leak-chip').textContent.includes('words')")
    tab.click("trace")
    tab.wait_for(f"document.getElementById('verdict').children.length || {is_shown('trace-problem')}")
    verdict = tab.run("document.getElementById('verdict').textContent")
    assert "The leak comes from copy 2" in verdict
    assert "Copy 2 was issued to Bo" in verdict
    assert tab.run("document.querySelectorAll('.leak mark.match').length") > 20
    assert tab.run("document.querySelectorAll('.leak mark.mismatch').length") == 0
    require_fine(tab)


def word_document(text: str) -> bytes:
    paragraphs = (f"<w:p><w:r><w:t>{line}</w:t></w:r></w:p>" for line in text.split("\n\n"))
    return make_docx("".join(paragraphs))


def downloaded(path: Path) -> Path:
    """Once it is there; Chromium gives a file its name when it is whole."""
    deadline = time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < deadline, f"{path.name} did not come; there is {list(path.parent.iterdir())}"
        time.sleep(0.05)
    return path


@needs_browser
def test_problems_are_shown(tab: Tab, url: str, registry: Registry) -> None:
    """A text that is too short is refused in words, and the page goes on."""
    sign_in(tab, url, registry, theme="light", width=1280)
    tab.click("analyse")
    tab.wait_for(is_shown("analyse-problem"))
    assert "Paste a text first" in tab.run("document.getElementById('analyse-problem').textContent")
    tab.fill("document-text", "Too short.")
    tab.click("analyse")
    tab.wait_for("document.getElementById('words-summary').textContent.includes('apart')")
    assert "too few" in tab.run("document.getElementById('words-summary').textContent")
    assert tab.run("document.getElementById('step-recipients').hidden")
    assert tab.run("document.getElementById('analyse-problem').hidden")
