"""The whole story of the page in a real Chromium, on fakes: issue, trace, lead, history, notes, case; desktop and phone."""

import json
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.server.browser import Tab
from tests.server.conftest import Serve
from tests.server.paged import MEMO, is_shown, needs_browser, page_served, require_fine, sign_in, text_of
from tests.server.served import bearer, wait_for
from tests.server.test_page_defects import analysed, choose

from lexprint.registry.protocol import Registry, open_registry
from lexprint.server.tokens import Scope, create_token
from lexprint.workflows.cases import read_case

DESKTOP, PHONE = 1280, 390


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Registry]:
    with open_registry(str(tmp_path_factory.mktemp("story") / "lexprint.db")) as opened:
        yield opened


@pytest.fixture(scope="module")
def url(registry: Registry) -> Iterator[str]:
    with page_served(registry) as address:
        yield address


def mail() -> bytes:
    message = EmailMessage()
    message["From"], message["Bcc"], message["Message-ID"] = "a@example.org", "spy@example.org", "<1@example.org>"
    message.set_content(MEMO)
    return message.as_bytes()


def copy_text(tab: Tab, registry: Registry, name: str, number: int) -> str:
    (document,) = [one for one in registry.documents() if one.name == name]
    shown = "{headers: {'X-Lexprint-Session': localStorage.getItem('lexprint-session')}}"
    path = f"/v1/documents/{document.id}/copies/{number}/text"
    text: str = tab.run(f"fetch('{path}', {shown}).then((r) => r.json()).then((copy) => copy.text)")
    return text


def trace(tab: Tab, leak: str) -> str:
    tab.run("location.hash = '#trace'")
    tab.wait_for(is_shown("view-trace"))
    tab.run("document.getElementById('verdict').replaceChildren()")
    tab.fill("leak-text", leak)
    tab.click("trace")
    tab.wait_for(f"document.getElementById('verdict').children.length || {is_shown('trace-problem')}")
    return text_of(tab, "verdict")


@needs_browser
@pytest.mark.parametrize(("theme", "width"), [("light", DESKTOP), ("dark", PHONE)])
def test_the_whole_story(tab: Tab, url: str, registry: Registry, tmp_path: Path, theme: str, width: int) -> None:
    """A mail comes in with a warning, copies go out, a leak comes back, and what became of it is kept and packed."""
    name = f"Story {width}"
    sign_in(tab, url, registry, theme=theme, width=width)
    tab.save_into(tmp_path)
    choose(tab, (f"{name}.eml", mail()))
    tab.wait_for(is_shown("document-warning"))
    assert "the addresses of hidden recipients" in text_of(tab, "document-warning")
    tab.run(
        "(() => { window.said = []; const node = document.getElementById('analyse-progress');"
        " new MutationObserver(() => said.push(node.textContent)).observe(node, {childList: true, subtree: true}); })()"
    )
    tab.click("analyse")
    tab.wait_for(f"{is_shown('step-recipients')} || {is_shown('analyse-problem')}")
    said = [one for one in tab.run("said") if one]
    assert said
    assert all("seconds left" in one or "then a few seconds" in one for one in said), "from the first moment"
    tab.fill("recipients", "Ada\nBo\nCleo")
    tab.click("issue")
    tab.wait_for(f"document.querySelector('#copies tbody tr') || {is_shown('issue-problem')}")
    assert "hidden recipients" in text_of(tab, "copies")
    require_fine(tab)
    leak = copy_text(tab, registry, name, 2)
    assert "The leak comes from copy 2" in trace(tab, leak)
    assert "administrators" not in text_of(tab, "verdict")
    require_fine(tab)
    tab.run(
        "[...document.querySelectorAll('#verdict button')].find((b) => b.textContent === 'Download the case').click()"
    )
    tab.settle()
    tab.run("location.hash = '#history'")
    tab.wait_for("document.querySelector('#reports tbody tr')")
    tab.run("[...document.querySelectorAll('#reports button')].find((b) => b.textContent === 'Notes, case').click()")
    tab.wait_for("document.getElementById('reviews').open")
    tab.run("document.getElementById('review-status').value = 'confirmed'")
    tab.fill("review-note", "<b>Bo</b> said so.")
    tab.click("review-save")
    tab.wait_for("document.getElementById('reviews-said').textContent.includes('Confirmed')")
    assert "<b>Bo</b> said so." in text_of(tab, "reviews-said")
    require_fine(tab)
    tab.click("reviews-close")
    tab.wait_for("document.querySelector('#reports .status.confirmed')")
    assert tab.run("[...document.querySelectorAll('.scroll')].every((e) => e.scrollWidth <= e.clientWidth)")
    require_fine(tab)
    (case,) = wait_for_files(tab, tmp_path)
    assert [one.number for one in read_case(case.read_bytes(), name="case").accused] == [2]


def wait_for_files(tab: Tab, folder: Path) -> list[Path]:
    """Downloads, once they are whole."""
    for _ in range(200):
        found = [path for path in folder.iterdir() if path.suffix == ".zip"]
        if found:
            return found
        tab.run("new Promise((resolve) => setTimeout(resolve, 50))")
    raise AssertionError("nothing was downloaded")


@needs_browser
def test_reports_are_searched(tab: Tab, url: str, registry: Registry) -> None:
    """By document, copy, date and status; what is not like that is not shown, and a way leads back to all."""
    sign_in(tab, url, registry)
    tab.fill("document-text", MEMO)
    tab.click("analyse")
    tab.wait_for(is_shown("step-recipients"))
    tab.fill("recipients", "Ada\nBo\nCleo")
    tab.fill("name", "Sought")
    tab.click("issue")
    tab.wait_for("document.querySelector('#copies tbody tr')")
    trace(tab, copy_text(tab, registry, "Sought", 3))
    tab.run("location.hash = '#history'")
    for sought, count in (
        ({"document": "soug", "copy": "3"}, 1),
        ({"document": "soug", "copy": "2"}, 0),
        ({"document": "soug", "status": "dismissed"}, 0),
        ({"document": "soug", "since": "2020-01-01"}, 1),
        ({"since": "2090-01-01"}, 0),
    ):
        for field in ("document", "copy", "since", "status"):
            tab.run(f"document.getElementById('sought-{field}').value = {json.dumps(sought.get(field, ''))}")
        tab.run("document.getElementById('report-search').requestSubmit()")
        tab.settle()
        is_told = "document.getElementById('reports').textContent.includes('No report is like that')"
        tab.wait_for(
            f"document.querySelectorAll('#reports tbody tr').length === {count} && {is_told} === {str(not count).lower()}"
        )
    tab.run("document.querySelector('#report-search [type=reset]').click()")
    tab.wait_for("document.querySelector('#reports tbody tr')")


@needs_browser
@pytest.mark.parametrize("scopes", [("mark", "trace"), ("mark", "trace", "admin")])
def test_only_those_who_run_the_service_see_a_lead(
    tab: Tab, url: str, registry: Registry, scopes: tuple[Scope, ...]
) -> None:
    """And only if they ask, which is logged each time; others are not even offered it."""
    sign_in(tab, url, registry, scopes=scopes)
    name = f"Lead {len(scopes)}"
    tab.fill("document-text", MEMO)
    tab.click("analyse")
    tab.wait_for(is_shown("step-recipients"))
    tab.fill("recipients", "\n".join(f"Person {number}" for number in range(1, 10)))
    tab.fill("name", name)
    tab.click("issue")
    tab.wait_for("document.querySelector('#copies tbody tr')")
    asked = len([one for one in registry.audit() if one.event in ("copies ranked", "ranking served")])
    words = copy_text(tab, registry, name, 4).split()
    found = trace(tab, " ".join(words[: len(words) * 3 // 8]))
    tab.settle()
    assert "No copy can be named" in found
    if "admin" in scopes:
        tab.wait_for("document.querySelector('.lead-panel button')")
    assert ("administrators" in text_of(tab, "verdict")) is ("admin" in scopes)
    assert len([one for one in registry.audit() if one.event in ("copies ranked", "ranking served")]) == asked
    if "admin" not in scopes:
        return
    tab.run("document.querySelector('.lead-panel button').click()")
    tab.wait_for("document.querySelector('.lead-found')")
    shown = text_of(tab, "verdict")
    assert "Copy 4 leads, 1 in" in shown
    assert "not proof" in shown
    assert "more words" in shown
    assert len([one for one in registry.audit() if one.event in ("copies ranked", "ranking served")]) == asked + 2
    require_fine(tab)


@needs_browser
def test_reports_of_one_day_are_told_apart(tab: Tab, url: str, registry: Registry) -> None:
    """The list says when each was traced to the second, and so do the names of its buttons."""
    sign_in(tab, url, registry)
    for _ in range(2):
        trace(tab, "Nothing of this was ever given to anybody, and it is traced twice.")
    tab.run("location.hash = '#history'")
    tab.wait_for("document.querySelectorAll('#reports tbody tr').length > 1")
    kept = [one.saved_at for one in registry.reports()][-2:]
    shown = tab.run("[...document.querySelectorAll('#reports td.when')].slice(0, 2).map((cell) => cell.textContent)")
    clock = tab.run(
        f"{json.dumps([at.isoformat() for at in reversed(kept)])}.map((at) => new Date(at).toLocaleTimeString('en-GB'))"
    )
    assert [one.rpartition(" ")[2] for one in shown] == clock
    names = tab.run("[...document.querySelectorAll('#reports button')].slice(0, 6).map((b) => b.ariaLabel)")
    assert [sum(time in name for name in names) >= 3 for time in clock] == [True, True]


@needs_browser
def test_the_card_never_lies_on_its_word(tab: Tab, url: str, registry: Registry) -> None:
    """Nor when it grows, because other words that were considered have come."""
    sign_in(tab, url, registry)
    analysed(tab)
    tab.run("document.getElementById('manuscript').scrollIntoView({block: 'center', behavior: 'instant'})")
    tab.click_on('.site[data-index="2"]')
    tab.wait_for("document.getElementById('card').textContent.includes('Also considered')")
    card, word = (
        tab.run(
            f"(() => {{ const r = document.querySelector('{one}').getBoundingClientRect(); return [r.top, r.bottom]; }})()"
        )
        for one in ("#card", '.site[data-index="2"]')
    )
    assert card[1] <= word[0] or card[0] >= word[1]


def test_who_may_only_trace_is_refused_a_lead(serve: Serve, registry: Registry) -> None:
    """Whatever a page offers them."""
    with serve() as client:
        job = client.post("/v1/issue", json={"text": MEMO, "recipients": ["Ada", "Bo"], "name": "Refused"}).json()
        document = wait_for(client, job)["result"]["document"]["id"]
        held: tuple[list[Scope], ...] = (["trace"], ["mark"], ["mark", "trace"])
        for scopes in held:
            written, _ = create_token(registry, "-".join(scopes), scopes=scopes)
            who = bearer(written)
            assert client.get("/v1/session", headers=who).json()["scopes"] == scopes
            asked = client.post("/v1/ranking", json={"text": MEMO, "document": document}, headers=who)
            assert asked.status_code == 403
            assert "leads" not in asked.text
        _require_unnamed(client, document)


def _require_unnamed(client: TestClient, document: str) -> None:
    """Of an inconclusive trace the answer, the list and the signed file tell no number of a copy."""
    found = client.post("/v1/trace", json={"text": " ".join(MEMO.split()[:60]), "document": document}).json()
    assert found["report"]["verdict"] == "inconclusive"
    assert found["report"]["accused"] == []
    (listed,) = [one for one in client.get("/v1/reports").json()["items"] if one["id"] == found["report"]["id"]]
    assert listed["accused"] == []
    assert "leads" not in client.get(f"/v1/reports/{listed['id']}/signed").text
