"""Registries of both kinds, empty."""

from collections.abc import Iterator

import pytest

from lexprint.tracing.registry import Registry, open_registry


@pytest.fixture
def registry(location: str) -> Iterator[Registry]:
    """An empty registry."""
    with open_registry(location) as opened:
        yield opened
