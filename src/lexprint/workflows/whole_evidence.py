"""Every word that was read in a leak, for a court: what speaks against a named copy, and what for its recipient.

A report lists only where the leak is like the copy, since tracers could else complete an excerpt. Whoever is accused may ask for
the rest; the owner of registry and key lists it, to those whom they choose, and that is logged.
"""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import TYPE_CHECKING

from lexprint.errors import InputError
from lexprint.registry.audit import EVIDENCE_LISTED, report_digest
from lexprint.registry.protocol import Registry
from lexprint.reports.contents import notes_on_unlisted
from lexprint.reports.evidence import whole_evidence_of
from lexprint.reports.report import Report
from lexprint.reports.signed_file import report_bytes, sign
from lexprint.tracing.verdict import observe
from lexprint.workflows.cases import require_leak, signing_key
from lexprint.workflows.unaltered import require_unaltered

if TYPE_CHECKING:
    from lexprint.coding.keys import Keyring


def list_evidence(
    registry: Registry, report: Report, leak_text: str, *, leak: bytes, leak_name: str, keys: Keyring | None
) -> Report:
    """A signed report of the registry with every readable marked word; `leak` is the file that was traced, `leak_text` its text.

    It is a report of its own, with the verdict, counts and chances of the first, and is not kept.
    """
    if not report.accused or report.document is None:
        raise InputError(f"report {report.id} names no copy", needed="a report that does")
    if not report.evidence:
        raise InputError(
            f"the copies of report {report.id} are blind", needed="a report on copies whose words are recorded"
        )
    key = signing_key(report, keys)
    require_leak(report, leak, name=leak_name)
    require_unaltered(registry, report.document.id)
    record = registry.document(report.document.id)
    numbers = [copy.number for copy in report.accused]
    copies = {copy.number: copy.codeword for copy in registry.copies(record.id, numbers=numbers)}
    observations = observe(leak_text, record).observations
    evidence = whole_evidence_of(record, observations, [copies[number] for number in numbers])
    whole = replace(
        report,
        id=secrets.token_hex(8),
        evidence=evidence,
        notes=(*_others(report), _note_on_the_list(report)),
        signature=None,
        timestamp=None,
    )
    if any(whole.unlisted(place).count for place in range(len(numbers))):
        raise InputError(
            f"{leak_name} is not read as it was for report {report.id}", needed="the version of lexprint that traced it"
        )
    signed = sign(whole, key)
    details = {"report": report.id, "document": record.id, "list": report_digest(report_bytes(signed).decode())}
    registry.record_event(EVIDENCE_LISTED, details)
    return signed


def _others(report: Report) -> tuple[str, ...]:
    """Its notes but those on words that were not listed."""
    return tuple(note for note in report.notes if note not in notes_on_unlisted(report.evidence, report.accused))


def _note_on_the_list(report: Report) -> str:
    return (
        f"This belongs to report {report.id} and lists every marked word that can be read in the leak, also those that speak for "
        "the recipient. Whoever reads it knows words of the copy that the leak does not show, and could write passages in its name: "
        "give it to nobody but the court and those who are heard there."
    )
