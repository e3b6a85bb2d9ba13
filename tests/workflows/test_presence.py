"""A keyed mark without a payload, and the test for it."""

from random import Random

import pytest
from tests.fakes import FakeEngine

from lexprint.coding.keys import MasterKey
from lexprint.settings import Settings, SubstitutionSettings
from lexprint.testing import fake_text
from lexprint.text.segmentation import segment
from lexprint.workflows.presence import detect_presence, mark_presence

KEY, OTHER = MasterKey.generate(), MasterKey.generate()
TEXT = fake_text(words=300, seed=1)


@pytest.fixture(scope="module")
def engine() -> FakeEngine:
    return FakeEngine(settings=Settings(substitution=SubstitutionSettings(proposals=8)))


def test_marked_texts_are_recognised(engine: FakeEngine) -> None:
    """By the key that marked them, with all votes; by no other key."""
    marked = mark_presence(engine, TEXT, key=KEY)
    found = detect_presence(engine, marked, key=KEY, false_positive=1e-4)
    assert marked != TEXT
    assert found.is_marked
    assert found.agreeing == found.votes > 15
    assert not detect_presence(engine, marked, key=OTHER, false_positive=1e-4).is_marked
    assert not detect_presence(engine, TEXT, key=KEY, false_positive=1e-4).is_marked


def test_shuffled_and_cut_texts_are_recognised(engine: FakeEngine) -> None:
    """Votes need neither order nor neighbours beyond their sentence."""
    marked = mark_presence(engine, TEXT, key=KEY)
    sentences = [sentence.span.of(marked) for sentence in segment(marked).sentences]
    half = Random(2).sample(sentences, len(sentences) // 2)
    assert detect_presence(engine, " ".join(half), key=KEY).is_marked


def test_only_words_change(engine: FakeEngine) -> None:
    """Every space and line break stays."""
    spaced = TEXT.replace(". ", ".\n\n\t", 3)
    marked = mark_presence(engine, spaced, key=KEY)
    assert [part for part in marked if part.isspace()] == [part for part in spaced if part.isspace()]


@pytest.mark.parametrize("text", ["", " \n", "?!"])
def test_texts_without_words(engine: FakeEngine, text: str) -> None:
    """They stay as they are and bear no mark."""
    assert mark_presence(engine, text, key=KEY) == text
    found = detect_presence(engine, text, key=KEY)
    assert (found.is_marked, found.p_value, found.votes) == (False, 1.0, 0)
