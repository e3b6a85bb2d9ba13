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
from random import Random

from tests.watermark.reference import Forgetful, Reference, apply_sites

from lexprint.engine import Engine
from lexprint.errors import ModelError
from lexprint.models.protocols import Entailment, Floats, Gap, MaskedLM
from lexprint.settings import Settings, find_profile
from lexprint.substitution.substituter import Substituter
from lexprint.testing import FakeEntailment, FakeMaskedLM, fake_text
from lexprint.text.document import Document
from lexprint.text.segmentation import segment
from lexprint.watermark.embed import embed
from lexprint.watermark.extract import extract
from lexprint.watermark.scheme import Scheme, paper_scheme

FAKE_WORDS = 1_000
GROWTH = (1_000, 10_000, 50_000)
SEED = 1

TEXT = """
The committee met on a cold evening to discuss the plan, and most of those who spoke were pleased with the progress.
A young engineer explained how the bridge would carry heavy trucks across the river without any danger to the old town.
Several people asked whether the new road could be finished quickly, because the harvest begins early in this valley.
The mayor replied that careful work was better than hurried work, and that nobody should expect a large building to rise
overnight. She thanked the workers for their patience and promised a complete report about the cost of the project.
"""


class CountedMaskedLM:
    """A masked LM that counts the gaps it is asked about."""

    def __init__(self, model: MaskedLM) -> None:
        self._model, self.inputs = model, 0
        self.fingerprint, self.vocabulary, self.fits = model.fingerprint, model.vocabulary, model.fits

    def predict(self, gaps: Sequence[Gap]) -> Floats:
        self.inputs += len(gaps)
        return self._model.predict(gaps)

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


def main() -> None:
    """Print all tables."""
    fakes = Models(CountedMaskedLM(FakeMaskedLM()), CountedEntailment(FakeEntailment()), Settings())
    compare("fakes", segment(fake_text(words=FAKE_WORDS, seed=SEED)), fakes)
    grow()  # before models are loaded, whose memory a new process would count as its own
    for profile in ("paper", "lexprint"):
        try:
            engine = Engine(settings=find_profile(profile))
            shipped = Models(CountedMaskedLM(engine.masked_lm), CountedEntailment(engine.entailment), engine.settings)
        except ModelError as error:
            print(f"\nshipped models left out: {error}")
        else:
            compare(f"shipped models, profile {profile}", segment(TEXT), shipped)


def compare(name: str, document: Document, models: Models) -> None:
    """Both ways of marking and of reading the same text."""
    message = Random(SEED).choices((0, 1), k=document.word_count)
    reference = models.reference()
    literal_writing = models.cost_of(lambda: reference.embed(document, message))
    examined, synchronous = reference.examined, reference.synchronous
    marked = segment(apply_sites(document, models.reference().embed(document, message)))
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
    for label, literal, ours in (
        ("mark and check", checked, ours_writing),
        ("read", literal_reading, ours_reading),
    ):
        for kind, cost in (("literal", literal), ("lexprint", ours)):
            per_word = (f"{cost.masked_lm / examined:.2f}", f"{cost.entailments / examined:.1f}")
            print_row(f"{label}, {kind}", per_word, f"{document.word_count / cost.seconds:.1f}")
        ratios = (f"{ours.masked_lm / literal.masked_lm:.3f}", f"{ours.entailments / literal.entailments:.3f}")
        print_row("  share", ratios, f"{literal.seconds / ours.seconds:.1f} times")


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
    unit = 1 if sys.platform == "darwin" else 1024  # bytes there, kilobytes elsewhere
    return document.word_count, seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def print_row(label: str, columns: Iterable[str], last: str) -> None:
    print(f"{label:<26}" + "".join(f"{column:>20}" for column in (*columns, last)), flush=True)
