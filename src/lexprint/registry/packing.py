"""How records are packed into columns, and which cannot be.

Any text survives, and a hundred thousand codewords are read in one go.
"""

from __future__ import annotations

import json
import unicodedata
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from lexprint.coding.codewords import SALT_BYTES
from lexprint.errors import InputError, RegistryConflict
from lexprint.registry.records import Codewords, CopySite, IssuedCopy
from lexprint.text.pairs import Figures, Pair
from lexprint.text.span import Span


class Damaged(ValueError):
    """A column does not hold what was packed into it."""


@contextmanager
def _unpacking() -> Iterator[None]:
    try:
        yield
    except (zlib.error, KeyError, ValueError, TypeError) as error:
        raise Damaged from error


def pack_text(text: str) -> bytes:
    """PostgreSQL's own text has no NUL character, and neither database has lone surrogates."""
    return zlib.compress(text.encode("utf-8", "surrogatepass"))


def unpack_text(packed: bytes) -> str:
    with _unpacking():
        return zlib.decompress(packed).decode("utf-8", "surrogatepass")


def pack_sites(sites: Sequence[CopySite]) -> bytes:
    return zlib.compress(json.dumps([site_row(site) for site in sites], separators=(",", ":")).encode())


def unpack_sites(packed: bytes) -> tuple[CopySite, ...]:
    with _unpacking():
        return tuple(map(site_from, json.loads(zlib.decompress(packed))))


def site_row(site: CopySite) -> dict[str, object]:
    """A site as JSON keeps it."""
    return {
        "span": [site.span.start, site.span.end],
        "word": site.word,
        "pair": list(site.pair),
        "entailment": site.entailment,
        "further": list(site.further),
        "likely_edits": list(site.likely_edits),
        "figures": [[one.entailment, one.acceptance] for one in site.figures],
    }


def site_from(row: Mapping[str, Any]) -> CopySite:
    return CopySite(
        Span(*row["span"]),
        row["word"],
        Pair(*row["pair"]),
        row["entailment"],
        tuple(row["further"]),
        tuple(row["likely_edits"]),
        tuple(Figures(*one) for one in row["figures"]),
    )


def pack_biases(biases: Sequence[float]) -> bytes:
    return np.array(biases, dtype="<f8").tobytes()


def unpack_biases(packed: bytes) -> tuple[float, ...]:
    with _unpacking():
        return tuple(np.frombuffer(packed, dtype="<f8").tolist())


def pack_codeword(codeword: Sequence[int]) -> bytes:
    """Eight sites a byte; where symbols are greater than 1, their higher bits follow in a second row of bytes."""
    symbols = np.frombuffer(bytes(codeword), dtype=np.uint8)
    rows = [symbols & 1, symbols >> 1] if symbols.max(initial=0) > 1 else [symbols]
    return b"".join(np.packbits(row).tobytes() for row in rows)


def unpack_codewords(packed: Sequence[bytes], *, sites: int) -> Codewords:
    """Codewords of copies of a document with so many sites: (copies, sites)."""
    width = (sites + 7) // 8
    with _unpacking():
        if any(len(one) not in (width, 2 * width) for one in packed):
            raise ValueError("a codeword of another length")
        low = _unpacked([one[:width] for one in packed], sites)
        if all(len(one) == width for one in packed):
            return low
        high = _unpacked([one[width:] or bytes(width) for one in packed], sites)
        return low | np.left_shift(high, np.uint8(1))


def _unpacked(rows: Sequence[bytes], sites: int) -> Codewords:
    bits = np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(len(rows), (sites + 7) // 8)
    return np.unpackbits(bits, axis=1, count=sites)


class CopyRow(NamedTuple):
    """What is fixed when a copy is planned."""

    number: int
    recipient: str
    file_name: str
    salt: bytes
    codeword: bytes  # packed


def copy_rows(document_id: str, copies: Sequence[IssuedCopy]) -> list[CopyRow]:
    """Planned copies by number."""
    for copy in copies:
        require_storable("the name of a recipient", copy.recipient)
        require_storable("the name of a copy's file", copy.file_name)
        if copy.document_id != document_id or copy.is_issued or copy.digest is not None:
            raise ValueError(f"copy {copy.number} is not a planned copy of document {document_id}")
        if len(copy.salt) < SALT_BYTES:
            raise ValueError(f"copy {copy.number} has a salt of {len(copy.salt)} bytes")
    return sorted(
        CopyRow(int(copy.number), copy.recipient, copy.file_name, copy.salt, pack_codeword(copy.codeword))
        for copy in copies
    )


def person(recipient: str) -> str:
    """The same for all ways to write a name that differ in case, spacing or Unicode form: they are one person.

    Nothing more is folded: Weiß and Weiss are two, and a copy of one must never be told to be the other's.

    >>> person("Zoe\u0308  BELL") == person("zo\u00eb bell"), person("Weiß") == person("Weiss")
    (True, False)
    """
    return " ".join(unicodedata.normalize("NFC", unicodedata.normalize("NFC", recipient).lower()).split())


def require_codewords(copies: Sequence[IssuedCopy], *, sites: int) -> None:
    for copy in copies:
        if len(copy.codeword) != sites:
            raise ValueError(f"copy {copy.number} has {len(copy.codeword)} bits for {sites} sites")


def require_new_copies(document_id: str, rows: Iterable[CopyRow], planned: Collection[tuple[int, str]]) -> None:
    """Refuse numbers and people that have a copy already: `planned` is who has which."""
    numbers, people = {number for number, _ in planned}, {one for _, one in planned}
    for row in rows:
        one = person(row.recipient)
        if row.number in numbers or one in people:
            what = f"number {row.number}" if row.number in numbers else f"recipient {row.recipient}"
            raise RegistryConflict(f"document {document_id} has a copy for {what} already; needed: another one")
        numbers.add(row.number)
        people.add(one)


def require_storable(what: str, text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{what} holds half of a surrogate pair", needed="characters that UTF-8 can write") from error
    if "\0" in text:
        raise InputError(f"{what} holds a NUL character", needed="characters that a database can keep")
