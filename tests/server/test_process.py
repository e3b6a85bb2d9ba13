"""The service as a process: how it shares the machine."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lexprint.cores import available_cores
from lexprint.errors import InputError
from lexprint.server.process import SWITCH_SECONDS, ServeOptions, app_of, model_threads


@pytest.fixture(autouse=True)
def interval() -> Iterator[None]:
    """The interpreter's own again, for the tests that follow."""
    usual = sys.getswitchinterval()
    yield
    sys.setswitchinterval(usual)


@pytest.mark.parametrize(
    ("available", "workers", "threads"), [(1, 1, 1), (2, 1, 2), (3, 1, 2), (4, 1, 3), (8, 1, 7), (8, 3, 2), (2, 4, 1)]
)
def test_models_leave_a_core(available: int, workers: int, threads: int) -> None:
    """All processes together take one core less than there are, or both of two; each has one thread at least."""
    assert model_threads(available, workers=workers) == threads


def test_every_process_of_the_service_shares_alike(tmp_path: Path) -> None:
    """Further processes make their application the same way, so what keeps it responsive is done there."""
    registry = str(tmp_path / "lexprint.db")
    app = app_of(ServeOptions(registry=registry))
    assert app.state.service.engine.threads == model_threads(available_cores(), workers=1)
    assert sys.getswitchinterval() == pytest.approx(SWITCH_SECONDS)
    app.state.service.registry.close()
    app = app_of(ServeOptions(registry=registry, threads=5))
    assert app.state.service.engine.threads == 5
    app.state.service.registry.close()


def test_without_tokens_it_is_loopback() -> None:
    """The service cannot be opened to a network by mistake."""
    with pytest.raises(InputError, match="not loopback"):
        ServeOptions(host="0.0.0.0", access="open")
