"""How good marked sentences are, by every scheme and in the eyes of every judge, with 95 % confidence intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any, Protocol

from lexprint.engine import Engine
from lexprint.text.editing import apply_edits
from lexprint.text.segmentation import segment
from lexprint.workflows import OnProgress
from lexprint.workflows.issuing import copy_edits
from lexprint_evaluation.comparison import AWT_OUTPUT, parts, sentence_pairs
from lexprint_evaluation.confidence import Figure, Interval, interval
from lexprint_evaluation.datasets import Corpus
from lexprint_evaluation.judges import Judge, Pair
from lexprint_evaluation.marked_text import MarkedText
from lexprint_evaluation.rivals.awt_output import Block, whole_sentences
from lexprint_evaluation.schemes import schemes
from lexprint_evaluation.tables import ALL_SETS, markdown_table
from lexprint_evaluation.tracing import master_of

REGISTERED = "registered"  # what `lexprint issue` does: the reader has the master, so the words are chosen more freely
BATCH = 24  # pairs given to a judge at once


class Marker(Protocol):
    """A scheme, as far as writing goes."""

    @property
    def name(self) -> str: ...

    def embed(self, text: str, bits: Sequence[int]) -> MarkedText: ...


@dataclass(frozen=True)
class RegisteredMarker:
    """A copy as issuing makes it, with these bits for its codeword."""

    engine: Engine
    name: str = REGISTERED

    def embed(self, text: str, bits: Sequence[int]) -> MarkedText:
        sites = master_of(self.engine, text, name=self.name).sites
        codeword = tuple(bits[: len(sites)])
        edits = copy_edits(sites[: len(codeword)], codeword)
        return MarkedText(apply_edits(text, edits), codeword, tuple(edits))


def markers(engine: Engine, names: Sequence[str], *, trained: Path | None = None) -> list[Marker]:
    """Schemes by name; `registered` stands for issuing, `trained` is the file of AWT."""
    return [
        marker
        for name in names
        for marker in ([RegisteredMarker(engine)] if name == REGISTERED else schemes(engine, [name], trained=trained))
    ]


def fingerprint_of(engine: Engine, scheme: str) -> str:
    """What a scheme's words depend on; a copy's, on the list of phrases too."""
    return engine.copies_fingerprint if scheme == REGISTERED else engine.fingerprint


@dataclass(frozen=True)
class MarkedSet:
    """The first sentences of a set before and after marking."""

    title: str
    scheme: str
    words: int
    bits: int
    substituted: int  # words that were exchanged
    pairs: tuple[Pair, ...]


def mark(
    marker: Marker, corpus: Corpus, *, sentences: int, seed: int, on_progress: OnProgress | None = None
) -> MarkedSet:
    """Write the same random bits with every scheme."""
    texts = parts(corpus, sentences=sentences)
    chooser = Random(f"{seed} {corpus.name}")
    words = bits = substituted = 0
    pairs: list[Pair] = []
    for number, text in enumerate(texts, start=1):
        document = segment(text)
        marked = marker.embed(text, chooser.choices((0, 1), k=document.word_count))
        words += document.word_count
        bits += len(marked.bits)
        substituted += len(marked.edits)
        pairs += sentence_pairs(document, marked)
        if on_progress:
            on_progress(number, len(texts))
    return MarkedSet(corpus.title, marker.name, words, bits, substituted, tuple(pairs))


def published_set(blocks: Sequence[Block], *, title: str) -> MarkedSet:
    """What AWT's authors published of its output."""
    return MarkedSet(
        title,
        AWT_OUTPUT,
        words=sum(block.word_count for block in blocks),
        bits=sum(len(block.written) for block in blocks),
        substituted=sum(block.substituted for block in blocks),
        pairs=tuple(whole_sentences(blocks)),
    )


def marked_set_from(data: Mapping[str, Any]) -> MarkedSet:
    return MarkedSet(**{**data, "pairs": tuple((original, marked) for original, marked in data["pairs"])})


def figures_of(judge: Judge, pairs: Sequence[Pair], *, on_progress: OnProgress | None = None) -> list[Figure]:
    """One judge's figures, some pairs at a time."""
    figures: list[Figure] = []
    for start in range(0, len(pairs), BATCH):
        figures += judge.judge(pairs[start : start + BATCH])
        if on_progress:
            on_progress(len(figures), len(pairs))
    return figures


@dataclass(frozen=True)
class QualityRow:
    """One scheme on one set; None where no sentence was changed."""

    title: str
    scheme: str
    sentences: int
    changed: int  # sentences
    words: int
    bits: int
    substituted: int
    of_changed: Mapping[str, Interval | None]  # by judge, over the sentences in which a word was exchanged
    of_all: Mapping[str, Interval | None]
    nats_per_bit: float | None  # what a bit costs in likelihood, whatever the payload

    @property
    def bits_per_word(self) -> float:
        return self.bits / self.words


def quality_row(marked: MarkedSet, figures: Mapping[str, Sequence[Figure]], *, seed: int) -> QualityRow:
    changed = [index for index, (original, other) in enumerate(marked.pairs) if original != other]
    cost = -sum(figure.amount for figure in figures.get("fluency", ()))
    return QualityRow(
        title=marked.title,
        scheme=marked.scheme,
        sentences=len(marked.pairs),
        changed=len(changed),
        words=marked.words,
        bits=marked.bits,
        substituted=marked.substituted,
        of_changed={name: interval([every[index] for index in changed], seed=seed) for name, every in figures.items()},
        of_all={name: interval(every, seed=seed) for name, every in figures.items()},
        nats_per_bit=cost / marked.bits if marked.bits and "fluency" in figures else None,
    )


def pooled(found: Sequence[tuple[MarkedSet, Mapping[str, Sequence[Figure]]]], *, seed: int) -> QualityRow:
    """All sets of one scheme as if they were one."""
    sets, figures = zip(*found, strict=True)
    whole = MarkedSet(
        ALL_SETS,
        sets[0].scheme,
        sum(one.words for one in sets),
        sum(one.bits for one in sets),
        sum(one.substituted for one in sets),
        tuple(pair for one in sets for pair in one.pairs),
    )
    return quality_row(whole, {name: [one for each in figures for one in each[name]] for name in figures[0]}, seed=seed)


# Title and number of decimal places of each judge's column, and whether it is taken over all sentences or those changed.
COLUMNS: Mapping[str, tuple[str, int]] = {
    "sr": ("SR", 3),
    "ss": ("SS", 3),
    "mpnet": ("SS mpnet", 3),
    "fluency": ("fluency", 3),
    "grammar": ("grammar", 2),
}
OVER_ALL = frozenset({"grammar"})


def shown(row: QualityRow, judge: str) -> Interval | None:
    """The figure that tables and plots show: errors over all words, everything else where something was changed."""
    return (row.of_all if judge in OVER_ALL else row.of_changed)[judge]


def quality_table(rows: Sequence[QualityRow]) -> str:
    """A line for each set and scheme; intervals in brackets."""
    names = [name for name in COLUMNS if name in rows[0].of_all]
    header = ["set", "scheme", "sentences", "changed", "bpw", *(COLUMNS[name][0] for name in names), "nats/bit"]
    return markdown_table(header, [_cells(row, names) for row in rows])


def _cells(row: QualityRow, names: Sequence[str]) -> list[str]:
    return [
        row.title,
        row.scheme,
        str(row.sentences),
        str(row.changed),
        f"{row.bits_per_word:.3f}",
        *(_interval_cell(shown(row, name), COLUMNS[name][1]) for name in names),
        "-" if row.nats_per_bit is None else f"{row.nats_per_bit:.2f}",
    ]


def _interval_cell(found: Interval | None, places: int) -> str:
    if found is None:
        return "-"
    return f"{found.mean:.{places}f} [{found.low:.{places}f}, {found.high:.{places}f}]"


LEGEND = (
    "SR and SS: the models that chose our words; SS mpnet: all-mpnet-base-v2; fluency: change of log-likelihood by "
    "SmolLM2-135M in nats per token; all over sentences in which a word was exchanged. grammar: errors added per 1,000 "
    "words of all sentences, by quire-grammar. nats/bit: likelihood lost for one bit. In brackets 95 % confidence "
    "intervals, by bootstrap over sentences.\n"
)


def row_json(row: QualityRow) -> dict[str, object]:
    return {**asdict(row), "bits_per_word": row.bits_per_word}
