"""Every write of issuing, one after the other, fails, or is the last before the process dies; run as a program, which forks.

Writes are whatever changes a disk or a database: files made, filled, synchronised, renamed and removed, folders made,
statements that change rows or tables, and commits. After each fault the registry must be consistent, and the same command
must go on to the end.
"""

import errno
import os
import pickle
import re
import signal
import sqlite3
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, get_args
from unittest import mock

import psycopg
from sqlalchemy import event
from sqlalchemy.engine import Engine
from sqlalchemy.engine.default import DefaultDialect
from sqlalchemy.exc import OperationalError
from tests.workflows.interrupted import master_of
from tests.workflows.patient import PatientEngine

from lexprint.coding.keys import Keyring, load_keyring
from lexprint.errors import LexprintError
from lexprint.registry.protocol import Registry, open_registry
from lexprint.workflows import analysing, copy_files, issuing, writing

Fault = Literal["fails", "is lost", "is torn", "is the last"]
FAULTS: tuple[Fault, ...] = get_args(Fault)

RECIPIENTS = ("Ada", "Bo", "Cy")
LATER = ("Dee", "Eve")
GROUP = 2  # so that there are several groups
NEVER = 1 << 60
_CHANGING = re.compile(r"\s*(INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|BEGIN IMMEDIATE|PRAGMA application_id)")


@dataclass
class Faults:
    """Counts writes, and lets the one at `at` go wrong; with `is lost` it is done, and said to have failed."""

    at: int
    fault: Fault
    done: list[str] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def writing(
        self, what: str, error: Callable[[], Exception], torn: Callable[[], None] | None = None
    ) -> Iterator[None]:
        with self._lock:
            self.done.append(what)
            is_now = len(self.done) == self.at
        if is_now and self.fault == "fails":
            raise error()
        if is_now and self.fault == "is torn" and torn is not None:
            torn()
            die()
        try:
            yield
        finally:  # also where it found that there was nothing to do
            if is_now and self.fault != "is lost":
                die()
        if is_now:
            raise error()

    def around(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any, **options: Any) -> Any:
            with self.writing(name, disk_full):
                return function(*arguments, **options)

        return counted

    def open_low(self, original: Callable[..., int], path: Any, flags: int, *rest: Any, **options: Any) -> int:
        if not flags & os.O_CREAT:
            return original(path, flags, *rest, **options)
        with self.writing(f"create {Path(path).name}", disk_full):
            return original(path, flags, *rest, **options)

    def open_file(self, *arguments: Any, **options: Any) -> Any:
        file = open(*arguments, **options)  # noqa: SIM115, PTH123 # the caller's
        if "b" not in file.mode or "r" in file.mode:
            return file
        return CountedFile(self, file)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """For everything that this process does from now on."""
        commit: Callable[..., None] = DefaultDialect.do_commit
        with ExitStack() as stack:
            for name in ("mkdir", "replace", "unlink", "fsync"):  # fsync: see `hurry`
                stack.enter_context(mock.patch.object(os, name, self.around(name, getattr(os, name))))
            stack.enter_context(mock.patch.object(os, "open", partial(self.open_low, os.open)))
            stack.enter_context(mock.patch.object(copy_files, "open", self.open_file, create=True))

            def do_commit(dialect: DefaultDialect, connection: Any) -> None:
                with self.writing("commit", lambda: database_fails("COMMIT")):
                    commit(dialect, connection)

            stack.enter_context(mock.patch.object(DefaultDialect, "do_commit", do_commit))
            for name, listener in (("before_cursor_execute", self._before), ("after_cursor_execute", self._after)):
                event.listen(Engine, name, listener)
                stack.callback(event.remove, Engine, name, listener)
            yield

    def _before(self, _: Any, __: Any, statement: str, ___: Any, context: Any, *rest: Any) -> None:
        if _CHANGING.match(statement):
            context.write = self.writing(" ".join(statement.split())[:60], lambda: database_fails(statement))
            context.write.__enter__()

    def _after(self, _: Any, __: Any, statement: str, ___: Any, context: Any, *rest: Any) -> None:
        if _CHANGING.match(statement):
            context.write.__exit__(None, None, None)


@dataclass
class CountedFile:
    """A file whose content is written in one go, or half."""

    faults: Faults
    file: Any

    def write(self, content: bytes) -> int:
        def tear() -> None:
            self.file.write(content[: len(content) // 2])
            self.file.flush()

        with self.faults.writing("fill", disk_full, tear):
            written: int = self.file.write(content)
            self.file.flush()
            return written

    def __enter__(self) -> "CountedFile":
        return self

    def __exit__(self, *exception: object) -> None:
        self.file.close()


def disk_full() -> Exception:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def database_fails(statement: str) -> Exception:
    return OperationalError(statement, None, sqlite3.OperationalError("database or disk is full"))


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
    signal.pause()


def hurry() -> None:
    """Wait for no disk: what a killed process has written is there, only a power cut could take it."""
    os.fsync = lambda _: None  # type: ignore[assignment]

    @event.listens_for(Engine, "connect")
    def without_waiting(connection: Any, _: object) -> None:
        if isinstance(connection, sqlite3.Connection):
            connection.execute("PRAGMA synchronous = OFF")


@dataclass(frozen=True)
class Trial:
    """One registry and one folder; `location` of PostgreSQL is used again and again."""

    folder: Path
    location: str

    @property
    def keyring(self) -> Keyring:
        return load_keyring(self.folder.parent / "lexprint.key", environment={})

    @property
    def copies(self) -> Path:
        return self.folder / "copies"

    def issue(self, recipients: tuple[str, ...]) -> None:
        analysis = pickle.loads((self.folder.parent / "analysis.pickle").read_bytes())
        with (
            mock.patch.object(analysing, "analyse_document", return_value=analysis),
            mock.patch.object(writing, "GROUP", GROUP),
            open_registry(self.location, keys=self.keyring) as registry,
        ):
            issuing.issue(
                PatientEngine(),
                master_of(self.folder.parent),
                recipients,
                keyring=self.keyring,
                registry=registry,
                folder=self.copies,
            )

    def issue_with(self, faults: Faults, recipients: tuple[str, ...]) -> str:
        """In a process of its own; what it says of its end: nothing if it died, else what it wrote or was told."""
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            os.close(reading)
            told = "?"
            try:
                with faults.in_place():
                    self.issue(recipients)
                told = "\n".join(("done", *faults.done))
            except LexprintError as error:
                told = f"refused\n{error}"
            except BaseException:  # noqa: BLE001 # the parent must hear of it
                told = f"failed\n{traceback.format_exc()}"
            finally:
                os.write(writing, told.encode()[:60_000])
                os._exit(0)
        os.close(writing)
        with os.fdopen(reading, encoding="utf-8") as heard:
            told = heard.read()
        os.waitpid(child, 0)
        return told

    def check(self) -> None:
        """No file without a record, no copy marked as issued that is not there and whole, and a log that holds."""
        files = {path.name: path.read_bytes() for path in self.copies.glob("[!.]*")}
        with open_registry(self.location, keys=self.keyring) as registry:
            assert registry.verify_audit() is None
            known = [copy for document in registry.documents() for copy in registry.copies(document.id)]
        assert {name for name in files if "manifest" not in name} <= {copy.file_name for copy in known}
        for copy in known:
            assert not copy.is_issued or sha256(files[copy.file_name]).hexdigest() == copy.digest

    def check_complete(self, recipients: tuple[str, ...]) -> None:
        self.check()
        with open_registry(self.location, keys=self.keyring) as registry:
            (document,) = registry.documents()
            copies = registry.copies(document.id)
            self._check_files(registry)
        assert sorted(copy.recipient for copy in copies) == sorted(recipients)
        assert all(copy.is_issued for copy in copies)
        assert len({copy.digest for copy in copies}) == len(recipients)

    def _check_files(self, registry: Registry) -> None:
        """Nothing unfinished stays."""
        (document,) = registry.documents()
        names = {copy.file_name for copy in registry.copies(document.id)}
        (manifest,) = (path.name for path in self.copies.iterdir() if "manifest" in path.name)
        assert {path.name for path in self.copies.iterdir()} == names | {manifest}


def trials(workshop: Path, location: str) -> Iterator[Trial]:
    """Without end; each finds everything empty."""
    number = 0
    while True:
        number += 1
        folder = workshop / f"trial-{number}"
        folder.mkdir()
        if "://" in location:
            with psycopg.connect(location, autocommit=True) as connection:
                connection.execute("DROP SCHEMA IF EXISTS lexprint CASCADE")
        yield Trial(folder, location if "://" in location else str(folder / "registry.db"))


def survive(workshop: Path, location: str, *, earlier: tuple[str, ...], later: tuple[str, ...], step: int) -> int:
    """Every fault at every `step`-th write of issuing to the later recipients; the number of faults."""
    fresh = trials(workshop, location)

    def prepared() -> Trial:
        trial = next(fresh)
        if earlier:
            trial.issue(earlier)
        return trial

    everyone = earlier + later
    first = prepared()
    outcome, *writes = first.issue_with(Faults(NEVER, "fails"), everyone).split("\n")
    assert outcome == "done", writes
    first.check_complete(everyone)
    count = 0
    for fault in FAULTS:
        for at in range(1, len(writes) + 1, step):
            what = writes[at - 1]
            if fault == "is torn" and what != "fill":
                continue
            trial = prepared()
            told = trial.issue_with(Faults(at, fault), everyone)
            expected = ("",) if fault in ("is torn", "is the last") else ("refused", "done")
            try:
                assert told.partition("\n")[0] in expected, told
                trial.check()
                trial.issue(everyone)
                trial.check_complete(everyone)
            except BaseException:
                sys.stderr.write(f"write {at} of {len(writes)} ({what}) {fault}:\n{told}\n")
                raise
            count += 1
    return count


if __name__ == "__main__":
    place, where, stride = sys.argv[1:]
    hurry()
    tempfile.gettempdir()  # whoever asks first writes a file to find out; the runs are to write the same
    new = survive(Path(place), where, earlier=(), later=RECIPIENTS, step=int(stride))
    more = survive(Path(place) / "more", where, earlier=RECIPIENTS, later=LATER, step=int(stride))
    sys.stdout.write(f"{new} + {more} faults survived\n")
