"""What differs between two texts."""

import time
from random import Random

from hypothesis import given, strategies as st

from lexprint.testing import fake_text
from lexprint.text import comparison
from lexprint.text.comparison import Change, compare
from lexprint.text.document import Document
from lexprint.text.segmentation import segment

WORDS = st.lists(st.sampled_from(["a", "big", "house", "stands", "here", "."]), max_size=40)


def spelled(document: Document) -> list[str]:
    return [word.span.of(document.text) for word in document.words]


def replayed(one: Document, other: Document, changes: tuple[Change, ...]) -> list[str]:
    """Words of the one text with all changes made, last first."""
    words, other_words = spelled(one), spelled(other)
    for change in reversed(changes):
        words[change.words.start : change.words.stop] = other_words[change.other_words.start : change.other_words.stop]
    return words


@given(WORDS, WORDS)
def test_changes_lead_from_one_to_the_other(one: list[str], other: list[str]) -> None:
    """Making them gives the other text, and their spans hold the words they name."""
    documents = segment(" ".join(one)), segment(" ".join(other))
    changes = compare(*documents)
    assert replayed(*documents, changes) == spelled(documents[1])
    for change in changes:
        for words, span, document in (
            (change.words, change.span, documents[0]),
            (change.other_words, change.other_span, documents[1]),
        ):
            assert span.of(document.text).split() == spelled(document)[words.start : words.stop]


def test_spacing_is_no_change() -> None:
    """Line breaks and double spaces tell nothing."""
    assert compare(segment("A big  house."), segment("A\nbig house.")) == ()


def test_long_texts_are_cut_at_anchors() -> None:
    """Exchanged, inserted and removed words of a long text are found, in a time that grows with its length."""
    random = Random(1)
    words = fake_text(words=20_000, seed=1).split()
    changed = [("elsewhere" if random.random() < 0.05 else word) for word in words if random.random() > 0.01]
    documents = segment(" ".join(words)), segment(" ".join(changed))
    assert documents[0].word_count * documents[1].word_count > comparison.COMPARED_WHOLE
    begun = time.process_time()
    changes = compare(*documents)
    assert time.process_time() - begun < 20
    assert replayed(*documents, changes) == spelled(documents[1])
    assert sum(len(change.words) for change in changes) < 0.1 * len(words)


def test_texts_without_anything_in_common() -> None:
    """Everything became something else."""
    (change,) = compare(segment("One two."), segment("Three!"))
    assert (len(change.words), len(change.other_words)) == (3, 2)
