"""Ambiguity decides which synonym is put in, the key which says what."""

import pytest
from tiny_wordnet import write_wordnet

from lexprint_evaluation.rivals.topkara import TopkaraCode
from lexprint_evaluation.synonyms import Thesaurus, thesaurus

KEYS = [f"key {number}".encode() for number in range(40)]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Thesaurus:
    return thesaurus(write_wordnet(tmp_path_factory.mktemp("wordnet")))


def test_the_key_decides(tiny: Thesaurus) -> None:
    """The same word says 0 under one key and 1 under another, always the same under one."""
    assert {TopkaraCode(tiny, key=key).bit("big") for key in KEYS} == {0, 1}
    for word in ("big", "story", "walked"):
        assert TopkaraCode(tiny, key=b"k").bit(word) == TopkaraCode(tiny, key=b"k").bit(word)


def test_neighbours_are_told_apart(tiny: Thesaurus) -> None:
    """Two words that have only each other never have the same colour."""
    for key in KEYS:
        code = TopkaraCode(tiny, key=key)
        assert {code.bit("big"), code.bit("large")} == {0, 1}
        assert code.opposite("big") == "large"


def test_the_more_ambiguous_word_is_put_in(tiny: Thesaurus) -> None:
    """An adversary cannot tell which meaning was meant: "think" has two, "suppose" one."""
    told_apart = [
        code
        for code in (TopkaraCode(tiny, key=key) for key in KEYS)
        if code.bit("believe") != code.bit("think") == code.bit("suppose") is not None
    ]
    assert told_apart
    assert {code.opposite("believe") for code in told_apart} == {"think"}


def test_what_changes_the_meaning_is_no_neighbour(tiny: Thesaurus) -> None:
    """A machine is seldom a car, so neither stands for the other."""
    code = TopkaraCode(tiny)
    assert code.bit("car") is not None
    for key in KEYS:
        assert TopkaraCode(tiny, key=key).opposite("car") != "machine"


def test_words_that_say_nothing(tiny: Thesaurus) -> None:
    """Unknown words, words without synonyms, and whatever is not a word."""
    code = TopkaraCode(tiny)
    assert [code.bit(word) for word in ("xylophone", "lonely", "only", "", "Movie")] == [None] * 5
