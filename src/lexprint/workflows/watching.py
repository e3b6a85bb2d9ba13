"""A folder whose new files are issued, each when it is whole.

What is done is seen from where a file is: one that was issued is moved to `issued`, one that cannot be to `refused`, with the reason
beside it. Nothing else is remembered, so a process that was killed at any moment resumes: issuing a document again
makes what is missing of the same copies. Whoever may write to the folder is not trusted with more than that: links are not followed,
also not those that appear meanwhile, since files are moved by folders that were opened, not by their names.
"""

from __future__ import annotations

import errno
import os
import signal
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, TypeAlias

from lexprint.errors import CapacityError, FormatError, InputError, NotEnglish
from lexprint.whole_files import sync_folder
from lexprint.workflows.copy_files import PRIVATE, safe_part
from lexprint.workflows.planning import Master

try:
    import fcntl
except ImportError:  # not on this system: whether a file is whole is then told by its rest alone
    fcntl = None  # type: ignore[assignment]

ISSUED, REFUSED = "issued", "refused"  # folders within the watched one
REASON = ".reason.txt"
SETTLED_SECONDS = 3.0  # in which a file that is whole has not changed
_UNFINISHED = (".tmp", ".part", ".partial", ".crdownload", ".download", ".filepart", ".swp")  # as programs write them
_TEMPORARY = (".", "~$", "~")  # how their names begin

Issue: TypeAlias = Callable[[Master, Path], None]  # to a folder
OnRefused: TypeAlias = Callable[[str, str], None]  # name of the file, and why


class _State(NamedTuple):
    """When it stays the same, so has the file."""

    device: int
    inode: int
    size: int
    modified: int  # nanoseconds

    @classmethod
    def of(cls, found: os.stat_result) -> _State:
        return cls(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


class FolderWatch:
    """Looks at a folder again and again; between two looks it remembers only how long files have been as they are."""

    def __init__(
        self,
        folder: Path,
        out: Path,
        issue: Issue,
        *,
        on_refused: OnRefused,
        settled_seconds: float = SETTLED_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if out.resolve() == folder.resolve():
            raise InputError("copies would be issued again", needed="another folder for them than the watched one")
        self._folder, self._out, self._issue, self._on_refused = folder, out, issue, on_refused
        self._settled_seconds, self._clock = settled_seconds, clock
        self._since: dict[str, tuple[_State, float]] = {}

    def look(self) -> bool:
        """Issue what is whole; gives whether something is there that may yet become so."""
        try:
            names = sorted(entry.name for entry in os.scandir(self._folder))
        except OSError as error:
            raise InputError(f"{self._folder} cannot be read ({error.strerror})", needed="another folder") from error
        self._since = {name: since for name, since in self._since.items() if name in names}
        waiting = [self._is_to_wait_for(name) for name in names if _is_document(name)]
        return any(waiting)

    def _is_to_wait_for(self, name: str) -> bool:
        path = self._folder / name
        try:
            found = path.lstat()
        except FileNotFoundError:  # taken away again
            return False
        if stat.S_ISDIR(found.st_mode):
            return False
        if not stat.S_ISREG(found.st_mode):
            self._refuse(path, "it is a link or no file; needed: the document itself")
            return False
        state, now = _State.of(found), self._clock()
        known, since = self._since.get(name, (None, now))
        if known != state:
            self._since[name] = (state, since := now)
        if now - since < self._settled_seconds:
            return True
        opened = _read(path)
        if opened is None or opened[0] != state:
            return True
        self._take(path, opened[1], state)
        return False

    def _take(self, path: Path, content: bytes, state: _State) -> None:
        try:
            master = Master.of(content, file_name=path.name)
        except (FormatError, InputError) as error:
            self._refuse(path, str(error))
            return
        folder = self._out / f"{safe_part(master.name)}-{sha256(content).hexdigest()[:8]}"
        try:
            self._issue(master, folder)
        except (FormatError, CapacityError, NotEnglish) as error:
            with suppress(OSError):  # it holds copies of an earlier time
                folder.rmdir()
            self._refuse(path, str(error))
            return
        with suppress(FileNotFoundError):
            if _State.of(path.lstat()) == state:  # else somebody has put another in its place, which is looked at next
                self._move(path, ISSUED, reason=None)

    def _refuse(self, path: Path, reason: str) -> None:
        self._move(path, REFUSED, reason=reason)
        self._on_refused(path.name, reason)

    def _move(self, path: Path, folder_name: str, *, reason: str | None) -> None:
        """Under its own name, or one with a number if that is taken; a reason is written beside it."""
        folder = self._folder / folder_name
        try:
            folder.mkdir(exist_ok=True)
            with _opened_folder(folder) as place:
                name = _free_name(place, path)
                os.rename(path, place.of(name), dst_dir_fd=place.descriptor)
                if reason is not None:
                    _write_new(place, f"{name}{REASON}", f"{reason}\n".encode())
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR):
                raise InputError(f"{folder} is a link", needed="a folder, or nothing") from error
            raise InputError(f"{path} cannot be moved ({error.strerror})", needed="permission to move it") from error
        sync_folder(folder)
        self._since.pop(path.name, None)


class _Place(NamedTuple):
    """A folder that was opened, so that it stays the same whatever its name comes to mean."""

    folder: Path
    descriptor: int | None  # None: this system only knows names

    def of(self, name: str) -> str:
        return name if self.descriptor is not None else str(self.folder / name)


@contextmanager
def _opened_folder(folder: Path) -> Iterator[_Place]:
    if os.rename not in os.supports_dir_fd:
        if folder.is_symlink():
            raise OSError(errno.ELOOP, "a link")
        yield _Place(folder, None)
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        yield _Place(folder, descriptor)
    finally:
        os.close(descriptor)


def _free_name(place: _Place, path: Path) -> str:
    name, number = path.name, 1
    while True:
        try:
            os.stat(place.of(name), dir_fd=place.descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return name
        number += 1
        name = f"{path.stem}-{number}{path.suffix}"


def _write_new(place: _Place, name: str, content: bytes) -> None:
    """Anew: what has the name is removed, never written to."""
    with suppress(FileNotFoundError):
        os.unlink(place.of(name), dir_fd=place.descriptor)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    descriptor = os.open(place.of(name), flags, PRIVATE, dir_fd=place.descriptor)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)


def _is_document(name: str) -> bool:
    return not name.startswith(_TEMPORARY) and not name.lower().endswith(_UNFINISHED)


def _read(path: Path) -> tuple[_State, bytes] | None:
    """What a file is and holds; None while somebody is writing to it, or if it is gone."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno == errno.ELOOP:
            return None  # a link by now
        raise InputError(f"{path} cannot be read ({error.strerror})", needed="permission to read it") from error
    with os.fdopen(descriptor, "rb") as file:
        if _is_written(file.fileno()):
            return None
        content = file.read()
        return _State.of(os.fstat(file.fileno())), content


def _is_written(descriptor: int) -> bool:
    """Whether a process has the file open to write: Linux grants a read lease only if none has; elsewhere nobody knows."""
    if not hasattr(fcntl, "F_SETLEASE"):
        return False
    try:
        # Who opens it to write meanwhile has the kernel send a signal, which would usually end the process.
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except OSError as error:
        return error.errno == errno.EAGAIN  # others: the file of another user, or a file system without leases
    return False
