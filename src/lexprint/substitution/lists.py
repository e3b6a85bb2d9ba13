"""Word lists, kept as data in `word_lists/`: one class and its words a row; all of them are part of the fingerprint."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path

WORD_LISTS = Path(__file__).with_name("word_lists")
FIXED, APART, REFUSED, UNLIKE, PARTNERS, GRAMMAR = (
    WORD_LISTS / f"{name}.tsv" for name in ("fixed", "apart", "refused", "unlike", "partners", "grammar")
)


def rows(path: Path) -> Iterator[tuple[str, str]]:
    """Class and words of each row; lines that begin with # are comments."""
    for line in path.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            name, _, words = line.partition("\t")
            yield name, words


def words_of(path: Path, *classes: str) -> frozenset[str]:
    """The words of some classes; of all if none is named."""
    return frozenset(word for name, words in rows(path) if not classes or name in classes for word in words.split())


@cache
def word_lists_digest() -> str:
    """Names the contents of all lists."""
    return sha256(b"\0".join(path.read_bytes() for path in sorted(WORD_LISTS.glob("*.tsv")))).hexdigest()
