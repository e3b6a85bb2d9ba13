"""What is never replaced, and what an article demands."""

import pytest
from hypothesis import given, strategies as st

from lexprint.models.protocols import Gap
from lexprint.substitution.exclusions import (
    begins_with_vowel_sound,
    follows_article,
    may_be_replaced,
    stands_free,
    tags_after,
)


@pytest.mark.parametrize(
    "word", ["the", "would", "three", "monday", "Paris", "xyzzy", "##ing", "don't", "well-known", "", "co", "x"]
)
def test_risky_words(word: str) -> None:
    """Function words, facts, names, pieces, compounds, abbreviations and strangers are left alone."""
    assert not may_be_replaced(word)


@pytest.mark.parametrize("word", ["large", "conceal", "bought", "quickly", "gardens"])
def test_ordinary_words(word: str) -> None:
    """Whole lower-case words that carry meaning may be replaced."""
    assert may_be_replaced(word)


@given(st.text(max_size=12))
def test_any_string_is_judged(word: str) -> None:
    """No string is too strange to be refused."""
    if may_be_replaced(word):
        assert word.isascii()
        assert word.isalpha()
        assert word.islower()


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("apple", True),
        ("house", False),
        ("hour", True),
        ("honest", True),
        ("union", False),
        ("unusual", True),
        ("unanimous", False),
        ("european", False),
        ("one", False),
        ("umbrella", True),
    ],
)
def test_sound(word: str, *, expected: bool) -> None:
    """The sound, not the letter, decides between "a" and "an"."""
    assert begins_with_vowel_sound(word) is expected


@pytest.mark.parametrize(
    ("left", "expected"),
    [
        ("He saw a ", True),
        ("An ", True),
        ('"a ', True),
        ("He saw the ", False),
        ("", False),
        ("plea ", False),
        ("a, ", False),
    ],
)
def test_article(left: str, *, expected: bool) -> None:
    """Only an article right before the word counts."""
    assert follows_article(Gap(left, "large", " house")) is expected


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("a ", " b", True),
        ("(", ")", True),
        ("pre-", " b", False),
        ("a ", "'s", False),
        ("a ", "-b", False),
        ("a_", " b", False),
        ("3", " b", False),
    ],
)
def test_free_words(left: str, right: str, *, expected: bool) -> None:
    """A part of a compound is not a word."""
    assert stands_free(Gap(left, "large", right)) is expected


@pytest.mark.parametrize(
    ("left", "tag", "expected"),
    [("We cannot ", "NN", False), ("We cannot ", "VB", True), ("He saw the ", "VBD", False), ("They ", "NN", False)],
)
def test_the_word_before_tells(left: str, tag: str, *, expected: bool) -> None:
    """After a modal comes no noun, after an article no finite verb."""
    allowed = tags_after(left)
    assert allowed is not None
    assert (tag in allowed) is expected


def test_most_words_tell_nothing() -> None:
    """After an ordinary word anything may come."""
    assert tags_after("The house ") is None
