"""The form for raters: blind, self-contained, and the same for the same seed."""

from __future__ import annotations

import json
import re

import pytest

from lexprint.errors import FormatError, InputError
from lexprint_evaluation.human_sheet import UNMARKED, Sheet, make_sheet, read_key, sheet_key, sheet_page
from lexprint_evaluation.quality import MarkedSet

SCHEMES = ("lexprint", "paper", "registered", "topkara", "hao")
ORIGINALS = [f"Sentence {number} has <b>bold</b> words & a cold </script> end." for number in range(40)]


def marked(scheme: str, *, title: str = "Some Novel") -> MarkedSet:
    pairs = tuple((one, one.replace("cold", f"chilly{SCHEMES.index(scheme)}")) for one in ORIGINALS)
    return MarkedSet(title, scheme, 400, 40, 40, pairs)


@pytest.fixture(scope="module")
def sheet() -> Sheet:
    return make_sheet([marked(scheme) for scheme in SCHEMES], pairs=6, unmarked=4, seed=1)


def embedded(page: str) -> dict[str, list[dict[str, str]]]:
    found = re.search(r'<script type="application/json" id="sheet">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    data: dict[str, list[dict[str, str]]] = json.loads(found[1])
    return data


def test_every_scheme_as_often_and_no_original_twice(sheet: Sheet) -> None:
    """A rater who has seen a sentence would know what was exchanged in it."""
    schemes = [pair.scheme for pair in sheet.pairs]
    assert {scheme: schemes.count(scheme) for scheme in schemes} == {**dict.fromkeys(SCHEMES, 6), UNMARKED: 4}
    assert len({pair.original for pair in sheet.pairs}) == len(sheet.pairs)
    assert all((pair.original == pair.version) == (pair.scheme == UNMARKED) for pair in sheet.pairs)
    assert schemes != sorted(schemes, key=schemes.index)


def test_a_scheme_of_one_set_has_its_share() -> None:
    """What is there for one of two sets has half as many pairs as the others."""
    other = MarkedSet("Some News", "lexprint", 400, 40, 40, tuple((f"New: {one}", f"Old: {one}") for one in ORIGINALS))
    found = make_sheet([marked("lexprint"), other, marked("topkara")], pairs=6, unmarked=0, seed=1)
    schemes = [pair.scheme for pair in found.pairs]
    assert (schemes.count("lexprint"), schemes.count("topkara")) == (6, 3)


def test_the_page_does_not_tell_who_marked(sheet: Sheet) -> None:
    """Neither a scheme's name nor the set's stands anywhere in it."""
    page = sheet_page(sheet)
    words = set(re.findall(r"[a-z]+", page.lower()))
    assert not words & {*SCHEMES, UNMARKED, "novel"}
    assert [set(pair) for pair in embedded(page)["pairs"]] == [{"id", "original", "version"}] * len(sheet.pairs)


def test_the_page_holds_every_pair_in_order(sheet: Sheet) -> None:
    """Whatever characters they have: nothing ends the data early."""
    assert [(one["id"], one["original"], one["version"]) for one in embedded(sheet_page(sheet))["pairs"]] == [
        (pair.id, pair.original, pair.version) for pair in sheet.pairs
    ]


def test_the_page_needs_nothing_from_elsewhere(sheet: Sheet) -> None:
    """No address, no file, and a policy that forbids both."""
    page = sheet_page(sheet)
    assert "default-src 'none'" in page
    assert not re.search(r"https?:|//cdn|@import|url\(", page)
    assert set(re.findall(r'(?:src|href)="([^"]*)"', page)) == {"data:,"}


def test_same_seed_same_sheet(sheet: Sheet) -> None:
    """Choice, order and numbers are drawn by the seed."""
    again, other = (make_sheet([marked(one) for one in SCHEMES], pairs=6, unmarked=4, seed=seed) for seed in (1, 2))
    assert again == sheet
    assert [pair.original for pair in other.pairs] != [pair.original for pair in sheet.pairs]


def test_the_key_leads_back(sheet: Sheet) -> None:
    """It knows all that the page leaves out."""
    assert read_key(sheet_key(sheet).encode(), name="key.json") == sheet


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b'{"format": "key to sentence ratings 1", "pairs": [3]}'])
def test_a_damaged_key(content: bytes) -> None:
    """One sentence that names the file."""
    with pytest.raises(FormatError, match=r"^key\.json is .*needed: the key that lexprint evaluate human-sheet wrote$"):
        read_key(content, name="key.json")


def test_too_few_sentences() -> None:
    """Says what to ask for."""
    with pytest.raises(InputError, match=r"paper changed only 5 .* more --sentences"):
        make_sheet([marked("lexprint"), marked("paper")], pairs=35, unmarked=0, seed=1)


def test_sets_take_turns() -> None:
    """Pairs come from all sets alike."""
    other = MarkedSet("Other", "lexprint", 9, 9, 9, tuple((f"{a} x", f"{b} x") for a, b in marked("lexprint").pairs))
    found = make_sheet([marked("lexprint"), other], pairs=10, unmarked=0, seed=1)
    assert [pair.title for pair in found.pairs].count("Other") == 5
