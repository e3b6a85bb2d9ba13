"""Connections that do not get on are closed, so that those who hold many open keep nobody out.

uvicorn waits for ever for the rest of a request, and for whoever does not read its answer. Here each has its time; and where there are as
many connections as the process may have, the one that has waited longest for its own client makes room for the next.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from contextlib import suppress
from functools import cache
from typing import Any, Protocol

import h11

CHECK_SECONDS = 2.0
HEADER_SECONDS = 10.0  # for the head of a request
BODY_GRACE_SECONDS = 20.0
BODY_BYTES_PER_SECOND = 8_000  # on average, after that
STALL_SECONDS = 60.0  # in which a reader must take something

MOST_CONNECTIONS = 4_000
SPARE_FILES = 256  # that the process opens otherwise: the registry, archives, readers of files


@cache
def most_connections() -> int:
    """As many as files may be open, less some; the limit is raised as far as the system lets it."""
    try:
        import resource
    except ImportError:  # Windows
        return 512
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_CONNECTIONS + SPARE_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        raised = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (raised, hard))
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    known = wanted if soft == resource.RLIM_INFINITY else soft
    return max(16, min(wanted, known) - SPARE_FILES)


class Connection(Protocol):
    """What is looked at of a connection, as uvicorn has it."""

    conn: h11.Connection
    flow: Any
    cycle: Any  # the request at hand and its answer; None before the first
    transport: asyncio.Transport
    timeout_keep_alive_task: asyncio.TimerHandle | None
    loop: asyncio.AbstractEventLoop


class Watch:
    """Looks at one connection every now and then, from its beginning to its end."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.begin()
        self._unread, self._unread_since = 0, self.since
        self._next_check = connection.loop.call_later(CHECK_SECONDS, self._check)

    def begin(self) -> None:
        """A request may come from now on."""
        self.since, self.received = self._connection.loop.time(), 0

    def end(self) -> None:
        self._next_check.cancel()

    @property
    def waits_for_client(self) -> bool:
        """Whether nothing can be done before the client sends more."""
        connection = self._connection
        is_answering = connection.cycle is not None and not connection.cycle.response_complete
        is_ours = is_answering and connection.flow.read_paused
        return connection.conn.their_state in (h11.IDLE, h11.SEND_BODY) and not is_ours and not self.is_closing

    @property
    def is_closing(self) -> bool:
        return self._connection.transport.is_closing()

    def abort(self) -> None:
        self._connection.transport.abort()

    def _check(self) -> None:
        if self.is_closing:
            return
        if self._is_late() or self._is_stalled():
            self.abort()
            return
        self._next_check = self._connection.loop.call_later(CHECK_SECONDS, self._check)

    def _is_late(self) -> bool:
        connection = self._connection
        seconds = connection.loop.time() - self.since
        if connection.conn.their_state is h11.IDLE:
            is_kept_alive = connection.timeout_keep_alive_task is not None  # that has a clock of its own
            return seconds > HEADER_SECONDS and not is_kept_alive
        if connection.conn.their_state is not h11.SEND_BODY:
            return False
        if connection.flow.read_paused:  # it is we who wait
            self.begin()
            return False
        return self.received < (seconds - BODY_GRACE_SECONDS) * BODY_BYTES_PER_SECOND

    def _is_stalled(self) -> bool:
        """Whether the client has taken nothing of its answer for long."""
        unread, now = self._connection.transport.get_write_buffer_size(), self._connection.loop.time()
        if unread != self._unread or not unread:
            self._unread, self._unread_since = unread, now
        return now - self._unread_since > STALL_SECONDS


def make_room(newest: Watch, watches: Collection[Watch]) -> None:
    """If there are too many, at the cost of the one that has waited longest for its client; else of the newest."""
    if len(watches) > most_connections():
        waiting = (watch for watch in watches if watch is not newest and watch.waits_for_client)
        min(waiting, key=lambda watch: watch.since, default=newest).abort()
