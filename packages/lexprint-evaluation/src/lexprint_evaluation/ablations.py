"""What either test of the paper is for: bits lost without it, words that a reader finds, misses or finds too many.

Bit errors are counted sentence by sentence, so that one lost word does not spoil a whole text; missing and surplus bits count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import reduce
from itertools import groupby
from random import Random
from typing import Any

from lexprint.engine import Engine
from lexprint.models.protocols import Gap
from lexprint.text.document import Document
from lexprint.text.segmentation import segment
from lexprint.watermark.embed import embed_unchecked
from lexprint.watermark.extract import extract
from lexprint.watermark.inquiry import Inquiry
from lexprint.watermark.recover import recover
from lexprint.watermark.sites import Marked, Reading, Site
from lexprint.watermark.substitutability import KeepsNeighbour
from lexprint.watermark.synchronicity import FindPair
from lexprint.workflows import OnProgress
from lexprint_evaluation.comparison import escaped, parts
from lexprint_evaluation.datasets import Corpus
from lexprint_evaluation.metrics import BitRates, bit_errors, share
from lexprint_evaluation.schemes import BlindScheme
from lexprint_evaluation.tables import ALL_SETS, markdown_table
from lexprint_evaluation.watermark import PUBLISHED

FULL, WITHOUT_SYNCHRONICITY, WITHOUT_SUBSTITUTABILITY = (
    "both tests",
    "without synchronicity",
    "without substitutability",
)


LEGEND = (
    "turned down: words that could carry a bit, but whose exchange would have made the word before them one too; the "
    "substitutability test is about these alone, so bits are lost without it only where one of them is exchanged. "
    "written: words that carry a bit; a reader finds them with the right pair, with another one, or not at all, and "
    "may find a surplus. Bits are compared sentence by sentence.\n"
)


@dataclass(frozen=True)
class Located:
    """Words that carry a bit, as a reader finds them."""

    right: int  # with the pair that the writer had
    other_pair: int
    missed: int
    surplus: int  # found where nothing was written

    @property
    def written(self) -> int:
        return self.right + self.other_pair + self.missed


# The paper's examples of failure, its Tables "no_synctest" (one sentence) and "no_subtest" (two); with both tests none fails.
PUBLISHED_EXAMPLES: Mapping[str, Located] = {
    FULL: Located(right=2, other_pair=0, missed=0, surplus=0),
    WITHOUT_SYNCHRONICITY: Located(right=1, other_pair=3, missed=2, surplus=0),
    WITHOUT_SUBSTITUTABILITY: Located(right=2, other_pair=0, missed=2, surplus=2),
}


@dataclass(frozen=True)
class AblationRow(BitRates):
    """One scheme on one set."""

    title: str
    method: str
    tests: str
    words: int
    bits: int
    bit_errors: int
    turned_down: int  # words that could carry a bit, but either choice would wake the word before
    located: Located
    substituted: int
    recovered: int  # of those, words that recovery put back
    examples: tuple[str, ...] = field(default=(), repr=False)


def ablate(
    engine: Engine,
    corpus: Corpus,
    *,
    writer: BlindScheme,
    reader: BlindScheme,
    sentences: int,
    seed: int,
    examples: int = 0,
    on_progress: OnProgress | None = None,
) -> AblationRow:
    """Write random bits with a scheme, read them, and look at every site."""
    texts = parts(corpus, sentences=sentences)
    chooser = Random(f"{seed} {corpus.name}")
    test = _CountedTest(writer.scheme.keeps_neighbour)
    writing = replace(writer.scheme, keeps_neighbour=test)
    words = bits = errors = substituted = recovered = 0
    located = Located(0, 0, 0, 0)
    failures: list[str] = []
    for number, text in enumerate(texts, start=1):
        document = segment(text)
        marked = embed_unchecked(document, chooser.choices((0, 1), k=document.word_count), writing)
        copy = segment(marked.text)
        reading = extract(copy, reader.scheme)
        words += document.word_count
        bits += len(marked.bits)
        substituted += len(marked.edits)
        recovered += _recovered(engine, copy, marked, reading)
        said = {(site.position, site.sentence): bit for site, bit in zip(marked.sites, marked.bits, strict=True)}
        for sentence, (written, read) in _by_sentence(marked, reading).items():
            found = _located(written, read)
            located = _sum(located, found)
            wrong = bit_errors([said[site.position, sentence] for site in written], [site.bit for site in read])
            errors += wrong
            if wrong:
                failures.append(_failure(document, copy, sentence, written, read))
        if on_progress:
            on_progress(number, len(texts))
    chosen = sorted(Random(seed).sample(range(len(failures)), min(examples, len(failures))))
    return AblationRow(
        title=corpus.title,
        method=writer.name,
        tests=_tests(writer),
        words=words,
        bits=bits,
        bit_errors=errors,
        turned_down=test.turned_down,
        located=located,
        substituted=substituted,
        recovered=recovered,
        examples=tuple(failures[index] for index in chosen),
    )


class _CountedTest:
    """The substitutability test, or what stands in its place, and how many words it has turned down."""

    def __init__(self, test: KeepsNeighbour) -> None:
        self._test, self.turned_down = test, 0

    def __call__(self, neighbour: Iterable[Gap], find_pair: FindPair) -> Inquiry[bool]:
        kept = yield from self._test(neighbour, find_pair)
        self.turned_down += not kept
        return kept


def _tests(scheme: BlindScheme) -> str:
    for tests in (WITHOUT_SYNCHRONICITY, WITHOUT_SUBSTITUTABILITY):
        if scheme.name.endswith(tests.replace(" ", "-")):
            return tests
    return FULL


def _by_sentence(marked: Marked, reading: Reading) -> dict[int, tuple[list[Site], list[Site]]]:
    """Sites of writer and reader for each sentence that has any; substitution moves no boundary."""
    written, read = (
        {sentence: list(sites) for sentence, sites in groupby(both, key=lambda site: site.sentence)}
        for both in (marked.sites, reading.sites)
    )
    return {sentence: (written.get(sentence, []), read.get(sentence, [])) for sentence in sorted({*written, *read})}


def _located(written: Sequence[Site], read: Sequence[Site]) -> Located:
    ours = {site.position: site.pair for site in written}
    theirs = {site.position: site.pair for site in read}
    return Located(
        right=sum(theirs.get(position) == pair for position, pair in ours.items()),
        other_pair=sum(position in theirs and theirs[position] != pair for position, pair in ours.items()),
        missed=len(ours.keys() - theirs.keys()),
        surplus=len(theirs.keys() - ours.keys()),
    )


def _sum(one: Located, other: Located) -> Located:
    return Located(**{name.name: getattr(one, name.name) + getattr(other, name.name) for name in fields(Located)})


def _recovered(engine: Engine, copy: Document, marked: Marked, reading: Reading) -> int:
    """Substituted words that come back (section "Text Recoverability"), wherever the reader found them."""
    guesses = recover(copy, reading.sites, engine.masked_lm).words
    found = {(site.sentence, site.position): word for site, word in zip(reading.sites, guesses, strict=True)}
    exchanged = [site for site, bit in zip(marked.sites, marked.bits, strict=True) if site.bit != bit]
    return sum(found.get((site.sentence, site.position)) == site.word for site in exchanged)


def _failure(document: Document, copy: Document, sentence: int, written: Sequence[Site], read: Sequence[Site]) -> str:
    """Both sides of a sentence: the writer's words in bold, the reader's too, and struck out what went wrong."""
    ours = {site.position: site.pair for site in written}
    theirs = {site.position: site.pair for site in read}
    wrong = {position for position in {*ours, *theirs} if ours.get(position) != theirs.get(position)}
    before = _side(document, sentence, set(ours), set())
    after = _side(copy, sentence, set(theirs), wrong)
    return f"{before}\n  - {after}"


def _side(document: Document, number: int, bold: set[int], wrong: set[int]) -> str:
    sentence = document.sentences[number]
    pieces, cursor = [], 0
    for position, word in enumerate(sentence.words):
        span = word.view_span
        pieces.append(escaped(sentence.view[cursor : span.start]))
        shown = escaped(word.text)
        shown = f"~~{shown}~~" if position in wrong else shown
        pieces.append(f"**{shown}**" if position in bold else shown)
        cursor = span.end
    return "".join([*pieces, escaped(sentence.view[cursor:])])


def row_json(row: AblationRow) -> dict[str, object]:
    """Everything that was measured, and what follows from it."""
    return {
        **asdict(row),
        "bits_per_word": row.bits_per_word,
        "bit_error_rate": row.bit_error_rate,
        "recovered_share": share(row.recovered, row.substituted),
    }


def row_from(data: Mapping[str, Any]) -> AblationRow:
    """The row that `row_json` wrote down."""
    kept = {one.name: data[one.name] for one in fields(AblationRow)}
    return AblationRow(**{**kept, "located": Located(**data["located"]), "examples": tuple(data["examples"])})


def pooled(rows: Sequence[AblationRow]) -> list[AblationRow]:
    """All sets of each scheme as if they were one; what a test prevents is rare, so one set may not show it."""
    return [
        AblationRow(
            title=ALL_SETS,
            method=method,
            tests=own[0].tests,
            words=sum(row.words for row in own),
            bits=sum(row.bits for row in own),
            bit_errors=sum(row.bit_errors for row in own),
            turned_down=sum(row.turned_down for row in own),
            located=reduce(_sum, (row.located for row in own)),
            substituted=sum(row.substituted for row in own),
            recovered=sum(row.recovered for row in own),
        )
        for method in dict.fromkeys(row.method for row in rows)
        if len(own := [row for row in rows if row.method == method]) > 1
    ]


def ablation_table(rows: Sequence[AblationRow]) -> str:
    """Located and failed words of each set and of all, and the paper's examples of them below."""
    header = ["set", "method", "words", "bits", "bpw", "BER", "turned down"]
    header += ["written", "right", "other pair", "missed", "surplus"]
    body = [
        [
            row.title,
            row.method,
            *map(str, (row.words, row.bits)),
            f"{row.bits_per_word:.3f}",
            f"{row.bit_error_rate:.4f}",
            "-" if row.tests == WITHOUT_SUBSTITUTABILITY else str(row.turned_down),
            *_counts(row.located),
        ]
        for row in [*rows, *pooled(rows)]
    ]
    body += [
        ["paper's examples", tests, "-", "-", "-", "-", "-", *_counts(located)]
        for tests, located in PUBLISHED_EXAMPLES.items()
    ]
    return f"{markdown_table(header, body)}\n{LEGEND}"


def _counts(located: Located) -> list[str]:
    return [str(located.written), *map(str, (located.right, located.other_pair, located.missed, located.surplus))]


def recovery_table(rows: Sequence[AblationRow]) -> str:
    """Substituted words that come back, beside the paper's share (its Table "reconstruct")."""
    header = ["set", "method", "exchanged", "recovered", "share", "paper"]
    body = []
    for row in [*rows, *pooled(rows)]:
        published = PUBLISHED.get(row.title)
        recovered = share(row.recovered, row.substituted)
        body.append(
            [
                row.title,
                row.method,
                str(row.substituted),
                str(row.recovered),
                "-" if recovered is None else f"{recovered:.3f}",
                "-" if published is None or published.recovered is None else f"{published.recovered:.3f}",
            ]
        )
    return markdown_table(header, body)


def failure_list(rows: Sequence[AblationRow]) -> str:
    """Sentences that do not read back, both sides."""
    return "\n".join(
        f"### {row.title}, {row.method}\n\n" + "".join(f"- {example}\n" for example in row.examples)
        for row in rows
        if row.examples
    )
