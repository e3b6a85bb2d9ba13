"""Candidates are the most probable words that fit."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from lexprint.models.protocols import Floats, Gap
from lexprint.substitution.candidates import Vocabulary, judged, propose

TOKENS = (
    "[MASK]",
    "the",
    "Large",
    "large",
    "big",
    "larger",
    "huge",
    "small",
    "house",
    "##ing",
    "enormous",
    "old",
    "xyzzy",
)
GAP = Gap("They bought the ", "large", " house.")


@pytest.fixture
def vocabulary() -> Vocabulary:
    return Vocabulary(TOKENS)


def log_probabilities(**chosen: float) -> Floats:
    """Minus twenty for all but the chosen."""
    return np.array([chosen.get(token, -20.0) for token in TOKENS], np.float32)


def words(vocabulary: Vocabulary, gap: Gap, row: Floats, *, proposals: int = 4, guard: float = 0.0) -> list[str]:
    return [candidate.word for candidate in propose(vocabulary, gap, row, proposals=proposals, guard=guard)]


def test_best_first(vocabulary: Vocabulary) -> None:
    """K words, the most probable first, the word itself among them."""
    row = log_probabilities(large=-1, big=-2, huge=-3, enormous=-4, old=-5)
    assert words(vocabulary, GAP, row) == ["large", "big", "huge", "enormous"]


def test_the_word_itself_is_kept(vocabulary: Vocabulary) -> None:
    """Even when the model would rather have others."""
    row = log_probabilities(big=-1, huge=-2, enormous=-3, old=-4, large=-9)
    assert words(vocabulary, GAP, row) == ["big", "huge", "enormous", "large"]


def test_what_never_fits(vocabulary: Vocabulary) -> None:
    """Pieces, function words, names, other forms and other parts of speech are not proposed however probable."""
    row = log_probabilities(the=-0.1, Large=-0.1, larger=-0.1, house=-0.1, xyzzy=-0.1, large=-1, big=-2)
    row[TOKENS.index("##ing")] = row[TOKENS.index("[MASK]")] = -0.1
    assert set(words(vocabulary, GAP, row, proposals=32)) == {"large", "big", "huge", "enormous", "old"}


def test_the_article_is_respected(vocabulary: Vocabulary) -> None:
    """After "a" nothing may follow that needs "an"."""
    row = log_probabilities(large=-1, enormous=-2, old=-3, big=-4)
    assert words(vocabulary, Gap("They bought a ", "large", " house."), row, proposals=3) == ["large", "big", "huge"]


def test_the_cut_is_guarded(vocabulary: Vocabulary) -> None:
    """Candidates too close to the cut after K words are marked on both sides of it."""
    row = log_probabilities(large=-1, big=-2, huge=-3, enormous=-3.00005, old=-5)
    found = propose(vocabulary, GAP, row, proposals=3, guard=1e-4)
    assert [(one.word, one.is_certain) for one in found] == [
        ("large", True),
        ("big", True),
        ("huge", False),
        ("enormous", False),
    ]


@given(
    st.lists(st.sampled_from((-1.0, -1.5, -2.0, -2.25, -3.0)), min_size=4, max_size=4),
    st.integers(1, 6),
    st.sampled_from((0.0, 0.25, 0.5, 9.0)),
)
def test_ties_and_guards_are_as_if_all_were_sorted(scores: list[float], proposals: int, guard: float) -> None:
    """Whoever is left unsorted would not have been named: first K, then all that are within the guard of the last."""
    others = ("big", "huge", "enormous", "old")
    row = log_probabilities(large=-1.75, **dict(zip(others, scores, strict=True)))
    found = propose(Vocabulary(TOKENS), GAP, row, proposals=proposals, guard=guard)
    ranked = sorted(others, key=lambda word: (-scores[others.index(word)], TOKENS.index(word)))
    kept = ranked[: proposals - 1]
    last = scores[others.index(kept[-1])] if kept else -math.inf
    doubtful = {word for word in ranked[proposals - 1 :] if scores[others.index(word)] > last - guard}
    assert {one.word for one in found} == {"large", *kept, *doubtful}


def test_a_stranger_has_no_agreement(vocabulary: Vocabulary) -> None:
    """For a word without grammar any proposable word will do, and it is not proposed itself."""
    row = log_probabilities(house=-1, big=-2)
    assert words(vocabulary, Gap("the ", "Xyzzy", "."), row, proposals=2) == ["house", "big"]


def test_opposites_are_never_proposed(vocabulary: Vocabulary) -> None:
    """An antonym fits grammar and context, and says the opposite."""
    row = log_probabilities(large=-1, small=-1.1, big=-4)
    assert "small" not in words(vocabulary, GAP, row, proposals=32)


def test_readers_verdicts_travel_with_a_candidate(vocabulary: Vocabulary) -> None:
    """Each its own; before readers are asked there are none."""
    silent = propose(vocabulary, GAP, log_probabilities(large=-1, big=-2), proposals=2, guard=0.0)
    assert all(one.acceptable == one.good == -math.inf for one in silent)
    found = judged(silent, np.array([[1.0, 0.5], [-1.0, -2.0]], np.float32))
    assert [(one.word, one.log_probability, one.acceptable, one.good) for one in found] == [
        ("large", -1.0, 1.0, 0.5),
        ("big", -2.0, -1.0, -2.0),
    ]


def test_pieces_of_the_word_are_not_proposed() -> None:
    """A model that reads a word in pieces would copy the first: "school" for "schoolhouse"."""
    tokens = ("school", "house", "hall", "building")
    gap = Gap("They met in the ", "schoolhouse", " at noon.")
    row = np.array([-0.1, -1.0, -2.0, -3.0], np.float32)
    assert words(Vocabulary(tokens), gap, row) == ["house", "hall", "building"]
    assert "school" in words(Vocabulary((*tokens, "schoolhouse")), gap, np.append(row, np.float32(-4.0)), proposals=9)
