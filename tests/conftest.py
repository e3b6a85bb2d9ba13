"""Fixtures that every room may use."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.formats.warm_reader import Ask, warm_reader
from tests.registry.postgres import Server, running_server

from lexprint.engine import Engine
from lexprint.formats import child
from lexprint.models import onnx_backend
from lexprint.models.weights import SHIPPED, ModelFiles
from lexprint.registry import connections
from lexprint.registry.databases import prepare_sqlite
from lexprint.registry.protocol import Registry, open_registry
from lexprint.settings import ModelNames


@pytest.fixture(scope="session", autouse=True)
def models_loaded_once() -> Iterator[None]:
    """Whoever asks for shipped models shares them: loading takes longer than most of what tests ask of them."""
    with pytest.MonkeyPatch.context() as patch:
        for role in ("masked_lm", "entailment", "sentence_encoder"):
            _load_once(patch, role)
        _unpack_once(patch)
        yield


def _unpack_once(patch: pytest.MonkeyPatch) -> None:
    """Networks that differ in batch size and threads only are made of the same arrays, and run in the same session."""
    load, start = ModelFiles.load_tensors, onnx_backend.Session
    unpacked: dict[ModelFiles, dict[str, Any]] = {}
    started: dict[bytes, onnx_backend.Session] = {}

    def load_shipped(files: ModelFiles) -> dict[str, Any]:
        if files.folder != SHIPPED:
            return load(files)
        if files not in unpacked:
            unpacked[files] = load(files)
        return unpacked[files]

    def start_shipped(graph: bytes, weights: dict[str, Any]) -> onnx_backend.Session:
        if not any(weights is shipped for shipped in unpacked.values()):
            return start(graph, weights)
        if graph not in started:
            started[graph] = start(graph, weights)
        return started[graph]

    patch.setattr(ModelFiles, "load_tensors", load_shipped)
    patch.setattr(onnx_backend, "Session", start_shipped)


def _load_once(patch: pytest.MonkeyPatch, role: str) -> None:
    name = f"_load_{role}"
    load = getattr(Engine, name)

    @cache
    def load_once(models: ModelNames, threads: int, batch_size: int) -> Any:
        return load(Engine(models=models, threads=threads, batch_size=batch_size))

    patch.setattr(Engine, name, lambda engine: load_once(engine.models, engine.threads, engine.batch_size))


@pytest.fixture(scope="session", autouse=True)
def disks_not_waited_for() -> Iterator[None]:
    """What a process has written is there for all others; a power cut alone could take it."""

    def prepare_hastily(connection: Any, place: Any) -> None:
        prepare_sqlite(connection, place)
        connection.execute("PRAGMA synchronous = OFF")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connections, "prepare_sqlite", prepare_hastily)
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def readers_started_once() -> Iterator[None]:
    """Files are read by processes that need not import anything anew; tests of the process itself take the real one."""
    if os.name != "posix":
        yield
        return
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:

        @cache
        def start() -> Ask:
            return stack.enter_context(warm_reader())

        patch.setattr(child, "_ask", lambda request, *, seconds: start()(request, seconds=seconds))
        yield


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
