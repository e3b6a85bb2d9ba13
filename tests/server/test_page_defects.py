"""What stopped people who tried the page: each of it stays mended. In a real Chromium, on fakes."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.formats.corpus import make_pdf
from tests.server.browser import Tab
from tests.server.killable import SlowMaskedLM
from tests.server.paged import MEMO, is_shown, needs_browser, page_served, require_fine, sign_in, text_of
from tests.server.served import fake_engine
from tests.workflows.leaks import issue

from lexprint.registry.protocol import Registry, open_registry
from lexprint.reports.signed_file import read_report, report_bytes
from lexprint.server.job_store import list_jobs
from lexprint.server.tokens import create_token, list_tokens
from lexprint.testing import fake_text
from lexprint.workflows.recipients import ADDRESSES, IDS, NAMES

pytestmark = needs_browser
LONG = "\n\n".join(fake_text(words=100, seed=seed) for seed in range(9))


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Registry]:
    with open_registry(str(tmp_path_factory.mktemp("page") / "lexprint.db")) as opened:
        yield opened


@pytest.fixture(scope="module")
def url(registry: Registry) -> Iterator[str]:
    """The service, whose models take their time."""
    engine = fake_engine()
    vars(engine)["masked_lm"] = SlowMaskedLM(pause_seconds=0.05)
    with page_served(registry, engine) as address:
        yield address


@pytest.fixture(autouse=True)
def nothing_kept(registry: Registry) -> None:
    """Analyses of other tests would be answered at once."""
    with registry.writing() as statements:
        statements.change("DELETE FROM analyses")


def is_on_screen(tab: Tab, element: str) -> bool:
    """Whether all of it can be seen without scrolling, once the page has come to rest."""
    place = f"document.getElementById('{element}').getBoundingClientRect()"
    tab.wait_for(f"{place}.height > 0 && {place}.top >= 0 && {place}.bottom <= innerHeight", seconds=5)
    return True


def choose(tab: Tab, *files: tuple[str, bytes], then: str = "") -> None:
    """Choose files one after the other in step 1, and do something in the same moment."""
    for name, content in files:
        tab.run(
            "(() => { const given = new DataTransfer(); given.items.add(new File([new Uint8Array("
            f"{json.dumps(list(content))})], {json.dumps(name)})); const input = document.getElementById('document-file');"
            f" input.files = given.files; input.dispatchEvent(new Event('change')); {then} }})()"
        )


def analysed(tab: Tab, text: str = MEMO) -> None:
    tab.fill("document-text", text)
    tab.click("analyse")
    tab.wait_for(f"{is_shown('step-recipients')} || {is_shown('analyse-problem')}")


@pytest.mark.parametrize("name", ["plan.odt", "broken memo.docx"])
def test_a_file_that_cannot_be_read_is_refused_where_it_was_put(
    tab: Tab, url: str, registry: Registry, name: str
) -> None:
    """The message stands in step 1, on the screen, and names the file once, as it is called; a text can still be pasted."""
    sign_in(tab, url, registry, width=390)
    choose(tab, (name, b"PK\x03\x04 nothing that anybody could read"))
    tab.wait_for(is_shown("document-problem"))
    said = text_of(tab, "document-problem")
    assert said.startswith(f"{name} is a damaged ZIP file; needed: ")
    assert said.lower().count(name) == 1
    assert is_on_screen(tab, "document-problem")
    assert tab.run("document.getElementById('document-chip').hidden")
    tab.refused(422)
    require_fine(tab)


def test_a_pdf_is_refused_before_anything_is_analysed(tab: Tab, url: str, registry: Registry) -> None:
    """At once, in step 1, and no job is asked for."""
    sign_in(tab, url, registry)
    choose(
        tab,
        ("scan.pdf", make_pdf([[(72, 700, "The board met on Tuesday.")]])),
        then="document.getElementById('analyse').click();",
    )
    tab.wait_for(is_shown("document-problem"))
    assert "can only be read" in text_of(tab, "document-problem")
    mine = max(list_tokens(registry), key=lambda token: token.created_at)
    assert list_jobs(registry, mine.id, limit=1, offset=0) == ([], 0)


def test_a_second_file_brings_its_own_name(tab: Tab, url: str, registry: Registry) -> None:
    """The document is called as the newest file, unless somebody has written a name."""
    sign_in(tab, url, registry)
    for name in ("first.txt", "second.txt"):
        choose(tab, (name, MEMO.encode()))
        tab.wait_for(f"document.getElementById('document-chip').textContent.includes('{name}Plain')")
        assert tab.run("document.getElementById('name').value") == name.partition(".")[0]
    tab.fill("name", "Mine")
    choose(tab, ("third.txt", MEMO.encode()))
    tab.wait_for("document.getElementById('document-chip').textContent.includes('third.txtPlain')")
    assert tab.run("document.getElementById('name').value") == "Mine"


def test_a_file_that_is_on_its_way_is_waited_for(tab: Tab, url: str, registry: Registry) -> None:
    """Who asks for the words in the moment of the upload gets them."""
    sign_in(tab, url, registry)
    choose(tab, ("memo.txt", MEMO.encode()), then="document.getElementById('analyse').click();")
    tab.wait_for(f"{is_shown('step-words')} || {is_shown('analyse-problem')}")
    assert text_of(tab, "analyse-problem") == ""
    tab.wait_for(is_shown("step-recipients"))
    assert text_of(tab, "manuscript") == MEMO


def test_a_table_of_people_is_counted_and_refused_as_the_service_reads_it(
    tab: Tab, url: str, registry: Registry
) -> None:
    """Known headers are nobody; an unknown one is refused in words, and nobody is issued a copy."""
    sign_in(tab, url, registry)
    tab.fill("document-text", MEMO)
    tab.click("analyse")
    tab.wait_for(is_shown("step-recipients"))
    halves = ("First name,Surname", "Given Name;Family Name")
    for header in (*NAMES, *ADDRESSES, *IDS, "E-Mail", "Room,Full Name", *halves):
        tab.fill("recipients", f"{header}\nAda,x\nBo,y")
        assert text_of(tab, "recipients-count") == "2 recipients", header
    tab.fill("recipients", "Low, Ada\nLow, Bo\nLow, Cy")
    assert text_of(tab, "recipients-count") == "3 recipients"
    before = len(registry.documents())
    tab.fill("recipients", "Employee,Team\nAda,Red\nBo,Blue")
    tab.click("issue")
    tab.wait_for(f"{is_shown('step-copies')} || {is_shown('issue-problem')}")
    assert "begins with 'Employee, Team', which is no known header" in text_of(tab, "issue-problem")
    assert len(registry.documents()) == before


def test_messages_are_on_the_screen(tab: Tab, url: str, registry: Registry) -> None:
    """Whoever presses a button far down sees what it says."""
    sign_in(tab, url, registry, width=390)
    tab.run("document.getElementById('analyse').scrollIntoView({block: 'end', behavior: 'instant'})")
    tab.click("analyse")
    assert is_on_screen(tab, "analyse-problem")


def test_a_tap_shows_the_alternatives(tab: Tab, url: str, registry: Registry) -> None:
    """On a phone a tap opens the card, forbids nothing, and each alternative can be forbidden there with a finger."""
    sign_in(tab, url, registry, width=390)
    analysed(tab)
    index = tab.run("[...document.querySelectorAll('.site')].findIndex((s) => s.ariaLabel.includes(' or '))")
    site = f'.site[data-index="{index}"]'
    tab.tap(site)
    tab.wait_for("document.querySelector('#card.open .choice')", seconds=5)
    assert tab.run("document.querySelectorAll('.site.struck, .site.partly').length") == 0
    choices = tab.run("document.querySelectorAll('#card .choice').length")
    assert choices > 1
    require_fine(tab)
    tab.tap("#card .choice")
    tab.wait_for("document.querySelectorAll('.site.partly').length === 1", seconds=5)
    tab.tap("#forbid-word")
    tab.wait_for("document.querySelectorAll('.site.struck').length === 1", seconds=5)
    assert "Allow it again" in text_of(tab, "card")
    assert "Forbid" not in text_of(tab, "card")
    tab.tap("#forbid-word")
    tab.wait_for("document.querySelectorAll('.site.struck').length === 0", seconds=5)


def test_the_card_says_what_a_click_does(tab: Tab, url: str, registry: Registry) -> None:
    """With a mouse: pointing shows, a click opens, and after forbidding the card speaks of that."""
    sign_in(tab, url, registry)
    analysed(tab)
    tab.point('.site[data-index="2"]')
    tab.wait_for(f"{is_shown('card')}", seconds=5)
    assert "Click to choose" in text_of(tab, "card")
    tab.click_on('.site[data-index="2"]')
    tab.wait_for("document.querySelector('#card.open')", seconds=5)
    tab.click_on("#forbid-word")
    assert "Allow it again" in text_of(tab, "card")
    tab.press("Escape")
    tab.wait_for("document.getElementById('card').hidden", seconds=5)
    tab.point("#title-words")
    tab.point('.site[data-index="2"]')
    tab.wait_for(f"{is_shown('card')}", seconds=5)
    assert "Forbidden" in text_of(tab, "card")


def test_one_alternative_alone_can_be_forbidden(tab: Tab, url: str, registry: Registry) -> None:
    """By keyboard; the copies keep to it: the site stays, without that word."""
    sign_in(tab, url, registry)
    analysed(tab)
    index = tab.run("[...document.querySelectorAll('.site')].findIndex((s) => s.ariaLabel.includes(' or '))")
    tab.run(f"document.querySelector('.site[data-index=\"{index}\"]').focus()")
    tab.press("Enter")
    tab.wait_for("document.activeElement.type === 'checkbox'", seconds=5)
    forbidden = tab.run("document.activeElement.parentElement.textContent")
    tab.press(" ")
    tab.press("Escape")
    assert tab.run("document.activeElement.dataset.index") == str(index)
    sites = tab.run("document.querySelectorAll('.site').length")
    tab.fill("recipients", "Ada\nBo")
    tab.fill("name", "One word less")
    tab.click("issue")
    tab.wait_for(f"{is_shown('step-copies')} || {is_shown('issue-problem')}")
    (found,) = [one for one in registry.documents() if one.name == "One word less"]
    record = registry.document(found.id)
    assert len(record.sites) == sites
    assert forbidden not in record.sites[index].others
    assert record.sites[index].others


def test_progress_tells_words_and_time_and_can_be_stopped(tab: Tab, url: str, registry: Registry) -> None:
    """Words of all words and the time that is left; first words show meanwhile; a cancelled job is no error."""
    sign_in(tab, url, registry)
    tab.fill("document-text", LONG)
    tab.click("analyse")
    assert is_on_screen(tab, "analyse-progress")
    tab.wait_for("/\\d+ of [\\d,]+ words · .+ left/.test(document.getElementById('analyse-progress').textContent)")
    tab.wait_for(f"{is_shown('step-words')}")
    assert tab.run("document.getElementById('step-recipients').hidden"), "it was over before it could be looked at"
    assert "so far" in text_of(tab, "words-summary")
    first = tab.run("document.querySelectorAll('.site').length")
    assert first > 0
    assert text_of(tab, "manuscript") == LONG
    require_fine(tab)
    if tab.run("document.getElementById('analyse-progress').hidden"):
        pytest.fail("the words came too fast for this test")
    tab.run("document.querySelector('#analyse-progress button').click()")
    tab.wait_for("document.getElementById('analyse-progress').hidden")
    assert tab.run("document.getElementById('step-words').hidden")
    assert text_of(tab, "analyse-problem") == ""
    assert not tab.run("document.getElementById('analyse').disabled")


def test_who_leaves_finds_everything_again(tab: Tab, url: str, registry: Registry) -> None:
    """A running job goes on in the page after a reload, and text, choices and recipients are there after another."""
    sign_in(tab, url, registry)
    tab.fill("document-text", LONG)
    tab.click("analyse")
    tab.wait_for(is_shown("step-words"))
    tab.open("about:blank")
    tab.open(url)
    tab.wait_for(f"{is_shown('analyse-progress')} || {is_shown('step-recipients')}")
    assert tab.run("document.getElementById('document-text').value") == LONG
    tab.wait_for(is_shown("step-recipients"))
    tab.run("document.querySelector('.site[data-index=\"4\"]').focus()")
    tab.press("Delete")
    tab.fill("recipients", "Ada\nBo\nCleo")
    tab.fill("name", "Left and found")
    tab.run("sessionStorage.clear()")  # as in a new tab
    tab.open("about:blank")
    tab.open(url)
    tab.wait_for(is_shown("step-recipients"))
    assert tab.run("[...document.querySelectorAll('.site.struck')].map((s) => s.dataset.index)") == ["4"]
    assert text_of(tab, "recipients-count") == "3 recipients"
    tab.click("issue")
    tab.wait_for(f"{is_shown('step-copies')} || {is_shown('issue-problem')}")
    tab.open("about:blank")
    tab.open(url)
    tab.wait_for("document.querySelectorAll('#copies tbody tr').length === 3")
    (found,) = [one for one in registry.documents() if one.name == "Left and found"]
    assert found.sites == tab.run("document.querySelectorAll('.site').length") - 1


def test_signing_out_leaves_nothing_behind(tab: Tab, url: str, registry: Registry) -> None:
    """Neither the text nor the names stay in the browser."""
    sign_in(tab, url, registry)
    tab.fill("document-text", "The secret memorandum.")
    tab.fill("recipients", "Ada")
    assert "secret" in tab.run("JSON.stringify({...localStorage, ...sessionStorage})")
    tab.click("forget")
    tab.wait_for("document.readyState === 'complete' && document.getElementById('document-text').value === ''")
    assert "secret" not in tab.run("JSON.stringify({...localStorage, ...sessionStorage})")


def test_each_copy_can_be_read_and_past_documents_opened(tab: Tab, url: str, registry: Registry) -> None:
    """What Ada's copy says, its own words marked; the same from the history, with all recipients."""
    sign_in(tab, url, registry)
    tab.click("example")
    assert "merger" in tab.run("document.getElementById('document-text').value")
    assert text_of(tab, "recipients-count") == "10 recipients"
    analysed(tab)
    tab.fill("recipients", "Ada\nBo")
    tab.fill("name", "To be read")
    tab.click("issue")
    tab.wait_for("document.querySelectorAll('#copies tbody tr').length === 2")
    (found,) = [one for one in registry.documents() if one.name == "To be read"]
    tab.run(f"location.hash = '#document={found.id}'")
    tab.wait_for("document.querySelectorAll('#document-copies tbody tr').length === 2")
    require_fine(tab)
    tab.run("document.querySelector('#document-copies td.acts button').click()")
    tab.wait_for("document.getElementById('reader').open")
    assert text_of(tab, "reader-title") == "Ada"
    shown = text_of(tab, "reader-text")
    marked = tab.run("[...document.querySelectorAll('#reader-text mark')].map((m) => m.textContent)")
    assert marked
    assert len(shown.split()) == len(MEMO.split())
    assert set(marked) - set(MEMO.replace(".", " ").split())
    require_fine(tab)
    tab.run("document.querySelector('#reader-steps button:last-child').click()")
    tab.wait_for("document.getElementById('reader-title').textContent === 'Bo'")
    assert text_of(tab, "reader-text") != shown
    tab.click("reader-close")


def test_a_report_is_verified_by_dropping_it(tab: Tab, url: str, registry: Registry, tmp_path: Path) -> None:
    """A genuine one is shown with its verdict; one changed letter is found out."""
    sign_in(tab, url, registry, width=390)
    tab.run("location.hash = '#trace'")
    tab.fill("leak-text", issue(registry, copies=5).copy(3))
    tab.click("trace")
    tab.wait_for(f"document.getElementById('verdict').children.length || {is_shown('trace-problem')}")
    report = read_report(registry.report(registry.reports()[-1].id).text.encode())
    whole, forged = tmp_path / "report.json", tmp_path / "forged.json"
    whole.write_bytes(report_bytes(report))
    forged.write_bytes(report_bytes(report).replace(b'"turn":', b'"turn" :').replace(report.id.encode(), b"0" * 16))
    tab.run("location.hash = '#verify'")
    tab.wait_for(is_shown("view-verify"))
    tab.drop("report-well", whole)
    tab.wait_for("document.getElementById('finding').textContent.includes('report.json')")
    assert "The report is genuine" in text_of(tab, "finding")
    assert text_of(tab, "verified-report")
    require_fine(tab)
    tab.drop("report-well", forged)
    tab.wait_for("document.getElementById('finding').textContent.includes('forged.json')")
    assert "changed after it was signed" in text_of(tab, "finding")
    assert text_of(tab, "verified-report") == ""
    require_fine(tab)


@pytest.mark.parametrize("width", [1280, 390])
def test_counsel_can_read_about_reports(tab: Tab, url: str, registry: Registry, width: int) -> None:
    """Without a token, on a page that explains the verdicts, the chance of error, and how to check."""
    sign_in(tab, url, registry, width=width)
    tab.run("localStorage.clear()")
    tab.open(f"{url}counsel.html")
    read = text_of(tab, "main")
    for said in (
        "No copy can be named",
        "chance of error",
        "report verify",
        "not the chance that a person is innocent",
    ):
        assert said in " ".join(read.split())
    require_fine(tab)


def test_who_may_only_trace_sees_what_is_theirs(tab: Tab, url: str, registry: Registry) -> None:
    """Lists that a token does not open say so in their place, and the others are there."""
    sign_in(tab, url, registry)
    written, _ = create_token(registry, "tracer", scopes={"trace"})
    half = tab.run(
        "fetch('/v1/session', {method: 'POST', headers: {'Content-Type': 'application/json'},"
        f" body: JSON.stringify({{token: '{written}'}})}}).then((r) => r.json()).then((a) => a.session)"
    )
    tab.run(f"localStorage.setItem('lexprint-session', {json.dumps(half)})")
    tab.open("about:blank")
    tab.open(f"{url}#history")
    tab.wait_for("document.querySelector('#people .caption')")
    assert "scope" in text_of(tab, "people")
    tab.wait_for(
        "document.querySelector('#documents table')"
        " || document.getElementById('documents').textContent.includes('Nothing was issued')"
    )
    assert tab.run("document.getElementById('history-problem').hidden")
    tab.refused(403)


def test_the_chooser_of_strictness_is_heeded(tab: Tab, url: str, registry: Registry) -> None:
    """Legal finds fewer words than the usual; a change of mind forgets the words that were found."""
    sign_in(tab, url, registry)
    analysed(tab)
    usual = tab.run("document.querySelectorAll('.site').length")
    tab.run(
        "(() => { const e = document.getElementById('strictness'); e.value = 'legal';"
        " e.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )
    assert tab.run("document.getElementById('step-words').hidden")
    tab.click("analyse")
    tab.wait_for(f"{is_shown('step-recipients')} || {is_shown('analyse-problem')}")
    assert 0 < tab.run("document.querySelectorAll('.site').length") < usual
