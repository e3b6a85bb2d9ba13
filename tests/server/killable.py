"""The service in a process of its own, so that it can be killed: `python -m tests.server.killable FOLDER PORT`."""

import sys
import time
from collections.abc import Sequence
from pathlib import Path

import uvicorn
from tests.server.served import fake_engine

from lexprint.coding.keys import load_keyring
from lexprint.models.protocols import Floats, Gap
from lexprint.registry.protocol import open_registry
from lexprint.server.app import create_app
from lexprint.server.limits import Limits
from lexprint.server.process import BoundedConnection, _Server
from lexprint.testing import FakeMaskedLM

LEASE_SECONDS = 1.0
PAUSE_SECONDS = 0.02  # so that there is something to be killed


class SlowMaskedLM(FakeMaskedLM):
    def __init__(self, *, pause_seconds: float = PAUSE_SECONDS) -> None:
        super().__init__()
        self._pause_seconds = pause_seconds

    def predict(self, gaps: Sequence[Gap]) -> Floats:
        time.sleep(self._pause_seconds)
        return super().predict(gaps)


def main(folder: Path, port: int) -> None:
    engine = fake_engine()
    vars(engine)["masked_lm"] = SlowMaskedLM()
    with open_registry(str(folder / "lexprint.db")) as registry:
        app = create_app(
            engine,
            registry,
            keyring=load_keyring(folder / "lexprint.key", environment={}),
            access="open",
            limits=Limits(requests_per_minute=100_000, lease_seconds=LEASE_SECONDS),
        )
        config = uvicorn.Config(
            app, port=port, log_level="warning", timeout_graceful_shutdown=5, http=BoundedConnection, ws="none"
        )
        _Server(config, app.state.service.stopping).run()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
