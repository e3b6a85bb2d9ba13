"""Attacks: seeded, and each does what its name says."""

from __future__ import annotations

from collections import Counter
from functools import partial
from random import Random

import pytest

from lexprint.evaluation import attacks
from lexprint.evaluation.attacks import ATTACKS

TEXT = " ".join(f"The committee read report {number} slowly. Nobody spoke for a while." for number in range(60))


@pytest.mark.parametrize("name", ATTACKS)
def test_same_seed_same_leak(name: str) -> None:
    """An attack is a function of text and seed."""
    assert ATTACKS[name](TEXT, Random(3)) == ATTACKS[name](TEXT, Random(3))


@pytest.mark.parametrize("name", ATTACKS)
def test_empty_text(name: str) -> None:
    """Nothing can be done to nothing."""
    assert ATTACKS[name]("", Random(1)) == ""


def test_share_of_deleted_words() -> None:
    """About as many words vanish as were asked for, and no others appear."""
    left = attacks.delete_words(TEXT, Random(1), share=0.1)
    assert 0.05 < 1 - len(left.split()) / len(TEXT.split()) < 0.15
    assert not Counter(left.replace(".", "").split()) - Counter(TEXT.replace(".", "").split())


def test_substitution_keeps_the_number_of_words() -> None:
    """Words give way to other words, one for one."""
    changed = attacks.substitute_words(TEXT, Random(1), share=0.3).split()
    differing = sum(one != other for one, other in zip(TEXT.split(), changed, strict=True))
    assert 0.2 < differing / len(changed) < 0.4


def test_shuffling_keeps_every_sentence() -> None:
    """The same sentences in another order."""
    shuffled = attacks.shuffle_sentences(TEXT, Random(1))
    assert shuffled != TEXT
    assert sorted(shuffled.replace(".", "").split()) == sorted(TEXT.replace(".", "").split())


def test_excerpt_is_part_of_the_text() -> None:
    """So many words in a row."""
    part = attacks.excerpt(TEXT, Random(1), words=40)
    assert part in TEXT
    assert len(part.split()) == 40


def test_buried_text_is_whole() -> None:
    """The other text goes on after it."""
    buried = attacks.bury(TEXT, Random(1), other="One two three.")
    assert TEXT in buried
    assert set(buried.replace(TEXT, "").split()) == {"One", "two", "three."}


def test_attacks_in_turn() -> None:
    """The second attack sees what the first one left."""
    both = attacks.in_turn(partial(attacks.excerpt, words=10), attacks.lose_case_and_punctuation)
    assert len(both(TEXT, Random(1)).split()) == 10
    assert both(TEXT, Random(1)).islower()
