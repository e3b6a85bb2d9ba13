"""Blind copies: a leak is read by the models, and what its sites say is held against the marks of every recorded copy.

Only sites in passages that are the document's own count: marks belong to a document, and strange prose beside a part of
it says nothing about its copies.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lexprint.coding.copy_marks import marks
from lexprint.coding.payload_code import FIRST_TURN, SECOND_TURN, LabelledBit, distinct
from lexprint.registry.records import Codewords, DocumentRecord, IssuedCopy
from lexprint.text.document import Document
from lexprint.text.leak_text import spell
from lexprint.text.span import Span
from lexprint.tracing.alignment import align, aligned_words
from lexprint.tracing.likelihood import matches, weighted_matches
from lexprint.tracing.significance import endured_share, family_wise_bound, weighted_tails
from lexprint.tracing.trace_turns import Mark
from lexprint.tracing.verdict import CERTAIN, RANKED, Finding, Shown, Suspect, Verdict, suspects_of
from lexprint.watermark.extract import extract
from lexprint.watermark.labels import observe, weigh
from lexprint.watermark.sites import Site
from lexprint.workflows.blind_marking import document_secret
from lexprint.workflows.fingerprints import require_fingerprint
from lexprint.workflows.marking import scheme_of, segmented

if TYPE_CHECKING:
    from lexprint.coding.keys import MasterKey
    from lexprint.engine import Engine


@dataclass(frozen=True, eq=False)
class BlindReader:
    """A leak as the models read it, once for all documents that it is compared with."""

    engine: Engine
    leak_text: str = field(repr=False)
    protected: Sequence[Span] = ()  # parts that the leak's format protects, as they were when the copy was marked

    @cached_property
    def document(self) -> Document:
        return segmented(self.leak_text, self.protected)

    @cached_property
    def sites(self) -> tuple[Site, ...]:
        return extract(self.document, scheme_of(self.engine)).sites

    def read(self, record: DocumentRecord) -> BlindReading:
        """What the leak says in passages of a document."""
        require_fingerprint(self.engine, record)
        words = aligned_words(self.leak_text, record.text)
        own = tuple(site for site in self.sites if words.get(site.span.start, frozenset()) & set(map(spell, site.pair)))
        alignment = align(self.leak_text, record.text, ())
        observations = tuple(distinct(observe(self.document, own)))
        return BlindReading(self, own, observations, alignment.covered_share, alignment.edited_share)


@dataclass(frozen=True, eq=False)
class BlindReading:
    """What a leak says in passages of a document; nothing of it depends on any copy."""

    reader: BlindReader = field(repr=False)
    sites: tuple[Site, ...] = field(repr=False)
    observations: tuple[LabelledBit, ...]  # each label once
    covered_share: float
    edited_share: float

    @property
    def shown(self) -> Shown:
        return Shown.of_coins([one.bit for one in self.observations])

    @property
    def marks(self) -> list[Mark]:
        """By hashes of their labels, and of the whole text: what a site weighs depends on the words around it.

        The text's is as long as any: with texts of one hash, somebody could ask again and again and take no turn.
        """
        text = blake2b(self.reader.leak_text.encode("utf-8", "surrogatepass"), digest_size=32).digest()
        return [
            *(Mark(int.from_bytes(text[start : start + 4]), 0) for start in range(0, len(text), 4)),
            *(Mark(int.from_bytes(blake2b(one.label, digest_size=4).digest()), one.bit) for one in self.observations),
        ]

    def weighed(self) -> list[LabelledBit]:
        """The same, each as heavy as it is likely to have been written; asks the model."""
        return distinct(weigh(self.reader.document, self.sites, self.reader.engine.masked_lm))


def nothing_read(record: DocumentRecord, compared: int) -> Callable[[float], Finding]:
    """What can be said without key or models, by the error bound."""
    return lambda error_bound: Finding("inconclusive", (), (), (), 0, compared, 0.0, 0.0, error_bound, record.code)


def judge_blind(
    reading: BlindReading,
    record: DocumentRecord,
    copies: Sequence[IssuedCopy],
    *,
    key: MasterKey,
    error_bound: float,
) -> Finding:
    """Which copies fit what was read better than chance allows.

    First with all sites alike, which is enough for untouched texts, and where nobody is accused with weights. Each turn has
    its share of the bound, and the chances that are told are for both (Bonferroni, weighted).
    """
    shown = reading.shown
    numbers = [copy.number for copy in copies]
    secret, salts = document_secret(key, record), [copy.salt for copy in copies]
    held = marks(secret, salts, [one.label for one in reading.observations])
    suspects = suspects_of(shown, numbers, held, error_bound=error_bound * FIRST_TURN)
    suspects = _at_share(suspects, FIRST_TURN)
    accused, excluded = _within(suspects, error_bound), 0.0
    if not accused:
        weighed = reading.weighed()
        held = marks(secret, salts, [one.label for one in weighed])
        suspects = _at_share(_by_weight(weighed, numbers, held), SECOND_TURN)
        accused = _within(suspects, error_bound)
        bound = error_bound * SECOND_TURN / max(len(copies), 1)
        excluded = 0.0 if accused else endured_share(_weights(weighed), _fair(weighed), bound=bound, power=CERTAIN)
    verdicts: tuple[Verdict, ...] = ("inconclusive", "one copy", "several copies")
    return Finding(
        verdict=verdicts[min(len(accused), 2)],
        accused=accused,
        ranking=suspects[: max(RANKED, len(accused))],
        observations=(),
        readable=len(reading.observations),
        compared=len(copies),
        covered_share=reading.covered_share,
        edited_share=reading.edited_share,
        error_bound=error_bound,
        code=record.code,
        in_company=shown.is_in_company(copies=len(copies), error_bound=error_bound * FIRST_TURN),
        excluded_share=excluded,
    )


def _within(suspects: Sequence[Suspect], error_bound: float) -> tuple[Suspect, ...]:
    return tuple(one for one in suspects if one.family_p_value <= error_bound)


def _at_share(suspects: Sequence[Suspect], share: float) -> tuple[Suspect, ...]:
    return tuple(
        replace(one, p_value=min(one.p_value / share, 1.0), family_p_value=min(one.family_p_value / share, 1.0))
        for one in suspects
    )


def _by_weight(observations: Sequence[LabelledBit], numbers: Sequence[int], held: Codewords) -> tuple[Suspect, ...]:
    bits = np.array([one.bit for one in observations], dtype=np.uint8)
    weights = _weights(observations)
    p_values = weighted_tails(weights, _fair(observations))[weighted_matches(held, bits, weights)]
    matching = matches(held, bits)
    return tuple(
        Suspect(
            number=numbers[index],
            matches=int(matching[index]),
            readable=len(observations),
            p_value=float(p_values[index]),
            family_p_value=family_wise_bound(float(p_values[index]), recipients=len(numbers)),
        )
        for index in np.argsort(p_values, kind="stable").tolist()
    )


def _weights(observations: Sequence[LabelledBit]) -> NDArray[np.int64]:
    return np.array([one.weight for one in observations], dtype=np.int64)


def _fair(observations: Sequence[LabelledBit]) -> NDArray[np.float64]:
    """Chances that an innocent copy agrees."""
    return np.full(len(observations), 0.5)
