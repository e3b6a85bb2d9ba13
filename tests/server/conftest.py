"""The service in this process, on fakes."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

import pytest
from starlette.testclient import TestClient
from tests.registry.postgres import Server
from tests.server.browser import Tab, browser
from tests.server.served import bearer, fake_engine

from lexprint.coding.keys import Keyring, MasterKey
from lexprint.engine import Engine
from lexprint.registry.protocol import Registry, open_registry
from lexprint.server.access import Access
from lexprint.server.app import create_app
from lexprint.server.limits import Limits
from lexprint.server.tokens import SCOPES, create_token
from lexprint.testing import fake_text


@pytest.fixture(scope="module")
def chromium() -> Iterator[Tab]:
    """One browser for the tests of a file."""
    with browser() as opened:
        yield opened


@pytest.fixture
def tab(chromium: Tab) -> Iterator[Tab]:
    """Its tab, in whose console nobody has written; nor may this test, but for refusals that it names."""
    chromium.open("about:blank")
    chromium.settle()
    chromium.console.clear()
    yield chromium
    chromium.settle()
    assert chromium.console == []


@pytest.fixture
def registry(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Registry]:
    """An empty registry; in SQLite, unless a test asks for both databases."""
    location = str(tmp_path / "lexprint.db")
    if getattr(request, "param", "sqlite") == "postgresql":
        server: Server = request.getfixturevalue("postgres")
        server.execute("DROP SCHEMA IF EXISTS lexprint CASCADE")
        location = server.url
    with open_registry(location) as opened:
        yield opened


@pytest.fixture(scope="session")
def engine() -> Engine:
    """Fakes that find many sites."""
    return fake_engine()


@pytest.fixture(scope="session")
def keyring() -> Keyring:
    return Keyring((MasterKey.generate(),))


class Serve(Protocol):
    def __call__(
        self,
        *,
        access: Access | None = ...,
        limits: Limits | None = ...,
        engine: Engine | None = ...,
        keyring: Keyring | None = ...,
    ) -> AbstractContextManager[TestClient]: ...


@pytest.fixture
def serve(registry: Registry, engine: Engine, keyring: Keyring) -> Serve:
    """Starts the service; its client has a token for everything, unless a test says how it is to get in."""
    keys, models = keyring, engine
    operator, _ = create_token(registry, "operator", scopes=SCOPES)

    def start(
        *,
        access: Access | None = None,
        limits: Limits | None = None,
        engine: Engine | None = None,
        keyring: Keyring | None = keys,
    ) -> AbstractContextManager[TestClient]:
        limits = limits or Limits(requests_per_minute=1_000_000, lease_seconds=1.0)
        app = create_app(engine or models, registry, keyring=keyring, access=access or "tokens", limits=limits)
        headers = bearer(operator) if access is None else {}
        return TestClient(app, base_url="http://localhost", raise_server_exceptions=True, headers=headers)

    return start


@pytest.fixture
def client(serve: Serve) -> Iterator[TestClient]:
    """The service, for somebody with a token."""
    with serve() as client:
        yield client


@pytest.fixture(scope="session")
def memo() -> str:
    """Two hundred words that the fakes know."""
    return "\n\n".join(fake_text(words=100, seed=seed) for seed in range(2)) + "\n"


@pytest.fixture(scope="session")
def essay() -> str:
    """Four hundred of them, for marks that can be read without the registry: those need more."""
    return "\n\n".join(fake_text(words=100, seed=seed) for seed in range(4)) + "\n"
