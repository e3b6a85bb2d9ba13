"""Report: what a trace found, as canonical JSON that is signed, and the verification of its signature.

It holds no floating-point numbers, which no two programs write alike: shares and chances are decimal strings, such as
"0.9312" and "3.12e-11". A chance of error is rounded up, so that a report never claims less than was calculated.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Context, Decimal
from typing import Any, Literal, TypeAlias, get_args

from lexprint.coding.keys import MasterKey
from lexprint.errors import ForeignSignature, ReportError
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
SIGNIFICANT_DIGITS = 3  # of a chance of error
LEAST_CHANCE = Decimal("1e-300")  # smaller ones are lost in the arithmetic, so none is claimed

STATEMENT = (
    "Tracing identifies a copy, not a person. Anyone who had access to that copy, with or without the knowledge of its "
    "recipient, may have passed it on."
)

Outcome: TypeAlias = Literal["one copy", "several copies", "inconclusive", "no document"]


def chance(probability: float) -> Decimal:
    """A chance of error as it is reported: three digits, rounded up.

    >>> str(chance(3.1187e-11)), str(chance(0.25)), str(chance(0.0))
    ('3.12E-11', '0.25', '1E-300')
    """
    rounded = Context(prec=SIGNIFICANT_DIGITS, rounding=ROUND_CEILING).create_decimal_from_float(probability)
    return min(max(rounded.normalize(), LEAST_CHANCE), Decimal(1))


def share(part: float) -> Decimal:
    """A part of the whole, to four places."""
    return Decimal(min(max(part, 0.0), 1.0)).quantize(Decimal("0.0001"), rounding=ROUND_HALF_EVEN)


@dataclass(frozen=True, slots=True)
class Leak:
    """What was traced; its text is not kept."""

    digest: str  # SHA-256 of the file, or of the text in UTF-8 where there was no file
    words: int


@dataclass(frozen=True, slots=True)
class TracedDocument:
    """The master that the leak was compared with."""

    id: str
    name: str
    version: int  # 1, 2, ... among the documents of that name
    created_at: datetime
    issuing: str
    code: str
    characters: int
    sites: int


@dataclass(frozen=True, slots=True)
class AccusedCopy:
    """A copy that agrees with the leak so well that it is named."""

    number: int
    recipient: str
    issued_at: datetime | None
    matches: int
    readable: int
    p_value: Decimal  # chance that one innocent copy agrees so well
    family_p_value: Decimal  # chance that any of all innocent copies does, in any trace of its document so far


@dataclass(frozen=True, slots=True)
class Evidence:
    """One site: what the master says there, what the leak says, and what each accused copy was given."""

    site: int  # 1, 2, ... in the order of the text
    offset: int  # of the word in the master, in characters
    before: str  # a few words of the master, up to the word
    word: str
    after: str  # and from it on
    words: tuple[str, ...]  # two or more, of which copies bear one
    symbol: int | None  # which of them the leak shows; None: another one
    seen: str | None  # what stands there in the leak; None: the passage is missing
    given: tuple[str, ...]  # word in each of the accused copies, in their order
    is_doubtful: bool = False  # whether the leak was edited and edits lead to what is seen, so that it counts for less

    @property
    def is_consistent(self) -> bool:
        return len(set(self.words)) == len(self.words) > 1 and (
            0 <= self.symbol < len(self.words) if self.symbol is not None else not self.is_doubtful
        )


@dataclass(frozen=True)
class Report:
    """What a trace found. An unsigned report says so; a signed one was verified when it was read."""

    id: str  # sixteen hexadecimal digits
    version: str  # of lexprint
    made_at: datetime
    leak: Leak
    document: TracedDocument | None  # None: no registered document is like the leak
    verdict: Outcome
    accused: tuple[AccusedCopy, ...]  # best first; of others nothing is told, not even how well they agree
    documents: int  # that were like the leak and were all tried; chances and bound are over all of them
    compared: int  # copies of this one
    compared_in_all: int  # copies of all of them
    turn: int | None  # how many different leaks of this document were traced by now; None: it says too little to count
    readable: int  # sites where the leak shows one of their words
    matches_needed: int | None  # to be accused; None: matches alone do not decide, or none are enough
    error_bound: Decimal  # over all copies of all documents tried, and all traces
    covered_share: Decimal  # of the master's words that are in the leak
    edited_share: Decimal  # of those that were changed
    evidence: tuple[Evidence, ...] = field(repr=False)  # only where a copy is named
    notes: tuple[str, ...]
    statement: str = field(default=STATEMENT, repr=False)
    signature: Signature | None = None
    timestamp: bytes | None = field(default=None, repr=False)  # of the signed report, as in RFC 3161

    def __post_init__(self) -> None:
        if not self._is_consistent():
            raise ValueError("a report that contradicts itself")

    @property
    def has_further_words(self) -> bool:
        """Whether copies had more than two words to choose from anywhere, so that agreements weigh differently."""
        return any(len(one.words) > 2 for one in self.evidence)

    @property
    def has_doubtful_places(self) -> bool:
        """Whether agreements were also weighed by where edits lead."""
        return any(one.is_doubtful for one in self.evidence)

    def _is_consistent(self) -> bool:
        accusations = {"one copy": len(self.accused) == 1, "several copies": len(self.accused) > 1}
        return (
            accusations.get(self.verdict, not self.accused)
            and (self.document is None) == (self.verdict == "no document")
            and (self.timestamp is None or self.signature is not None)
            and all(copy.p_value > 0 for copy in self.accused)
            and (bool(self.accused) or not self.evidence)
            and all(one.is_consistent and len(one.given) == len(self.accused) for one in self.evidence)
        )


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
    """What is signed."""
    document = report.document
    return {
        "format": FORMAT,
        "id": report.id,
        "lexprint": report.version,
        "made_at": _time_text(report.made_at),
        "leak": {"sha256": report.leak.digest, "words": report.leak.words},
        "document": document and _document_json(document),
        "verdict": report.verdict,
        "accused": [_copy_json(copy) for copy in report.accused],
        "documents": report.documents,
        "compared": report.compared,
        "compared_in_all": report.compared_in_all,
        "turn": report.turn,
        "readable": report.readable,
        "matches_needed": report.matches_needed,
        "error_bound": decimal_text(report.error_bound),
        "covered_share": decimal_text(report.covered_share),
        "edited_share": decimal_text(report.edited_share),
        "evidence": [_evidence_json(evidence) for evidence in report.evidence],
        "notes": list(report.notes),
        "statement": report.statement,
    }


def _document_json(document: TracedDocument) -> dict[str, object]:
    return {
        "id": document.id,
        "name": document.name,
        "version": document.version,
        "created_at": _time_text(document.created_at),
        "issuing": document.issuing,
        "code": document.code,
        "characters": document.characters,
        "sites": document.sites,
    }


def _copy_json(copy: AccusedCopy) -> dict[str, object]:
    return {
        "number": copy.number,
        "recipient": copy.recipient,
        "issued_at": copy.issued_at and _time_text(copy.issued_at),
        "matches": copy.matches,
        "readable": copy.readable,
        "p_value": decimal_text(copy.p_value),
        "family_p_value": decimal_text(copy.family_p_value),
    }


def _evidence_json(evidence: Evidence) -> dict[str, object]:
    return {
        "site": evidence.site,
        "offset": evidence.offset,
        "before": evidence.before,
        "word": evidence.word,
        "after": evidence.after,
        "words": list(evidence.words),
        "symbol": evidence.symbol,
        "seen": evidence.seen,
        "given": list(evidence.given),
        "doubtful": evidence.is_doubtful,
    }


def _time_text(time: datetime) -> str:
    """UTC, to the second."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def decimal_text(number: Decimal) -> str:
    """Plain where that is short, else with an exponent.

    >>> [decimal_text(Decimal(text)) for text in ("0.0312", "1E-6", "3.12E-11", "1", "0.9300")]
    ['0.0312', '1e-6', '3.12e-11', '1', '0.93']
    """
    normal = number.normalize()
    return f"{normal:f}" if normal == 0 or abs(normal) >= Decimal("0.001") else f"{normal:e}"


_DAMAGE = (ArithmeticError, AttributeError, KeyError, RecursionError, TypeError, ValueError)


def read_report(content: bytes, *, name: str = "the report") -> Report:
    """A report from its file; one whose content does not fit its signature is refused.

    Who signed it is another question: see `require_signer`.
    """
    try:
        value = json.loads(content, object_pairs_hook=_without_repetition, parse_float=_refuse, parse_constant=_refuse)
        envelope = _parsed_envelope(value)
    except _DAMAGE as error:
        raise ReportError(f"{name} is damaged or something else; needed: JSON that lexprint trace wrote") from error
    signature = None
    if envelope is not None:
        signature, key_id = envelope
        require_intact(value["report"], signature, key_id, name=name)
    form = value["report"].get("format") if isinstance(value["report"], dict) else None
    if type(form) is int and form > FORMAT:
        raise ReportError(f"{name} was written by a later version (format {form}); run: pip install --upgrade lexprint")
    try:
        report = replace(_parsed(value["report"]), signature=signature, timestamp=_bytes_or_none(value["timestamp"]))
        is_whole = canonical_json(content_json(report)) == canonical_json(value["report"])
    except _DAMAGE as error:
        raise ReportError(f"{name} is damaged or something else; needed: JSON that lexprint trace wrote") from error
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


def _parsed(value: Any) -> Report:
    return Report(
        id=_text(value["id"]),
        version=_text(value["lexprint"]),
        made_at=_time(value["made_at"]),
        leak=Leak(_text(value["leak"]["sha256"]), _count(value["leak"]["words"])),
        document=None if value["document"] is None else _parsed_document(value["document"]),
        verdict=_outcome(value["verdict"]),
        accused=tuple(map(_parsed_copy, value["accused"])),
        documents=_count(value["documents"]),
        compared=_count(value["compared"]),
        compared_in_all=_count(value["compared_in_all"]),
        turn=None if value["turn"] is None else _count(value["turn"]),
        readable=_count(value["readable"]),
        matches_needed=None if value["matches_needed"] is None else _count(value["matches_needed"]),
        error_bound=_decimal(value["error_bound"]),
        covered_share=_decimal(value["covered_share"]),
        edited_share=_decimal(value["edited_share"]),
        evidence=tuple(map(_parsed_evidence, value["evidence"])),
        notes=tuple(map(_text, value["notes"])),
        statement=_text(value["statement"]),
    )


def _parsed_document(value: Any) -> TracedDocument:
    return TracedDocument(
        id=_text(value["id"]),
        name=_text(value["name"]),
        version=_count(value["version"]),
        created_at=_time(value["created_at"]),
        issuing=_text(value["issuing"]),
        code=_text(value["code"]),
        characters=_count(value["characters"]),
        sites=_count(value["sites"]),
    )


def _parsed_copy(value: Any) -> AccusedCopy:
    return AccusedCopy(
        number=_count(value["number"]),
        recipient=_text(value["recipient"]),
        issued_at=None if value["issued_at"] is None else _time(value["issued_at"]),
        matches=_count(value["matches"]),
        readable=_count(value["readable"]),
        p_value=_decimal(value["p_value"]),
        family_p_value=_decimal(value["family_p_value"]),
    )


def _parsed_evidence(value: Any) -> Evidence:
    return Evidence(
        site=_count(value["site"]),
        offset=_count(value["offset"]),
        before=_text(value["before"]),
        word=_text(value["word"]),
        after=_text(value["after"]),
        words=tuple(map(_text, value["words"])),
        symbol=None if value["symbol"] is None else _count(value["symbol"]),
        seen=_text_or_none(value["seen"]),
        given=tuple(map(_text, value["given"])),
        is_doubtful=_flag(value["doubtful"]),
    )


def _outcome(value: object) -> Outcome:
    outcomes: tuple[Outcome, ...] = get_args(Outcome)
    return outcomes[outcomes.index(_text(value))]  # whatever is none is not found


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError("neither true nor false")
    return value


def _text_or_none(value: object) -> str | None:
    return None if value is None else _text(value)


def _bytes_or_none(value: object) -> bytes | None:
    return None if value is None else b64decode(_text(value), validate=True)


def _count(value: object) -> int:
    if type(value) is not int or value < 0:
        raise TypeError("not a count")
    return value


def _decimal(value: object) -> Decimal:
    number = Decimal(_text(value))
    if not 0 <= number <= 1:
        raise ValueError("not a share of one")
    return number


def _time(value: object) -> datetime:
    time = datetime.fromisoformat(_text(value))
    if time.utcoffset() != timedelta(0):
        raise ValueError("not UTC")
    return time
