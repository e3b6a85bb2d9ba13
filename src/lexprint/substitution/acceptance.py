"""The share of readers that would accept an exchange of two words in their sentence: one number for marks and copies alike.

It is a logistic formula of what the masked LM says of readers and of probability, both ways, and of SR, the lesser of both ways; its
numbers were fitted to judgements (`training/acceptance.py`) and lie in `acceptance.json`. Only additions, multiplications,
divisions and square roots are used before comparing, which give the same bits on every processor.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from math import exp, log, sqrt
from pathlib import Path

from lexprint.substitution.candidates import Candidate
from lexprint.substitution.exclusions import FUNCTION_WORDS

NUMBERS = Path(__file__).with_name("acceptance.json")
SMALLEST_CHANCE = 0.02  # SR of 0 or 1 is not taken for more certain than this


@dataclass(frozen=True, slots=True)
class Formula:
    """The fitted numbers."""

    first_look: Mapping[str, float]  # of one word alone, before the other way and SR are asked
    pair: Mapping[str, float]
    reach: float  # a first look may be so much lower than what is asked of the pair


@cache
def formula() -> Formula:
    numbers = json.loads(NUMBERS.read_text("utf-8"))
    return Formula(numbers["first_look"], numbers["pair"], numbers["reach"])


@cache
def acceptance_digest() -> str:
    return sha256(NUMBERS.read_bytes()).hexdigest()


def first_look(one: Candidate) -> float:
    """Logit that readers accept the candidate, from the one pass that proposed it."""
    numbers = formula().first_look
    return (
        numbers["constant"]
        + numbers["acceptable"] * one.acceptable
        + numbers["good"] * one.good
        + numbers["log_probability"] * one.log_probability
        + (numbers["function_word"] if one.word in FUNCTION_WORDS else 0.0)
    )


def acceptance(there: Candidate, back: Candidate, *, entailment: float) -> float:
    """Logit that readers accept the exchange; `back` is the word as a candidate for the other's place, SR the lesser of both."""
    return _of_pair(first_look(there), first_look(back), entailment)


def mutual_acceptance(one: Candidate, other: Candidate, *, entailment: float) -> float:
    """The lesser of both ways: the same from either word, so that a reader of the mark finds what its writer found."""
    least = min(first_look(one), first_look(other))
    return _of_pair(least, least, entailment)


def _of_pair(there: float, back: float, entailment: float) -> float:
    numbers = formula().pair
    return (
        numbers["constant"]
        + numbers["there"] * there
        + numbers["least"] * min(there, back)
        + numbers["entailment"] * stretched(entailment)
    )


def stretched(probability: float) -> float:
    """Much like a logit, without its logarithm.

    >>> round(stretched(0.5), 3), round(stretched(0.95), 3), round(stretched(1.0), 3)
    (0.0, 3.454, 7.001)
    """
    high, low = probability + SMALLEST_CHANCE, 1.0 - probability + SMALLEST_CHANCE
    return (2.0 * probability - 1.0) / sqrt(high * low)


def share_of(logit: float) -> float:
    """As a share of readers, to be shown; decisions compare logits."""
    return 1.0 / (1.0 + exp(-logit)) if logit > -700.0 else 0.0


def logit_of(share: float) -> float:
    return round(log(share / (1.0 - share)), 9)  # the last digits of a logarithm differ between machines
