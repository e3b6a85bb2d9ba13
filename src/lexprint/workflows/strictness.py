"""How sure it must be that readers accept a word: named thresholds, and for contracts words that stay besides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from lexprint.text.lists import listed

Strictness: TypeAlias = Literal["legal", "careful", "dense"]
PROFILES: Mapping[Strictness, str] = {"legal": "careful", "careful": "careful", "dense": "dense"}


def phrases_kept(strictness: str | None) -> tuple[str, ...]:
    """What must stay as it is with a strictness, besides what is protected anyway.

    >>> "shall" in phrases_kept("legal"), phrases_kept("careful")
    (True, ())
    """
    return listed("legal") if strictness == "legal" else ()
