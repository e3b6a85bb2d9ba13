"""What the verbs are given and give back, the same in the library and with a service.

Each result is made from the JSON that commands print and the service answers, so there is one form of it. No other package is
loaded for this: a client may run where the models are not.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias

from lexprint.errors import InputError
from lexprint.whole_files import write_whole

Given: TypeAlias = str | os.PathLike[str] | bytes  # a document: the name of a file, or what is in it
OnProgress: TypeAlias = Callable[[int, int], None]  # words done, words in all
Json: TypeAlias = Mapping[str, Any]
Verdict: TypeAlias = Literal["one copy", "several copies", "inconclusive", "no document"]


@dataclass(frozen=True)
class Substitute:
    """A word that may stand in for another.

    >>> Substitute.of({"word": "big", "acceptance": 0.83, "entailment": 0.97, "probability": 0.2}).text
    'big'
    """

    text: str
    acceptance: float | None  # share of readers that would accept it; None: the profile asks for entailment alone
    entailment: float
    probability: float

    @classmethod
    def of(cls, found: Json) -> Self:
        return cls(found["word"], found["acceptance"], found["entailment"], found["probability"])


@dataclass(frozen=True)
class Capacity:
    """How many bits a text can carry, or at how many sites its copies may differ.

    >>> Capacity(words=100, sites=8, mean_entailment=0.97, fingerprint="0" * 16).sites_per_word
    0.08
    """

    words: int
    sites: int  # each carries a bit
    mean_entailment: float | None
    fingerprint: str

    @property
    def sites_per_word(self) -> float:
        return self.sites / self.words if self.words else 0.0

    @classmethod
    def of(cls, found: Json) -> Self:
        return cls(found["words"], len(found["sites"]), found["mean_entailment"], found["fingerprint"])


@dataclass(frozen=True)
class Marked:
    """A marked text or file, and the record that restores it.

    >>> Marked(content=b"A big house.", text="A big house.", record={}).content
    b'A big house.'
    """

    content: bytes = field(repr=False)  # in the format of the original
    text: str | None = field(repr=False)  # where a text was given; None: a file was
    record: Json = field(repr=False)  # the restoration record

    def save(self, path: str | Path) -> None:
        """Write the marked file, all of it or nothing."""
        write_whole(Path(path), self.content)


@dataclass(frozen=True)
class Extracted:
    """What a text says; that it carries no payload is an answer too.

    >>> Extracted.of({"payload": None, "words": 3, "fingerprint": "0" * 16}).payload is None
    True
    """

    payload: str | int | None  # None: no mark
    chance_of_error: float | None  # of the payload
    bits: str | None  # None: a payload was asked for
    message: str | None  # the bits as text
    words: int
    fingerprint: str

    @classmethod
    def of(cls, found: Json) -> Self:
        return cls(
            payload=found.get("payload"),
            chance_of_error=found.get("chance_of_error"),
            bits=found.get("bits"),
            message=found.get("message"),
            words=found["words"],
            fingerprint=found["fingerprint"],
        )


@dataclass(frozen=True)
class Recovered:
    """An original, the most probable one or the exact one.

    >>> Recovered(content=b"A large house.", text=None, is_exact=True).is_exact
    True
    """

    content: bytes = field(repr=False)
    text: str | None = field(repr=False)  # where a text was given; None: a file was
    is_exact: bool

    def save(self, path: str | Path) -> None:
        """Write the original, all of it or nothing."""
        write_whole(Path(path), self.content)


@dataclass(frozen=True)
class CopyFile:
    """A copy that was issued.

    >>> CopyFile(number=1, recipient="Ada", path=Path("copies/memo-0001-Ada.txt"), digest="0" * 64).path.name
    'memo-0001-Ada.txt'
    """

    number: int
    recipient: str
    path: Path
    digest: str  # SHA-256


@dataclass(frozen=True)
class Issued:
    """Copies of a document, all of them recorded and on disk.

    >>> Issued(document_id="0" * 16, name="memo", sites=90, copies=()).copies
    ()
    """

    document_id: str
    name: str
    sites: int  # where copies differ; none for blind ones
    copies: tuple[CopyFile, ...]
    warnings: tuple[str, ...] = ()  # what should be known before they are given away

    @classmethod
    def of(cls, found: Json, folder: Path) -> Self:
        document = found["document"]
        copies = (
            CopyFile(copy["number"], copy["recipient"], folder / copy["file"], copy["sha256"])
            for copy in found["copies"]
        )
        return cls(document["id"], document["name"], document["sites"], tuple(copies), tuple(found.get("warnings", ())))


@dataclass(frozen=True)
class NamedCopy:
    """A copy that agrees with a leak so well that it is named.

    >>> NamedCopy(number=2, recipient="Bo", matches=88, readable=90, chance_of_error=3.1e-12).recipient
    'Bo'
    """

    number: int
    recipient: str
    matches: int
    readable: int
    chance_of_error: float  # over all copies and all traces of the document


@dataclass(frozen=True)
class TraceReport:
    """What a trace found. That nobody can be named is an outcome: `named` is then empty.

    >>> TraceReport(id="0" * 16, verdict="no document", headline="", named=(), signed={}, page="").named
    ()
    """

    id: str
    verdict: Verdict
    headline: str
    named: tuple[NamedCopy, ...]
    signed: Json = field(repr=False)  # the report as it was signed
    page: str = field(repr=False)  # the report for people, as HTML

    @classmethod
    def of(cls, signed: Json, *, headline: str, page: str) -> Self:
        report = signed["report"]
        named = tuple(
            NamedCopy(
                copy["number"],
                copy["recipient"],
                copy["matches"],
                copy["readable"],
                float(copy["family_p_value"]),
            )
            for copy in report["accused"]
        )
        return cls(report["id"], report["verdict"], headline, named, signed, page)

    def save(self, path: str | Path) -> None:
        """Write the page if the name ends in .html, the signed JSON if it ends in .json."""
        ending = Path(path).suffix.lower()
        if ending not in (".html", ".htm", ".json"):
            raise InputError(f"{path} is neither a page nor JSON", needed="a name that ends in .html or .json")
        canonical = json.dumps(self.signed, ensure_ascii=False, sort_keys=True, separators=(",", ":")) + "\n"
        write_whole(Path(path), (canonical if ending == ".json" else self.page).encode())
