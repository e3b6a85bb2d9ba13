"""The paper's metrics."""

import pytest

from lexprint.testing import FakeEntailment, FakeSentenceEncoder, fake_families
from lexprint_evaluation.metrics import Means, bit_errors, entailment_means, mean_of, share, similarity_means


def test_missing_and_surplus_bits_are_errors() -> None:
    """A reading that slides or ends early is not forgiven."""
    assert bit_errors((1, 0, 1), (1, 0, 1)) == 0
    assert bit_errors((1, 0, 1), (1, 1)) == 2
    assert bit_errors((), (1, 1)) == 2


def test_means_know_what_changed() -> None:
    """Unchanged sentences count in the mean over all only."""
    first, second, _ = fake_families()[0]
    pairs = [(f"the {first} was", f"the {second} was"), ("the same", "the same")]
    entailment, encoder = FakeEntailment(), FakeSentenceEncoder()
    figures = [float(figure) for figure in entailment.entails(pairs)]
    found = entailment_means(entailment, pairs)
    assert found.changed == figures[0]
    assert found.all == pytest.approx(sum(figures) / 2)
    similarity = similarity_means(encoder, pairs)
    assert similarity.changed is not None
    assert 0 < similarity.changed < 1
    assert similarity.all == pytest.approx((similarity.changed + 1) / 2)


def test_nothing_has_no_mean() -> None:
    """An absent figure is absent, not zero."""
    assert entailment_means(FakeEntailment(), []) == Means(None, None)
    assert similarity_means(FakeSentenceEncoder(), []) == Means(None, None)
    assert share(0, 0) is None
    assert mean_of([Means(None, 0.5), Means(0.2, 1.0)]) == Means(0.2, 0.75)


def test_what_does_not_fit_is_left_out() -> None:
    """A sentence too long for the model has no SR."""
    assert entailment_means(FakeEntailment(longest=4), [("a b c d e f", "a b c d e f")]) == Means(None, None)
