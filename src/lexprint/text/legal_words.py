"""Words that state what a contract does: another one, however near, may be another obligation."""

from __future__ import annotations

from functools import cache
from importlib import resources


@cache
def legal_words() -> tuple[str, ...]:
    """Words and phrases, as in the file beside this one.

    >>> "shall" in legal_words()
    True
    """
    lines = resources.files("lexprint.text").joinpath("legal_words.txt").read_text(encoding="utf-8").splitlines()
    return tuple(line for line in map(str.strip, lines) if line and not line.startswith("#"))
