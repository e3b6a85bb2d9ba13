"""Reads files as `lexprint.formats.child` does, each in a process of its own, but forked from one that has imported all already.

Starting an interpreter takes longer than reading most files of these tests. The forked process runs the same `main` with the
same environment and working folder, under the same limits, and its answer is taken apart in the same way. What stops a reader,
and that it is a program without secrets, is tested without this (`tests/adversaries/test_hostile_files.py`).
"""

import json
import os
import pickle
import signal
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

from lexprint.formats import child_main
from lexprint.formats.table import FORMATS

PIECE = 1 << 20
CODE = struct.Struct("<i")  # exit code, after the answer
Ask = Callable[..., tuple[bytes | None, int]]


@contextmanager
def warm_reader() -> Iterator[Ask]:
    """What stands in for `child._ask` while the program below runs."""
    with tempfile.TemporaryDirectory(prefix="lexprint-reader-") as folder:
        address = str(Path(folder) / "socket")
        # No file of the working folder is imported, as in a real reader; it ends when its standard input does.
        command = [sys.executable, "-P", "-c", _PROGRAM, json.dumps(sys.path), address]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            yield lambda request, *, seconds: _ask(address, request, seconds)
            process.stdin.close()


def _ask(address: str, request: bytes, seconds: float) -> tuple[bytes | None, int]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LEXPRINT_")}
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(seconds)
        line.connect(address)
        try:
            line.sendall(pickle.dumps((environment, str(Path.cwd()))) + request)
            line.shutdown(socket.SHUT_WR)
            answer = b"".join(iter(lambda: line.recv(PIECE), b""))
        except TimeoutError:  # the reader has an alarm of its own
            return None, 0
    return answer[: -CODE.size], CODE.unpack(answer[-CODE.size :])[0]


_PROGRAM = f"""
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from {__name__} import serve
serve(sys.argv[2])
"""


def serve(address: str) -> None:
    """Answer whoever connects, until standard input ends."""
    for row in FORMATS.values():
        import_module(f"lexprint.formats.{row.reader.partition(':')[0]}")
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(address)
        door.listen(64)
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those that wait for readers
            while True:
                line, _ = door.accept()
                if os.fork() == 0:
                    door.close()
                    _attend(line)
                line.close()
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        sys.stdin.read()
    os.killpg(0, signal.SIGKILL)


def _attend(line: socket.socket) -> None:
    """Read one file in a further process, and add how it ended to what it said."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    reader = os.fork()
    if reader == 0:
        os.setsid()
        _read(line)
    _, status = os.waitpid(reader, 0)
    while line.recv(PIECE):  # what it did not read: else whoever sends it would be cut off before the answer
        pass
    line.sendall(CODE.pack(os.waitstatus_to_exitcode(status)))
    os._exit(0)


def _read(line: socket.socket) -> None:
    code = 1
    try:
        os.dup2(line.fileno(), 0)
        os.dup2(line.fileno(), 1)
        line.close()
        environment, folder = pickle.load(sys.stdin.buffer)
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(folder)
        child_main.main()
        code = 0
    finally:
        os._exit(code)
