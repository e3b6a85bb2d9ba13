"""Fixtures that every room may use."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.registry.postgres import Server, running_server

from lexprint.registry.protocol import Registry, open_registry


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A real PostgreSQL, one for all tests."""
    with running_server() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a registry may be made."""
    if request.param == "sqlite":
        return str(tmp_path / "registry.db")
    server: Server = request.getfixturevalue("postgres")
    server.execute("DROP SCHEMA IF EXISTS lexprint CASCADE")
    return server.url


@pytest.fixture
def registry(location: str) -> Iterator[Registry]:
    """An empty registry."""
    with open_registry(location) as opened:
        yield opened


@pytest.fixture
def letter() -> str:
    """A short business text with an abbreviation, a number, a list of quotes and a blank line."""
    return (
        "Dr. Moss bought a large house near the river for approx. 2.5 million.  She said it was “almost ready”.\n"
        "\n"
        "The board will meet on Monday; please keep this note to yourself.\n"
    )


@pytest.fixture
def tale() -> str:
    """A few sentences of plain prose, re-flowed."""
    return (
        "He watches his favorite show every night. The old dog sleeps near the fire,\n"
        "and nobody speaks—not even when the door opens. “Is it late?” she asked. It was."
    )
