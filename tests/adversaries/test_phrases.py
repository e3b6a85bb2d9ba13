"""A leaker who knows the list of phrases and of words in company, which is public, evens them all out or turns them round: it names nobody else."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fakes import FakeEngine

from lexprint.coding.keys import Keyring, MasterKey
from lexprint.formats.plain_text import read_plain_text
from lexprint.registry.protocol import open_registry
from lexprint.registry.records import CopySite
from lexprint.testing import fake_text
from lexprint.workflows.analysing import analyse_document
from lexprint.workflows.issuing import Master, issue
from lexprint.workflows.tracing import trace

PEOPLE = tuple(f"Person {number}" for number in range(30))
BETWEEN = (
    "It was closed because of the flood. In spite of that the crews took part in it along with all the teams. "
    "They began to work at once."
)
COMPANY = "began"  # stands for "started" before "to" alone


def master() -> Master:
    """A phrase or two in every paragraph, and few words that may differ, so that phrases weigh."""
    paragraphs = [f"{fake_text(words=12, seed=seed)} {BETWEEN}" for seed in range(24)]
    text = "\n\n".join(paragraphs)
    return Master.of(text.encode(), read_plain_text(text.encode(), name="memo.txt"), file_name="memo.txt")


def evened(leak: str, site: CopySite) -> str:
    """The master's phrase everywhere: nothing is left to tell."""
    for other in site.others:
        leak = leak.replace(other, site.word)
    return leak


def turned_round(leak: str, site: CopySite) -> str:
    """Each phrase as the other one."""
    kept = leak.replace(site.word, "\0")
    return kept.replace(site.others[0], site.word).replace("\0", site.others[0])


@pytest.mark.parametrize("attack", [evened, turned_round])
def test_attacked_phrases_name_nobody_else(tmp_path: Path, attack: Callable[[str, CopySite], str]) -> None:
    """Whoever leaked, and whatever became of the phrases, no innocent is named."""
    keyring = Keyring((MasterKey.generate(),))
    with open_registry(str(tmp_path / "registry.db"), keys=keyring) as registry:
        done = issue(FakeEngine(), master(), PEOPLE, keyring=keyring, registry=registry, folder=tmp_path / "copies")
        phrases = {
            site.words: site
            for site in done.document.sites
            if any(" " in word for word in site.words) or site.word == COMPANY
        }  # one of each kind
        assert len(phrases) >= 4
        assert ("began", "started") in phrases
        for copy in done.copies[:5]:
            leak = (tmp_path / "copies" / copy.file_name).read_text("utf-8")
            for site in phrases.values():
                leak = attack(leak, site)
            assert {one.recipient for one in trace(registry, leak).accused} <= {copy.recipient}


def test_words_left_out_are_doubted() -> None:
    """Of two phrases the one that is left when a word is dropped is known as a likely edit."""
    text = "The office was shut to save money, and all of the crews agreed that they would return, as they had before."
    sites = analyse_document(FakeEngine(), text).sites
    shortened = [site for site in sites if set(site.pair.other(site.word).split()) < set(site.word.split())]
    assert shortened
    assert all(site.pair.other(site.word) in site.likely_edits for site in shortened)
