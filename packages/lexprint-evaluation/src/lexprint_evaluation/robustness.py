"""Every scheme under every attack: bits lost, sites found again, who is named, and whether anybody innocent is.

All schemes issue to as many recipients and accuse under the same bound. A scheme that writes bits in order gives everyone a
random codeword, reads the leak's bits in order, and accuses whoever fits better than chance allows; `registered` is traced
against its master, `blind` carries marks of the copy under a key.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path
from random import Random
from typing import Literal, Protocol

import numpy as np

from lexprint.coding.copy_marks import mark_writer
from lexprint.coding.keys import Keyring, MasterKey
from lexprint.engine import Engine
from lexprint.registry.records import Codewords, DocumentRecord, IssuedCopy
from lexprint.settings import find_profile
from lexprint.text.document import Document
from lexprint.text.segmentation import segment
from lexprint.tracing.significance import binomial_tails, largest_p_value
from lexprint.tracing.verdict import ERROR_BOUND, observe as observe_sites
from lexprint.watermark.extract import extract
from lexprint.watermark.labels import embed_by_label, observe
from lexprint.watermark.sites import Site
from lexprint.workflows.blind_marking import document_secret
from lexprint.workflows.blind_tracing import BlindReader
from lexprint.workflows.marking import scheme_of
from lexprint_evaluation import attacks
from lexprint_evaluation.attack_table import FAMILIES, ON_EVERY_SCHEME, Means, choose
from lexprint_evaluation.attacks import Attack
from lexprint_evaluation.marked_text import MarkingScheme
from lexprint_evaluation.metrics import bit_errors
from lexprint_evaluation.quality import REGISTERED
from lexprint_evaluation.schemes import BlindScheme, schemes
from lexprint_evaluation.tables import markdown_table
from lexprint_evaluation.tracing import copy_of, master_of, master_with
from lexprint_evaluation.trial_registry import (
    Outcome,
    issue_codewords,
    numbered_salts,
    outcome_of,
    registered_copies,
    trace_anew,
)

DENSE = "registered-dense"  # the same as `registered`, with the profile that lets more words differ
BLIND = "blind"  # what `lexprint issue --blind` does: coins of each copy, under a key, in the paper's sites
MOST_COLLUDERS = 3


@dataclass(frozen=True)
class Reading:
    """What became of one leak."""

    outcome: Outcome
    written: int  # bits of the copy that leaked; 0 where several did
    errors: int  # of those, wrong, missing and surplus ones
    sites: int | None = None  # of the copy that leaked; None where the scheme has none
    found: int | None = None  # of those, found again


class Issued(Protocol):
    """A document of which every recipient has a copy."""

    def copy(self, number: int) -> str: ...

    def read(self, leak: str, guilty: Sequence[int]) -> Reading:
        """Who is named, and what could be read of the first guilty copy."""


class SchemeIssue:
    """Copies by a scheme that writes bits in order and reads them without the original."""

    def __init__(self, scheme: MarkingScheme, text: str, *, recipients: int, seed: str) -> None:
        self._scheme, self._text = scheme, text
        generator = np.random.default_rng(list(seed.encode()))
        length = segment(text).word_count  # no scheme writes more
        self._codewords: Codewords = generator.integers(2, size=(recipients, length), dtype=np.uint8)
        self._copies: dict[int, tuple[str, tuple[int, ...]]] = {}

    def copy(self, number: int) -> str:
        if number not in self._copies:
            marked = self._scheme.embed(self._text, self._codewords[number].tolist())
            self._copies[number] = marked.text, marked.bits
        return self._copies[number][0]

    def read(self, leak: str, guilty: Sequence[int]) -> Reading:
        bits = self._scheme.extract(leak)
        outcome = outcome_of(accused_in_order(bits, self._codewords), guilty)
        if len(guilty) > 1:
            return Reading(outcome, 0, 0)
        copy = self.copy(guilty[0])
        written = self._copies[guilty[0]][1]
        sites, found = self._found_again(copy, leak)
        return Reading(outcome, len(written), bit_errors(written, bits), sites, found)

    def _found_again(self, copy: str, leak: str) -> tuple[int | None, int | None]:
        if not isinstance(self._scheme, BlindScheme):
            return None, None
        before, after = (_labels(text, self._scheme) for text in (copy, leak))
        return before.total(), (before & after).total()


def _labels(text: str, scheme: BlindScheme) -> Counter[tuple[str, ...]]:
    """Sites, known again by the word before and the pair."""
    document = segment(text)
    return Counter(_label(document, site) for site in extract(document, scheme.scheme).sites)


def _label(document: Document, site: Site) -> tuple[str, ...]:
    words = document.sentences[site.sentence].words
    return (words[site.position - 1].text if site.position else "", *site.pair)


def accused_in_order(bits: Sequence[int], codewords: Codewords) -> set[int]:
    """Recipients whose codeword begins with these bits more exactly than chance allows, over all of them at most 1e-6.

    What is compared was drawn before the leak and is independent of it for an innocent, so the binomial tail is exact.
    """
    read = np.array(bits[: codewords.shape[1]], dtype=np.uint8)
    matching = (codewords[:, : len(read)] == read).sum(axis=1)
    bound = largest_p_value(recipients=len(codewords), error_bound=ERROR_BOUND)
    return set(np.flatnonzero(binomial_tails(len(read))[matching] <= bound).tolist())


class RegisteredIssue:
    """Copies as `lexprint issue` makes them, and the tracer that it comes with."""

    def __init__(self, engine: Engine, text: str, *, recipients: int, seed: str) -> None:
        self._engine, self._text, self._recipients, self._seed = engine, text, recipients, seed

    @cached_property
    def _record(self) -> DocumentRecord:
        return master_of(self._engine, self._text, name=REGISTERED)

    @cached_property
    def _codewords(self) -> Codewords:
        return issue_codewords(self._record, self._seed.encode(), recipients=self._recipients)

    def copy(self, number: int) -> str:
        return copy_of(self._record, self._codewords[number].tolist())

    def read(self, leak: str, guilty: Sequence[int]) -> Reading:
        report, _ = trace_anew(self._record, registered_copies(self._record, self._codewords), leak)
        outcome = outcome_of({copy.number - 1 for copy in report.accused}, guilty)
        if len(guilty) > 1:
            return Reading(outcome, 0, 0)
        written = self._codewords[guilty[0]].tolist()
        seen = [one.symbol for one in observe_sites(leak, self._record).observations]
        errors = sum(symbol != shown for symbol, shown in zip(written, seen, strict=True))
        return Reading(outcome, len(written), errors, len(written), len(seen) - seen.count(None))


class BlindIssue:
    """Blind copies as `lexprint issue --blind` makes them, in the paper's sites, and the tracer that it comes with."""

    def __init__(self, engine: Engine, text: str, *, recipients: int, seed: str) -> None:
        self._engine, self._scheme, self._document = engine, scheme_of(engine), segment(text)
        self._key = MasterKey(hashlib.sha256(seed.encode()).digest(), created_at=datetime.fromtimestamp(0, UTC))
        record = master_with(engine, text, (), name=BLIND)
        self._record = replace(
            record, issuing="blind", fingerprint=engine.fingerprint, key_id=self._key.id, canary=engine.canary
        )
        self._issued = [
            IssuedCopy(self._record.id, number, f"Recipient {number}", (), f"copy-{number}", salt=salt)
            for number, salt in enumerate(numbered_salts(recipients), start=1)
        ]
        self._copies: dict[int, str] = {}

    def _writer(self, number: int) -> Callable[[bytes], int]:
        return mark_writer(document_secret(self._key, self._record), self._issued[number].salt)

    def copy(self, number: int) -> str:
        if number not in self._copies:
            self._copies[number] = embed_by_label(self._document, self._writer(number), self._scheme).text
        return self._copies[number]

    def read(self, leak: str, guilty: Sequence[int]) -> Reading:
        report, _ = trace_anew(self._record, self._issued, leak, keys=Keyring((self._key,)), engine=self._engine)
        outcome = outcome_of({copy.number - 1 for copy in report.accused}, guilty)
        if len(guilty) > 1:
            return Reading(outcome, 0, 0)
        read = BlindReader(self._engine, leak).read(self._record)
        writer = self._writer(guilty[0])
        marked = segment(self.copy(guilty[0]))
        written = {one.label: one.bit for one in observe(marked, extract(marked, self._scheme).sites)}
        seen = {one.label: one.bit for one in read.observations}
        found = written.keys() & seen.keys()
        wrong = sum(seen[label] != writer(label) for label in found)
        return Reading(outcome, len(written), wrong + len(written.keys() ^ seen.keys()), len(written), len(found))


def issuers(engine: Engine, names: Sequence[str], *, trained: Path | None = None) -> dict[str, Callable[..., Issued]]:
    """What issues a document by each scheme; `registered`, also dense, and `blind` stand for the two ways of issuing."""
    dense = replace(engine, settings=find_profile("dense"))
    special: Mapping[str, Callable[..., Issued]] = {
        REGISTERED: partial(RegisteredIssue, engine),
        DENSE: partial(RegisteredIssue, dense),
        BLIND: partial(BlindIssue, engine),
    }
    found: dict[str, Callable[..., Issued]] = {}
    for name in names:
        if name in special:
            found[name] = special[name]
        else:
            (scheme,) = schemes(engine, [name], trained=trained)
            found[name] = partial(SchemeIssue, scheme)
    return found


@dataclass(frozen=True)
class Case:
    """One attack with one strength; some need several copies."""

    attack: str
    strength: str
    leak: Callable[[Sequence[str], Random], str]
    copies: int = 1


def one_copy(attack: Attack) -> Callable[[Sequence[str], Random], str]:
    return lambda copies, chooser: attack(copies[0], chooser)


COLLUSION = "collusion"


def attack_names() -> list[str]:
    """Names that `cases` knows: attacks on one copy, and mixing several."""
    return [
        *dict.fromkeys(name for name in FAMILIES if any(one.startswith(name) for one in ON_EVERY_SCHEME)),
        COLLUSION,
    ]


def cases(engine: Engine, *, other: str, wanted: Sequence[str] = ()) -> list[Case]:
    """Attacks with their strengths, all that are usual or those that are named; WordNet is looked for only where it is needed."""
    alone = [name for name in wanted if name != COLLUSION] if wanted else ON_EVERY_SCHEME
    found = [Case(one.name, one.strength, one_copy(one.run)) for one in choose(alone, Means(engine, other))]
    return [*found, *(mixes() if not wanted or COLLUSION in wanted else ())]


def mixes() -> list[Case]:
    """Ways in which several mix their copies."""
    preferences = {"random": attacks.any_held, "majority": attacks.most_held, "minority": attacks.least_held}
    counts = (("random", 2), ("random", 3), ("majority", 3), ("minority", 3))
    return [
        Case(COLLUSION, f"{count}, {name}", partial(attacks.mix_copies, prefer=preferences[name]), copies=count)
        for name, count in counts
    ]


def leak_and_read(issue: Issued, case: Case, *, recipients: int, seed: str) -> Reading:
    """Somebody, or some of them, leak; the seed says who and how.

    The same copy meets all attacks: making one takes a scheme with models longer than anything else here.
    """
    guilty = Random(seed).sample(range(recipients), MOST_COLLUDERS)[: case.copies]
    chooser = Random(f"{seed} {case.attack} {case.strength}")
    return issue.read(case.leak([issue.copy(number) for number in guilty], chooser), guilty)


@dataclass(frozen=True)
class RobustnessRow:
    """One scheme under one attack."""

    scheme: str
    attack: str
    strength: str
    leaks: int
    right: int
    inconclusive: int
    wrong: int  # leaks after which somebody innocent was accused
    bit_error_rate: float | None
    found_again: float | None  # share of the sites


def robustness_row(scheme: str, case: Case, readings: Sequence[Reading]) -> RobustnessRow:
    outcomes = [reading.outcome for reading in readings]
    written = sum(reading.written for reading in readings)
    sites = sum(reading.sites or 0 for reading in readings)
    return RobustnessRow(
        scheme,
        case.attack,
        case.strength,
        len(readings),
        outcomes.count("right"),
        outcomes.count("inconclusive"),
        outcomes.count("wrong"),
        sum(reading.errors for reading in readings) / written if written else None,
        sum(reading.found or 0 for reading in readings) / sites if sites else None,
    )


def reading_from(data: Mapping[str, object]) -> Reading:
    return Reading(**data)  # type: ignore[arg-type] # as `asdict` wrote it


Figure = Literal["right", "bit_error_rate", "found_again"]


def figure_of(row: RobustnessRow, figure: Figure) -> float | None:
    return row.right / row.leaks if figure == "right" else getattr(row, figure)


def robustness_tables(rows: Sequence[RobustnessRow]) -> str:
    """Who was traced, what was read, what was found again: attacks down, schemes across."""
    parts = [
        f"Traced to the right copy:\n\n{_table(rows, 'right', '{:.0%}')}",
        f"Bit error rate, missing and surplus bits counted:\n\n{_table(rows, 'bit_error_rate', '{:.3f}')}",
        f"Sites found again:\n\n{_table(rows, 'found_again', '{:.0%}')}",
        f"Leaks after which an innocent was accused: {sum(row.wrong for row in rows)} of {sum(row.leaks for row in rows)}.\n",
    ]
    return "\n".join(parts)


def _table(rows: Sequence[RobustnessRow], figure: Figure, form: str) -> str:
    columns = list(dict.fromkeys(row.scheme for row in rows))
    return markdown_table(["attack", "strength", *columns], list(_lines(rows, columns, figure, form)))


def _lines(rows: Sequence[RobustnessRow], columns: Sequence[str], figure: Figure, form: str) -> Iterator[list[str]]:
    by_case: dict[tuple[str, str], dict[str, RobustnessRow]] = {}
    for row in rows:
        by_case.setdefault((row.attack, row.strength), {})[row.scheme] = row
    for (attack, strength), found in by_case.items():
        figures = [figure_of(found[column], figure) if column in found else None for column in columns]
        if any(value is not None for value in figures):
            yield [attack, strength, *("-" if value is None else form.format(value) for value in figures)]
