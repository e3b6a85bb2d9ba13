"""How much the service takes on: sizes, times, rates, and threads with a bounded queue before them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import ceil
from typing import Any, TypeAlias, TypeVar

from lexprint.errors import SettingsError
from lexprint.results import OnProgress as OnProgress
from lexprint.server.problems import Refusal, busy

_Answer = TypeVar("_Answer")
OnPart: TypeAlias = Callable[[Mapping[str, Any]], None]  # what was found so far

FORGET_AFTER = 10_000  # callers whose rate is remembered


@dataclass(frozen=True, kw_only=True)
class Limits:
    """All of them; whoever runs the service may choose others."""

    body_bytes: int = 32 << 20
    words: int = 5_000  # of a text that is answered at once; longer ones are jobs
    seconds: float = 60.0  # for a request; a job has no limit
    requests_per_minute: int = 600  # of one token
    waiting: int = 8  # requests before the models
    queued_jobs: int = 1_000
    lease_seconds: float = 15.0  # after which a job whose process says nothing is taken over
    shutdown_seconds: float = 10.0  # to finish or park
    file_days: int = 30  # that uploads and files made of them are kept
    kept_bytes: int = 2 << 30  # of these files, for one token
    retention_seconds: float = 600.0  # between two looks at what is old
    webhook_pause_seconds: float = 5.0  # after the first failure to tell a webhook; then twice as long each time

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            if getattr(self, name) <= 0:
                raise SettingsError(name, getattr(self, name), needed="a number above 0")


class TimeUp(Exception):
    """Raised in the thread of a request that has taken too long, when it next tells its progress."""


class Bench:
    """Threads that work for requests; when as many wait as may, the next one is refused at once."""

    def __init__(self, name: str, *, threads: int, waiting: int) -> None:
        self._name, self._most = name, threads + waiting
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix=f"lexprint-{name}")
        self.pending = 0

    async def run(self, work: Callable[[OnProgress], _Answer], *, seconds: float) -> _Answer:
        """The answer of the work, which is told how to report progress, and stopped there when its time is up."""
        if self.pending >= self._most:
            raise busy(f"{self.pending} requests wait for {self._name} already", seconds=2)
        deadline = time.monotonic() + seconds

        def on_progress(done: int, total: int) -> None:
            if time.monotonic() > deadline:
                raise TimeUp

        loop = asyncio.get_running_loop()
        future = self._executor.submit(work, on_progress)
        self.pending += 1
        future.add_done_callback(lambda _: self._finished(loop))
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), seconds)
        except (TimeoutError, TimeUp) as error:
            if future.cancelled():
                raise busy(f"{self._name} had no time within {seconds:g} s", seconds=10) from error
            raise Refusal(
                503,
                f"this took longer than {seconds:g} s; ask for a job with the header Prefer: respond-async",
                code="TimeUp",
            ) from error

    def _finished(self, loop: asyncio.AbstractEventLoop) -> None:
        """A thread that outlives its request counts until it is done."""
        if not loop.is_closed():
            loop.call_soon_threadsafe(self._forget)

    def _forget(self) -> None:
        self.pending -= 1

    def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)


class RateLimiter:
    """A bucket of requests for each caller, which fills evenly; a full one is a tenth of a minute's worth."""

    def __init__(self, requests_per_minute: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second = requests_per_minute / 60
        self._full = max(1.0, requests_per_minute / 10)
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}  # what is left, and when that was so

    def require(self, caller: str) -> None:
        now = self._clock()
        left, at = self._buckets.get(caller, (self._full, now))
        left = min(self._full, left + (now - at) * self._per_second)
        if left < 1.0:
            self._buckets[caller] = (left, now)
            raise busy("this token has asked too often", seconds=max(1, ceil((1.0 - left) / self._per_second)))
        if len(self._buckets) > FORGET_AFTER:
            self._buckets.clear()
        self._buckets[caller] = (left - 1.0, now)
