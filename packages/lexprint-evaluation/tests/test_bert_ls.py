"""BERT-LS on the shipped masked LM: what it sees of a sentence, and how it ranks."""

import numpy as np
import pytest

from lexprint.models.protocols import Gap
from lexprint_evaluation.bert_ls import PROPOSAL_WEIGHT, BertLS
from lexprint_evaluation.datasets import Target
from lexprint_evaluation.swords import by_validation

HOUSE = Gap("They bought a ", "large", " house near the river.")


@pytest.fixture(scope="module")
def model() -> BertLS:
    return BertLS()


def columns(model: BertLS, *words: str) -> list[int]:
    return [model.vocabulary.index(word) for word in words]


def test_a_word_for_itself_changes_nothing(model: BertLS) -> None:
    """Every cosine is 1, so the score is all the attention that the word gets; no other word has more."""
    left, word, right = model._pieces(HOUSE)
    (before,) = model._represent([model._tokenizer.one([*left, *word, *right])])
    place = 1 + len(left)
    assert before.attention.sum(axis=1) == pytest.approx(np.ones(len(before.vectors)), abs=1e-5)
    own, *others = model.validate(HOUSE, columns(model, "large", "big", "green", "seven"))
    assert own == pytest.approx(before.attention[:, place].sum(), abs=1e-5)
    assert max(others) < own


def test_a_sentence_is_judged_by_itself(model: BertLS) -> None:
    """Those that run with it change nothing, and the number that runs together neither."""
    words = columns(model, "big", "huge", "green", *(["small"] * 20))
    together = model.validate(HOUSE, words)
    assert together[:3].tolist() == [model.validate(HOUSE, [word])[0] for word in words[:3]]
    assert len(set(together[3:].tolist())) == 1


def test_meaning_counts_more_than_probability(model: BertLS) -> None:
    """A hundredth of the proposal score is added, so a probable word that changes the sentence stays behind."""
    probabilities = np.zeros(len(model.vocabulary), np.float32)
    big, green = columns(model, "big", "green")
    assert model.rank(HOUSE, [green, big], probabilities) == [big, green]
    gain = np.diff(model.validate(HOUSE, [green, big]))[0]
    probabilities[green] = 1.1 * gain / PROPOSAL_WEIGHT
    assert model.rank(HOUSE, [green, big], probabilities) == [green, big]


def test_the_target_may_have_several_pieces(model: BertLS) -> None:
    """Tokens beside it are still compared each with itself."""
    gap = Gap("They bought a ", "humongous", " house near the river.")
    assert len(model._pieces(gap)[1]) > 1
    huge, seven = model.validate(gap, columns(model, "huge", "seven"))
    assert huge > seven


def test_proposals_are_seeded_words_without_the_target() -> None:
    """The same dropout each time, and dictionary forms, each once."""
    target = Target("They bought a large house near the river.", "large", 14, "ADJ", {}, {})
    ((first,), (second,)) = (by_validation(BertLS())([target]) for _ in range(2))
    assert first == second
    assert "big" in first[:3]
    assert "large" not in first
    assert len(set(first)) == len(first) > 30
