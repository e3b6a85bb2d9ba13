"""The service under load: many clients that trace and ask for capacity, while somebody watches its health.

    python -m benchmarks.service [--clients 64] [--seconds 60]

The service runs in a process of its own, with the shipped models, and so does whoever watches. Printed: answers by status, their
times, those of `GET /health`, the memory of the service at the beginning, in the middle and at the end, and whether it held: no
error but 429, and 99 of 100 looks at its health answered within 100 ms. If not, it ends with 1. Clients and service share the
machine, so give it at least two cores with nothing else to do.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from http.client import HTTPConnection, HTTPException
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory

TEXT = (
    "The committee met on a cold evening to discuss the plan, and most of those who spoke were pleased with the progress. "
    "A young engineer explained how the bridge would carry heavy trucks across the river without any danger to the town."
)
WARM_UP_SECONDS = 5.0
HEALTH_SECONDS = 0.1  # within which it must answer, 99 times of 100
EXPECTED = ("200", "429")
PAUSE_SECONDS = 0.2  # of a client who is told to come again


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--watch", type=int, metavar="PORT", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.watch:
        _watch(options.watch, seconds=options.seconds)
        return
    with TemporaryDirectory() as folder:
        port = free_port()
        command = [sys.executable, "-m", "lexprint", "serve", "--port", str(port), "--no-tokens"]
        command += ["--requests-per-minute", "1000000"]
        service = subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL)
        try:
            wait_until_ready(port)
            held = _measure(port, service.pid, clients=options.clients, seconds=options.seconds)
        finally:
            service.send_signal(signal.SIGTERM)
            service.wait(60)
    if not held:
        raise SystemExit(1)


def _measure(port: int, pid: int, *, clients: int, seconds: float) -> bool:
    """Print what was seen; whether the service held."""
    statuses: Counter[tuple[str, str]] = Counter()
    latencies: dict[str, list[float]] = {"trace": [], "capacity": [], "health": []}
    end = 0.0

    def ask(connection: HTTPConnection, name: str) -> str:
        began = time.perf_counter()
        try:
            connection.request("POST", f"/v1/{name}", json.dumps({"text": TEXT}), {"Content-Type": "application/json"})
            response = connection.getresponse()
            response.read()
            status = str(response.status)
        except (OSError, HTTPException) as error:
            connection.close()
            status = type(error).__name__
        statuses[name, status] += 1
        if status == "200":
            latencies[name].append(time.perf_counter() - began)
        return status

    def use(number: int) -> None:
        connection = HTTPConnection("127.0.0.1", port, timeout=120)
        while time.monotonic() < end:
            if ask(connection, "trace" if number % 2 else "capacity") == "429":
                time.sleep(PAUSE_SECONDS)

    first_text = HTTPConnection("127.0.0.1", port, timeout=600)
    ask(first_text, "capacity")  # loads the models
    statuses.clear()
    latencies["capacity"].clear()
    end = time.monotonic() + WARM_UP_SECONDS + seconds
    threads = [threading.Thread(target=use, args=(number,)) for number in range(clients)]
    # In a process of its own: here it would wait for the other clients.
    watcher = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.service", "--watch", str(port), "--seconds", str(WARM_UP_SECONDS + seconds)],
        stdout=subprocess.PIPE,
    )
    for thread in threads:
        thread.start()
    time.sleep(WARM_UP_SECONDS)
    megabytes = [_resident_megabytes(pid)]
    time.sleep(max(0.0, (end - time.monotonic()) / 2))
    megabytes.append(_resident_megabytes(pid))
    for thread in threads:
        thread.join()
    watched = json.loads(watcher.communicate()[0])
    latencies["health"] = watched["seconds"]
    statuses.update({("health", status): count for status, count in watched["statuses"].items()})
    megabytes.append(_resident_megabytes(pid))
    print(f"{clients} clients, {seconds:g} s after {WARM_UP_SECONDS:g} s of warming up")
    for (name, status), count in sorted(statuses.items()):
        print(f"{name:<9} {status:<20} {count:>7,}")
    for name, times in latencies.items():
        if times:
            p50, p99, longest = (1000 * share_of(times, share) for share in (0.5, 0.99, 1.0))
            print(f"{name:<9} p50 {p50:>8.1f} ms   p99 {p99:>8.1f} ms   max {longest:>8.1f} ms")
    print("memory    {:.0f} MB at the beginning, {:.0f} MB in the middle, {:.0f} MB at the end".format(*megabytes))
    errors = sum(count for (_, status), count in statuses.items() if status not in EXPECTED)
    is_well = bool(latencies["health"]) and share_of(latencies["health"], 0.99) <= HEALTH_SECONDS
    print(f"errors other than 429: {errors}")
    print(f"health within {1000 * HEALTH_SECONDS:g} ms at the 99th percentile: {'yes' if is_well else 'no'}")
    return is_well and errors == 0


def share_of(times: Sequence[float], share: float) -> float:
    """The time within which this share of them ended.

    >>> [share_of([3.0, 1.0, 2.0, 4.0], share) for share in (0.5, 0.99, 1.0)]
    [2.0, 4.0, 4.0]
    """
    return sorted(times)[max(0, ceil(share * len(times)) - 1)]


def _watch(port: int, *, seconds: float) -> None:
    """Times and statuses of `GET /health`, as JSON."""
    connection = HTTPConnection("127.0.0.1", port, timeout=120)
    end = time.monotonic() + seconds
    times: list[float] = []
    statuses: Counter[str] = Counter()
    while time.monotonic() < end:
        began = time.perf_counter()
        try:
            connection.request("GET", "/health")
            response = connection.getresponse()
            response.read()
            statuses[str(response.status)] += 1
        except (OSError, HTTPException) as error:
            connection.close()
            statuses[type(error).__name__] += 1
        times.append(time.perf_counter() - began)
        time.sleep(0.05)
    print(json.dumps({"seconds": times, "statuses": statuses}))


def _resident_megabytes(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def wait_until_ready(port: int) -> None:
    for _ in range(600):
        try:
            connection = HTTPConnection("127.0.0.1", port, timeout=10)
            connection.request("GET", "/ready")
            if connection.getresponse().status == 200:
                return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the service does not start")


if __name__ == "__main__":
    main()
