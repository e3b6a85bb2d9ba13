"""Ranks of synonyms by frequency."""

import pytest
from tiny_wordnet import write_wordnet

from lexprint_evaluation.rivals.hao import HaoCode, word_frequency
from lexprint_evaluation.synonyms import Thesaurus, thesaurus

FREQUENCIES = {"story": 9.0, "tale": 5.0, "narrative": 2.0, "film": 3.0, "movie": 4.0, "layer": 1.0, "shaver": 0.0}


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Thesaurus:
    return thesaurus(write_wordnet(tmp_path_factory.mktemp("wordnet")))


@pytest.fixture(scope="module")
def code(tiny: Thesaurus) -> HaoCode:
    return HaoCode(tiny, frequency=lambda word: FREQUENCIES.get(word, 1.0))


def test_the_bit_is_the_parity_of_the_rank(code: HaoCode) -> None:
    """The most frequent word says 0, the next one 1, and so on."""
    assert [code.bit(word) for word in ("story", "tale", "narrative")] == [0, 1, 0]
    assert [code.bit(word) for word in ("movie", "film")] == [0, 1]


def test_the_nearest_rank_is_put_in(code: HaoCode) -> None:
    """Of two neighbours the more frequent one."""
    assert [code.opposite(word) for word in ("story", "tale", "narrative")] == ["tale", "story", "tale"]


def test_a_word_is_of_its_most_usual_set(code: HaoCode) -> None:
    """A film is a movie first, so "layer" is left alone; words that nobody uses are never put in."""
    assert code.bit("layer") is None
    assert code.bit("razor") is None


def test_frequencies_of_english() -> None:
    """The package's figures."""
    assert word_frequency("movie") > word_frequency("narration") > word_frequency("xqzzt") == 0
