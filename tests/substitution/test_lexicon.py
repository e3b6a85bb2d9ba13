"""The table of grammar says which forms belong together and which may change places."""

import pytest

from lexprint.substitution.lexicon import agree, grammar_of, is_form_of_same_word, lexicon


@pytest.mark.parametrize(
    ("one", "other"), [("house", "houses"), ("went", "go"), ("happy", "happily"), ("good", "better")]
)
def test_forms_of_a_word(one: str, other: str) -> None:
    """Inflections and derivations share a lemma or a stem, both ways."""
    assert is_form_of_same_word(one, other)
    assert is_form_of_same_word(other, one)


@pytest.mark.parametrize(("one", "other"), [("big", "large"), ("hide", "conceal"), ("almost", "nearly")])
def test_other_words(one: str, other: str) -> None:
    """Synonyms are words of their own."""
    assert not is_form_of_same_word(one, other)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("bought", "purchased", True),
        ("bought", "purchase", False),  # tense
        ("houses", "homes", True),
        ("houses", "home", False),  # number
        ("larger", "bigger", True),
        ("larger", "big", False),  # degree
        ("quickly", "rapid", False),  # part of speech
        ("quickly", "xyzzy", False),
    ],
)
def test_agreement(one: str, other: str, *, expected: bool) -> None:
    """Two words agree if some part of speech and inflection fits both."""
    assert agree(one, other) is expected
    assert agree(other, one) is expected


def test_every_word_is_complete() -> None:
    """Each entry has tags, lemmas and a stem, and is a plain lower-case word."""
    for word, grammar in lexicon().items():
        assert word.isascii()
        assert word.isalpha()
        assert word.islower()
        assert grammar.tags
        assert grammar.lemmas
        assert grammar.stem


def test_words_of_several_pieces() -> None:
    """They have a grammar, which other words are compared with, but are not among those that are proposed."""
    assert "courteous" not in lexicon()
    assert agree("courteous", "polite")
    assert is_form_of_same_word("courteous", "courteously")
    assert grammar_of("xyzzy") is None
