"""Counts and times of requests, for Prometheus."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from starlette.concurrency import run_in_threadpool

from lexprint.errors import RegistryError

BOUNDS = (0.005, 0.025, 0.1, 0.5, 2.5, 10.0, 60.0)  # seconds
COUNTING_SECONDS = 0.25  # that somebody waits for the database to count
MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """What this process has done since it began."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "lexprint_requests", "Requests answered.", ["method", "route", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "lexprint_request_seconds", "Time of a request.", ["route"], buckets=BOUNDS, registry=self._registry
        )

    def observe(self, *, method: str, route: str, status: int, seconds: float) -> None:
        self._requests.labels(method, route, status).inc()
        self._seconds.labels(route).observe(seconds)

    def text(self, *gauges: GaugeMetricFamily) -> bytes:
        """All of them, with what the caller knows besides."""
        resident = single_gauge("lexprint_resident_bytes", "Memory of this process.", resident_bytes())
        now = CollectorRegistry()
        now.register(_Gauges(resident, *gauges))
        return generate_latest(self._registry) + generate_latest(now)


class _Gauges:
    """Values that are known when they are asked for."""

    def __init__(self, *gauges: GaugeMetricFamily) -> None:
        self._gauges = gauges

    def collect(self) -> Iterator[GaugeMetricFamily]:
        yield from self._gauges


def single_gauge(name: str, documentation: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, documentation, value=value)


def gauge(name: str, documentation: str, *, label: str, values: Mapping[str, float]) -> GaugeMetricFamily:
    """One value for each value of a label."""
    family = GaugeMetricFamily(name, documentation, labels=[label])
    for value, number in values.items():
        family.add_metric([value], number)
    return family


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
