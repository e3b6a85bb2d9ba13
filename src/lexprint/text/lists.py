"""Words that rules name, kept as data in `word_lists/`: a word or phrase a line; all of them are part of the fingerprint."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path

WORD_LISTS = Path(__file__).with_name("word_lists")


@cache
def listed(name: str) -> tuple[str, ...]:
    """The lines of a list; those that begin with # are comments.

    `legal` are words that state what a contract does: another one, however near, may be another obligation.

    >>> "shall" in listed("legal"), "approx" in listed("abbreviations")
    (True, True)
    """
    lines = (WORD_LISTS / f"{name}.txt").read_text("utf-8").splitlines()
    return tuple(line for line in map(str.strip, lines) if line and not line.startswith("#"))


@cache
def lists_digest() -> str:
    """Names the contents of all lists."""
    return sha256(b"\0".join(path.read_bytes() for path in sorted(WORD_LISTS.glob("*.txt")))).hexdigest()
