"""Migrations: numbered, appended to, applied once."""

import re
from hashlib import sha256

import pytest

from lexprint.errors import RegistryError
from lexprint.tracing.migrations import MIGRATIONS, Dialect, pending

NAMES = [name for name, _ in MIGRATIONS]


class Written:
    """A connection that only keeps what it is told."""

    def __init__(self) -> None:
        self.statements: list[str] = []

    def exec_driver_sql(self, statement: str, /) -> None:
        self.statements.append(" ".join(statement.split()))


def digest(dialect: Dialect, name: str) -> str:
    connection = Written()
    dict(MIGRATIONS)[name](connection, dialect)
    return sha256("\n".join(connection.statements).encode()).hexdigest()[:12]


def test_steps_are_numbered() -> None:
    """From one, without gaps, so that their order is plain."""
    assert [int(re.match(r"\d{4} ", name).group()) for name in NAMES] == list(range(1, len(NAMES) + 1))  # type: ignore[union-attr]


def test_steps_never_change() -> None:
    """A step that registries have taken is never edited: append another one instead."""
    found = {name: (digest("sqlite", name), digest("postgresql", name)) for name in NAMES}
    assert found == {
        "0001 documents and copies": ("9e5c6633175e", "29b3156d5540"),
        "0002 shingles": ("997ef4257367", "b8b331217e39"),
        "0003 reports": ("f98ecafa14c8", "86b6b13b61c3"),
        "0004 audit": ("a6095c3d2d8b", "b7e00b132ceb"),
        "0005 service": ("078b7de41240", "1c41c8d186b6"),
        "0006 traces": ("ba6d91f2022b", "17f22301fd62"),
        "0007 analyses": ("01711039745e", "796079abb65b"),
        "0008 promises": ("b53951710736", "b53951710736"),
        "0009 deliveries": ("dfee58eda8a0", "a48957a0de17"),
    }


def test_pending_steps() -> None:
    """Those not applied yet, in order; names that are not ours come from a later lexprint."""
    assert [name for name, _ in pending([])] == NAMES
    assert [name for name, _ in pending([NAMES[0], NAMES[2]])] == [NAMES[1], *NAMES[3:]]
    assert pending(NAMES) == []
    with pytest.raises(RegistryError, match="newer lexprint"):
        pending([*NAMES, "9999 later"])
