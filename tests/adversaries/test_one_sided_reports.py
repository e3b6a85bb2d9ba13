"""An accuser wants a report to show what speaks against a recipient, and to leave out what speaks for them."""

import io
import json
import re
from html import unescape
from importlib import resources
from pathlib import Path
from random import Random

import pytest
from pypdf import PdfReader
from starlette.testclient import TestClient
from tests.cli.conftest import Run
from tests.server.served import bearer, fake_engine
from tests.workflows.leaks import Issued, issue

from lexprint.coding.keys import Keyring, create_key_file
from lexprint.registry.protocol import Registry, open_registry
from lexprint.reports.page import report_page
from lexprint.reports.pdf import report_pdf
from lexprint.reports.report import Report
from lexprint.reports.signed_file import read_report
from lexprint.server.app import create_app
from lexprint.server.tokens import create_token
from lexprint.workflows.tracing import trace

ADA, BO = 17, 23


@pytest.fixture
def issued(keyring: Keyring, tmp_path: Path) -> Issued:
    """A document of fifty copies; `leak.txt` has half of Ada's, and the rest as nobody's."""
    with open_registry("lexprint.db", keys=keyring) as registry:
        made = issue(registry, words=2_000)
    (tmp_path / "leak.txt").write_text(half_hers(made))
    return made


def half_hers(issued: Issued) -> str:
    """Ada's copy up to the middle; from there on words that fell as coins do."""
    symbols = issued.codewords[ADA - 1].copy()
    random = Random(3)
    for place in range(len(symbols) // 2, len(symbols)):
        symbols[place] = random.randint(0, 1)
    return issued.written(symbols)


def disagreeing(issued: Issued, leak: str) -> int:
    """Marked words of the leak that Ada's copy does not have; every one of them can be read."""
    return sum(one != other for one, other in zip(leak.split(), issued.copy(ADA).split(), strict=True))


def forms(report: Report) -> dict[str, str]:
    """All that people read of a report, as running text."""
    page = unescape(re.sub(r"<[^>]*>", "", report_page(report)))
    pdf = " ".join(one.extract_text() for one in PdfReader(io.BytesIO(report_pdf(report))).pages)
    return {name: " ".join(text.split()) for name, text in (("page", page), ("pdf", pdf))}


def test_every_form_says_how_many_words_speak_for_the_accused(run: Run, issued: Issued) -> None:
    """Those that the leak shows and her copy does not have, listed or not: on the page, in the PDF, and in the terminal."""
    said = run("trace", "leak.txt", "--key", "lexprint.key", "--json")
    report = read_report(said.output)
    (copy,) = report.accused
    against = disagreeing(issued, Path("leak.txt").read_text())
    assert copy.readable - copy.matches == against > 20
    sentence = (
        f"Of {copy.readable} readable marked words, {copy.matches} are those of copy {ADA} and {against} are not."
    )
    shown = forms(report) | {"terminal": " ".join(run("report", "show", report.id).text.split())}
    assert [name for name, text in shown.items() if sentence not in text] == []


def test_rows_that_are_not_listed_are_counted_by_what_they_say(run: Run, issued: Issued) -> None:
    """The signed report tells of them how many agree and how many do not, so that a list of agreements alone misleads nobody."""
    report = read_report(run("trace", "leak.txt", "--key", "lexprint.key", "--json").output)
    (copy,) = report.accused
    listed = [one.symbol is not None and one.words[one.symbol] == one.given[0] for one in report.evidence]
    agree, differ = copy.matches - sum(listed), copy.readable - copy.matches - listed.count(False)
    assert differ > 15
    (note,) = [one for one in report.notes if "not listed" in one]
    assert f"{agree + differ} of these words are not listed: {agree} agree with copy {ADA} and {differ} do not" in note
    assert all(" ".join(note.split()) in text for text in forms(report).values())
    picture = forms(report)["page"]
    assert f"{agree + differ} more are not drawn: {agree} agree with copy {ADA} and {differ} do not." in picture


def test_the_owner_lists_every_word_for_the_court(run: Run, issued: Issued, keyring: Keyring) -> None:
    """Signed, with all that speaks for Ada, and logged: it would let its readers write passages in her name."""
    report = read_report(run("trace", "leak.txt", "--key", "lexprint.key", "--json").output)
    made = run("report", "evidence", report.id, "all.json", "--leak", "leak.txt")
    assert made.code == 0, made.errors
    assert run("report", "verify", "all.json").code == 0
    whole = read_report(Path("all.json").read_bytes())
    assert (whole.accused, whole.leak, whole.readable) == (report.accused, report.leak, report.readable)
    assert whole.id != report.id
    differ = [one for one in whole.evidence if one.symbol is None or one.words[one.symbol] != one.given[0]]
    assert (len(whole.evidence), len(differ)) == (report.readable, disagreeing(issued, Path("leak.txt").read_text()))
    assert not any("not listed" in note for note in whole.notes)
    assert any(f"report {report.id}" in note for note in whole.notes)
    with open_registry("lexprint.db", keys=keyring) as registry:
        last = registry.audit()[-1]
        assert (last.event, json.loads(last.details)["report"]) == ("evidence listed", report.id)
        assert len(registry.reports()) == 1
        assert registry.verify_audit() is None
    page = run("report", "evidence", report.id, "all.html", "--leak", "leak.txt")
    assert (page.code, Path("all.html").read_text().count("<tr>") > report.readable) == (0, True)


def test_only_the_leak_and_the_key_of_a_report_list_its_words(run: Run, issued: Issued, tmp_path: Path) -> None:
    """Another text, another key, a report that names nobody: refused in one sentence, and nothing is logged."""
    report = read_report(run("trace", "leak.txt", "--key", "lexprint.key", "--json").output)
    Path("other.txt").write_text(issued.copy(BO))
    Path("master.txt").write_text(issued.record.text)
    nobody = read_report(run("trace", "master.txt", "--key", "lexprint.key", "--json").output)
    assert run("report", "evidence", report.id, "all.json", "--leak", "other.txt").is_refusal(2, "not the leak")
    assert run("report", "evidence", nobody.id, "all.json", "--leak", "master.txt").is_refusal(2, "names no copy")
    create_key_file(tmp_path / "new.key")
    done = run("report", "evidence", report.id, "all.json", "--leak", "leak.txt", "--key", "new.key")
    assert done.is_refusal(1, "untrusted key")
    Path("lexprint.key").unlink()
    assert run("report", "evidence", report.id, "all.json", "--leak", "leak.txt").is_refusal(3, "--key")
    assert not Path("all.json").exists()
    with open_registry("lexprint.db") as registry:
        assert "evidence listed" not in [one.event for one in registry.audit()]


def test_counts_tell_nothing_of_copies_that_are_not_named(issued: Issued, tmp_path: Path) -> None:
    """Whatever the other copies say, the sentences on Ada's are the same."""

    def said(registry: Registry) -> list[str]:
        text = forms(trace(registry, half_hers(issued)))["page"]
        return re.findall(r"Of [\d,]+ readable.*?not\.|[\d,]+ of these words are not listed.*?do not", text)

    with open_registry("lexprint.db") as registry, open_registry(str(tmp_path / "other.db")) as other:
        issue(other, words=2_000, secret="another", kept={ADA: issued.codewords[ADA - 1]})
        assert said(registry) == said(other)
        assert len(said(registry)) >= 2


def test_the_service_says_it_too(run: Run, issued: Issued, keyring: Keyring) -> None:
    """Whoever asks over HTTP, and whoever reads the page of the service, which shows what it is answered."""
    with open_registry("lexprint.db", keys=keyring) as registry:
        app = create_app(fake_engine(), registry, keyring=keyring)
        written, _ = create_token(registry, "tracer", scopes={"trace"})
        with TestClient(app, base_url="http://localhost", headers=bearer(written)) as client:
            answer = client.post("/v1/trace", json={"text": half_hers(issued)}).json()
    (copy,) = answer["report"]["accused"]
    against = copy["readable"] - copy["matches"]
    assert against == disagreeing(issued, half_hers(issued))
    said = f"{copy['matches']} are those of copy {ADA} and {against} are not."
    assert answer["agreements"] == [f"Of {copy['readable']} readable marked words, {said}"]
    shown = resources.files("lexprint.server").joinpath("page/verdict.js").read_text("utf-8")
    assert "answer.agreements" in shown
