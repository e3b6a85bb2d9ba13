"""The report as a file: canonical JSON that is signed, and the verification of its signature.

The form of the file follows from the fields of `Report`. Chances are decimal strings, such as "0.9312" and "3.12e-11".
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Collection
from dataclasses import fields, is_dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import msgspec

from lexprint.coding.keys import MasterKey
from lexprint.errors import ForeignSignature, ReportError
from lexprint.reports.report import Report
from lexprint.reports.signatures import (
    Signature,
    canonical_json,
    parsed_signature,
    require_intact,
    signature_json,
    signature_of,
)
from lexprint.reports.timestamps import request_timestamp

FORMAT = 1  # raised when a reader of the old form would misunderstand the new one


def sign(report: Report, key: MasterKey) -> Report:
    """The report with a signature that only this master key can make."""
    return replace(report, signature=signature_of(content_json(report), key))


def stamp(report: Report, authority: str) -> Report:
    """The signed report with an authority's word that it is there by now; `authority` is its URL."""
    return replace(report, timestamp=request_timestamp(stamped_bytes(report), authority))


def stamped_bytes(report: Report) -> bytes:
    """What a timestamp is of: the file as it was before it."""
    return report_bytes(replace(report, timestamp=None))


def require_signer(report: Report, fingerprints: Collection[str], *, name: str) -> None:
    """Refuse a report that none of the keys with these fingerprints signed."""
    if report.signature is None:
        raise ReportError(f"{name} is not signed; needed: a report that was traced with a master key")
    if report.signature.signer.fingerprint not in fingerprints:
        raise ForeignSignature(name)


def report_bytes(report: Report) -> bytes:
    """The report as a file."""
    return canonical_json(report_json(report)) + b"\n"


def report_json(report: Report) -> dict[str, object]:
    timestamp = None if report.timestamp is None else b64encode(report.timestamp).decode()
    return {"report": content_json(report), **signature_json(report.signature), "timestamp": timestamp}


def content_json(report: Report) -> dict[str, object]:
    """What is signed: every field but the signature and what was added to it."""
    content = {name: value for name, value in _written(report).items() if name not in ("signature", "timestamp")}
    return {"format": FORMAT, **content}


def _written(value: Any) -> Any:
    """As JSON has it: times in UTC, to the second, and decimal numbers as text."""
    if is_dataclass(value):
        return {field.name: _written(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple):
        return [_written(part) for part in value]
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return decimal_text(value) if isinstance(value, Decimal) else value


def decimal_text(number: Decimal) -> str:
    """Plain where that is short, else with an exponent.

    >>> [decimal_text(Decimal(text)) for text in ("0.0312", "1E-6", "3.12E-11", "1", "0.9300")]
    ['0.0312', '1e-6', '3.12e-11', '1', '0.93']
    """
    normal = number.normalize()
    return f"{normal:f}" if normal == 0 or abs(normal) >= Decimal("0.001") else f"{normal:e}"


_DAMAGE = (ArithmeticError, AttributeError, KeyError, RecursionError, TypeError, ValueError, msgspec.ValidationError)


def read_report(content: bytes, *, name: str = "the report") -> Report:
    """A report from its file; one whose content does not fit its signature is refused.

    Who signed it is another question: see `require_signer`.
    """
    try:
        value = json.loads(content, object_pairs_hook=_without_repetition, parse_float=_refuse, parse_constant=_refuse)
        envelope = _parsed_envelope(value)
    except _DAMAGE as error:
        raise ReportError(f"{name} is corrupt, or not a report; needed: JSON that lexprint trace wrote") from error
    signature = None
    if envelope is not None:
        signature, key_id = envelope
        require_intact(value["report"], signature, key_id, name=name)
    form = value["report"].get("format") if isinstance(value["report"], dict) else None
    if type(form) is int and form > FORMAT:
        raise ReportError(f"{name} was written by a later version (format {form}); run: pip install --upgrade lexprint")
    try:
        timestamp = None if value["timestamp"] is None else b64decode(value["timestamp"], validate=True)
        read = {
            name: part for name, part in value["report"].items() if name not in ("format", "signature", "timestamp")
        }
        report = replace(msgspec.convert(read, Report), signature=signature, timestamp=timestamp)
        is_whole = canonical_json(content_json(report)) == canonical_json(value["report"])
    except _DAMAGE as error:
        raise ReportError(f"{name} is corrupt, or not a report; needed: JSON that lexprint trace wrote") from error
    if not is_whole:
        raise ReportError(f"{name} holds what no report holds; needed: JSON that lexprint trace wrote")
    return report


def _without_repetition(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Programs disagree on which of two equal keys counts."""
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError("a key stands twice")
    return value


def _refuse(number: str) -> object:
    raise ValueError(f"{number} is not a whole number")


def _parsed_envelope(value: Any) -> tuple[Signature, str] | None:
    if set(value) != {"report", *signature_json(None), "timestamp"}:
        raise ValueError("not the keys of a report")
    return parsed_signature(value)
