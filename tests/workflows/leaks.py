"""Documents in a registry, with copies for many recipients, and leaks of them."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np
from tests.tracing.masters import copy_of, make_record, salts

from lexprint.coding.codewords import codewords
from lexprint.registry.protocol import Registry
from lexprint.registry.records import Code, Codewords, DocumentRecord, IssuedCopy

ISSUED_AT = datetime(2026, 2, 3, 12, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Issued:
    """A registered document and what its copies say."""

    record: DocumentRecord
    codewords: Codewords

    def copy(self, number: int) -> str:
        return self.written(self.codewords[number - 1])

    def written(self, symbols: np.ndarray) -> str:
        """The text with these words, whoever's they are."""
        return copy_of(self.record, symbols)

    def mixed_from(self, numbers: Sequence[int], *, seed: int = 0) -> str:
        """What colluders write who take each word from one of their copies."""
        draw = random.Random(seed)
        rows = [self.codewords[number - 1] for number in numbers]
        return copy_of(self.record, np.array([draw.choice(held) for held in zip(*rows, strict=True)], dtype=np.uint8))


def issue(
    registry: Registry,
    *,
    number: int = 1,
    name: str = "memo.docx",
    copies: int = 50,
    words: int = 600,
    code: Code = "independent",
    text: str | None = None,
    secret: str = "secret",
    kept: Mapping[int, np.ndarray] | None = None,
    most: int = 2,
) -> Issued:
    """Register a document with copies for Recipient 1, Recipient 2, ...; the last one's file is never written.

    Its sites have two words, or up to `most` in turn.
    """
    record = replace(make_record(words, code=code, seed=number, text=text, most=most), id=f"{number:016x}", name=name)
    drawn = salts(range(1, copies + 1))
    rows = codewords(f"{secret} {number}".encode(), drawn, np.array(record.biases), choices=record.choices)
    for one, row in (kept or {}).items():
        rows[one - 1] = row
    planned = [
        IssuedCopy(record.id, one, f"Recipient {one}", tuple(map(int, row)), f"memo-{one}.docx")
        for one, row in enumerate(rows, start=1)
    ]
    registry.add_document(record, planned)
    registry.mark_issued(record.id, [(one, "ab" * 32) for one in range(1, copies)], ISSUED_AT)
    return Issued(record, rows)
