"""Tracing on real marked texts: who is named after each attack, who never must be, and what colluders can do.

Nothing here looks at what tracing could not see: copies are made as issuing makes them, attacked as text, and traced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random
from statistics import fmean, median
from typing import TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from lexprint.coding.codewords import biases, codewords
from lexprint.engine import Engine
from lexprint.registry.records import Code, CopySite, DocumentRecord
from lexprint.text.document import Document
from lexprint.text.editing import apply_edits
from lexprint.text.protection import PROTECTIONS
from lexprint.text.segmentation import segment
from lexprint.tracing.significance import largest_p_value
from lexprint.tracing.verdict import ERROR_BOUND, chances, trace_document
from lexprint.watermark.embed import embed_unchecked
from lexprint.workflows import OnProgress
from lexprint.workflows.analysing import analyse_document
from lexprint.workflows.issuing import copy_edits
from lexprint.workflows.marking import scheme_of
from lexprint_evaluation.attacks import Attack
from lexprint_evaluation.datasets import Corpus
from lexprint_evaluation.metrics import entailment_means, similarity_means
from lexprint_evaluation.tables import markdown_table
from lexprint_evaluation.trial_registry import (
    Outcome,
    issue_codewords,
    numbered_salts,
    outcome_of,
    registered_copies,
    trace_anew,
)

Mix: TypeAlias = Callable[[NDArray[np.uint8], np.random.Generator], NDArray[np.uint8]]


def pieces(corpus: Corpus, *, words: int, count: int) -> Iterator[str]:
    """Parts of a set of about so many words each, of whole sentences, spread over it."""
    sentences = segment(corpus.text[: 40 * words * count]).sentences
    texts, start, found = [], 0, 0
    for number, sentence in enumerate(sentences):
        found += len(sentence)
        if found >= words:
            texts.append(corpus.text[sentences[start].span.start : sentence.span.end])
            start, found = number + 1, 0
    yield from texts[: count * max(1, len(texts) // count) : max(1, len(texts) // count)][:count]


def master_of(engine: Engine, text: str, *, name: str, on_progress: OnProgress | None = None) -> DocumentRecord:
    """A document as issuing would register it, with fair coins; what people say in novels and reviews is no quotation."""
    analysis = analyse_document(engine, text, protections=PROTECTIONS - {"quotations"}, on_progress=on_progress)
    return master_with(engine, text, analysis.sites, name=name)


def master_with(engine: Engine, text: str, sites: Sequence[CopySite], *, name: str) -> DocumentRecord:
    """The same, for sites that were found before."""
    return DocumentRecord(
        id="0" * 16,
        name=name,
        text=text,
        digest="",
        issuing="registered",
        code="independent",
        sites=tuple(sites),
        biases=(0.5,) * len(sites),
        key_id="",
        fingerprint=engine.copies_fingerprint,
        created_at=datetime.now(UTC),
    )


def copy_of(record: DocumentRecord, codeword: Sequence[int]) -> str:
    """The copy that a codeword stands for."""
    return apply_edits(record.text, copy_edits(record.sites, codeword))


@dataclass(frozen=True)
class DensityRow:
    """The registered scheme beside the paper's, on the same text with random bits; means over several copies."""

    document: str
    words: int
    copies: int
    registered_sites: int
    registered_bits: float  # that a copy's words tell, on average
    blind_sites: float
    registered_entailment: float | None  # SR of the sentences in which a word was exchanged
    blind_entailment: float | None
    registered_similarity: float | None  # SS of the same
    blind_similarity: float | None


def density_row(
    engine: Engine, record: DocumentRecord, *, copies: int, seed: int, on_progress: OnProgress | None = None
) -> DensityRow:
    document = segment(record.text)
    chooser = Random(f"{seed} {record.name}")
    blind = []
    for number in range(1, copies + 1):
        bits = chooser.choices((0, 1), k=document.word_count)
        blind.append(embed_unchecked(document, bits, scheme_of(engine)))
        if on_progress:
            on_progress(number, copies)
    issued = issue_codewords(record, f"{seed} {record.name}".encode(), recipients=copies)
    texts = [copy_of(record, codeword.tolist()) for codeword in issued], [marked.text for marked in blind]
    figures = [_quality(engine, document, marked) for marked in texts]
    (entailment, similarity), (blind_entailment, blind_similarity) = figures
    return DensityRow(
        record.name,
        document.word_count,
        copies,
        len(record.sites),
        sum(2.0 - 0.5 ** (len(site.words) - 2) for site in record.sites),
        fmean(len(marked.sites) for marked in blind),
        entailment,
        blind_entailment,
        similarity,
        blind_similarity,
    )


def _quality(engine: Engine, document: Document, copies: Sequence[str]) -> tuple[float | None, float | None]:
    """SR and SS over all sentences of all copies in which a word was exchanged."""
    pairs = [
        (one.view, other.view)
        for copy in copies
        for one, other in zip(document.sentences, segment(copy).sentences, strict=True)
        if one.view != other.view
    ]
    return (
        entailment_means(engine.entailment, pairs).changed,
        similarity_means(engine.sentence_encoder, pairs).changed,
    )


@dataclass(frozen=True)
class AttackRow:
    """What became of the copies that one attack was made on."""

    attack: str
    trials: int
    right: int  # the copy that leaked, and no other
    inconclusive: int
    wrong: int  # an innocent copy was accused, alone or beside the right one
    readable: float  # sites, on average
    chance: float  # of error that the median report states
    seconds: float  # to trace, on average


def attack_rows(
    records: Sequence[DocumentRecord],
    attacks: Mapping[str, Attack],
    *,
    recipients: int,
    trials: int,
    seed: int,
    on_progress: OnProgress | None = None,
) -> list[AttackRow]:
    """`trials` leaks for each attack, each of another copy, the documents in turn."""
    rows = []
    for index, (name, attack) in enumerate(attacks.items()):
        outcomes: list[Outcome] = []
        reports, seconds = [], []
        for trial in range(trials):
            record = records[trial % len(records)]
            secret = f"{seed} {name} {trial}".encode()
            issued = issue_codewords(record, secret, recipients=recipients)
            chooser = Random(secret)
            guilty = chooser.randrange(recipients)
            leak = attack(copy_of(record, issued[guilty].tolist()), chooser)
            report, taken = trace_anew(record, registered_copies(record, issued), leak)
            seconds.append(taken)
            reports.append(report)
            outcomes.append(outcome_of({copy.number for copy in report.accused}, [guilty + 1]))
            if on_progress:
                on_progress(index * trials + trial + 1, len(attacks) * trials)
        rows.append(
            AttackRow(
                name,
                trials,
                outcomes.count("right"),
                outcomes.count("inconclusive"),
                outcomes.count("wrong"),
                fmean(report.readable for report in reports),
                median(float(max((copy.family_p_value for copy in report.accused), default=1)) for report in reports),
                fmean(seconds),
            )
        )
    return rows


@dataclass(frozen=True)
class Innocence:
    """Copies that were never issued, held against leaks of others and against texts that were never marked."""

    compared: int
    accused: int
    smallest_p_value: float
    unmarked_texts: int
    unmarked_accused: int


def innocence(
    records: Sequence[DocumentRecord],
    unmarked: Sequence[str],
    *,
    recipients: int,
    unmarked_recipients: int,
    seed: int,
) -> Innocence:
    """Every document leaks once; `recipients` codewords that nobody was given are held against each leak.

    Texts that were never marked are traced as they are, against every document, their own master among them.
    """
    smallest, accused, compared = 1.0, 0, 0
    for number, record in enumerate(records):
        leak = copy_of(record, issue_codewords(record, f"{seed} guilty {number}".encode(), recipients=1)[0].tolist())
        never = issue_codewords(record, f"{seed} never {number}".encode(), recipients=recipients)
        finding = trace_document(leak, record, range(1, recipients + 1), never)
        accused, compared = accused + len(finding.accused), compared + recipients
        smallest = min(smallest, finding.ranking[0].p_value)
    found = 0
    for number, text in enumerate(unmarked):
        for record in records:
            issued = issue_codewords(record, f"{seed} unmarked {number}".encode(), recipients=unmarked_recipients)
            found += bool(trace_document(text, record, range(1, unmarked_recipients + 1), issued).accused)
    return Innocence(compared, accused, smallest, len(unmarked) * len(records), found)


def majority(held: NDArray[np.uint8], generator: np.random.Generator) -> NDArray[np.uint8]:
    """What most colluders hold; a tie is a coin. `held` is (colluders, sites)."""
    return _by_count(held, generator, np.sign)


def minority(held: NDArray[np.uint8], generator: np.random.Generator) -> NDArray[np.uint8]:
    """What the fewest hold, but somebody does."""
    return _by_count(held, generator, lambda surplus: -np.sign(surplus))


def at_random(held: NDArray[np.uint8], generator: np.random.Generator) -> NDArray[np.uint8]:
    """At each site the word of a colluder drawn by lot."""
    mixed: NDArray[np.uint8] = held[generator.integers(len(held), size=held.shape[1]), np.arange(held.shape[1])]
    return mixed


def _by_count(
    held: NDArray[np.uint8],
    generator: np.random.Generator,
    choose: Callable[[NDArray[np.int64]], NDArray[np.int64]],
) -> NDArray[np.uint8]:
    surplus = 2 * held.sum(axis=0, dtype=np.int64) - len(held)
    wanted = choose(surplus)
    coins = generator.integers(2, size=held.shape[1])
    mixed = np.where(wanted == 0, coins, wanted > 0)
    agreed = (held == held[0]).all(axis=0)
    return np.where(agreed, held[0], mixed).astype(np.uint8)


MIXES: Mapping[str, Mix] = {"majority": majority, "minority": minority, "random": at_random}


@dataclass(frozen=True)
class CollusionRow:
    """Colluders who mix their copies site by site."""

    code: Code
    colluders: int
    mix: str
    sites: int
    trials: int
    caught: int  # trials in which at least one of them is accused
    wrong: int  # trials in which an innocent is


def collusion_rows(
    *,
    sites: Sequence[int],
    colluders: Sequence[int],
    recipients: int,
    trials: int,
    seed: int,
    on_progress: OnProgress | None = None,
) -> list[CollusionRow]:
    """Both codes under every mix. Sites are read without error: this is about the code, not about reading."""
    cases = [
        (code, count, name, many) for code in get_args(Code) for count in colluders for name in MIXES for many in sites
    ]
    rows = []
    for done, (code, count, name, many) in enumerate(cases):
        caught = wrong = 0
        for trial in range(trials):
            secret = f"{seed} {code} {count} {name} {many} {trial}".encode()
            generator = np.random.default_rng(list(secret))
            drawn = biases(secret, sites=many, code=code)
            issued = codewords(secret, numbered_salts(recipients), drawn)
            guilty = generator.choice(recipients, size=count, replace=False)
            bits = MIXES[name](issued[guilty], generator)
            p_values = chances(issued, bits, drawn, code=code, error_bound=ERROR_BOUND)
            bound = largest_p_value(recipients=recipients, error_bound=ERROR_BOUND)
            accused = set(np.flatnonzero(p_values <= bound).tolist())
            caught += bool(accused & set(guilty.tolist()))
            wrong += bool(accused - set(guilty.tolist()))
        rows.append(CollusionRow(code, count, name, many, trials, caught, wrong))
        if on_progress:
            on_progress(done + 1, len(cases))
    return rows


def attack_table(rows: Sequence[AttackRow]) -> str:
    header = ["attack", "trials", "right", "inconclusive", "innocent accused", "readable sites", "stated chance", "ms"]
    return markdown_table(
        header,
        [
            [
                row.attack,
                str(row.trials),
                f"{row.right / row.trials:.1%}",
                f"{row.inconclusive / row.trials:.1%}",
                str(row.wrong),
                f"{row.readable:.0f}",
                f"{row.chance:.0e}",
                f"{1000 * row.seconds:.0f}",
            ]
            for row in rows
        ],
    )


def innocence_text(found: Innocence) -> str:
    return (
        f"Innocence: {found.compared:,} copies that were never issued, held against leaks of others: {found.accused} "
        f"accused, smallest chance of one {found.smallest_p_value:.1e}. {found.unmarked_texts:,} times a text that was "
        f"never marked was traced: {found.unmarked_accused} accusations.\n"
    )


def density_table(rows: Sequence[DensityRow]) -> str:
    header = ["document", "words", "registered sites/word", "bits/word", "blind", "ratio"]
    header += ["SR", "blind", "SS", "blind"]
    return markdown_table(
        header,
        [
            [
                row.document,
                str(row.words),
                f"{row.registered_sites / row.words:.3f}",
                f"{row.registered_bits / row.words:.3f}",
                f"{row.blind_sites / row.words:.3f}",
                f"{row.registered_sites / row.blind_sites:.2f}" if row.blind_sites else "-",
                *(
                    "-" if figure is None else f"{figure:.4f}"
                    for figure in (
                        row.registered_entailment,
                        row.blind_entailment,
                        row.registered_similarity,
                        row.blind_similarity,
                    )
                ),
            ]
            for row in rows
        ],
    )


def collusion_table(rows: Sequence[CollusionRow]) -> str:
    """Rows are codes and mixes, columns numbers of sites: share caught, and trials with an innocent accused."""
    sites = sorted({row.sites for row in rows})
    by_case: dict[tuple[str, int, str], dict[int, CollusionRow]] = {}
    for row in rows:
        by_case.setdefault((row.code, row.colluders, row.mix), {})[row.sites] = row
    body = [
        [
            f"{code}, {count} colluders, {mix}",
            *(f"{found[many].caught / found[many].trials:.0%}" for many in sites),
            str(sum(row.wrong for row in found.values())),
        ]
        for (code, count, mix), found in by_case.items()
    ]
    return markdown_table(["case", *(f"{many} sites" for many in sites), "innocent accused"], body)
