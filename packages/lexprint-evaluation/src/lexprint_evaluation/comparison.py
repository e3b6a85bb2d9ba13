"""Every way of marking on the same sentences with the same metrics, beside the paper's figures (its Table "NLW_obj").

SR and SS are measured here, by the models of the engine, for all methods alike; the paper's stand beside them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from random import Random
from types import MappingProxyType
from typing import Any

from lexprint.engine import Engine
from lexprint.text.document import Document
from lexprint.text.editing import Edit, OffsetMap, apply_edits
from lexprint.text.segmentation import segment
from lexprint.text.span import Span
from lexprint.text.view import normalise
from lexprint.workflows import OnProgress
from lexprint_evaluation.datasets import Corpus, first_sentences, is_long
from lexprint_evaluation.marked_text import MarkedText, MarkingScheme
from lexprint_evaluation.metrics import BitRates, Means, bit_errors, entailment_means, similarity_means
from lexprint_evaluation.rivals.awt_output import Block
from lexprint_evaluation.tables import markdown_table

PART = 25  # sentences marked as one text
LONGEST_EXAMPLE = 30  # words
AWT_OUTPUT = "awt, published output"
_BOLD = "\ue000"  # a private character, which escaping leaves alone


@dataclass(frozen=True)
class Published:
    """The paper's figures for one method on one set."""

    entailment: float  # SR
    similarity: float  # SS


def _published(titles: str, entailments: str, similarities: str) -> Mapping[str, Published]:
    columns = zip(titles.split(", "), entailments.split(), similarities.split(), strict=True)
    return MappingProxyType({title: Published(float(one), float(other)) for title, one, other in columns})


_SETS = "Wuthering Heights, Dracula, Pride and Prejudice, WikiText-2, IMDB, AG News"
_PROPOSED = _published(_SETS, "0.9844 0.9852 0.9854 0.9864 0.9850 0.9763", "0.9888 0.9861 0.9866 0.9892 0.9819 0.9921")
_AWT = _published(_SETS, "0.9470 0.8688 0.8897 0.9354 0.9575 0.9636", "0.9677 0.8546 0.9317 0.9907 0.9727 0.9889")

# By the name of the method here; both our profiles stand for the paper's "Proposed".
PUBLISHED: Mapping[str, Mapping[str, Published]] = MappingProxyType(
    {
        "topkara": _published(
            _SETS, "0.8816 0.8691 0.8956 0.8883 0.8433 0.8587", "0.9291 0.9095 0.9314 0.9415 0.9160 0.9694"
        ),
        "hao": _published(
            _SETS, "0.8930 0.9146 0.9079 0.9072 0.8668 0.8752", "0.9337 0.8886 0.9356 0.9448 0.9426 0.9712"
        ),
        "awt": _AWT,
        AWT_OUTPUT: _AWT,
        "paper": _PROPOSED,
        "lexprint": _PROPOSED,
    }
)


@dataclass(frozen=True)
class MethodRow(BitRates):
    """One way of marking on one set."""

    title: str
    method: str
    sentences: int
    words: int
    bits: int
    bit_errors: int
    substituted: int  # words that were exchanged
    entailment: Means
    similarity: Means
    bits_of_parts: tuple[int, ...] = field(default=(), repr=False)
    examples: tuple[str, ...] = field(default=(), repr=False)  # the same sentences for every method, in Markdown


@dataclass(frozen=True)
class _Part:
    """Some sentences of a set, marked as one text."""

    document: Document
    marked: MarkedText
    written: tuple[int, ...]
    read: tuple[int, ...]


def compare(
    engine: Engine,
    corpus: Corpus,
    *,
    writer: MarkingScheme,
    reader: MarkingScheme,
    sentences: int,
    seed: int,
    examples: int = 0,
    budgets: Sequence[int] = (),
    on_progress: OnProgress | None = None,
) -> MethodRow:
    """Write random bits to the first sentences of a set, read them as another would, and judge the sentences.

    `budgets` are the bits that each part may carry; without them it is given as many as there is room for.
    """
    texts = parts(corpus, sentences=sentences)
    chooser = Random(f"{seed} {corpus.name}")
    done = []
    for number, text in enumerate(texts, start=1):
        document = segment(text)
        bits = chooser.choices((0, 1), k=document.word_count)
        if budgets:
            done.append(_within_budget(document, bits, writer, reader, budget=budgets[number - 1]))
        else:
            marked = writer.embed(text, bits)
            done.append(_Part(document, marked, marked.bits, reader.extract(marked.text)))
        if on_progress:
            on_progress(number, len(texts))
    pairs = [pair for part in done for pair in sentence_pairs(part.document, part.marked)]
    words = sum(part.document.word_count for part in done)
    return MethodRow(
        title=corpus.title,
        method=writer.name,
        sentences=len(pairs),
        words=words,
        bits=sum(len(part.written) for part in done),
        bit_errors=sum(bit_errors(part.written, part.read) for part in done),
        substituted=sum(len(part.marked.edits) for part in done),
        entailment=entailment_means(engine.entailment, pairs),
        similarity=similarity_means(engine.sentence_encoder, pairs),
        bits_of_parts=tuple(len(part.written) for part in done),
        examples=_examples(done, seed=seed, count=examples),
    )


def _within_budget(
    document: Document, bits: Sequence[int], writer: MarkingScheme, reader: MarkingScheme, *, budget: int
) -> _Part:
    """So many bits, spread evenly over the sites; every other site is told to say what it says anyway.

    That leaves those alone with any scheme whose words say something before they are marked, as synonyms do. The reader knows
    how many sites there are, and how many bits, so also which ones carry them.
    """
    said = list(writer.extract(document.text))
    carrying = evenly(min(budget, len(said)), len(said))
    written = tuple(bits[: len(carrying)])
    for site, bit in zip(carrying, written, strict=True):
        said[site] = bit
    marked = writer.embed(document.text, said)
    read = reader.extract(marked.text)
    found = evenly(len(written), len(read)) if len(read) >= len(written) else range(len(read))
    return _Part(document, marked, written, tuple(read[site] for site in found))


def evenly(count: int, places: int) -> list[int]:
    """So many of the places, as far from each other as they can be.

    >>> evenly(3, 12)
    [2, 6, 10]
    """
    return [(2 * number + 1) * places // (2 * count) for number in range(count)]


def score_published(engine: Engine, blocks: Sequence[Block], *, sentences: int) -> MethodRow:
    """AWT's own output with the same metrics: as many blocks as hold so many sentences."""
    pairs: list[tuple[str, str]] = []
    taken: list[Block] = []
    for block in blocks:
        if len(pairs) >= sentences:
            break
        pairs += block.sentences()
        taken.append(block)
    pairs = pairs[:sentences]
    return MethodRow(
        title="WikiText-2",
        method=AWT_OUTPUT,
        sentences=len(pairs),
        words=sum(block.word_count for block in taken),
        bits=sum(len(block.written) for block in taken),
        bit_errors=sum(bit_errors(block.written, block.read) for block in taken),
        substituted=sum(block.substituted for block in taken),
        entailment=entailment_means(engine.entailment, pairs),
        similarity=similarity_means(engine.sentence_encoder, pairs),
    )


def parts(corpus: Corpus, *, sentences: int) -> list[str]:
    """The first sentences of a set, in texts of the length of a letter; what stands between two of them is left out."""
    text = first_sentences(corpus.text, sentences)
    found = segment(text).sentences
    chunks = [found[start : start + PART] for start in range(0, len(found), PART)]
    return [text[chunk[0].span.start : chunk[-1].span.end] for chunk in chunks]


def sentence_pairs(document: Document, marked: MarkedText) -> list[tuple[str, str]]:
    """Sentences that count, before and after, as models see them."""
    offsets = OffsetMap(marked.edits)
    return [
        (sentence.view, normalise(offsets.new_span(sentence.span).of(marked.text)))
        for sentence in document.sentences
        if is_long(sentence)
    ]


def originals(corpus: Corpus, *, sentences: int, seed: int, count: int) -> tuple[str, ...]:
    """The sentences that serve as examples, unmarked."""
    unmarked = [_Part(segment(text), MarkedText(text, (), ()), (), ()) for text in parts(corpus, sentences=sentences)]
    return _examples(unmarked, seed=seed, count=count)


def _examples(done: Sequence[_Part], *, seed: int, count: int) -> tuple[str, ...]:
    """Sentences drawn by seed and place alone, so that all methods show the same ones."""
    found = [
        shown(part.document.text, sentence.span, part.marked.edits)
        for part in done
        for sentence in part.document.sentences
        if is_long(sentence) and len(sentence) <= LONGEST_EXAMPLE
    ]
    chosen = Random(seed).sample(range(len(found)), min(count, len(found)))
    return tuple(found[index] for index in sorted(chosen))


def shown(text: str, span: Span, edits: Sequence[Edit]) -> str:
    """A part of a text in Markdown, on one line, with what was put in in bold."""
    within = [edit for edit in edits if span.contains(edit.span)]
    bold = [Edit(edit.span.shifted(-span.start), f"{_BOLD}{edit.replacement}{_BOLD}") for edit in within]
    line = " ".join(apply_edits(span.of(text), bold).split())
    return escaped(line).replace(_BOLD, "**")


def escaped(text: str) -> str:
    """As Markdown shows it."""
    return "".join(f"\\{character}" if character in "\\`*_[]<>#|~" else character for character in text)


def row_json(row: MethodRow) -> dict[str, object]:
    """Everything that was measured, what follows from it, and the paper's figures."""
    published = PUBLISHED.get(row.method, {}).get(row.title)
    return {
        **asdict(row),
        "bits_per_word": row.bits_per_word,
        "bit_error_rate": row.bit_error_rate,
        "published": None if published is None else asdict(published),
    }


def row_from(data: Mapping[str, Any]) -> MethodRow:
    """The row that `row_json` wrote down."""
    means = {name: Means(**data[name]) for name in ("entailment", "similarity")}
    kept = {one.name: data[one.name] for one in fields(MethodRow)}
    lists = {name: tuple(data[name]) for name in ("bits_of_parts", "examples")}
    return MethodRow(**{**kept, **means, **lists})


def comparison_tables(rows: Sequence[MethodRow]) -> str:
    """The paper's table, once for SR and once for SS, and all other figures."""
    return "\n".join(
        [
            "Sentences in which a word was exchanged; beside each figure the paper's:\n",
            _metric_table("SR", rows, "entailment"),
            _metric_table("SS", rows, "similarity"),
            "All figures; SR and SS of all sentences, exchanged words or not:\n",
            _figures_table(rows),
        ]
    )


def _metric_table(metric: str, rows: Sequence[MethodRow], name: str) -> str:
    titles = list(dict.fromkeys(row.title for row in rows))
    methods = list(dict.fromkeys(row.method for row in rows))
    measured = {(row.method, row.title): getattr(row, name).changed for row in rows}

    def cells(method: str) -> Iterator[str]:
        yield method
        for title in titles:
            published = PUBLISHED.get(method, {}).get(title)
            yield _figure(measured.get((method, title)))
            yield _figure(None if published is None else getattr(published, name))

    header = [metric, *(heading for title in titles for heading in (title, "paper"))]
    return markdown_table(header, [list(cells(method)) for method in methods])


def _figures_table(rows: Sequence[MethodRow]) -> str:
    header = ["method", "set", "sentences", "words", "bits", "bpw", "BER", "exchanged", "SR", "SS"]
    body = [
        [
            row.method,
            row.title,
            *map(str, (row.sentences, row.words, row.bits)),
            f"{row.bits_per_word:.3f}",
            f"{row.bit_error_rate:.4f}",
            str(row.substituted),
            _figure(row.entailment.all),
            _figure(row.similarity.all),
        ]
        for row in rows
    ]
    return markdown_table(header, body)


def equal_payload_table(reference: str, rows: Sequence[MethodRow], thinned: Sequence[MethodRow]) -> str:
    """The reference beside rivals that were let write as many bits as it did; set by set."""
    own = [row for row in rows if row.method == reference]
    header = ["set", "method", "bits", "bpw", "BER", "exchanged", "SR", "SR, all", "SS", "SS, all"]
    body = [
        [
            row.title,
            row.method,
            str(row.bits),
            f"{row.bits_per_word:.3f}",
            f"{row.bit_error_rate:.4f}",
            str(row.substituted),
            *map(_figure, (row.entailment.changed, row.entailment.all, row.similarity.changed, row.similarity.all)),
        ]
        for one in own
        for row in (one, *(other for other in thinned if other.title == one.title))
    ]
    return (
        f"At equal payload: each rival writes, to every text of {PART} sentences, no more bits than {reference} did, "
        f"spread evenly over its sites:\n\n{markdown_table(header, body)}"
    )


def _figure(value: float | None, *, places: int = 4) -> str:
    return "-" if value is None else f"{value:.{places}f}"


def example_lists(unmarked: Mapping[str, Sequence[str]], rows: Sequence[MethodRow]) -> str:
    """For every set the same sentences as each method leaves them; `unmarked` has them by the set's title."""
    return "\n".join(
        f"### {title}\n\n" + "".join(_example(number, line, title, rows) for number, line in enumerate(lines))
        for title, lines in unmarked.items()
        if lines
    )


def _example(number: int, line: str, title: str, rows: Sequence[MethodRow]) -> str:
    marked = "".join(
        f"  - {row.method}: {row.examples[number]}\n" for row in rows if row.title == title and row.examples
    )
    return f"- {line}\n{marked}"
