"""Counts and times of requests, in the text form that Prometheus reads."""

from __future__ import annotations

import asyncio
import os
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from starlette.concurrency import run_in_threadpool

from lexprint.errors import RegistryError

BOUNDS = (0.005, 0.025, 0.1, 0.5, 2.5, 10.0, 60.0)  # seconds
COUNTING_SECONDS = 0.25  # that somebody waits for the database to count
MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """What this process has done since it began."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._seconds: Counter[str] = Counter()
        self._buckets: Counter[tuple[str, int]] = Counter()

    def observe(self, *, method: str, route: str, status: int, seconds: float) -> None:
        self._requests[method, route, status] += 1
        self._buckets[route, bisect_left(BOUNDS, seconds)] += 1
        self._seconds[route] += seconds  # type: ignore[assignment] # a Counter adds whatever adds

    def text(self, gauges: Mapping[str, float]) -> str:
        """All of them, with what the caller knows besides."""
        lines = [
            "# TYPE lexprint_requests_total counter",
            *(
                f'lexprint_requests_total{{method="{method}",route="{route}",status="{status}"}} {count}'
                for (method, route, status), count in sorted(self._requests.items())
            ),
            "# TYPE lexprint_request_seconds histogram",
            *self._histogram(),
        ]
        for name, value in sorted({**gauges, "lexprint_resident_bytes": resident_bytes()}.items()):
            lines += [f"# TYPE {name.partition('{')[0]} gauge"] * ("{" not in name) + [f"{name} {value:g}"]
        return "\n".join(lines) + "\n"

    def _histogram(self) -> Iterable[str]:
        for route in sorted(self._seconds):
            count = 0
            for index, bound in enumerate((*map(str, BOUNDS), "+Inf")):
                count += self._buckets[route, index]
                yield f'lexprint_request_seconds_bucket{{route="{route}",le="{bound}"}} {count}'
            yield f'lexprint_request_seconds_sum{{route="{route}"}} {self._seconds[route]:.6f}'
            yield f'lexprint_request_seconds_count{{route="{route}"}} {count}'


class JobCounts:
    """Jobs by state; while the database is slow or away, as they were counted last."""

    def __init__(self, count: Callable[[], Mapping[str, int]]) -> None:
        self._count = count
        self._known: Mapping[str, int] = {}
        self._counting: asyncio.Task[None] | None = None

    async def recent(self) -> Mapping[str, int]:
        if self._counting is None or self._counting.done():
            self._counting = asyncio.create_task(self._refresh())
        await asyncio.wait([self._counting], timeout=COUNTING_SECONDS)
        return self._known

    async def _refresh(self) -> None:
        with suppress(RegistryError):  # which is for `/ready` to tell
            self._known = await run_in_threadpool(self._count)


def resident_bytes() -> int:
    """Memory of this process; 0 where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
