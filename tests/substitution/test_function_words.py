"""A few function words have partners that say the same; all others are never exchanged."""

import numpy as np
import pytest

from lexprint.models.protocols import Gap
from lexprint.substitution.candidates import NO_PARTNERS, Vocabulary, propose
from lexprint.substitution.exclusions import FUNCTION_WORDS, may_be_replaced
from lexprint.substitution.facts import may_be_exchanged
from lexprint.substitution.function_words import partners
from lexprint.substitution.lists import PARTNERS, rows

TOKENS = ("though", "although", "but", "house", "many", "numerous", "countless", "the")


def proposed(word: str, vocabulary: Vocabulary, *, left: str = "It was late, ") -> set[str]:
    gap = Gap(left, word, " they stayed.")
    found = propose(vocabulary, gap, np.full(len(TOKENS), -1.0, np.float32), proposals=16, guard=0.0)
    return {candidate.word for candidate in found} - {word}


def test_a_function_word_stands_for_its_partners_alone() -> None:
    """No noun, and no other function word."""
    assert proposed("though", Vocabulary(TOKENS, partners())) == {"although", "but"}


def test_partners_join_the_words_that_agree() -> None:
    """ "numerous" is a word like others, and may also become "many"."""
    assert proposed("numerous", Vocabulary(TOKENS, partners())) == {"many", "countless"}


@pytest.mark.parametrize(
    ("left", "word"), [("It was late, even ", "though"), ("They drank as ", "many"), ("They drank as ", "numerous")]
)
def test_some_words_bind_what_follows(left: str, word: str) -> None:
    """ "even though" has no other form, nor has "as many"; from either partner, so that marks are found again."""
    assert not proposed(word, Vocabulary(TOKENS, partners()), left=left) & {"although", "but", "numerous", "many"}


def test_no_other_word_becomes_a_function_word() -> None:
    """Unless it is its partner."""
    assert not proposed("house", Vocabulary(TOKENS, partners())) & FUNCTION_WORDS


def test_the_paper_has_none() -> None:
    """Its risk set holds all function words."""
    assert "though" not in Vocabulary(TOKENS, NO_PARTNERS)
    assert proposed("numerous", Vocabulary(TOKENS)) == {"countless"}


@pytest.mark.parametrize("words", [words for _, words in rows(PARTNERS)])
def test_each_row_is_of_use(words: str) -> None:
    """It names a function word, words that could be swapped at all, and none that facts keep apart."""
    together = words.split()
    assert any(word in FUNCTION_WORDS for word in together)
    assert all(word in FUNCTION_WORDS or may_be_replaced(word) for word in together)
    assert all(may_be_exchanged(together[0], other) for other in together[1:])


def test_partners_are_mutual() -> None:
    """A mark must be found again from either word."""
    assert all(word in partners()[other] for word, others in partners().items() for other in others)
