"""Algorithm 1, on fakes: proposals ranked by entailment, equal questions asked once."""

from pathlib import Path

import pytest

from lexprint.models.protocols import Gap
from lexprint.settings import SubstitutionSettings
from lexprint.substitution.answer_file import AnswerFile
from lexprint.substitution.substituter import Substituter
from lexprint.testing import FakeEntailment, FakeMaskedLM, fake_families


def gap(number: int = 0) -> Gap:
    return Gap("He saw the ", fake_families()[number][0], " of it.")


@pytest.fixture
def masked_lm() -> FakeMaskedLM:
    return FakeMaskedLM()


def substituter(masked_lm: FakeMaskedLM, *, settings: SubstitutionSettings | None = None) -> Substituter:
    return Substituter(masked_lm, FakeEntailment(), settings or SubstitutionSettings())


def test_ranked_by_entailment(masked_lm: FakeMaskedLM) -> None:
    """Best entailed first, the word itself among them, and the figures are those of the models."""
    ranked = substituter(masked_lm).substitutes([gap()])[0]
    assert [one.entailment for one in ranked] == sorted((one.entailment for one in ranked), reverse=True)
    assert gap().word in {one.word for one in ranked}
    expected = FakeEntailment().entails([(gap().text, gap().filled(ranked[0].word))])[0]
    assert ranked[0].entailment == pytest.approx(float(expected))


def test_many_gaps_are_answered_as_one(masked_lm: FakeMaskedLM) -> None:
    """A gap's answer does not depend on its company."""
    gaps = [gap(number) for number in range(6)]
    together = substituter(masked_lm).substitutes(gaps)
    assert together == [substituter(masked_lm).substitutes([one])[0] for one in gaps]


def test_equal_questions_are_asked_once(masked_lm: FakeMaskedLM) -> None:
    """The cache remembers proposals and entailments."""
    entailment = FakeEntailment()
    asked = Substituter(masked_lm, entailment, SubstitutionSettings())
    first = asked.substitutes([gap(), gap()])
    before = (masked_lm.inputs, entailment.inputs)
    assert asked.substitutes([gap()]) == first[:1]
    assert (masked_lm.inputs, entailment.inputs) == before


def test_symmetric_takes_the_weaker_direction(masked_lm: FakeMaskedLM) -> None:
    """Both directions must hold."""
    forward = substituter(masked_lm)
    both = substituter(masked_lm, settings=SubstitutionSettings(entailment_direction="symmetric"))
    word = fake_families()[0][1]
    there = forward.entailments([(gap(), word)])[0]
    back = forward.entailments([(Gap(gap().left, word, gap().right), gap().word)])[0]
    assert both.entailments([(gap(), word)])[0] == min(there, back)


def test_risk_set(masked_lm: FakeMaskedLM) -> None:
    """Compounds, function words and what the model does not know are never replaced."""
    judge = substituter(masked_lm)
    assert judge.may_be_replaced(gap())
    assert not judge.may_be_replaced(Gap("a-", gap().word, " b"))
    assert not judge.may_be_replaced(Gap("of ", "the", " b"))
    assert not judge.may_be_replaced(Gap("of ", "zzzz", " b"))
    assert not judge.may_be_replaced(Gap("of " * 500, gap().word, " b"))


def test_readers_may_have_a_say(masked_lm: FakeMaskedLM) -> None:
    """With a floor of acceptance, substitutes are ranked by it, the word itself first; SR itself stays what it was."""
    plain = substituter(masked_lm).substitutes([gap()])[0]
    asked = substituter(masked_lm, settings=SubstitutionSettings(acceptance_floor=0.5)).substitutes([gap()])[0]
    shares = [one.acceptance for one in asked if one.acceptance is not None]
    assert len(shares) == len(asked)
    assert shares == sorted(shares, reverse=True)
    assert asked[0].word == gap().word
    assert {one.word: one.entailment for one in asked} == {one.word: one.entailment for one in plain}


def test_an_exchange_weighs_the_same_from_either_word(masked_lm: FakeMaskedLM) -> None:
    """What the writer finds the reader finds, though the other word stands there."""
    judge = substituter(masked_lm, settings=SubstitutionSettings(acceptance_floor=0.1))
    checked = 0
    for there in judge.most_probable([gap()])[0]:
        turned = gap().with_word(there.word)
        back = [one for one in judge.most_probable([turned])[0] if one.word == gap().word]
        weighed = judge.weigh([(gap(), there), *((turned, one) for one in back)])
        if there.word != gap().word and None not in weighed:
            one, other = weighed
            assert one is not None
            assert other is not None
            assert (one.mutual, one.entailment, one.entailment_back) == (
                other.mutual,
                other.entailment_back,
                other.entailment,
            )
            checked += 1
    assert checked


def test_named_words_whatever_their_rank(masked_lm: FakeMaskedLM) -> None:
    """A word that is proposed is seen just as it is proposed; one that is not is seen too, and an unknown one is not."""
    asked = substituter(masked_lm, settings=SubstitutionSettings(proposals=3, acceptance_floor=0.1))
    proposed = {one.word: one for one in asked.most_probable([gap()])[0] if one.is_certain}
    ranked = {one.word for one in substituter(masked_lm).most_probable([gap()])[0]}
    unproposed = min(ranked - set(proposed))
    (found,) = asked.look_at([(gap(), [*proposed, unproposed, "the", "unheard"])])
    assert {word: found.candidates[word] for word in proposed} == proposed
    assert set(found.candidates) == {*proposed, unproposed, "the"}
    others = [one.word for one in asked.most_probable([gap()])[0] if one.word != gap().word]
    assert found.first == others[0]


def test_any_exchange_is_weighed(masked_lm: FakeMaskedLM) -> None:
    """Where both ways are proposed it is the same weight; elsewhere there is one too. Of an unknown word, only the way there counts."""
    asked = substituter(masked_lm, settings=SubstitutionSettings(acceptance_floor=0.9))
    exchanges = [(gap(), one) for one in asked.most_probable([gap()])[0]]
    weighed, all_weighed = asked.weigh(exchanges), asked.weigh_back(exchanges, asked.look_back(exchanges))
    assert None in weighed
    assert None not in all_weighed
    assert all(one in (None, other) for one, other in zip(weighed, all_weighed, strict=True))
    unknown = [(gap().with_word("unheard"), exchanges[0][1])]
    (alone,) = asked.weigh_back(unknown, asked.look_back(unknown))
    assert alone is not None
    assert alone.acceptance == alone.mutual


def test_what_matters_is_judged(masked_lm: FakeMaskedLM) -> None:
    """The same candidates with the same figures, nothing said of the others; who asks for more asks again, who needs less does not."""
    settings = SubstitutionSettings(acceptance_floor=0.5)
    asked, relative = substituter(masked_lm, settings=settings), fake_families()[0][1]
    (whole,) = substituter(masked_lm, settings=settings).most_probable([gap()])
    (part,) = asked.most_probable([gap()], matters=lambda word, other: (word, other) == (gap().word, relative))
    assert [one.word for one in part if one.is_judged] == [relative]
    assert all(one in whole for one in part if one.is_judged)
    assert [(one.word, one.log_probability, one.is_certain) for one in part] == [
        (one.word, one.log_probability, one.is_certain) for one in whole
    ]
    assert asked.most_probable([gap()]) == [whole]
    before = masked_lm.inputs
    assert asked.most_probable([gap()], matters=lambda word, other: other == relative) == [whole]
    assert masked_lm.inputs == before


def test_a_file_learns_what_matters_later(masked_lm: FakeMaskedLM, tmp_path: Path) -> None:
    """What was kept when less mattered is judged, and kept, when more does."""
    settings = SubstitutionSettings(acceptance_floor=0.5)

    def fresh() -> Substituter:
        answers = AnswerFile(tmp_path / "answers", fingerprint="fakes")
        return Substituter(masked_lm, FakeEntailment(), settings, answers=answers)

    fresh().most_probable([gap()], matters=lambda word, other: False)
    assert fresh().most_probable([gap()]) == substituter(masked_lm, settings=settings).most_probable([gap()])
    before = masked_lm.inputs
    fresh().most_probable([gap()])
    assert masked_lm.inputs == before
