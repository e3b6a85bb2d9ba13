"""Sites that are phrases are read in a leak as what stands between their neighbours."""

from functools import cache

import pytest
from hypothesis import given, strategies as st

from lexprint.registry.records import CopySite
from lexprint.text.editing import Edit, apply_edits
from lexprint.text.pairs import Pair
from lexprint.text.span import Span
from lexprint.tracing.alignment import MISSING, align

TEXT = (
    "The harbour office said that they would open the new quay in autumn, as the stone had come late because of storms. "
    "The engineers took part in every meeting, all of the crews were heard, and they thought the plan was sound in spite of "
    "its price. Along the north wall the divers found cracks, which they filled with mortar at night, and once again the "
    "fishermen brought bread and warm soup down to the boats."
)
PHRASES = (
    ("they", "that they"),
    ("because of", "owing to", "on account of"),
    ("took part in", "participated in"),
    ("of the", "the"),
    ("in spite of", "despite"),
    ("again", "more"),
)
STARTS = {"they": TEXT.index("they thought")}


@cache
def sites() -> tuple[CopySite, ...]:
    found = []
    for words in PHRASES:
        start = STARTS.get(words[0], TEXT.index(words[0]))
        span = Span(start, start + len(words[0]))
        found.append(CopySite(span, words[0], Pair.of(*words[:2]), 0.9, words[2:]))
    return tuple(sorted(found, key=lambda site: site.span))


def copy_of(symbols: tuple[int, ...]) -> str:
    edits = [Edit(site.span, site.words[symbol]) for site, symbol in zip(sites(), symbols, strict=True)]
    return apply_edits(TEXT, [edit for edit in edits if edit.span.of(TEXT) != edit.replacement])


codewords = st.tuples(*(st.integers(0, len(site.words) - 1) for site in sites()))


@given(codewords)
def test_what_was_written_is_read(symbols: tuple[int, ...]) -> None:
    """Whatever a copy says at its sites is told, and counts as no edit."""
    found = align(copy_of(symbols), TEXT, sites())
    assert tuple(site.symbol for site in found.sites) == symbols
    assert found.edited_share == pytest.approx(0.0, abs=1e-9)


@given(codewords, st.integers(0, 5))
def test_layout_and_case_do_not_matter(symbols: tuple[int, ...], width: int) -> None:
    """A copy that was set anew, or shouted, says the same."""
    leak = copy_of(symbols).upper().replace(" ", " " * (width + 1) if width % 2 else "\n")
    assert tuple(site.symbol for site in align(leak, TEXT, sites()).sites) == symbols


def test_slips_are_allowed() -> None:
    """A letter that was read wrong leaves a phrase what it is."""
    leak = copy_of((0,) * 6).replace("because of", "becanse of").replace("in spite of", "in spitc of")
    found = {site.word: place.symbol for site, place in zip(sites(), align(leak, TEXT, sites()).sites, strict=True)}
    assert (found["because of"], found["in spite of"]) == (0, 0)


def test_another_phrase_tells_nothing() -> None:
    """Somebody else's words between the neighbours are there, and are none of the site's."""
    leak = TEXT.replace("because of", "after the")
    found = {site.word: place for site, place in zip(sites(), align(leak, TEXT, sites()).sites, strict=True)}
    assert found["because of"].symbol is None
    assert found["because of"].span is not None


def test_a_phrase_without_its_neighbours_is_missing() -> None:
    """What was cut away tells nothing."""
    leak = TEXT[: TEXT.index("because of")]
    found = {site.word: place for site, place in zip(sites(), align(leak, TEXT, sites()).sites, strict=True)}
    assert found["because of"] == MISSING


def test_places_that_disagree_tell_nothing() -> None:
    """A leak that holds a passage twice, with two phrases, shows neither."""
    leak = f"{TEXT}\n\n{TEXT.replace('because of', 'owing to')}"
    found = {site.word: place.symbol for site, place in zip(sites(), align(leak, TEXT, sites()).sites, strict=True)}
    assert (found["because of"], found["took part in"]) == (None, 0)
