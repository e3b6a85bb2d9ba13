"""Columns hold exactly what was packed into them."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from lexprint.registry import packing
from lexprint.registry.records import CopySite
from lexprint.text.pairs import Figures, Pair
from lexprint.text.span import Span

PAIRS = st.lists(st.text(), min_size=2, max_size=2, unique=True).map(lambda words: Pair.of(*words))
SPANS = st.tuples(st.integers(0, 10**6), st.integers(0, 50)).map(lambda pair: Span(pair[0], sum(pair)))
SITES = st.builds(
    CopySite,
    span=SPANS,
    word=st.text(),
    pair=PAIRS,
    entailment=st.floats(0, 1),
    further=st.lists(st.text(), max_size=2).map(tuple),
    likely_edits=st.lists(st.text(), max_size=2).map(tuple),
    figures=st.lists(st.builds(Figures, st.floats(0, 1), st.none() | st.floats(0, 1)), max_size=3).map(tuple),
)


@given(st.text(st.characters()))
def test_texts_come_back(text: str) -> None:
    """Any text, with NUL characters and lone surrogates."""
    assert packing.unpack_text(packing.pack_text(text)) == text


@given(st.lists(SITES, max_size=5))
def test_sites_come_back(sites: list[CopySite]) -> None:
    """Any sites, to the last digit."""
    assert packing.unpack_sites(packing.pack_sites(sites)) == tuple(sites)


@given(st.lists(st.floats(0, 1)))
def test_biases_come_back(biases: list[float]) -> None:
    """To the last digit."""
    assert packing.unpack_biases(packing.pack_biases(biases)) == tuple(biases)


@given(st.integers(0, 40), st.integers(0, 5), st.integers(2, 4))
def test_codewords_come_back(sites: int, copies: int, words: int) -> None:
    """Any number of symbols, also none, for any number of copies, also none; two words a site take a bit each."""
    symbols = np.random.default_rng(sites * 10 + copies).integers(0, words, (copies, sites), dtype=np.uint8)
    packed = [packing.pack_codeword(tuple(row.tolist())) for row in symbols]
    assert words > 2 or all(len(one) == (sites + 7) // 8 for one in packed)
    found = packing.unpack_codewords(packed, sites=sites)
    assert found.dtype == np.uint8
    assert np.array_equal(found, symbols)


def test_what_was_not_packed_is_damage() -> None:
    """Bytes of another kind, or of another length, never give a record."""
    with pytest.raises(packing.Damaged):
        packing.unpack_text(b"plain")
    with pytest.raises(packing.Damaged):
        packing.unpack_sites(packing.pack_text("[[1, 2]]"))
    with pytest.raises(packing.Damaged):
        packing.unpack_biases(b"123")
    with pytest.raises(packing.Damaged):
        packing.unpack_codewords([b"ab", b"c"], sites=9)
    with pytest.raises(packing.Damaged):
        packing.unpack_codewords([b"abc"], sites=9)
