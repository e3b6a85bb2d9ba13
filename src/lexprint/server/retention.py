"""What is kept for a time only is deleted when that is over, by the clock, also while the service runs for months."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta

from lexprint.errors import RegistryError
from lexprint.registry.audit import time_text
from lexprint.registry.protocol import Registry
from lexprint.server.background import Background
from lexprint.server.job_store import RESULT_LIFETIME
from lexprint.server.tokens import SESSION_LIFETIME, delete_old_sessions

ANSWER_LIFETIME = timedelta(days=1)  # in which a request may be sent again
_LOG = logging.getLogger("lexprint.retention")


def forget_old(registry: Registry) -> None:
    """Files, answers, finished jobs and ended sessions whose time is over."""
    now = datetime.now(UTC)
    with registry.writing() as statements:
        statements.change("DELETE FROM files WHERE expires_at <= :now", now=time_text(now))
        statements.change("DELETE FROM answers WHERE asked_at < :then", then=time_text(now - ANSWER_LIFETIME))
        statements.change("DELETE FROM jobs WHERE finished_at < :then", then=time_text(now - RESULT_LIFETIME))
    delete_old_sessions(registry, before=now - SESSION_LIFETIME)


class Retention(Background):
    """Deletes what is old, again and again."""

    def __init__(self, registry: Registry, *, every_seconds: float) -> None:
        super().__init__("retention")
        self._registry, self._every_seconds = registry, every_seconds

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                forget_old(self._registry)
            except RegistryError as error:
                _LOG.error("what is old was not deleted, for the registry failed: %s", error)
            self._stopping.wait(self._every_seconds)
