"""What the registry keeps: documents with their sites, recipients, and the copies they were given.

Codewords are stored, so tracing needs neither key nor model: a leak is compared with what was really sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lexprint.coding.codewords import new_salt
from lexprint.text.pairs import Figures, Pair
from lexprint.text.span import Span

Issuing: TypeAlias = Literal["registered", "blind"]  # with sites known to the registry alone, or as in the paper
Code: TypeAlias = Literal["independent", "tardos"]  # fair coins, or a code that survives colluders
Codewords: TypeAlias = NDArray[np.uint8]  # (copies, sites), which of the site's words; 0: the master's


@dataclass(frozen=True, slots=True)
class CopySite:
    """A word of the master that differs between copies."""

    span: Span  # in the master's text
    word: str  # what the master says there; a member of the pair
    pair: Pair
    entailment: float  # SR of exchanging it, the weaker of both directions
    further: tuple[str, ...] = ()  # words besides the pair, each in half as many copies as the one before
    likely_edits: tuple[str, ...] = ()  # of these words, those that an edit of another one would likely lead to
    figures: tuple[Figures, ...] = ()  # of each of the others, in order; none: only the SR above is known

    @property
    def others(self) -> tuple[str, ...]:
        """What copies may say there instead of the master's word, the best first."""
        return (self.pair.other(self.word), *self.further)

    def figures_of(self, other: str) -> Figures:
        """How good it is to write that one there instead of the master's word."""
        return self.figures[self.others.index(other)] if self.figures else Figures(self.entailment, None)

    def with_others(self, words: Sequence[str]) -> CopySite:
        """The site with only these of its other words, of which there is at least one, in its own order."""
        kept = [word for word in self.others if word in words]
        return replace(
            self,
            pair=Pair.of(self.word, kept[0]),
            entailment=self.figures_of(kept[0]).entailment,
            further=tuple(kept[1:]),
            likely_edits=tuple(word for word in self.likely_edits if word in (self.word, *kept)),
            figures=tuple(map(self.figures_of, kept)) if self.figures else (),
        )

    @property
    def words(self) -> tuple[str, ...]:
        """All that copies may say there, by the symbols of codewords; 0 is the master's own word."""
        return (self.word, *self.others)


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """A master that copies were made of."""

    id: str  # sixteen hexadecimal digits
    name: str  # as its owner calls it; a changed text under the same name is a later version
    text: str = field(repr=False)
    digest: str  # SHA-256 of the file it was read from
    issuing: Issuing
    code: Code
    sites: tuple[CopySite, ...] = field(repr=False)  # none for blind copies: each has its own
    biases: tuple[float, ...] = field(repr=False)  # how probable a 1 is, site by site, in the codeword of a copy
    key_id: str  # which master key; never the key
    fingerprint: str  # of the models and settings that found the sites
    created_at: datetime
    error_bound: float = 1e-6  # with which leaks are traced, as promised when copies were issued
    canary: str = ""  # what the models answered where blind copies were marked; others are traced without models

    @property
    def choices(self) -> tuple[int, ...]:
        """How many words each site has."""
        return tuple(len(site.words) for site in self.sites)


@dataclass(frozen=True, slots=True)
class IssuedCopy:
    """A copy for one recipient. It is planned, and recorded, before its file appears: no copy is ever unknown."""

    document_id: str
    number: int  # 1, 2, ... within the document
    recipient: str  # as its owner calls them; one person in the registry, however the name is written
    codeword: tuple[int, ...] = field(repr=False)  # one symbol a site
    file_name: str
    digest: str | None = None  # SHA-256 of the file; None while it is only planned
    issued_at: datetime | None = None
    salt: bytes = field(
        default_factory=new_salt, repr=False
    )  # drawn when the copy is planned; its codeword follows from it

    @property
    def is_issued(self) -> bool:
        return self.issued_at is not None


@dataclass(frozen=True, slots=True)
class DocumentSummary:
    """A registered document without its text and sites."""

    id: str
    name: str
    version: int  # 1, 2, ... among the documents of that name
    issuing: Issuing
    code: Code
    digest: str
    key_id: str
    fingerprint: str
    created_at: datetime
    words: int
    sites: int
    planned: int  # copies, issued or not
    issued: int


@dataclass(frozen=True, slots=True)
class RecipientSummary:
    """Who was to be given copies, and how many were."""

    name: str
    planned: int  # copies, issued or not
    issued: int


class LikelyDocument(NamedTuple):
    """A document that shares wording with a leak."""

    document_id: str
    shared: int  # shingles found in both
    wording: str  # the same for documents that have the same words


@dataclass(frozen=True, slots=True)
class ReportSummary:
    """A stored report without its text."""

    id: str
    document_id: str | None  # None: no document was found
    saved_at: datetime


@dataclass(frozen=True, slots=True)
class StoredReport:
    """A report as it was signed, character for character."""

    id: str
    document_id: str | None
    text: str = field(repr=False)
    saved_at: datetime


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One line of the audit log; its hash covers the line and, through `previous`, all lines before it."""

    sequence: int  # 1, 2, ... without gaps
    at: str  # ISO 8601 in UTC, as it was hashed
    event: str
    details: str  # canonical JSON; neither text nor keys
    key_id: str  # of the master key it was written with; empty: without one
    previous: str  # hash of the entry before
    hash: str


@dataclass(frozen=True, slots=True)
class BrokenEntry:
    """The first entry of the audit log that does not hold."""

    sequence: int
    reason: str
