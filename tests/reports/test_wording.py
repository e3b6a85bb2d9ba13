"""Words of a report: chances that are never understated, and a method that fits how the copies were made."""

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given, strategies as st
from tests.reports.reports import nothing_found, report_of

from lexprint.reports.wording import chance_in_words, explanation, headline, method

SIZES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}


@pytest.mark.parametrize(
    ("probability", "words"),
    [
        ("1", "more than 1 in 2"),
        ("0.5", "at most 1 in 2"),
        ("0.3", "less than 1 in 3"),
        ("0.0004", "at most 1 in 2,500"),
        ("1E-6", "at most 1 in 1 million"),
        ("2.5E-11", "at most 1 in 40 billion"),
        ("2.49E-11", "less than 1 in 40 billion"),
        ("7.7E-13", "less than 1 in 1.2 trillion"),
        ("1E-15", "at most 1 in 1000 trillion"),
        ("9.99E-16", "less than 1 in a million billion"),
        ("1E-300", "less than 1 in a million billion"),
    ],
)
def test_chances(probability: str, words: str) -> None:
    """Two digits, rounded to the cautious side."""
    assert chance_in_words(Decimal(probability)) == words


@given(st.decimals(Decimal("1E-15"), Decimal("0.5")).filter(bool))
def test_chances_are_never_understated(probability: Decimal) -> None:
    """What is said is at least what it is, and not ten per cent more."""
    relation, _, rest = chance_in_words(probability).partition(" 1 in ")
    amount, _, size = rest.partition(" ")
    stated = 1 / (Decimal(amount.replace(",", "")) * SIZES.get(size, 1))
    assert probability <= stated
    assert relation == "at most" or probability < stated
    assert stated <= probability * 2


def test_a_verdict_is_as_weak_as_its_weakest_accusation() -> None:
    """The larger chance of error is the one in the headline."""
    report = report_of(recipients=("Ann", "Ben"), verdict="several copies")
    sure, unsure = (
        replace(copy, family_p_value=Decimal(text))
        for copy, text in zip(report.accused, ("1E-12", "1E-7"), strict=True)
    )
    assert "at most 1 in 10 million" in explanation(replace(report, accused=(sure, unsure)))


def test_headlines_list_all_copies() -> None:
    """With commas, and 'and' before the last."""
    report = report_of(recipients=("A", "B", "C"), verdict="several copies")
    assert headline(report).endswith("copies 17, 18 and 19")


def test_the_method_is_that_of_the_document() -> None:
    """Fair coins, a Tardos code or blind marks; nothing where there was no document."""
    report = report_of()
    assert report.document is not None
    texts = [
        " ".join(
            text for _, text in method(replace(report, document=replace(report.document, code=code, issuing=issuing)))
        )
        for code, issuing in (("independent", "registered"), ("tardos", "registered"), ("independent", "blind"))
    ]
    fair, tardos, blind = texts
    assert "fair coin" in fair
    assert "binomial" in fair
    assert "Tardos" in tardos
    assert "binomial" not in tardos
    assert "a random number that belongs to the copy" in blind
    assert "binomial" not in blind
    assert method(nothing_found()) == []
    (calculated,) = [text for title, text in method(replace(report, documents=3)) if "calculated" in title]
    assert "all 3 documents" in calculated
    for text in texts:
        assert "300 copies" in text
        assert "documents" not in text
        assert "at most 1 in 1 million" in text
