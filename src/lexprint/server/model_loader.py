"""Loads the models beside requests, before anybody has to wait for them."""

from __future__ import annotations

import logging

from lexprint.engine import Engine
from lexprint.errors import LexprintError
from lexprint.server.background import Background

_LOG = logging.getLogger("lexprint.models")


class ModelLoader(Background):
    """Begins when it is told to, once; a service that never is needs no memory for models."""

    def __init__(self, engine: Engine) -> None:
        super().__init__("loading")
        self._engine = engine
        self._has_begun = False

    def begin(self) -> None:
        """Called by the event loop, and by no other thread."""
        if not self._has_begun:
            self._has_begun = True
            self.start()

    def _run(self) -> None:
        try:
            self._engine.load()
        except LexprintError as error:  # whoever needs them will be told
            _LOG.error("the models could not be loaded: %s", error)
