"""Leaks whose capitals were changed, of copies that differ in the words that begin sentences too."""

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from tests.tracing.masters import CONTENT, FREQUENT, PARTNERS, make_record, salts
from tests.workflows.leaks import Issued

from lexprint.coding.codewords import codewords
from lexprint.registry.protocol import Registry, open_registry
from lexprint.registry.records import CopySite, DocumentRecord, IssuedCopy
from lexprint.text.pairs import Pair
from lexprint.text.span import Span
from lexprint.workflows.tracing import trace

GUILTY, COPIES = 17, 50


def sentences(count: int, *, seed: int) -> str:
    """Each begins with a word that has a partner; nothing else in them has one."""
    draw = random.Random(seed)
    first = draw.choices([word for word in CONTENT if word in PARTNERS], k=count)
    rest = [" ".join(draw.choices(FREQUENT, k=draw.randint(6, 12))) for _ in range(count)]
    return " ".join(f"{word.capitalize()} {others}." for word, others in zip(first, rest, strict=True))


def first_words(text: str) -> DocumentRecord:
    """A master whose only sites are the words that begin its sentences, written as they stand there."""
    places = [match for match in re.finditer(r"[A-Z][a-z]+", text) if match.group().lower() in PARTNERS]
    sites = tuple(
        CopySite(Span(*match.span()), word, Pair.of(word, PARTNERS[word.lower()].capitalize()), 0.97)
        for match in places
        for word in (match.group(),)
    )
    assert len(sites) >= 60
    made = make_record(0, text=text, density=0.0)
    return replace(made, sites=sites, biases=(0.5,) * len(sites))


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    with open_registry(str(tmp_path / "registry.db")) as opened:
        yield opened


@pytest.fixture
def issued(registry: Registry) -> Issued:
    record = first_words(sentences(70, seed=1))
    rows = codewords(b"secret", salts(range(1, COPIES + 1)), np.array(record.biases), choices=record.choices)
    planned = [
        IssuedCopy(record.id, one, f"Recipient {one}", tuple(map(int, row)), f"memo-{one}.txt")
        for one, row in enumerate(rows, start=1)
    ]
    registry.add_document(record, planned)
    registry.mark_issued(record.id, [(copy.number, "ab" * 32) for copy in planned], datetime(2026, 2, 3, tzinfo=UTC))
    return Issued(record, rows)


def at_random(text: str) -> str:
    draw = random.Random(3)
    return "".join(draw.choice((one.upper(), one.lower())) for one in text)


def inner_capitals(text: str) -> str:
    """Every i that is not the first letter of its word as I, which elsewhere is read as an l."""
    return re.sub(r"(?<=\w)i", "I", text)


def one_sentence(text: str) -> str:
    """No word begins a sentence any more."""
    return text.replace(". ", "; ").lower()


def sentences_elsewhere(text: str) -> str:
    """Other words begin them: each is cut in two, and joined with half of the next one."""
    words = text.replace(".", "").lower().split()
    return " ".join(f"{word}." if place % 7 == 3 else word for place, word in enumerate(words)).title()


RECASINGS: dict[str, Callable[[str], str]] = {
    "all capitals": str.upper,
    "no capitals": str.lower,
    "a title": str.title,
    "exchanged": str.swapcase,
    "at random": at_random,
    "inner capitals": inner_capitals,
    "one sentence": one_sentence,
    "sentences elsewhere": sentences_elsewhere,
    "capitals that are letters of their own": lambda text: re.sub(
        r"\b([A-Z])", lambda found: chr(0x1D400 + ord(found[1]) - 65), text
    ),
    "first letters set apart": lambda text: re.sub(r"\b([A-Z])", "\\1\u200b", text),
}


@pytest.mark.parametrize("recasing", RECASINGS.values(), ids=RECASINGS)
def test_first_words_are_read_in_any_case(registry: Registry, issued: Issued, recasing: Callable[[str], str]) -> None:
    """Whoever leaks is named, alone, by as many words as if nothing had been done."""
    leak = recasing(issued.copy(GUILTY))
    assert leak != issued.copy(GUILTY)
    report = trace(registry, leak)
    assert [copy.number for copy in report.accused] == [GUILTY]
    assert report.accused[0].matches == report.readable >= 0.9 * len(issued.record.sites)


@pytest.mark.parametrize("recasing", RECASINGS.values(), ids=RECASINGS)
def test_first_words_of_no_copy_name_nobody(registry: Registry, issued: Issued, recasing: Callable[[str], str]) -> None:
    """Of a text whose first words were drawn anew, however it is written; nor does the master's own."""
    draw = np.random.default_rng(5)
    for symbols in (draw.integers(0, 2, len(issued.record.sites)), np.zeros(len(issued.record.sites))):
        assert trace(registry, recasing(issued.written(symbols.astype(np.uint8)))).accused == ()


def test_recasing_ones_own_copy_is_the_same_question(registry: Registry, issued: Issued) -> None:
    """A tracer who changes capitals learns nothing more: it takes no turn, and the report says the same."""
    reports = [trace(registry, recasing(issued.copy(GUILTY))) for recasing in (str.upper, str.lower, str.title)]
    assert {report.turn for report in reports} == {1}
    assert len({report.accused for report in reports}) == 1


def test_two_who_mix_first_words_blame_nobody_else(registry: Registry, issued: Issued) -> None:
    """Taken from either copy, and written in whatever case: others are not named."""
    for recasing in RECASINGS.values():
        report = trace(registry, recasing(issued.mixed_from([3, 9])))
        assert {copy.number for copy in report.accused} <= {3, 9}
