"""Recipients whose names can be taken for each other's: a report on the one must not be held against the other."""

from __future__ import annotations

from lexprint.registry.packing import person
from lexprint.registry.protocol import Registry
from lexprint.text.leak_text import find_words

_ALIKE = str.maketrans("i103", "lloe")  # as capitals or in small print; names of digits alone stay apart
_SEVERAL_ALIKE = {"rn": "m", "vv": "w", "cl": "d"}


def has_look_alike(registry: Registry, recipient: str) -> bool:
    """Whether somebody else in the registry has a name that looks like theirs."""
    shape = name_shape(recipient)
    with registry.reading() as statements:
        rows = statements.rows("SELECT name FROM recipients")
    others = (row["name"] for row in rows if row["name"] != recipient)
    return any(name_shape(other) == shape for other in others)


def name_shape(name: str) -> str:
    """What a reader sees of a name: letters that look alike are one, and what is invisible is gone; so are spaces of any kind.

    Coarser than the words of a leak are compared: to take two people for one costs a note, to miss a double may cost more.

    >>> name_shape("\\u0410da Love\\u00adlace") == name_shape("Ada L0veIace"), name_shape("Ada") == name_shape("Ida")
    (True, False)
    """
    shape = "".join(find_words(name).spelled).translate(_ALIKE)
    for several, one in _SEVERAL_ALIKE.items():
        shape = shape.replace(several, one)
    return shape or person(name)
