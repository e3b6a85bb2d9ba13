"""Marking and reading against the literal Algorithm 2, in the same run, and how cost grows with the text.

The literal algorithm asks one question at a time and remembers nothing. To hand out a marked text one must know that it
reads back, so what `embed` does is compared with writing and reading; reading alone is compared with reading.
"""

from __future__ import annotations

import multiprocessing
import resource
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.watermark.reference import Forgetful, Reference, apply_sites

from lexprint.engine import Engine
from lexprint.errors import ModelError
from lexprint.models.protocols import Assessment, Choose, Columns, Entailment, Floats, Gap, MaskedLM
from lexprint.settings import Settings, find_profile
from lexprint.substitution.substituter import Substituter
from lexprint.testing import FakeEntailment, FakeMaskedLM, fake_text
from lexprint.text.document import Document
from lexprint.text.segmentation import segment
from lexprint.watermark.embed import embed
from lexprint.watermark.extract import extract
from lexprint.watermark.scheme import Scheme, paper_scheme

FAKE_WORDS = 1_000
GROWTH = (1_000, 10_000, 50_000, 100_000)
SEED = 1

TEXT = Path(__file__).with_name("paper.txt")


class CountedMaskedLM:
    """A masked LM that counts the gaps it is asked about."""

    def __init__(self, model: MaskedLM) -> None:
        self._model, self.inputs = model, 0
        self.fingerprint, self.vocabulary, self.fits = model.fingerprint, model.vocabulary, model.fits
        self.knows_readers = model.knows_readers

    def predict(self, gaps: Sequence[Gap]) -> Floats:
        self.inputs += len(gaps)
        return self._model.predict(gaps)

    def propose(self, gaps: Sequence[Gap]) -> Floats:
        self.inputs += len(gaps)
        return self._model.propose(gaps)

    def judge(self, questions: Sequence[tuple[Gap, Columns]]) -> list[Floats]:
        self.inputs += len(questions)
        return self._model.judge(questions)

    def judge_chosen(self, gaps: Sequence[Gap], choose: Choose) -> list[Floats]:
        self.inputs += len(gaps)
        return self._model.judge_chosen(gaps, choose)

    def assess(self, questions: Sequence[tuple[Gap, Columns]]) -> list[Assessment]:
        self.inputs += len(questions)
        return self._model.assess(questions)

    def predict_blind(self, gaps: Sequence[Gap]) -> Floats:
        self.inputs += len(gaps)
        return self._model.predict_blind(gaps)


class CountedEntailment:
    """An entailment model that counts the pairs it is asked about."""

    def __init__(self, model: Entailment) -> None:
        self._model, self.inputs = model, 0
        self.fingerprint, self.fits = model.fingerprint, model.fits

    def entails(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        self.inputs += len(pairs)
        return self._model.entails(pairs)


@dataclass(frozen=True)
class Cost:
    """What one way of doing it took."""

    masked_lm: int
    entailments: int
    seconds: float


@dataclass(frozen=True)
class Models:
    """Two models under the eyes of a counter."""

    masked_lm: CountedMaskedLM
    entailment: CountedEntailment
    settings: Settings

    def scheme(self) -> Scheme:
        substituter = Substituter(self.masked_lm, self.entailment, self.settings.substitution)
        return paper_scheme(substituter, fingerprint="benchmark", settings=self.settings.watermark)

    def reference(self) -> Reference:
        substituter = Forgetful(self.masked_lm, self.entailment, self.settings.substitution)
        return Reference(substituter, f=self.settings.watermark.gap, settings=self.settings.watermark)

    def cost_of(self, work: Callable[[], object]) -> Cost:
        before = self.masked_lm.inputs, self.entailment.inputs
        start = time.perf_counter()
        work()
        seconds = time.perf_counter() - start
        return Cost(self.masked_lm.inputs - before[0], self.entailment.inputs - before[1], seconds)


def main() -> dict[str, float]:
    """Print all tables; gives what the history keeps."""
    fakes = Models(CountedMaskedLM(FakeMaskedLM()), CountedEntailment(FakeEntailment()), Settings())
    compare("fakes", segment(fake_text(words=FAKE_WORDS, seed=SEED)), fakes)
    grow()  # before models are loaded, whose memory a new process would count as its own
    figures: dict[str, float] = {}
    for profile in ("paper", "lexprint"):
        try:
            engine = Engine(settings=find_profile(profile))
            shipped = Models(CountedMaskedLM(engine.masked_lm), CountedEntailment(engine.entailment), engine.settings)
        except ModelError as error:
            print(f"\nshipped models left out: {error}")
        else:
            found = compare(f"shipped models, profile {profile}", segment(TEXT.read_text("utf-8")), shipped)
            figures |= {f"watermark, {profile}: {name}": figure for name, figure in found.items()}
    print(f"\npeak memory of all of this: {peak_megabytes():.0f} MB")
    return figures


def compare(name: str, document: Document, models: Models) -> dict[str, float]:
    """Both ways of marking and of reading the same text; how many times as fast ours was, and words per second."""
    message = Random(SEED).choices((0, 1), k=document.word_count)
    reference = models.reference()
    copies: list[str] = []
    literal_writing = models.cost_of(lambda: copies.append(apply_sites(document, reference.embed(document, message))))
    examined, synchronous = reference.examined, reference.synchronous
    marked = segment(copies[0])
    literal_reading = models.cost_of(lambda: models.reference().embed(marked, ()))
    ours_writing = models.cost_of(lambda: embed(document, message, models.scheme()))
    ours_reading = models.cost_of(lambda: extract(marked, models.scheme()))
    checked = Cost(
        literal_writing.masked_lm + literal_reading.masked_lm,
        literal_writing.entailments + literal_reading.entailments,
        literal_writing.seconds + literal_reading.seconds,
    )
    print(f"\n{name}: {document.word_count} words, {examined} examined, {synchronous} synchronous, f = {reference.f}")
    print_row("", ("masked LM", "NLI"), "words/s")
    print_row("", ("per examined word", "per examined word"), "")
    figures: dict[str, float] = {}
    for label, literal, ours in (
        ("mark and check", checked, ours_writing),
        ("read", literal_reading, ours_reading),
    ):
        for kind, cost in (("literal", literal), ("lexprint", ours)):
            per_word = (f"{cost.masked_lm / examined:.2f}", f"{cost.entailments / examined:.1f}")
            print_row(f"{label}, {kind}", per_word, f"{document.word_count / cost.seconds:.1f}")
        ratios = (f"{ours.masked_lm / literal.masked_lm:.3f}", f"{ours.entailments / literal.entailments:.3f}")
        print_row("  share", ratios, f"{literal.seconds / ours.seconds:.1f} times")
        figures[f"{label}, times as fast as literal"] = literal.seconds / ours.seconds
        figures[f"{label}, words per second"] = document.word_count / ours.seconds
    return figures


def grow() -> None:
    """Time and peak memory for longer and longer texts, each in a process of its own."""
    print("\ngrowth with the fakes, mark and check:")
    print_row("words", ("seconds", "microseconds/word"), "peak MB")
    for words in GROWTH:
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
            found, seconds, megabytes = pool.submit(mark, words).result()
        print_row(f"{found:,}", (f"{seconds:.1f}", f"{1e6 * seconds / found:.0f}"), f"{megabytes:.0f}")


def mark(words: int) -> tuple[int, float, float]:
    """Words, seconds and peak memory in MB of marking a text of about so many words."""
    document = segment(fake_text(words=words, seed=SEED))
    substituter = Substituter(FakeMaskedLM(), FakeEntailment(), Settings().substitution)
    scheme = paper_scheme(substituter, fingerprint="benchmark")
    start = time.perf_counter()
    embed(document, Random(SEED).choices((0, 1), k=words), scheme)
    seconds = time.perf_counter() - start
    return document.word_count, seconds, peak_megabytes()


def peak_megabytes() -> float:
    """Of this process."""
    unit = 1 if sys.platform == "darwin" else 1024  # bytes there, kilobytes elsewhere
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def print_row(label: str, columns: Iterable[str], last: str) -> None:
    print(f"{label:<26}" + "".join(f"{column:>20}" for column in (*columns, last)), flush=True)
