"""Blind copies: each carries its number as a payload under the master key, so a leak is read by the models.

Whoever has the key can read it without the registry too (`lexprint extract --key`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lexprint.coding.framed import Decoded, copy_number
from lexprint.text.span import Span
from lexprint.tracing.records import DocumentRecord
from lexprint.tracing.registry import Registry
from lexprint.tracing.verdict import Finding, Suspect
from lexprint.workflows.payloads import extract_payload

if TYPE_CHECKING:
    from lexprint.coding.keys import Keyring, MasterKey
    from lexprint.engine import Engine


def trace_blind(
    registry: Registry,
    record: DocumentRecord,
    leak_text: str,
    *,
    error_bound: float,
    keys: Keyring | None,
    engine: Engine | None,
    protected: Sequence[Span] = (),
) -> tuple[Finding, tuple[str, ...]]:
    """The copy whose number the leak carries, if any, and what the reader of the report should know.

    `protected` are the parts of the leak that its format protects, as they were when the copy was marked.
    """
    numbers, _ = registry.codewords(record.id)
    nothing = Finding(
        verdict="inconclusive",
        accused=(),
        ranking=(),
        observations=(),
        readable=0,
        compared=len(numbers),
        covered_share=0.0,
        edited_share=0.0,
        error_bound=error_bound,
        code=record.code,
    )
    key = _key_of(record, keys)
    if key is None or engine is None:
        return nothing, (
            f"Its copies are blind: their mark is read with master key {record.key_id}, which is not at hand.",
        )
    found = extract_payload(
        engine,
        leak_text,
        keys=[key],
        copies=numbers,
        marked_with=record.fingerprint,
        protected=protected,
        false_positive=error_bound,
    )
    nothing = replace(nothing, readable=found.readable)
    if found.decoded is None:
        return nothing, ()
    suspect = _suspect(found.decoded, numbers)
    if suspect is None:
        return nothing, ("A mark was found, but it is not the number of a registered copy of this document.",)
    return replace(nothing, verdict="one copy", accused=(suspect,), ranking=(suspect,)), ()


def _key_of(record: DocumentRecord, keys: Keyring | None) -> MasterKey | None:
    return next((key for key in keys or () if key.id == record.key_id), None)


def _suspect(decoded: Decoded, numbers: Sequence[int]) -> Suspect | None:
    number = copy_number(decoded.payload, numbers)
    if number is None:
        return None
    chance = decoded.chance_of_error  # of finding any mark that was not written: it covers all copies already
    return Suspect(number, decoded.agreeing, decoded.readable, chance, chance)
