"""The shipped NLI model knows a synonym from an antonym."""

import pytest

from lexprint.models.entailment import OnnxEntailment
from lexprint.models.weights import shipped_model


@pytest.fixture(scope="module")
def entailment() -> OnnxEntailment:
    return OnnxEntailment(shipped_model("entailment"))


@pytest.mark.parametrize(
    ("sentence", "word", "better", "worse"),
    [
        ("They bought a large house.", "large", "big", "small"),
        ("It was a difficult question.", "difficult", "hard", "simple"),
        ("The answer was brief.", "brief", "short", "long"),
        ("He was glad to see them.", "glad", "happy", "sad"),
    ],
)
def test_synonyms_rank_above_antonyms(
    entailment: OnnxEntailment, sentence: str, word: str, better: str, worse: str
) -> None:
    """A sentence entails itself with a synonym rather than with the opposite."""
    good, bad = entailment.entails([(sentence, sentence.replace(word, other)) for other in (better, worse)])
    assert good > 0.5
    assert good > bad


def test_a_sentence_entails_itself(entailment: OnnxEntailment) -> None:
    """Nothing changed, nothing lost."""
    sentence = "The committee postponed its decision until the autumn."
    assert entailment.entails([(sentence, sentence)])[0] > 0.95


def test_classes_are_a_distribution(entailment: OnnxEntailment) -> None:
    """Three probabilities that sum to one; no pairs, no rows."""
    assert entailment.classify([]).shape == (0, 3)
    assert sum(2.718281828 ** entailment.classify([("A man sleeps.", "A man is awake.")])[0]) == pytest.approx(
        1, abs=1e-4
    )


def test_long_pairs_do_not_fit(entailment: OnnxEntailment) -> None:
    """What exceeds the model's positions is refused beforehand."""
    assert entailment.fits("A man sleeps.")
    assert not entailment.fits("word " * 300)
