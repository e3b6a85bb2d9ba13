"""The watermark on running text: payload, errors, meaning and recovery, beside the paper's figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from random import Random
from typing import Any

from lexprint.engine import Engine
from lexprint.substitution.substituter import Substituter
from lexprint.text.document import Document, Sentence
from lexprint.text.editing import OffsetMap
from lexprint.text.segmentation import segment
from lexprint.text.span import Span
from lexprint.watermark.embed import embed_unchecked
from lexprint.watermark.extract import extract
from lexprint.watermark.recover import recover
from lexprint.watermark.scheme import Scheme, paper_scheme
from lexprint.workflows import OnProgress, counting
from lexprint_evaluation.datasets import Corpus, first_sentences, is_long
from lexprint_evaluation.metrics import BitRates, Means, bit_errors, entailment_means, mean_of, share, similarity_means
from lexprint_evaluation.sides import substituter_of
from lexprint_evaluation.tables import markdown_table


@dataclass(frozen=True)
class Published:
    """The paper's figures for its own scheme; None where it has none."""

    bits_per_word: float | None = None
    entailment: float | None = None  # SR
    similarity: float | None = None  # SS
    recovered: float | None = None  # share of the substituted words


# The paper's Tables "capacity" (payload), "NLW_obj" (SR and SS of Proposed) and "reconstruct".
PUBLISHED = {
    "Wuthering Heights": Published(0.081, 0.9844, 0.9888, 0.8015),
    "Dracula": Published(0.090, 0.9852, 0.9861, 0.8193),
    "Pride and Prejudice": Published(0.080, 0.9854, 0.9866, 0.8076),
    "IMDB": Published(0.097, 0.9850, 0.9819, 0.8206),
    "AG News": Published(0.088, 0.9763, 0.9921, 0.8525),
    "WikiText-2": Published(0.105, 0.9864, 0.9892, 0.8671),
}

# The paper's Table "f123": means over its sets, for f = 1, 2, 3.
PUBLISHED_MEANS = {
    1: Published(0.091, 0.983, 0.988),
    2: Published(0.044, 0.984, 0.994),
    3: Published(0.031, 0.985, 0.995),
}

MEAN = "mean"


@dataclass(frozen=True)
class Example:
    """A marked sentence in Markdown, substituted words in bold."""

    original: str
    marked: str


@dataclass(frozen=True)
class Row(BitRates):
    """One set with one gap."""

    title: str
    gap: int
    fingerprint: str
    sentences: int
    words: int
    bits: int
    bit_errors: int
    entailment: Means
    similarity: Means
    substituted: int  # words that were exchanged
    recovered: int  # of those, words that recovery put back
    plain_words: int = 0  # without punctuation, as others count them
    disturbed_bit_errors: Mapping[str, int] = field(default_factory=dict)
    examples: tuple[Example, ...] = field(default=(), repr=False)

    @property
    def bits_per_plain_word(self) -> float | None:
        return share(self.bits, self.plain_words)


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """What to do with every set."""

    sentences: int
    seed: int
    examples: int = 0
    disturbances: Mapping[str, Callable[[str], str]] = field(default_factory=dict)


def measure(
    engine: Engine,
    corpus: Corpus,
    experiment: Experiment,
    *,
    gap: int,
    writer: Substituter | None = None,
    reader: Substituter | None = None,
    on_progress: OnProgress | None = None,
) -> Row:
    """Write random bits to the first sentences of a set, and read them as another would, who knows nothing of that.

    Each of the two may remember what the models said when the same set was marked with another gap.
    """
    document = segment(first_sentences(corpus.text, experiment.sentences))
    on_words = counting(2 * document.word_count, on_progress)
    bits = Random(f"{experiment.seed} {corpus.name} {gap}").choices((0, 1), k=document.word_count)
    writing_scheme = scheme_with(engine, gap, writer or substituter_of(engine, "writer"))
    reading_scheme = scheme_with(engine, gap, reader or substituter_of(engine, "reader"))
    marked = embed_unchecked(document, bits, writing_scheme, on_words=on_words)
    copy = segment(marked.text)
    reading = extract(copy, reading_scheme, on_words=on_words)
    originals = [site.word for site in marked.sites]
    exchanged = [index for index, bit in enumerate(marked.bits) if marked.sites[index].bit != bit]
    guesses = recover(copy, reading.sites, engine.masked_lm).words
    pairs = _sentence_pairs(document, copy, OffsetMap(marked.edits))
    return Row(
        title=corpus.title,
        gap=gap,
        fingerprint=reading_scheme.fingerprint,
        sentences=len(pairs),
        words=document.word_count,
        bits=len(marked.bits),
        bit_errors=bit_errors(marked.bits, reading.bits),
        entailment=entailment_means(engine.entailment, pairs),
        similarity=similarity_means(engine.sentence_encoder, pairs),
        substituted=len(exchanged),
        recovered=sum(guesses[index : index + 1] == (originals[index],) for index in exchanged),
        plain_words=sum(any(map(str.isalnum, word.text)) for word in document.words),
        disturbed_bit_errors={
            name: bit_errors(marked.bits, extract(segment(disturb(marked.text)), reading_scheme).bits)
            for name, disturb in experiment.disturbances.items()
        },
        examples=_examples(document, copy, [edit.span for edit in marked.edits], experiment),
    )


def scheme_with(engine: Engine, gap: int, substituter: Substituter) -> Scheme:
    """The engine's scheme with another gap, and nothing remembered but by the substituter."""
    settings = replace(engine.settings, watermark=replace(engine.settings.watermark, gap=gap))
    fingerprint = replace(engine, settings=settings).fingerprint
    return paper_scheme(substituter, fingerprint=fingerprint, settings=settings.watermark)


def _sentence_pairs(one: Document, other: Document, offsets: OffsetMap) -> list[tuple[str, str]]:
    """Sentences that count, before and after; substitution moves no boundary but by the profile `literal`."""
    long = [number for number, sentence in enumerate(one.sentences) if is_long(sentence)]
    if len(one.sentences) == len(other.sentences):
        return [(one.sentences[number].view, other.sentences[number].view) for number in long]
    spans = [one.sentences[number].span for number in long]
    return [(span.of(one.text), offsets.new_span(span).of(other.text)) for span in spans]


def _examples(
    document: Document, copy: Document, edited: Sequence[Span], experiment: Experiment
) -> tuple[Example, ...]:
    starts = {span.start for span in edited}
    found = []
    if len(document.sentences) != len(copy.sentences):
        return ()
    for original, marked in zip(document.sentences, copy.sentences, strict=True):
        bold = [index for index, word in enumerate(original.words) if word.span.start in starts]
        if bold:
            found.append(Example(_with_bold(original, bold), _with_bold(marked, bold)))
    chosen = Random(experiment.seed).sample(range(len(found)), min(experiment.examples, len(found)))
    return tuple(found[index] for index in sorted(chosen))


def _with_bold(sentence: Sentence, positions: Sequence[int]) -> str:
    pieces, cursor = [], 0
    for position in positions:
        span = sentence.words[position].view_span
        pieces += [_escaped(sentence.view[cursor : span.start]), f"**{span.of(sentence.view)}**"]
        cursor = span.end
    return "".join([*pieces, _escaped(sentence.view[cursor:])])


def _escaped(text: str) -> str:
    return "".join(f"\\{character}" if character in "\\`*_[]<>#|" else character for character in text)


def table(rows: Sequence[Row]) -> str:
    """All rows beside the paper's figures, and their means for each gap that several sets were marked with."""
    header = [
        "set",
        "f",
        "sentences",
        "words",
        "bits",
        "BER",
        "bpw",
        "without punctuation",
        "paper",
        "SR",
        "all",
        "paper",
        "SS",
        "all",
        "paper",
    ]
    header += ["recovered", "paper"]
    return markdown_table(header, [_cells(row) for row in [*rows, *means(rows)]])


def disturbance_table(rows: Sequence[Row]) -> str:
    """Bits that a reader of the disturbed copy would get wrong."""
    header = ["set", "f", "bits", *rows[0].disturbed_bit_errors]
    body = [[row.title, str(row.gap), str(row.bits), *map(str, row.disturbed_bit_errors.values())] for row in rows]
    return markdown_table(header, body)


def row_json(row: Row) -> dict[str, object]:
    """Everything that was measured, and what follows from it."""
    derived = {
        "bits_per_word": row.bits_per_word,
        "bits_per_plain_word": row.bits_per_plain_word,
        "bit_error_rate": row.bit_error_rate,
        "recovered_share": share(row.recovered, row.substituted),
    }
    return {**asdict(row), **derived}


def row_from(data: Mapping[str, Any]) -> Row:
    """The row that `row_json` wrote down."""
    means = {name: Means(**data[name]) for name in ("entailment", "similarity")}
    examples = tuple(Example(**one) for one in data["examples"])
    kept = {one.name: data[one.name] for one in fields(Row)}
    return Row(**{**kept, **means, "examples": examples})


def example_list(rows: Sequence[Row]) -> str:
    """Marked sentences, set by set."""
    return "\n".join(
        f"### {row.title}, f = {row.gap}\n\n"
        + "".join(f"- {example.original}\n  - {example.marked}\n" for example in row.examples)
        for row in rows
        if row.examples
    )


def _cells(row: Row) -> list[str]:
    quoted = published(row)
    return [
        row.title,
        *map(str, (row.gap, row.sentences, row.words, row.bits)),
        f"{row.bit_error_rate:.4f}",
        _figure(row.bits_per_word, places=3),
        _figure(row.bits_per_plain_word, places=3),
        _figure(quoted.bits_per_word, places=3),
        *map(_figure, (row.entailment.changed, row.entailment.all, quoted.entailment)),
        *map(_figure, (row.similarity.changed, row.similarity.all, quoted.similarity)),
        _figure(share(row.recovered, row.substituted), places=3),
        _figure(quoted.recovered, places=3),
    ]


def published(row: Row) -> Published:
    """What the paper says of the same; nothing of single sets for other f than 1."""
    if row.title == MEAN:
        return PUBLISHED_MEANS.get(row.gap, Published())
    return PUBLISHED.get(row.title, Published()) if row.gap == 1 else Published()


def _figure(value: float | None, *, places: int = 4) -> str:
    return "-" if value is None else f"{value:.{places}f}"


def means(rows: Sequence[Row]) -> Iterator[Row]:
    """A row that stands for all sets, as the paper's table of f has it; counts are summed."""
    for gap in sorted({row.gap for row in rows}):
        group = [row for row in rows if row.gap == gap]
        if len(group) < 2:
            continue
        words = sum(row.words for row in group)
        yield Row(
            title=MEAN,
            gap=gap,
            fingerprint=group[0].fingerprint,
            sentences=sum(row.sentences for row in group),
            words=words,
            bits=sum(row.bits for row in group),
            bit_errors=sum(row.bit_errors for row in group),
            entailment=mean_of([row.entailment for row in group]),
            similarity=mean_of([row.similarity for row in group]),
            substituted=sum(row.substituted for row in group),
            recovered=sum(row.recovered for row in group),
            plain_words=sum(row.plain_words for row in group),
        )
