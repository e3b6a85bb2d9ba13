"""No file is ever half written: bytes get their name when they are on disk, and a failure leaves what was there before."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # not on this system: what a killed command leaves is then the user's care
    fcntl = None  # type: ignore[assignment]

_TEMPORARY = ".lexprint-"


def write_whole(path: Path, content: bytes, *, mode: int | None = None) -> None:
    """All of it or nothing; `mode` is for files that are new, others keep theirs."""
    path = path.resolve()  # a link stays a link
    kept = stat.S_IMODE(path.stat().st_mode) if path.exists() else None
    wanted = 0o666 if mode is None else mode  # less what the user's mask forbids
    _remove_abandoned(path.parent)
    file, temporary = _new_file(path.parent, wanted | stat.S_IWUSR)
    try:
        with file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            if kept is not None:
                temporary.chmod(kept)
            temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Makes new names last through a power cut, where the system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _new_file(folder: Path, mode: int) -> tuple[BinaryIO, Path]:
    """An unfinished file, locked; made again if another command took it for abandoned before it was."""
    while True:
        path = folder / f"{_TEMPORARY}{secrets.token_hex(8)}.tmp"
        file = open(path, "xb", opener=lambda name, flags: os.open(name, flags, mode))  # noqa: SIM115 # the caller's
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        if path.exists():
            return file, path
        file.close()


def _remove_abandoned(folder: Path) -> None:
    """Unfinished files of killed commands: those of living ones are locked."""
    for leftover in folder.glob(f"{_TEMPORARY}*.tmp"):
        with suppress(OSError), leftover.open("rb") as file:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                leftover.unlink()
