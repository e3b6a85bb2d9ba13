"""Pairs that no reader would take for synonyms."""

import pytest

from lexprint.watermark.false_friends import are_false_friends, have_opposite_roles, is_half_of_expression


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("told", "said"),
        ("received", "provided"),
        ("looked", "seemed"),
        ("entered", "arrived"),
        ("similar", "different"),
        ("rain", "rainfall"),
        ("paper", "newspaper"),
        ("central", "centre"),
        ("visit", "visitor"),
        ("effects", "affects"),
    ],
)
def test_false_friends_in_any_order(one: str, other: str) -> None:
    """Another frame, the opposite role, a relative or a near misspelling; which comes first does not matter."""
    assert are_false_friends(one, other)
    assert are_false_friends(other, one)


@pytest.mark.parametrize(
    ("one", "other"), [("large", "big"), ("began", "started"), ("speak", "talk"), ("decrease", "decline")]
)
def test_true_friends(one: str, other: str) -> None:
    """Synonyms are left alone."""
    assert not are_false_friends(one, other)


@pytest.mark.parametrize(
    ("one", "other"), [("landlord", "tenant"), ("employees", "employer"), ("adult", "childhood"), ("buyer", "vendors")]
)
def test_opposite_roles(one: str, other: str) -> None:
    """Both sides of a contract are not to be mistaken, in any form and order; whom one name stands for may have another."""
    assert have_opposite_roles(one, other)
    assert have_opposite_roles(other, one)
    assert not have_opposite_roles(one, one)


def test_expressions() -> None:
    """A verb and its particle are one; a noun and its preposition are not, nor a verb before anything else."""
    assert is_half_of_expression("sets", before="note", after="out")
    assert is_half_of_expression("worked", before="have", after="for")
    assert not is_half_of_expression("chance", before="realistic", after="of")
    assert not is_half_of_expression("value", before="the", after="of")
    assert not is_half_of_expression("sets", before="note", after="the")
