"""Report: what a trace found.

It holds no floating-point numbers, which no two programs write alike: shares and chances are decimal numbers. A chance of
error is rounded up, so that a report never claims less than was calculated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Context, Decimal
from typing import Annotated, TypeAlias

from msgspec import Meta

from lexprint.reports.signatures import Signature
from lexprint.results import Verdict

SIGNIFICANT_DIGITS = 3  # of a chance of error
LEAST_CHANCE = Decimal("1e-300")  # smaller ones are lost in the arithmetic, so none is claimed

STATEMENT = (
    "Tracing identifies a copy, not a person. Anyone who had access to that copy, with or without the knowledge of its "
    "recipient, may have passed it on."
)

Count: TypeAlias = Annotated[int, Meta(ge=0)]


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
    words: Count


@dataclass(frozen=True, slots=True)
class TracedDocument:
    """The master that the leak was compared with."""

    id: str
    name: str
    version: Count  # 1, 2, ... among the documents of that name
    created_at: datetime
    issuing: str
    code: str
    characters: Count
    sites: Count


@dataclass(frozen=True, slots=True)
class AccusedCopy:
    """A copy that agrees with the leak so well that it is named."""

    number: Count
    recipient: str
    issued_at: datetime | None
    matches: Count
    readable: Count
    p_value: Decimal  # chance that one innocent copy agrees so well
    family_p_value: Decimal  # chance that any of all innocent copies does, in any trace of its document so far

    @property
    def disagreements(self) -> int:
        """What speaks for its recipient."""
        return self.readable - self.matches


@dataclass(frozen=True, slots=True)
class Evidence:
    """One site that was read: what the master says there, what the leak says, and what accused copies were given."""

    site: Count  # 1, 2, ... in the order of the text
    offset: Count  # of the word in the master, in characters
    before: str  # a few words of the master, up to the word
    word: str
    after: str  # and from it on
    words: tuple[str, ...]  # two or more, of which copies bear one
    symbol: Count | None  # which of them the leak shows; None: another one
    seen: str | None  # what stands there in the leak; None: the passage is missing
    given: tuple[str | None, ...]  # word in each of the accused copies, in their order; None: not told, see `evidence`
    is_doubtful: bool = False  # whether the leak was edited and edits lead to what is seen, so that it counts for less
    acceptances: tuple[Decimal, ...] = ()  # of each word after the first: the estimated share of readers that accept it

    @property
    def is_consistent(self) -> bool:
        return (
            len(set(self.words)) == len(self.words) > 1
            and (0 <= self.symbol < len(self.words) if self.symbol is not None else not self.is_doubtful)
            and len(self.acceptances) in (0, len(self.words) - 1)
            and all(0 <= part <= 1 for part in self.acceptances)
        )

    @property
    def words_shown(self) -> str:
        """With what readers are estimated to say of each, where that is known."""
        accepted = [f" ({part * 100:.0f} %)" for part in self.acceptances] or [""] * (len(self.words) - 1)
        return " / ".join(word + part for word, part in zip(self.words, ["", *accepted], strict=True))


@dataclass(frozen=True, slots=True)
class Unlisted:
    """Readable marked words of a named copy that count and are not listed."""

    agree: int
    differ: int

    @property
    def count(self) -> int:
        return self.agree + self.differ


def unlisted(copy: AccusedCopy, evidence: Sequence[Evidence], accused: int) -> Unlisted:
    """What follows from the counts and from what is listed of the copy, which is the `accused`-th that is named."""
    listed = [
        one.words[one.symbol] == one.given[accused]
        for one in evidence
        if one.symbol is not None and one.given[accused] is not None
    ]
    return Unlisted(copy.matches - listed.count(True), copy.disagreements - listed.count(False))


@dataclass(frozen=True)
class Report:
    """What a trace found. An unsigned report says so; a signed one was verified when it was read."""

    id: str  # sixteen hexadecimal digits
    version: str  # of lexprint
    made_at: datetime
    leak: Leak
    document: TracedDocument | None  # None: no registered document is like the leak
    verdict: Verdict
    accused: tuple[AccusedCopy, ...]  # best first; of others nothing is told, not even how well they agree
    documents: Count  # that were like the leak and were all tried; chances and bound are over all of them
    compared: Count  # copies of this one
    compared_in_all: Count  # copies of all of them
    turn: (
        Count | None
    )  # how many different leaks of this document were traced by now; None: it says too little to count
    readable: Count  # sites where the leak shows one of their words
    matches_needed: Count | None  # to be accused; None: matches alone do not decide, or none are enough
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
    def has_acceptances(self) -> bool:
        return any(one.acceptances for one in self.evidence)

    @property
    def has_doubtful_places(self) -> bool:
        """Whether agreements were also weighed by where edits lead."""
        return any(one.is_doubtful for one in self.evidence)

    def unlisted(self, accused: int) -> Unlisted:
        return unlisted(self.accused[accused], self.evidence, accused)

    def _is_consistent(self) -> bool:
        accusations = {"one copy": len(self.accused) == 1, "several copies": len(self.accused) > 1}
        return (
            accusations.get(self.verdict, not self.accused)
            and (self.document is None) == (self.verdict == "no document")
            and (self.timestamp is None or self.signature is not None)
            and all(0 < part <= 1 for copy in self.accused for part in (copy.p_value, copy.family_p_value))
            and all(0 <= part <= 1 for part in (self.error_bound, self.covered_share, self.edited_share))
            and (bool(self.accused) or not self.evidence)
            and all(one.is_consistent and len(one.given) == len(self.accused) for one in self.evidence)
        )
