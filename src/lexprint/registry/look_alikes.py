"""Recipients whose names can be taken for each other's: a report on the one must not be held against the other."""

from __future__ import annotations

import re

from lexprint.registry.packing import person
from lexprint.registry.protocol import Registry
from lexprint.text.leak_text import find_words

_DIGITS = str.maketrans("103", "loe")
_SMALL_L = re.compile(r"\bl")
_SEVERAL_ALIKE = {"rn": "m", "vv": "w", "cl": "d"}


def has_look_alike(registry: Registry, recipient: str) -> bool:
    """Whether somebody else in the registry has a name that looks like theirs."""
    with registry.reading() as statements:
        rows = statements.rows("SELECT name FROM recipients")
    return any(look_alike(row["name"], recipient) for row in rows if row["name"] != recipient)


def look_alike(name: str, other: str) -> bool:
    """Whether a reader can take one name for the other: letters that look alike are one, what is invisible is gone, and so are spaces.

    Coarser than the words of a leak are compared: to take two people for one costs a note, to miss a double may cost more.

    >>> look_alike("\\u0410da Love\\u00adlace", "Ada L0veIace"), look_alike("lan Bell", "Ian Bell"), look_alike("Ada", "Ida")
    (True, True, False)
    """
    return not _shapes(name).isdisjoint(_shapes(other))


def _shapes(name: str) -> set[str]:
    """One, or two where a small l may be a capital I."""
    return {_shape(name), _shape(_SMALL_L.sub("I", name))}


def _shape(name: str) -> str:
    shape = "".join(find_words(name).spelled).translate(_DIGITS)
    for several, one in _SEVERAL_ALIKE.items():
        shape = shape.replace(several, one)
    return shape or person(name)
