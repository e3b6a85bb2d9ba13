"""The formula of acceptance: fitted numbers, the same from either word, monotonic where it should be."""

from hypothesis import given, strategies as st

from lexprint.substitution.acceptance import acceptance, first_look, logit_of, mutual_acceptance, share_of, stretched
from lexprint.substitution.candidates import Candidate

candidates = st.builds(
    Candidate,
    word=st.just("word"),
    log_probability=st.floats(-20, 0),
    is_certain=st.just(True),
    acceptable=st.floats(-10, 10),
    good=st.floats(-10, 10),
)
chances = st.floats(0, 1)


@given(candidates, candidates, chances)
def test_both_words_say_the_same(one: Candidate, other: Candidate, entailment: float) -> None:
    """To the last bit: a mark is found by either of its words; and neither way is better than that."""
    mutual = mutual_acceptance(one, other, entailment=entailment)
    assert mutual == mutual_acceptance(other, one, entailment=entailment)
    assert mutual <= acceptance(one, other, entailment=entailment)


@given(candidates, st.floats(0.1, 5))
def test_what_readers_accept_looks_better(one: Candidate, more: float) -> None:
    """A first look rises with what the masked LM says of readers."""
    better = Candidate(one.word, one.log_probability, acceptable=one.acceptable + more, good=one.good + more)
    assert first_look(better) > first_look(one)


@given(chances, chances)
def test_stretching_keeps_the_order(one: float, other: float) -> None:
    """As a logit would, and it is odd around one half."""
    assert (one <= other) == (stretched(one) <= stretched(other)) or abs(one - other) < 1e-12
    assert abs(stretched(one) + stretched(1 - one)) < 1e-9


@given(st.floats(0.01, 0.99))
def test_shares_and_logits_are_each_others_inverse(share: float) -> None:
    """What is shown is what was asked."""
    assert abs(share_of(logit_of(share)) - share) < 1e-8
