"""Reads one file, within limits, as a program of its own: `python -m lexprint.formats.child_main`; see `child`.

On its standard input is a line of JSON, then the file. It answers with a pickled source or error; whatever goes wrong otherwise
ends it with a traceback that nobody is shown.
"""

from __future__ import annotations

import io
import json
import logging
import os
import pickle
import sys
import threading
import time
import warnings
from contextlib import suppress
from math import ceil
from pathlib import Path
from typing import Any

from lexprint.errors import LexprintError
from lexprint.formats.child import too_complex
from lexprint.formats.projection import Piece
from lexprint.formats.reading import read_as
from lexprint.text.span import Span

LOOK_SECONDS = 0.02  # between two looks at the memory, where the system has no limit for it


def main() -> None:
    answers = _take_over_output()
    request = json.loads(sys.stdin.buffer.readline())
    _limit(
        seconds=request["seconds"],
        most_seconds=request["most_seconds"],
        bytes_more=int(request["megabytes"] * 1e6),
    )
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    answer = _answer(request)
    with os.fdopen(answers, "wb") as output:
        output.write(answer)


def _answer(request: dict[str, Any]) -> bytes:
    task, name = request["task"], request["name"]
    refusal = too_complex(task, name, seconds=request["seconds"], megabytes=request["megabytes"])
    try:
        found = read_as(task, sys.stdin.buffer.read(), name=name)
        if found is not None:
            _ = found.text, found.protected  # made when they are first asked for, which must be here
        answer = _pickled(found)
    except LexprintError as error:
        return pickle.dumps(error)
    except (MemoryError, RecursionError):
        return pickle.dumps(refusal)
    return answer if len(answer) <= request["answer_bytes"] else pickle.dumps(refusal)


def _pickled(found: object) -> bytes:
    """Pieces and spans by their fields: there are many, and as dataclasses they would take long."""
    target = io.BytesIO()
    pickler = pickle.Pickler(target, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = {
        Piece: lambda piece: (Piece, (piece.text, piece.raw)),
        Span: lambda span: (Span, (span.start, span.end)),
    }
    pickler.dump(found)
    return target.getvalue()


def _take_over_output() -> int:
    """Standard output for the answer alone: what a library prints goes nowhere."""
    answers = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    return answers


def _limit(*, seconds: float, most_seconds: float, bytes_more: int) -> None:
    """Limits that hold for this process and, each by itself, for those that it starts."""
    with suppress(ImportError):  # Windows: there the time alone is limited, by whoever waits
        import resource
        import signal

        signal.setitimer(signal.ITIMER_REAL, most_seconds + 1.0)  # should nobody wait any more
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # memory holds the document
        resource.setrlimit(resource.RLIMIT_CPU, (ceil(seconds), ceil(seconds) + 1))
        if not _limit_address_space(resource, bytes_more):
            threading.Thread(target=_watch, args=(resource, bytes_more), daemon=True).start()


def _limit_address_space(resource: Any, bytes_more: int) -> bool:
    """Whether the system holds to it; macOS does not."""
    if sys.platform == "darwin":
        return False
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * os.sysconf("SC_PAGE_SIZE") + bytes_more
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    except (OSError, ValueError):
        return False
    return True


def _watch(resource: Any, bytes_more: int) -> None:
    """End this process when it has grown too much; `ru_maxrss` counts bytes on macOS, kilobytes elsewhere."""
    unit = 1 if sys.platform == "darwin" else 1024
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit + bytes_more
    while resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit < most:
        time.sleep(LOOK_SECONDS)
    os.kill(os.getpid(), 9)


if __name__ == "__main__":
    main()
