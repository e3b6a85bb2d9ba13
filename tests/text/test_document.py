"""Sentences give models their view and everybody else the original."""

import pytest
from hypothesis import given, strategies as st

from lexprint.text.document import Sentence
from lexprint.text.protection import protected_spans
from lexprint.text.segmentation import segment
from lexprint.text.span import Span


@pytest.fixture
def sentence() -> Sentence:
    return segment("A  “large”\nhouse—ours.").sentences[0]


def test_words_point_into_both_texts(sentence: Sentence) -> None:
    """A word has its text, its place in the original and its place in the view."""
    word = sentence.words[2]
    assert (word.text, word.span, word.view_span) == ("large", Span(4, 9), Span(3, 8))
    assert word.view_span.of(sentence.view) == word.text


def test_excerpt_is_a_slice_of_the_view(sentence: Sentence) -> None:
    """Spacing between words is the view's, with none before and after."""
    assert sentence.excerpt(1, 5) == '"large" house'
    assert sentence.excerpt(0, len(sentence)) == sentence.view


def test_excerpt_with_replaces_one_word(sentence: Sentence) -> None:
    """Only the word changes, wherever it stands in the excerpt."""
    assert sentence.excerpt_with(2, "big", start=1, stop=5) == '"big" house'
    assert sentence.excerpt_with(4, "home", start=2, stop=5) == 'large" home'
    assert sentence.excerpt_with(0, "The") == 'The "large" house - ours.'


@pytest.mark.parametrize(("start", "stop"), [(0, 0), (2, 1), (-1, 2), (0, 99)])
def test_excerpts_are_within_the_sentence(sentence: Sentence, start: int, stop: int) -> None:
    """There is no excerpt of words that are not there."""
    with pytest.raises(IndexError):
        sentence.excerpt(start, stop)


def test_replaced_word_must_be_in_the_excerpt(sentence: Sentence) -> None:
    """A replacement outside the excerpt is a mistake, not a no-op."""
    with pytest.raises(IndexError):
        sentence.excerpt_with(5, "x", start=0, stop=5)


def test_with_word_is_the_sentence_after_the_swap(sentence: Sentence) -> None:
    """Later words move in the view; all keep their place in the original."""
    changed = sentence.with_word(2, "enormous")
    assert changed.view == 'A "enormous" house - ours.'
    assert [word.text for word in changed.words] == ["A", '"', "enormous", '"', "house", "-", "ours", "."]
    assert [word.span for word in changed.words] == [word.span for word in sentence.words]
    assert sentence.view == 'A "large" house - ours.'


def test_equal_sentences_are_equal_values(sentence: Sentence) -> None:
    """Sentences compare and hash by value."""
    same = sentence.with_word(2, "large")
    assert same == sentence
    assert hash(same) == hash(sentence)
    assert sentence.with_word(2, "big") != sentence


def test_document_counts_its_words(letter: str) -> None:
    """Words of a document are those of its sentences, in order."""
    document = segment(letter)
    assert document.text == letter
    assert document.word_count == len(list(document.words)) == 39


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(1, 9)), max_size=6))
def test_a_word_is_protected_if_any_character_of_it_is(places: list[tuple[int, int]]) -> None:
    """As a look at every protected part says."""
    text = "A large house near the river. He left, at once, for good!"
    protected = protected_spans("", spans=[Span(start, start + length) for start, length in places])
    document = segment(text, protected=protected)
    for word in document.words:
        assert document.is_protected(word) == any(span.overlaps(word.span) for span in protected)
