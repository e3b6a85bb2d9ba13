"""One table of attacks: a title means the same everywhere."""

from collections import Counter
from random import Random

import pytest

from lexprint.errors import InputError
from lexprint_evaluation import attack_table
from lexprint_evaluation.attack_table import FAMILIES, Means, choose

TEXT = " ".join(f"The committee read report {number} slowly. Nobody spoke for a while." for number in range(30))
FREE = [name for name, family in FAMILIES.items() if family.need not in ("masked_lm", "scheme", "thesaurus")]


@pytest.mark.parametrize("experiment", ["ON_TRACING", "ON_PAYLOADS", "ON_EVERY_SCHEME", "ON_PRESENCE"])
def test_experiments_choose_from_the_table(experiment: str) -> None:
    """Whatever an experiment asks for is a name or a title of the table."""
    known = {title for name, family in FAMILIES.items() for title in (name, *family.titles(name))}
    assert set(getattr(attack_table, experiment)) <= known


def test_titles_are_unique_and_lead_back() -> None:
    """Every strength has a title of its own, by which it alone is found."""
    every = choose(FREE)
    assert len({one.title for one in every}) == len(every)
    for one in every:
        (found,) = [each for each in choose([one.title]) if each.title == one.title]
        assert found.run(TEXT, Random(1)) == one.run(TEXT, Random(1))


@pytest.mark.parametrize("name", [name for name in FREE if name != "insertion"])
def test_stronger_attacks_change_more(name: str) -> None:
    """The last strength leaves less of a text than the first; what is only added takes nothing away."""
    words = Counter(TEXT.split())
    left = [
        sum((words & Counter(one.run(TEXT, Random(seed)).split())).total() for seed in range(4))
        for one in choose([name], Means())
    ]
    assert len(left) == 1 or left[-1] < left[0]


def test_unknown_attacks_are_refused() -> None:
    """One sentence with all names."""
    with pytest.raises(InputError, match="no attack burning; needed: some of untouched, deletion"):
        choose(["burning"])


def test_attacks_that_need_models_say_so() -> None:
    """Without an engine there is no masked LM to ask."""
    with pytest.raises(ValueError, match="needs models"):
        choose(["marked again"])
