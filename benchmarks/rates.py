"""Words a second of analysing, marking and reading on this machine, and what the same work costs in other ways of asking.

    python -m benchmarks.rates [FILE] [--profiles lexprint,paper] [--without-literal]

*One question a call* is how the public implementation of ContextLS asks: each gap and each candidate is a call of its own; the work
is otherwise ours, and its results are compared with ours. *Literal* is Algorithm 2 of the paper as it is printed, which also asks
one question a call and remembers nothing (`tests/watermark/reference.py`); it ranks by SR, so it stands beside profile `paper`
alone, and does not analyse. To hand out a marked text one must know that it reads back, so marking is writing and reading.
All ways have the same models; loading them does not count. Some minutes on an idle machine; other work spoils the figures.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import TypeVar

import numpy as np
from tests.watermark.reference import Forgetful, Reference, apply_sites

from benchmarks.history import machine
from benchmarks.watermark import SEED, TEXT
from lexprint.engine import Engine
from lexprint.models.protocols import Assessment, Choose, Columns, Entailment, Floats, Gap, MaskedLM
from lexprint.settings import find_profile
from lexprint.text.segmentation import segment
from lexprint.watermark.embed import embed
from lexprint.workflows.analysing import analyse_document
from lexprint.workflows.marking import extract, scheme_of

VERBS: dict[str, Callable[[Engine, str], object]] = {
    "analyse": lambda engine, text: analyse_document(engine, text).sites,
    "mark": lambda engine, text: embed(segment(text), message_for(text), scheme_of(engine)).text,
    "read": lambda engine, text: extract(engine, text).bits,
}
PROFILES = {"lexprint": ("analyse", "mark", "read"), "paper": ("mark", "read")}
Question = TypeVar("Question")

WARM_UP = "The old road was narrow, and nobody had seen another one for a long time."


class OneByOne:
    """A masked LM that is asked about one gap, or one candidate, a call."""

    def __init__(self, model: MaskedLM) -> None:
        self._model = model
        self.fingerprint, self.vocabulary, self.fits = model.fingerprint, model.vocabulary, model.fits
        self.knows_readers = model.knows_readers

    def predict(self, gaps: Sequence[Gap]) -> Floats:
        return one_a_call(self._model.predict, gaps)

    def propose(self, gaps: Sequence[Gap]) -> Floats:
        return one_a_call(self._model.propose, gaps)

    def judge(self, questions: Sequence[tuple[Gap, Columns]]) -> list[Floats]:
        return [
            np.concatenate([np.empty((0, 2), np.float32), *(self._model.judge([(gap, [one])])[0] for one in columns)])
            for gap, columns in questions
        ]

    def judge_chosen(self, gaps: Sequence[Gap], choose: Choose) -> list[Floats]:
        chosen = [choose(number, row) for number, row in enumerate(self.propose(gaps))]
        return self.judge(list(zip(gaps, chosen, strict=True)))

    def assess(self, questions: Sequence[tuple[Gap, Columns]]) -> list[Assessment]:
        proposed = self.propose([gap for gap, _ in questions])
        return [Assessment(*both) for both in zip(proposed, self.judge(questions), strict=True)]

    def predict_blind(self, gaps: Sequence[Gap]) -> Floats:
        return one_a_call(self._model.predict_blind, gaps)


class PairByPair:
    """An entailment model that is asked about one pair a call."""

    def __init__(self, model: Entailment) -> None:
        self._model = model
        self.fingerprint, self.fits = model.fingerprint, model.fits

    def entails(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        return one_a_call(self._model.entails, pairs)


def one_a_call(ask: Callable[[Sequence[Question]], Floats], questions: Sequence[Question]) -> Floats:
    return np.concatenate([ask([one]) for one in questions]) if questions else ask([])


class PatientEngine(Engine):
    """The same models, one question a call."""

    def _load_masked_lm(self) -> MaskedLM:
        return OneByOne(Engine(settings=self.settings).masked_lm)

    def _load_entailment(self) -> Entailment:
        return PairByPair(Engine(settings=self.settings).entailment)


def message_for(text: str) -> list[int]:
    """Bits for every site there could be."""
    return Random(SEED).choices((0, 1), k=segment(text).word_count)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, default=TEXT)
    parser.add_argument("--profiles", default=",".join(PROFILES))
    parser.add_argument("--without-literal", action="store_true")
    options = parser.parse_args(arguments)
    text = options.file.read_text("utf-8")
    print(f"{segment(text).word_count} words; words a second, {machine()}\n")
    print("| profile | | lexprint | one question a call | literal | times as fast as one a call | as literal |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for profile in options.profiles.split(","):
        has_literal = profile == "paper" and not options.without_literal
        for cells in rows(profile, text, has_literal=has_literal):
            print(f"| {profile} | {' | '.join(cells)} |", flush=True)


def rows(profile: str, text: str, *, has_literal: bool) -> Iterator[list[str]]:
    """A verb, words a second in each way, and how many times as fast ours is as the others."""
    words = segment(text).word_count
    literal = literal_seconds(profile, text) if has_literal else {}
    for verb in PROFILES[profile]:
        ours, found = seconds(Engine, profile, verb, text)
        one_a_call, same = seconds(PatientEngine, profile, verb, text)
        if found != same:
            raise SystemExit(f"{profile}, {verb}: one question a call found something else")
        others = [one_a_call, *([literal[verb]] if has_literal else [])]
        rates = [f"{words / taken:.1f}" for taken in (ours, *others)]
        times = [f"{taken / ours:.1f}" for taken in others]
        missing = [] if has_literal else [""]
        yield [verb, *rates, *missing, *times, *missing]


def seconds(kind: type[Engine], profile: str, verb: str, text: str) -> tuple[float, object]:
    """What it takes, and what it finds; with an engine that knows nothing from before."""
    engine = kind(settings=find_profile(profile))
    VERBS[verb](engine, WARM_UP)  # models are loaded when they are first asked
    start = time.perf_counter()
    found = VERBS[verb](engine, text)
    return time.perf_counter() - start, found


def literal_seconds(profile: str, text: str) -> dict[str, float]:
    """Of marking, which is writing and reading back, and of reading."""
    engine, document = Engine(settings=find_profile(profile)), segment(text)
    substituter = Forgetful(engine.masked_lm, engine.entailment, engine.settings.substitution)
    reference = Reference(substituter, f=engine.settings.watermark.gap, settings=engine.settings.watermark)
    reference.embed(segment(WARM_UP), ())
    start = time.perf_counter()
    marked = segment(apply_sites(document, reference.embed(document, message_for(text))))
    written = time.perf_counter()
    reference.embed(marked, ())
    end = time.perf_counter()
    return {"mark": end - start, "read": end - written}


if __name__ == "__main__":
    main()
