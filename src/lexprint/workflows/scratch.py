"""Temporary folders for copies; those of a killed process are removed by the next one.

Each is locked as long as its process lives; a folder that can be locked is nobody's.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from lexprint.errors import InputError

try:
    import fcntl
except ImportError:  # not on this system: what a killed process leaves is then the user's care
    fcntl = None  # type: ignore[assignment]


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A new folder that only its owner can look into."""
    descriptor, folder = _locked(_root())
    try:
        place = folder / "copies"
        place.mkdir()
        yield place
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(descriptor)


def remove_abandoned() -> None:
    """What killed processes have left; to be called when one starts."""
    for folder in _root().iterdir():
        with suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                if fcntl is not None:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(folder)
            finally:
                os.close(descriptor)


def _locked(root: Path) -> tuple[int, Path]:
    """A new folder and what holds its lock; made again if somebody took it for abandoned before it was locked."""
    while True:
        folder = Path(tempfile.mkdtemp(dir=root))
        with suppress(FileNotFoundError):
            descriptor = os.open(folder, os.O_RDONLY)
            if fcntl is not None:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            if folder.exists():
                return descriptor, folder
            os.close(descriptor)


def _root() -> Path:
    """One folder for each user of the system; nobody else can have made it."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    root = Path(tempfile.gettempdir()) / f"lexprint-{user}"
    with suppress(FileExistsError):
        root.mkdir(mode=0o700)
    found = root.lstat()
    if os.name == "posix" and (
        not stat.S_ISDIR(found.st_mode) or found.st_uid != user or found.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
    ):
        raise InputError(f"{root} is not a private folder of yours", needed="to remove it, or another TMPDIR")
    return root
