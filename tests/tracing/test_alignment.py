"""Sites are found wherever their passage went, and only what stands there is read."""

from __future__ import annotations

import random

import pytest
from tests.tracing.masters import (
    CONTENT,
    bare,
    codewords_of,
    copy_of,
    disguised,
    edited,
    make_record,
    make_text,
    scanned,
    shuffled,
)

from lexprint.registry.records import CopySite, DocumentRecord
from lexprint.testing import fake_text
from lexprint.text.editing import Edit, apply_edits
from lexprint.text.leak_text import spell
from lexprint.text.pairs import Pair
from lexprint.text.span import Span
from lexprint.tracing.alignment import AlignedSite, Alignment, align, aligned_words

MEMO = "The board will buy a large plant in the north before the end of this year, said the chairman on Monday."


def site(text: str, word: str, other: str, *, after: int = 0) -> CopySite:
    start = text.index(word, after)
    return CopySite(Span(start, start + len(word)), word, Pair.of(word, other), 0.97)


LARGE = site(MEMO, "large", "big")  # big says 0, large 1


def only(leak: str, *, text: str = MEMO, sites: tuple[CopySite, ...] = (LARGE,)) -> AlignedSite:
    (aligned,) = align(leak, text, sites).sites
    return aligned


def wrong(alignment: Alignment, codeword: list[int]) -> int:
    return sum(place.symbol not in (None, bit) for place, bit in zip(alignment.sites, codeword, strict=True))


def readable(alignment: Alignment) -> float:
    return sum(place.symbol is not None for place in alignment.sites) / len(alignment.sites)


@pytest.mark.parametrize(("word", "bit"), [("large", 0), ("big", 1), ("Big", 1), ("lаr\u200bge", 0), ("b1g", 1)])
def test_either_word_is_read(word: str, bit: int) -> None:
    """In any case or disguise, with its span in the leak."""
    leak = f"He wrote: {MEMO.replace('large', word)}"
    place = only(leak)
    assert place.symbol == bit
    assert place.span is not None
    assert place.span.of(leak) == word


@pytest.mark.parametrize(("seen", "bit"), [("larqe", 0), ("lage", 0), ("lorqe", 0), ("bigg", 1), ("bag", 1)])
def test_slips_are_forgiven(seen: str, bit: int) -> None:
    """Where one word of the pair is much nearer than the other."""
    assert only(MEMO.replace("large", seen)).symbol == bit


@pytest.mark.parametrize("seen", ["new", "huge", "xxxxx"])
def test_another_word_is_neither(seen: str) -> None:
    """An attacker's own word is shown but tells nothing."""
    leak = MEMO.replace("large", seen)
    place = only(leak)
    assert place.symbol is None
    assert place.span is not None
    assert place.span.of(leak) == seen


def test_a_slip_between_both_words_is_neither() -> None:
    """What may be either is not guessed."""
    text = MEMO.replace("large", "later")
    assert only(text.replace("later", "laxer"), text=text, sites=(site(text, "later", "layer"),)).symbol is None


@pytest.mark.parametrize(
    "leak", ["", "large", "a large plant", MEMO.replace("large ", ""), MEMO[:20], make_text(300, random.Random(1))]
)
def test_a_missing_place_is_missing(leak: str) -> None:
    """Dropped, cut away or never there: no bit and no span."""
    assert only(leak) == AlignedSite(None, None)


def test_words_come_and_go_around_a_site() -> None:
    """Edits next to a site do not move it."""
    for leak in (
        MEMO.replace("a large", "a very large"),
        MEMO.replace("large plant", "large new plant"),
        MEMO.replace("a large", "large"),
        MEMO.replace("buy a", "acquire one"),
        MEMO.replace("plant in", "large works near"),
    ):
        assert only(leak).symbol == 0


def test_a_passage_that_the_leak_repeats_counts_once() -> None:
    """The same twice is read; if the two places disagree nothing is."""
    between = make_text(60, random.Random(2))
    assert only(f"{MEMO} {between} {MEMO}").symbol == 0
    disagreeing = only(f"{MEMO} {between} {MEMO.replace('large', 'big')}")
    assert disagreeing.symbol is None
    assert disagreeing.span is not None
    assert only(f"{MEMO.replace('large', 'new')} {between} {MEMO}").symbol == 0


def test_a_passage_that_the_master_repeats_is_not_confused() -> None:
    """Each place is read where it is; the passage alone could be either and is not read."""
    draw = random.Random(3)
    text = f"{make_text(80, draw)} {MEMO} {make_text(80, draw)} {MEMO} {make_text(80, draw)}"
    first, second = site(text, "large", "big"), site(text, "large", "big", after=text.rindex(MEMO))
    leak = apply_edits(text, [Edit(second.span, "big")])
    assert [place.symbol for place in align(leak, text, (first, second)).sites] == [0, 1]
    end = leak[leak.rindex("The board") :]
    assert [place.symbol for place in align(end, text, (first, second)).sites] == [None, 1]
    assert [place.symbol for place in align(MEMO, text, (first, second)).sites] == [None, None]


@pytest.fixture(scope="module")
def record() -> DocumentRecord:
    return make_record(2_000, density=0.15, seed=5)


@pytest.mark.parametrize(
    ("disturb", "share"),
    [(edited, 0.9), (shuffled, 0.95), (bare, 1.0), (scanned, 0.95), (disguised, 0.99)],
)
def test_disturbed_copies_are_read(record: DocumentRecord, disturb: object, share: float) -> None:
    """Most sites are found, and hardly one is read wrong."""
    assert callable(disturb)
    codeword = codewords_of(record, 1)[0]
    alignment = align(disturb(copy_of(record, codeword), random.Random(6)), record.text, record.sites)
    assert readable(alignment) >= share
    assert wrong(alignment, codeword.tolist()) <= 0.01 * len(codeword)


def test_shares_tell_how_much_was_taken_and_changed(record: DocumentRecord) -> None:
    """Marks are no changes; a cut is not an edit; a tenth edited is a tenth."""
    copy = copy_of(record, codewords_of(record, 1)[0])
    whole = align(copy, record.text, record.sites)
    assert (whole.covered_share, whole.edited_share) == (1.0, 0.0)
    half = align(copy[: len(copy) // 2], record.text, record.sites)
    assert half.covered_share == pytest.approx(0.5, abs=0.02)
    assert half.edited_share < 0.005
    assert align(edited(copy, random.Random(7)), record.text, record.sites).edited_share == pytest.approx(0.1, abs=0.03)
    assert align(shuffled(copy, random.Random(7)), record.text, record.sites).edited_share < 0.02


def test_what_the_master_repeats_is_no_edit() -> None:
    """An excerpt with expressions that stand in other places too is that excerpt, untouched."""
    draw = random.Random(11)
    expressions = [" ".join(draw.sample(CONTENT, 9)) for _ in range(6)]
    paragraphs = [f"{make_text(90, draw)} {' but '.join(draw.sample(expressions, 3))}." for _ in range(12)]
    text = "\n\n".join(paragraphs)
    excerpt = align("\n\n".join(paragraphs[4:7]), text, ())
    assert excerpt.covered_share == pytest.approx(0.25, abs=0.02)
    assert excerpt.edited_share < 0.005


def test_unrelated_text_is_not_found(record: DocumentRecord) -> None:
    """Another text of the same words shares next to nothing."""
    alignment = align(make_text(5_000, random.Random(8)), record.text, record.sites)
    assert alignment.covered_share < 0.02
    assert readable(alignment) < 0.02


def test_a_leak_in_a_long_text_is_found(record: DocumentRecord) -> None:
    """A short part of a copy between long strange texts, with nothing read outside of it."""
    codeword = codewords_of(record, 1)[0]
    words = copy_of(record, codeword).split(" ")[400:600]
    leak = " ".join([make_text(5_000, random.Random(9)), *words, make_text(5_000, random.Random(10))])
    alignment = align(leak, record.text, record.sites)
    assert 0.09 < alignment.covered_share < 0.13
    assert wrong(alignment, codeword.tolist()) <= 1


def test_masters_without_words_or_sites_are_no_trouble() -> None:
    """Everything is total."""
    assert align("any text", "", ()) == Alignment((), 0.0, 0.0)
    assert align(MEMO, MEMO, ()).covered_share == 1.0
    assert align(" ".join(CONTENT), " ".join(CONTENT), ()).covered_share == 1.0
    assert align("no " * 5_000, "no " * 5_000, ()).covered_share <= 1.0


def test_words_of_a_text_in_strange_prose() -> None:
    """Only those are its own that stand among enough of its words, wherever they begin in the leak."""
    text, prose = (" ".join(make_text(200, random.Random(seed)).split()) for seed in (1, 2))
    words = text.split(" ")
    part = " ".join(words[50:120])
    leak = f"{prose} {part} {prose}"
    found = aligned_words(leak, text)
    inside = range(len(prose) + 1, len(prose) + 1 + len(part))
    assert sum(start in inside for start in found) > 60
    assert all(start in inside for start in found)
    start = len(prose) + 1 + len(" ".join(words[50:80])) + 1
    assert found[start] == {spell(words[80])}


@pytest.mark.parametrize("length", [100, 1_000, 10_000])
def test_a_few_words_that_agree_by_chance_are_no_passage(length: int) -> None:
    """Prose of the same small vocabulary, ten texts of it; three words in a row are common to most of them."""
    text = fake_text(words=700, seed=8)
    for seed in range(100, 110):
        prose = fake_text(words=length, seed=seed)
        assert aligned_words(prose, text) == {}
        assert align(prose, text, ()).covered_share == 0.0


def test_a_repeated_expression_is_read_where_the_text_has_it() -> None:
    """Beside the whole text, a part of one of its sentences in strange prose is not that sentence once more."""
    text, prose = fake_text(words=300, seed=8), fake_text(words=300, seed=9)
    part = " ".join(text.split()[100:107])
    found = aligned_words(f"{prose} {part} {prose}\n\n{text}", text)
    assert min(found) > 2 * len(prose)
