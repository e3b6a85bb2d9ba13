"""What may stand in for a word, as its user is told."""

from __future__ import annotations

import pytest

from lexprint import Engine
from lexprint.errors import InputError
from lexprint.settings import find_profile
from lexprint.substitution.facts import may_be_exchanged
from lexprint.workflows import find_substitutes

SENTENCE = "The engineers who remain in the team will finish the bridge."


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(threads=1)


def test_no_substitute_changes_a_fact(engine: Engine) -> None:
    """What marks and copies never do is not offered either."""
    offered = [one.word for one in find_substitutes(engine, SENTENCE, word="remain").substitutes]
    assert offered
    assert all(may_be_exchanged("remain", word) for word in offered)


def test_words_that_state_a_fact_have_none(engine: Engine) -> None:
    """A word of the fixed list is refused, and the message says why."""
    with pytest.raises(InputError, match="states a fact"):
        find_substitutes(engine, "The jury convicted the driver after a week.", word="convicted")


def test_the_paper_knows_no_facts(engine: Engine) -> None:
    """Profile `paper` ranks what Algorithm 1 ranks."""
    literal = engine.with_settings(find_profile("paper"))
    offered = [one.word for one in find_substitutes(literal, SENTENCE, word="remain").substitutes]
    assert not all(may_be_exchanged("remain", word) for word in offered)
