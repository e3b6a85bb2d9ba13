"""A tracer who holds a part of somebody's copy wants to learn the rest of it, to write passages in their name."""

import io
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest
from pypdf import PdfReader
from tests.workflows.leaks import Issued, issue

from lexprint.coding.keys import Keyring, MasterKey
from lexprint.registry.protocol import Registry, open_registry
from lexprint.reports.page import report_page
from lexprint.reports.pdf import report_pdf
from lexprint.reports.report import Report
from lexprint.reports.signed_file import read_report, report_bytes, require_signer
from lexprint.workflows.tracing import trace

ADA, BO = 17, 23
KEYS = Keyring((MasterKey(bytes(range(32)), created_at=datetime(2026, 1, 31, tzinfo=UTC)),))


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    with open_registry(str(tmp_path / "registry.db")) as opened:
        yield opened


@pytest.fixture
def issued(registry: Registry) -> Issued:
    return issue(registry, words=2_000)


def parts(issued: Issued, number: int) -> tuple[str, str]:
    """A copy, cut where half of its sites are."""
    text = issued.copy(number)
    middle = issued.record.sites[len(issued.record.sites) // 2].span.start
    cut = text.index(" ", middle)
    return text[:cut], text[cut:]


def learnt(report: Report, issued: Issued, number: int) -> dict[int, bool]:
    """Sites of which the report tells what a copy has, and whether it has the word that the leak shows."""
    place = [copy.number for copy in report.accused].index(number)
    told = {}
    for one in report.evidence:
        if one.given[place] is not None:
            assert one.symbol is not None
            assert one.given[place] == one.words[int(issued.codewords[number - 1][one.site - 1])]
            told[one.site - 1] = one.words[one.symbol] == one.given[place]
    return told


def test_an_excerpt_tells_nothing_of_the_rest(registry: Registry, issued: Issued) -> None:
    """Half of Ada's copy names her; no word of the other half is in the report, in any of its forms, nor in its numbers."""
    excerpt, _ = parts(issued, ADA)
    report = trace(registry, excerpt, keys=KEYS)
    assert [copy.number for copy in report.accused] == [ADA]
    assert len(report.evidence) == report.readable < len(issued.record.sites)
    sites = {one.site - 1 for one in report.evidence}
    hidden = [site for place, site in enumerate(issued.record.sites) if place not in sites]
    assert len(hidden) > 20
    read = {word for place in sites for word in issued.record.sites[place].words}
    context = " ".join(f"{one.before} {one.after}" for one in report.evidence)
    words = {word for site in hidden for word in site.words} - read - set(context.split())
    pdf = " ".join(page.extract_text() for page in PdfReader(io.BytesIO(report_pdf(report))).pages)
    for form in (report_bytes(report).decode(), report_page(report), pdf):
        assert not words & set(form.replace('"', " ").replace("<", " ").split())
    assert set(json.loads(report_bytes(report))["report"]["evidence"][-1]) >= {"given", "seen"}


def test_such_a_report_is_verified_like_others(registry: Registry, issued: Issued) -> None:
    """It is read again, and is signed by the owner."""
    report = trace(registry, parts(issued, ADA)[0], keys=KEYS)
    read = read_report(report_bytes(report))
    assert read == report
    require_signer(read, {KEYS.newest.public_key.fingerprint}, name="the report")


def test_words_that_were_edited_away_are_not_told(registry: Registry, issued: Issued) -> None:
    """Where the leak has a word that no copy has, or where a passage is missing, the report says nothing of Ada's."""
    text = issued.copy(ADA)
    edited = [site for place, site in enumerate(issued.record.sites) if place % 4 == 0]
    for site in edited:
        for word in site.words:
            text = text.replace(f" {word} ", " xyzzy ")
    report = trace(registry, text)
    assert [copy.number for copy in report.accused] == [ADA]
    assert all(one.symbol is not None and one.seen != "xyzzy" for one in report.evidence)


def test_an_excerpt_before_ones_own_text(registry: Registry, issued: Issued) -> None:
    """Bo traces half of Ada's copy with the rest of his own behind it; where it is his own he is not told what hers says."""
    leak = parts(issued, ADA)[0] + parts(issued, BO)[1]
    report = trace(registry, leak)
    assert ADA in [copy.number for copy in report.accused]
    half = len(issued.record.sites) // 2
    told = learnt(report, issued, ADA)
    assert len([site for site in told if site < half]) > 0.9 * half, "the evidence against her is all there"
    beyond = {site: agrees for site, agrees in told.items() if site > half + 5}
    assert len(beyond) < 0.15 * half
    assert sum(not agrees for agrees in beyond.values()) < 0.05 * half, "hardly any word of hers that he did not have"
    assert any("not listed" in note for note in report.notes), "and the report says so"


def notes_on_passages(report: Report) -> list[str]:
    return [note for note in report.notes if "marked words in a row" in note]


def with_any_rest(issued: Issued, number: int, seed: int) -> str:
    """The first half of a copy, and from there on words at random: none is a small edit of another."""
    symbols, random = issued.codewords[number - 1].copy(), Random(seed)
    for place in range(len(symbols) // 2, len(symbols)):
        symbols[place] = random.randint(0, 1)
    return issued.written(symbols)


def test_completing_an_excerpt_is_noticed(registry: Registry, issued: Issued) -> None:
    """By texts that share Ada's part and differ much elsewhere, counts would tell the rest in time: every such report says so, and
    so does the one on her whole copy, which the tracer then leaks in her name."""
    first, *later = (trace(registry, with_any_rest(issued, ADA, seed)) for seed in range(3))
    whole = trace(registry, issued.copy(ADA))
    for report in (first, *later, whole):
        assert [copy.number for copy in report.accused] == [ADA]
    assert notes_on_passages(first) == []
    half = len(issued.record.sites) // 2
    for report in (*later, whole):
        (note,) = notes_on_passages(report)
        assert not any("small edit" in one for one in report.notes)
        in_a_row = int(note.split(" marked words in a row")[0].rsplit(" ", 1)[1])
        assert half <= in_a_row < 1.2 * half
        assert "the rest of a copy of which they hold a part" in note


def test_parts_of_one_copy_are_no_reason_to_wonder(registry: Registry, issued: Issued) -> None:
    """Whoever leaks an excerpt and later all of it, or two people who leak their own, get no such note."""
    excerpt, _ = parts(issued, ADA)
    for leak in (excerpt, issued.copy(ADA), issued.copy(BO), parts(issued, BO)[1]):
        assert notes_on_passages(trace(registry, leak)) == []


def test_codes_against_colluders_need_a_longer_row(registry: Registry) -> None:
    """Where copies agree at most places by chance, a row of thirty is nothing unusual."""
    issued = issue(registry, words=4_000, code="tardos", copies=20)
    for number in range(1, 21):
        assert notes_on_passages(trace(registry, issued.copy(number))) == []
