"""Fits the numbers of the acceptance formula to judgements that no model was trained on.

A good word counts as accepted, a so-so one as accepted by three readers in four, as people do who judge the same words.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import judgements
from judgements import GOOD, SO_SO, Judged
from lexprint import Engine
from lexprint.models.protocols import Gap
from lexprint.substitution.acceptance import NUMBERS, stretched
from lexprint.substitution.exclusions import FUNCTION_WORDS
from lexprint.substitution.function_words import partners

ACCEPTED = {GOOD: 1.0, SO_SO: 0.75, 0: 0.0}
RIDGE = 1.0
REACH = 1.5
BLOCK = 64
FIRST_LOOK = ("acceptable", "good", "log_probability", "function_word")
PAIR = ("there", "least", "entailment")
Matrix = NDArray[np.float64]


def looks(engine: Engine, exchanges: Sequence[tuple[Gap, str]]) -> Matrix:
    """(acceptable, good, log P, whether it is a function word) of each word in its gap: (exchanges, 4)."""
    wanted: dict[Gap, dict[str, int]] = {}
    columns = {token: column for column, token in enumerate(engine.masked_lm.vocabulary)}
    for gap, word in exchanges:
        wanted.setdefault(gap, {})[word] = columns[word]
    found: dict[tuple[Gap, str], tuple[float, float, float]] = {}
    questions = [(gap, list(words.values())) for gap, words in wanted.items()]
    for start in range(0, len(questions), BLOCK):
        block = questions[start : start + BLOCK]
        for (gap, asked), said in zip(block, engine.masked_lm.assess(block), strict=True):
            for word, column, (acceptable, good) in zip(wanted[gap], asked, said.verdicts, strict=True):
                found[gap, word] = (float(acceptable), float(good), float(said.log_probabilities[column]))
    return np.array([(*found[exchange], exchange[1] in FUNCTION_WORDS) for exchange in exchanges], dtype=np.float64)


def features(engine: Engine, exchanges: Sequence[tuple[Gap, str]]) -> tuple[Matrix, Matrix, Matrix]:
    """Looks there and back (exchanges, 4), and the lesser SR of both ways, stretched (exchanges, 1)."""
    there = looks(engine, exchanges)
    back = looks(engine, [(gap.with_word(word), gap.word) for gap, word in exchanges])
    texts = [(gap.text, gap.filled(word)) for gap, word in exchanges]
    ways = [engine.entailment.entails(texts), engine.entailment.entails([pair[::-1] for pair in texts])]
    least = np.array([[stretched(float(min(both)))] for both in zip(*ways, strict=True)])
    return there, back, least


def fit(values: Matrix, accepted: NDArray[np.float64]) -> NDArray[np.float64]:
    """Constant and coefficients of a logistic regression with a light ridge, by Newton's method."""
    centre, spread = values.mean(0), values.std(0) + 1e-9
    design = np.hstack([np.ones((len(values), 1)), (values - centre) / spread])
    numbers = np.zeros(design.shape[1])
    penalty = np.diag([0.0, *[RIDGE] * values.shape[1]])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-design @ numbers))
        slope = design.T @ (accepted - chance) - penalty @ numbers
        bend = (design * (chance * (1 - chance))[:, None]).T @ design + penalty
        numbers += np.linalg.solve(bend, slope)
    scaled = numbers[1:] / spread
    return np.array([numbers[0] - scaled @ centre, *scaled])


def exchanges_of(rows: Sequence[Judged], vocabulary: Sequence[str]) -> tuple[list[tuple[Gap, str]], NDArray[np.int64]]:
    """Exchanges that the package may propose: function words stand for their partners only."""
    known = frozenset(vocabulary)
    found = [
        ((row.gap, word), verdict)
        for row in rows
        if row.gap.word in known
        for word, verdict in row.verdicts.items()
        if word in known and _may_be_proposed(row.gap.word, word)
    ]
    return [exchange for exchange, _ in found], np.array([verdict for _, verdict in found])


def _may_be_proposed(word: str, candidate: str) -> bool:
    return candidate in partners().get(word, ()) or not {word, candidate} & FUNCTION_WORDS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("judgements", type=Path, nargs="+")
    parser.add_argument("--output", type=Path, default=NUMBERS)
    options = parser.parse_args()
    engine = Engine()
    rows = list(judgements.read(options.judgements))
    exchanges, verdicts = exchanges_of(rows, engine.masked_lm.vocabulary)
    there, back, entailed = features(engine, exchanges)
    accepted = np.array([ACCEPTED[int(verdict)] for verdict in verdicts])
    first = fit(there, accepted)
    one, other = (first[0] + look @ first[1:] for look in (there, back))
    both = fit(np.column_stack([one, np.minimum(one, other), entailed[:, 0]]), accepted)
    numbers = {
        "edition": json.loads(NUMBERS.read_text("utf-8"))["edition"],  # raised by hand when code moves a mark
        "first_look": {"constant": round(first[0], 4), **_named(FIRST_LOOK, first[1:])},
        "pair": {"constant": round(both[0], 4), **_named(PAIR, both[1:])},
        "reach": REACH,
    }
    options.output.write_text(json.dumps(numbers, indent=2) + "\n", "utf-8")
    print(json.dumps(numbers, indent=2))


def _named(names: Sequence[str], values: NDArray[np.float64]) -> dict[str, float]:
    return {name: round(float(value), 4) for name, value in zip(names, values, strict=True)}


if __name__ == "__main__":
    main()
