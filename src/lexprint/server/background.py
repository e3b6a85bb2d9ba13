"""Work that goes on beside requests, in a thread that begins and ends with the service."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod


class Background(ABC):
    """Runs until it is told to stop; `_stopping` is waited for instead of sleeping."""

    def __init__(self, name: str) -> None:
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"lexprint-{name}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self, *, seconds: float) -> None:
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(seconds)

    @abstractmethod
    def _run(self) -> None: ...
