"""A registry for each leak of a measurement, so that it goes the way that a user goes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Literal, TypeAlias

import numpy as np

from lexprint.coding.codewords import SALT_BYTES, codewords
from lexprint.coding.keys import Keyring
from lexprint.engine import Engine
from lexprint.registry.protocol import open_registry
from lexprint.registry.records import Codewords, DocumentRecord, IssuedCopy
from lexprint.reports.report import Report
from lexprint.workflows.tracing import trace

Outcome: TypeAlias = Literal["right", "inconclusive", "wrong"]


def issue_codewords(record: DocumentRecord, secret: bytes, *, recipients: int) -> Codewords:
    """As issuing draws them, but by number instead of by lot, so that a measurement can be repeated."""
    return codewords(secret, numbered_salts(recipients), np.array(record.biases), choices=record.choices)


def numbered_salts(copies: int) -> list[bytes]:
    return [number.to_bytes(SALT_BYTES) for number in range(copies)]


def registered_copies(record: DocumentRecord, issued: Codewords) -> list[IssuedCopy]:
    """Copies of these codewords, with numbers from 1."""
    return [
        IssuedCopy(record.id, number, f"Recipient {number}", tuple(row), f"copy-{number}")
        for number, row in enumerate(issued.tolist(), start=1)
    ]


def trace_anew(
    record: DocumentRecord,
    copies: Sequence[IssuedCopy],
    leak: str,
    *,
    keys: Keyring | None = None,
    engine: Engine | None = None,
) -> tuple[Report, float]:
    """What a user is told who traces a leak in a registry of this document, and the seconds that it takes.

    Each leak has a registry of its own: whether it is the first or the tenth that is traced there is not what is measured.
    """
    with TemporaryDirectory() as folder, open_registry(str(Path(folder) / "registry.db")) as registry:
        registry.add_document(record, copies)
        begun = perf_counter()
        report = trace(registry, leak, keys=keys, engine=engine)
        return report, perf_counter() - begun


def outcome_of(accused: set[int], guilty: Sequence[int]) -> Outcome:
    if accused - set(guilty):
        return "wrong"
    return "right" if accused else "inconclusive"
