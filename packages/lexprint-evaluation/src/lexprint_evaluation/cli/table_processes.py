"""Tables measured side by side, each by a process of its own with one thread: two processes do more than two threads.

A process is the very command that a user would type, so it resumes an interrupted run, and what it lacks is
one sentence on its standard error.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from threading import Lock
from time import monotonic

# Libraries that would otherwise start a thread for each core in every process.
ONE_THREAD: Mapping[str, str] = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"), "1"
)
FAILURE = "lexprint: "  # what a failure begins with, in `lexprint.cli.main`


@dataclass(frozen=True)
class Finished:
    """One table's process, ended."""

    name: str
    seconds: float
    failure: str | None  # None: the table was written


class Processes:
    """Starts commands, and ends those that still run when it is closed."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = Lock()
        self._is_closed = False

    def run(self, name: str, arguments: Sequence[object]) -> Finished:
        """One `lexprint evaluate`, to its end."""
        begun = monotonic()
        command = [sys.executable, "-m", "lexprint", "evaluate", name, *map(str, arguments)]
        with self._lock:
            if self._is_closed:
                return Finished(name, 0.0, "stopped")
            process = subprocess.Popen(
                command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env={**os.environ, **ONE_THREAD}
            )
            self._running.add(process)
        _, errors = process.communicate()
        with self._lock:
            self._running.discard(process)
        failure = failure_of(process.returncode, errors.decode("utf-8", "replace"))
        return Finished(name, monotonic() - begun, failure)

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            for process in self._running:
                process.terminate()


def failure_of(code: int, errors: str) -> str | None:
    """What a command that failed has said, or how it ended; None if it did not."""
    if code == 0:
        return None
    lines = [line for line in errors.splitlines() if line.strip()]
    said = [line.removeprefix(FAILURE) for line in lines if line.startswith(FAILURE)]
    return said[-1] if said else f"its process ended with exit code {code}: {lines[-1] if lines else 'it said nothing'}"


def measure_side_by_side(
    commands: Mapping[str, Sequence[object]],
    *,
    workers: int,
    after: Mapping[str, str],
    on_begin: Callable[[str], None],
    on_finish: Callable[[Finished], None],
    run: Callable[[str, Sequence[object]], Finished] | None = None,
) -> None:
    """Run every table's command, so many at once, in this order, but none before the one that it comes after.

    `after` spares questions: what one table asked the models is known to the next.
    """
    processes = Processes()
    waiting, under_way = dict(commands), dict[Future[Finished], str]()
    with ThreadPoolExecutor(workers) as lanes:
        try:
            while waiting or under_way:
                blocked = {*waiting, *under_way.values()}
                ready = [name for name in waiting if after.get(name) not in blocked]
                for name in ready[: workers - len(under_way)]:
                    on_begin(name)
                    under_way[lanes.submit(run or processes.run, name, waiting.pop(name))] = name
                for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                    del under_way[future]
                    on_finish(future.result())
        finally:
            processes.close()
