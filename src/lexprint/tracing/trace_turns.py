"""How many leaks were traced against a document, and whether one was made from another.

Every text that is traced is one more chance to name somebody innocent, and who may trace chooses the texts. So each new
reading of a document takes a turn, and the k-th turn has 1/(k(k+1)) of the error bound: all turns together, however many,
have no more than the whole (1/2 + 1/6 + 1/12 + ... = 1). The same reading again is the same question and takes no turn.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexprint.errors import RegistryError, UnknownDocument
from lexprint.registry.audit import TURN_TAKEN, time_text, turn_digest
from lexprint.registry.protocol import Registry

SMALL_EDIT = 0.1  # of the marked words that can be read in two leaks: if fewer differ, one is an edit of the other
LEAST_COMMON = (
    20  # of them, to say so: two copies agree at half of them, and so at nearly all once in ten thousand times
)
# Marked words in a row that two leaks share: copies agree at half of their sites by chance, or at three of four where their code is one
# against colluders, so a row as long as that comes about once in a million pairs of copies of 400 sites.
LONG_ROW: dict[str, int] = {"independent": 30, "tardos": 64}
LOOKED_AT = 1_000  # earlier readings, the latest

_PLACE = np.dtype([("place", "<u4"), ("shown", "u1")])


class Mark(NamedTuple):
    """What a leak shows at one place of a document."""

    place: int  # below 2**32
    shown: int  # below 128
    is_doubtful: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class Reading:
    """All that a leak shows of a document's marks."""

    marks: NDArray[np.void]  # in order of their places

    @classmethod
    def of(cls, marks: Iterable[Mark]) -> Reading:
        rows = sorted((mark.place, mark.shown | mark.is_doubtful << 7) for mark in marks)
        return cls(np.array(rows, dtype=_PLACE))

    @classmethod
    def unpacked(cls, packed: bytes) -> Reading:
        try:
            return cls(np.frombuffer(packed, dtype=_PLACE))
        except ValueError as error:
            raise RegistryError("what an earlier trace read is damaged; restore the registry from a backup") from error

    def packed(self) -> bytes:
        return self.marks.tobytes()

    @property
    def digest(self) -> str:
        return sha256(self.packed()).hexdigest()

    def compared_with(self, other: Reading) -> Likeness:
        _, here, there = np.intersect1d(
            self.marks["place"], other.marks["place"], assume_unique=False, return_indices=True
        )
        differ = (self.marks["shown"][here] ^ other.marks["shown"][there]) & 0x7F != 0
        ends = np.flatnonzero(np.concatenate(([True], differ, [True])))
        return Likeness(len(here), int(np.count_nonzero(differ)), int(np.diff(ends).max()) - 1)


class Likeness(NamedTuple):
    """How two leaks compare."""

    common: int  # marked words that can be read in both
    different: int  # of them
    in_a_row: int  # of them, the most that follow each other in the document and are the same

    @property
    def is_small_edit(self) -> bool:
        return self.common >= LEAST_COMMON and 0 < self.different <= SMALL_EDIT * self.common

    def has_common_passage(self, code: str) -> bool:
        """Whether a long passage is the same in both though they are not: neither is a part of the other."""
        return self.different > 0 and self.in_a_row >= LONG_ROW[code]


@dataclass(frozen=True, slots=True)
class EditedLeak:
    """An earlier leak of which the present one is a small edit, or with which it has a passage in common."""

    traced_at: datetime
    likeness: Likeness


@dataclass(frozen=True, slots=True)
class Turn:
    """Which question this is about a document."""

    number: int  # 1, 2, ...
    nearest: EditedLeak | None = None

    @property
    def share(self) -> float:
        """Of the error bound."""
        return share_of_turn(self.number)


def share_of_turn(number: int) -> float:
    return 1.0 / (number * (number + 1))


def take_turn(registry: Registry, document_id: str, reading: Reading, *, compared: int, at: datetime) -> Turn:
    """The turn of a reading that is held against so many copies; kept before anybody knows what comes of it."""
    digest = reading.digest
    with registry.writing() as statements:
        found = statements.rows("SELECT serial, code FROM documents WHERE id = :id", id=document_id)
        if not found:
            raise UnknownDocument(document_id)
        document = found[0]["serial"]
        known = statements.rows(
            "SELECT turn FROM traces WHERE document = :document AND digest = :digest AND compared = :compared",
            document=document,
            digest=digest,
            compared=compared,
        )
        earlier = statements.rows(
            "SELECT reading, traced_at FROM traces WHERE document = :document AND digest <> :digest "
            f"ORDER BY turn DESC LIMIT {LOOKED_AT}",
            document=document,
            digest=digest,
        )
        readings = [(Reading.unpacked(bytes(row["reading"])), row["traced_at"]) for row in earlier]
        nearest = _nearest(reading, readings, code=found[0]["code"])
        if known:
            return Turn(known[0]["turn"], nearest)
        last = statements.rows("SELECT max(turn) AS turn FROM traces WHERE document = :document", document=document)
        turn = (last[0]["turn"] or 0) + 1
        kept: dict[str, Any] = {"turn": turn, "compared": compared, "digest": digest}
        kept |= {"reading": reading.packed(), "traced_at": time_text(at)}
        statements.change(
            "INSERT INTO traces (document, turn, compared, digest, reading, traced_at) "
            "VALUES (:document, :turn, :compared, :digest, :reading, :traced_at)",
            document=document,
            **kept,
        )
        details = {"document": document_id, "turn": turn, "reading": digest}
        statements.log(TURN_TAKEN, details | {"sha256": turn_digest(**kept)})
    return Turn(turn, nearest)


def next_turn(registry: Registry, document_id: str) -> int:
    """The number that the next new reading of a document will have; none is taken."""
    with registry.reading() as statements:
        last = statements.rows(
            "SELECT max(turn) AS turn FROM traces WHERE document = (SELECT serial FROM documents WHERE id = :id)",
            id=document_id,
        )
    return int(last[0]["turn"] or 0) + 1


def _nearest(reading: Reading, earlier: Iterable[tuple[Reading, str]], *, code: str) -> EditedLeak | None:
    """The likest of those that are small edits, else the one with the longest passage in common, the latest of equals."""
    found = [EditedLeak(datetime.fromisoformat(at), reading.compared_with(other)) for other, at in earlier]
    edits = [one for one in found if one.likeness.is_small_edit]
    if edits:
        return min(edits, key=lambda edit: edit.likeness.different / edit.likeness.common)
    shared = [one for one in found if one.likeness.has_common_passage(code)]
    return max(shared, key=lambda one: one.likeness.in_a_row, default=None)
