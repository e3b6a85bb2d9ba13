"""Short identifiers in few bits: "ACME-2026-00417" takes nine bytes, not fifteen.

Every bit of a payload costs a site, so the letters, digits and marks of an identifier get shorter codes than the rest of
Unicode, which is still all there. The code is arithmetic, in exact fractions: no rounding, so no machine decodes it otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil
from string import ascii_lowercase, ascii_uppercase, digits

LONGEST = 64  # characters or bytes of a text; a payload of so many is never wanted

# How often a kind of character follows another in what people call their documents, in 32nds. Made up, and frozen: a text
# marked today must be read in ten years.
_KINDS = ("end", "upper", "lower", "digit", "mark", "other")
_FOLLOWING = {
    "start": (0, 12, 8, 9, 1, 2),
    "upper": (2, 18, 3, 2, 6, 1),
    "lower": (4, 1, 20, 2, 4, 1),
    "digit": (6, 1, 1, 19, 4, 1),
    "mark": (1, 9, 9, 11, 1, 1),
    "other": (3, 2, 2, 2, 3, 20),
}
_MARKS = {"-": 8, " ": 2, "_": 1, ".": 1, "/": 1, ":": 1, "#": 1, "@": 1}
_CHARACTERS: dict[str, dict[str, int]] = {
    "upper": dict.fromkeys(ascii_uppercase, 1),
    "lower": dict.fromkeys(ascii_lowercase, 1),
    "digit": dict.fromkeys(digits, 1),
    "mark": _MARKS,
    "other": {chr(byte): 1 for byte in range(256)},  # UTF-8, byte by byte
}
_KIND_OF = {character: kind for kind in ("upper", "lower", "digit", "mark") for character in _CHARACTERS[kind]}


def pack(text: str, *, bits: int) -> int | None:
    """A text as a number of so many bits; None if it takes more."""
    start, width = Fraction(0), Fraction(1)
    for shares, choice in _choices(text):
        below, share, total = _share(shares, choice)
        start += width * Fraction(below, total)
        width *= Fraction(share, total)
    packed = ceil(start * 2**bits)
    return packed if Fraction(packed, 2**bits) < start + width else None


def unpack(packed: int, *, bits: int) -> str | None:
    """The text that was packed; None: no text packs to this number."""
    point = Fraction(packed, 2**bits)
    encoded: list[tuple[str, str]] = []
    state = "start"
    while len(encoded) <= LONGEST:
        kind, point = _found(_kind_shares(state), point)
        if kind == "end":
            text = _joined(encoded)
            return text if text is not None and pack(text, bits=bits) == packed else None
        character, point = _found(_CHARACTERS[kind], point)
        encoded.append((kind, character))
        state = kind
    return None


def _choices(text: str) -> Iterator[tuple[dict[str, int], str]]:
    """What is chosen at each step, and among what: a kind, a character, ... and at last the end."""
    state = "start"
    for character in text:
        kind = _KIND_OF.get(character, "other")
        for piece in character if kind != "other" else character.encode().decode("latin-1"):
            yield _kind_shares(state), kind
            yield _CHARACTERS[kind], piece
            state = kind
    yield _kind_shares(state), "end"


def _kind_shares(state: str) -> dict[str, int]:
    return dict(zip(_KINDS, _FOLLOWING[state], strict=True))


def _share(shares: dict[str, int], choice: str) -> tuple[int, int, int]:
    """What lies below a choice, its own share, and all of them."""
    below = 0
    for name, share in shares.items():
        if name == choice:
            return below, share, sum(shares.values())
        below += share
    raise AssertionError("a choice is one of its shares")


def _found(shares: dict[str, int], point: Fraction) -> tuple[str, Fraction]:
    """The choice that a point from 0 to 1 lies in, and where in it."""
    position, below = point * sum(shares.values()), 0
    for name, share in shares.items():
        if position < below + share:
            return name, (position - below) / share
        below += share
    raise AssertionError("a point lies below 1")


def _joined(encoded: list[tuple[str, str]]) -> str | None:
    content = b"".join(character.encode("latin-1" if kind == "other" else "ascii") for kind, character in encoded)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return None
