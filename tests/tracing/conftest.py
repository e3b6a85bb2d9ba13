"""Registries of both kinds, empty."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.tracing.postgres import Server

from lexprint.tracing.registry import Registry, open_registry


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
