"""Migrations: numbered, appended to, applied once."""

import re
from collections.abc import Sequence

import pytest
from sqlalchemy.engine import Connection

from lexprint.errors import RegistryError
from lexprint.registry import migrations
from lexprint.registry.migrations import STEPS, pending
from lexprint.registry.protocol import open_existing_registry, open_registry

NAMES = [name for name, _ in STEPS]


def nothing(connection: Connection) -> None:
    """A step that changes nothing."""


def with_later_steps(monkeypatch: pytest.MonkeyPatch, *later: str) -> Sequence[str]:
    monkeypatch.setattr(migrations, "STEPS", (*STEPS, *((name, nothing) for name in later)))
    return [*NAMES, *later]


def test_steps_are_numbered() -> None:
    """From one, without gaps, so that their order is plain."""
    assert [int(re.match(r"\d{4} ", name).group()) for name in NAMES] == list(range(1, len(NAMES) + 1))  # type: ignore[union-attr]


def test_pending_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those not applied yet, in order; names that are not ours come from a later lexprint."""
    *_, first, second, third = with_later_steps(monkeypatch, "8001 later", "8002 later")
    before = NAMES[:-1]
    assert [name for name, _ in pending(before)] == [first, second, third]
    assert [name for name, _ in pending([])] == [*before, first, second, third]
    assert [name for name, _ in pending([*before, first, third])] == [second]
    assert pending([*before, first, second, third]) == []
    with pytest.raises(RegistryError, match="newer lexprint"):
        pending([first, "9999 later"])


def test_older_registries_are_brought_up_to_date(location: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps that were not taken yet are taken on opening, once, and what was there before stays."""
    with open_registry(location) as registry:
        registry_id = registry.id

    def add_table(connection: Connection) -> None:
        connection.exec_driver_sql("CREATE TABLE added (id TEXT)")

    monkeypatch.setattr(migrations, "STEPS", (*STEPS, ("8001 added", add_table)))
    for _ in range(2):
        with open_existing_registry(location) as registry, registry.reading() as statements:
            assert statements.rows("SELECT * FROM added") == []
            assert registry.id == registry_id
