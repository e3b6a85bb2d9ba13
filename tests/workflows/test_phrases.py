"""Phrases as sites, from a file to its copies and back from a leak."""

import re
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest
from tests.fakes import FakeEngine

from lexprint.coding.keys import Keyring, MasterKey
from lexprint.formats.source import open_source
from lexprint.registry.protocol import open_registry
from lexprint.testing import fake_text
from lexprint.text.editing import Edit, apply_edits
from lexprint.workflows.analysing import analyse_document
from lexprint.workflows.issuing import Master, issue
from lexprint.workflows.tracing import trace

PHRASES = (
    "The north road was closed because of the flood. In spite of that, the teams took part in it along with the crews."
)
PAGE = (
    "<html><body><p>The road was closed because\n   of the flood, and in <i>spite</i> of that the crews took <b>part in</b> "
    "the work <!-- note -->along with all the teams.</p></body></html>"
)


def text_with_phrases() -> str:
    """Running text of the fakes with phrases between, each after other words."""
    paragraphs = [fake_text(words=60, seed=seed) for seed in range(8)]
    return "\n\n".join(
        f"{paragraph} {PHRASES}" if number % 3 == 0 else paragraph for number, paragraph in enumerate(paragraphs)
    )


def test_marked_up_phrases_keep_their_markup() -> None:
    """Tags, comments and all other text stay where a phrase runs through them."""
    source = open_source(PAGE.encode(), name="page.html")
    sites = analyse_document(FakeEngine(), source.text).sites
    edits = [Edit(site.span, site.pair.other(site.word)) for site in sites if " " in site.word]
    assert edits
    marked = source.with_edits(edits).decode()
    assert re.findall("<[^>]*>", marked) == re.findall("<[^>]*>", PAGE)
    assert open_source(marked.encode(), name="page.html").text.split() == apply_edits(source.text, edits).split()


@pytest.mark.parametrize("shuffled", [False, True])
def test_copies_with_phrases_are_traced(tmp_path: Path, shuffled: bool) -> None:
    """Of a document with phrases every copy is its recipient's, whole or with its paragraphs in another order."""
    text = text_with_phrases()
    people = [f"Person {number}" for number in range(6)]
    keyring = Keyring((MasterKey.generate(),))
    master = Master(open_source(text.encode(), name="memo.txt"), "memo", sha256(text.encode()).hexdigest(), ".txt")
    with open_registry(str(tmp_path / "registry.db"), keys=keyring) as registry:
        done = issue(FakeEngine(), master, people, keyring=keyring, registry=registry, folder=tmp_path / "copies")
        phrases = [number for number, site in enumerate(done.document.sites) if any(" " in word for word in site.words)]
        assert len(phrases) >= 3
        for copy in done.copies[:2]:
            leak = (tmp_path / "copies" / copy.file_name).read_text("utf-8")
            if shuffled:
                paragraphs = leak.split("\n\n")
                Random(5).shuffle(paragraphs)
                leak = "\n\n".join(paragraphs)
            report = trace(registry, leak)
            assert [one.recipient for one in report.accused] == [copy.recipient]
            if not shuffled:
                assert report.edited_share == 0
                told = {row.site - 1: row.symbol for row in report.evidence}
                assert all(told[one] == copy.codeword[one] for one in phrases if one in told)
