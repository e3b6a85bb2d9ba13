"""The public fakes."""

import numpy as np
import pytest

from lexprint.models.protocols import Entailment, Gap, MaskedLM, SentenceEncoder
from lexprint.settings import SubstitutionSettings
from lexprint.substitution.exclusions import may_be_replaced
from lexprint.substitution.lexicon import agree, is_form_of_same_word
from lexprint.substitution.substituter import Substituter
from lexprint.testing import FakeEntailment, FakeMaskedLM, FakeSentenceEncoder, fake_families, fake_text
from lexprint.text.segmentation import segment

GAPS = [Gap("the ", word, f" {follower}") for word in fake_families()[0] for follower in ("of", "in", "and")]
PAIRS = [(gap.text, gap.filled(word)) for gap in GAPS for word in fake_families()[0]]


def test_fakes_are_what_the_protocols_ask() -> None:
    """A type checker and a run agree that they may stand in for models."""
    masked_lm: MaskedLM = FakeMaskedLM()
    entailment: Entailment = FakeEntailment()
    encoder: SentenceEncoder = FakeSentenceEncoder()
    assert masked_lm.fits(GAPS[0])
    assert entailment.fits(PAIRS[0][0])
    assert len({masked_lm.fingerprint, entailment.fingerprint, encoder.fingerprint}) == 3


def test_families_can_be_exchanged() -> None:
    """Members may be replaced, agree in grammar and are not forms of each other."""
    for family in fake_families():
        assert all(map(may_be_replaced, family))
        for other in family[1:]:
            assert agree(family[0], other)
            assert not is_form_of_same_word(family[0], other)


def test_predictions_are_log_probabilities() -> None:
    """Each row sums to one, with one column for each word of the vocabulary."""
    masked_lm = FakeMaskedLM()
    for rows in (masked_lm.predict(GAPS), masked_lm.predict_blind(GAPS)):
        assert rows.shape == (len(GAPS), len(masked_lm.vocabulary))
        assert np.exp(rows).sum(axis=1) == pytest.approx(1.0, abs=1e-5)
    assert masked_lm.predict([]).shape == (0, len(masked_lm.vocabulary))


def test_answers_depend_on_their_own_question_only() -> None:
    """One by one, all at once, backwards or from another instance: bit for bit the same."""
    masked_lm, entailment, encoder = FakeMaskedLM(), FakeEntailment(), FakeSentenceEncoder()
    assert np.array_equal(masked_lm.predict(GAPS), FakeMaskedLM().predict(GAPS[::-1])[::-1])
    assert np.array_equal(masked_lm.predict(GAPS), np.concatenate([masked_lm.predict([gap]) for gap in GAPS]))
    assert np.array_equal(entailment.entails(PAIRS), FakeEntailment().entails(PAIRS[::-1])[::-1])
    texts = [gap.text for gap in GAPS]
    assert np.array_equal(encoder.encode(texts), FakeSentenceEncoder().encode(texts[::-1])[::-1])


def test_blind_predictions_do_not_see_the_word() -> None:
    """Gaps that differ in their word alone get the same blind prediction, and another one when it is read."""
    masked_lm = FakeMaskedLM()
    gaps = [Gap("the ", word, " of") for word in fake_families()[0]]
    blind = masked_lm.predict_blind(gaps)
    assert np.array_equal(blind[0], blind[1])
    assert not np.array_equal(masked_lm.predict(gaps)[0], masked_lm.predict(gaps)[1])


def test_keys_change_opinions() -> None:
    """Two keys are two models."""
    assert not np.array_equal(FakeMaskedLM().predict(GAPS), FakeMaskedLM(key="other").predict(GAPS))
    assert not np.array_equal(FakeEntailment().entails(PAIRS), FakeEntailment(key="other").entails(PAIRS))


def test_calls_and_inputs_are_counted() -> None:
    """An empty question is no call."""
    masked_lm, entailment, encoder = FakeMaskedLM(), FakeEntailment(), FakeSentenceEncoder()
    masked_lm.predict(GAPS)
    masked_lm.predict_blind(GAPS[:2])
    masked_lm.predict([])
    entailment.entails(PAIRS)
    entailment.entails([])
    encoder.encode(["one", "two"])
    assert (masked_lm.calls, masked_lm.inputs) == (2, len(GAPS) + 2)
    assert (entailment.calls, entailment.inputs) == (1, len(PAIRS))
    assert (encoder.calls, encoder.inputs) == (1, 2)


def test_entailment_falls_on_both_sides_of_the_floor() -> None:
    """Of exchanges within a family some pass and some do not; what is unchanged mostly passes."""
    words = [word for family in fake_families() for word in family]
    same = FakeEntailment().entails([(f"the {word} of", f"the {word} of") for word in words])
    kin = FakeEntailment().entails([(f"the {a} of", f"the {b} of") for a, b, _ in fake_families()])
    other = FakeEntailment().entails([(f"the {word} of", f"the {words[0]} of") for word in words[3:]])
    assert (same > 0.95).mean() > 0.9
    assert 0.1 < (kin > 0.95).mean() < 0.6
    assert (other > 0.95).mean() < 0.1
    for answers in (same, kin, other):
        assert answers.min() >= 0.0
        assert answers.max() <= 1.0


def test_vectors_are_unit_and_close_within_a_family() -> None:
    """An exchange within a family moves a sentence less than one with a stranger."""
    one, other, _ = fake_families()[0]
    stranger = fake_families()[1][0]
    vectors = FakeSentenceEncoder().encode([f"the {word} of his" for word in (one, other, stranger)] + [""])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]


def test_substitutes_come_from_the_family_first() -> None:
    """Through the substituter the fakes look like models: most relatives are proposed, most strangers are not."""
    substituter = Substituter(FakeMaskedLM(), FakeEntailment(), SubstitutionSettings(proposals=8))
    families = fake_families()
    proposed = substituter.most_probable([Gap("in the ", word, " of") for word, *_ in families])
    found = [len(set(family) & {one.word for one in some}) for family, some in zip(families, proposed, strict=True)]
    assert sum(found) > 0.8 * sum(map(len, families))


def test_texts_are_reproducible_and_of_the_asked_length() -> None:
    """The same seed gives the same text."""
    assert fake_text(words=500, seed=1) == fake_text(words=500, seed=1) != fake_text(words=500, seed=2)
    assert 450 <= segment(fake_text(words=500)).word_count <= 600
