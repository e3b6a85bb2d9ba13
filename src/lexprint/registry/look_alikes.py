"""Recipients whose names can be taken for each other's: a report on the one must not be held against the other."""

from __future__ import annotations

from lexprint.registry.packing import person
from lexprint.registry.protocol import Registry
from lexprint.text.leak_text import spell


def has_look_alike(registry: Registry, recipient: str) -> bool:
    """Whether somebody else in the registry has a name that looks like theirs."""
    shape = name_shape(recipient)
    with registry.reading() as statements:
        rows = statements.rows("SELECT name FROM recipients")
    others = (row["name"] for row in rows if row["name"] != recipient)
    return any(name_shape(other) == shape for other in others)


def name_shape(name: str) -> str:
    """What a reader sees of a name: letters that look alike are one, and what is invisible is gone.

    >>> name_shape("\\u0410da Love\\u00adlace") == name_shape("Ada L0velace"), name_shape("Ada") == name_shape("Ida")
    (True, False)
    """
    return " ".join(filter(None, map(spell, name.split()))) or person(name)
