"""Processes that write to a registry at once, or are killed while they do; run as a program, which forks them.

What a writer was told is done, it tells its parent, who looks for it afterwards.
"""

import os
import random
import signal
import sys
import time
from collections.abc import Callable, Iterable
from itertools import count, islice

from tests.registry.registered import NOON, SITES, codeword, copies, document_id, file_digest, record

from lexprint.registry import sql_registry  # noqa: F401 # loaded once, before writers are forked
from lexprint.registry.protocol import Registry, open_registry
from lexprint.text.segmentation import segment

PLANNED, MORE = 6, 4  # copies with the document, and after it
ISSUED_AT_ONCE = 2


def write(registry: Registry, number: int, done: Callable[[str], None]) -> None:
    """One document, as `lexprint issue` would do it."""
    registry.add_document(record(number, sites=SITES), copies(number, 1, PLANNED))
    done(f"{number} planned {PLANNED}")
    registry.plan_copies(document_id(number), copies(number, PLANNED + 1, PLANNED + MORE))
    done(f"{number} planned {PLANNED + MORE}")
    for last in range(ISSUED_AT_ONCE, PLANNED + MORE + 1, ISSUED_AT_ONCE):
        issued = [(one, file_digest(number, one)) for one in range(last - ISSUED_AT_ONCE + 1, last + 1)]
        registry.mark_issued(document_id(number), issued, NOON)
        done(f"{number} issued {last}")


def check(registry: Registry, told: list[str]) -> None:
    """Everything that was told is there, and nothing is there by half."""
    assert registry.verify_audit() is None
    state = {}
    for summary in registry.documents():
        number = int(summary.id, 16)
        found = registry.copies(summary.id)
        assert registry.document(summary.id) == record(number)
        assert [copy.number for copy in found] == list(range(1, summary.planned + 1))
        assert summary.planned in (PLANNED, PLANNED + MORE)
        assert summary.issued % ISSUED_AT_ONCE == 0
        for copy in found:
            assert copy.codeword == codeword(number, copy.number)
            assert copy.digest == (file_digest(number, copy.number) if copy.number <= summary.issued else None)
            assert copy.is_issued == (copy.number <= summary.issued)
        state[number] = {"planned": summary.planned, "issued": summary.issued}
    for line in told:
        of, what, amount = line.split()
        assert state[int(of)][what] >= int(amount), line


def fork(location: str, numbers: Callable[[], "count[int] | range"]) -> tuple[int, int]:
    """A process that writes documents of these numbers; its id, and where to read what it was told."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        return child, reading
    try:
        os.close(reading)
        with open_registry(location) as registry:
            for number in numbers():
                write(registry, number, lambda line: _tell(writing, line))
    except BaseException as error:  # noqa: BLE001 # the parent must hear of it
        _tell(writing, f"failed: {error!r}")
    finally:
        os._exit(0)


def _tell(writing: int, line: str) -> None:
    os.write(writing, f"{line}\n".encode())


def _heard(lines: Iterable[str]) -> list[str]:
    told = [line.rstrip("\n") for line in lines]
    assert not [line for line in told if line.startswith("failed")], told
    return told


def kill_writers(location: str, *, times: int, seed: int) -> None:
    """Kill a writer at random moments, also while it makes the registry."""
    chance = random.Random(seed)
    told: list[str] = []
    for turn in range(times):
        child, reading = fork(location, lambda first=1 + turn * 1000: count(first))  # type: ignore[misc]
        with os.fdopen(reading, encoding="utf-8") as lines:
            told += _heard(islice(lines, chance.randrange(12)))  # however slow the machine
            time.sleep(chance.uniform(0, 0.02))
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            told += _heard(lines)
        with open_registry(location) as registry:
            check(registry, told)
    assert told, "no writer got anywhere before it was killed"
    sys.stdout.write(f"{len(told)} steps survived {times} kills")


def write_at_once(location: str, *, writers: int, documents: int) -> None:
    """Several writers, who also make the registry at once."""
    children = [
        fork(location, lambda first=(1 + writer) * 1000: range(first, first + documents))  # type: ignore[misc]
        for writer in range(writers)
    ]
    told = []
    for child, reading in children:
        with os.fdopen(reading, encoding="utf-8") as lines:
            told += _heard(lines)
        assert os.waitpid(child, 0) == (child, 0)
    with open_registry(location) as registry:
        check(registry, told)
        found = registry.documents()
        assert len(found) == writers * documents
        assert all(one.issued == PLANNED + MORE for one in found)
    sys.stdout.write(f"{len(told)} steps by {writers} writers")


if __name__ == "__main__":
    task, where, *numbers = sys.argv[1:]
    first, second = map(int, numbers)
    segment(record().text)  # loads its rules
    if task == "kill":
        kill_writers(where, times=first, seed=second)
    else:
        write_at_once(where, writers=first, documents=second)
