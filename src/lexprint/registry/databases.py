"""Where a registry is kept, how a connection to it is prepared, and what its failures mean in one sentence."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias
from urllib.parse import parse_qs, unquote, urlsplit

from lexprint.errors import RegistryError

Dialect: TypeAlias = Literal["sqlite", "postgresql"]

SCHEMA = "lexprint"  # where the tables are in a PostgreSQL database, beside whatever else it holds
APPLICATION_ID = 0x6C657870  # marks an SQLite file as a registry: "lexp"
BUSY_SECONDS = 60  # how long a writer queues
CONNECT_SECONDS = 10


@dataclass(frozen=True)
class Location:
    """Where a registry is: in a file, or in a database of a server."""

    url: str
    shown: str  # in messages; holds no password
    path: Path | None  # of an SQLite file

    def __repr__(self) -> str:
        return f"Location({self.shown!r})"

    @property
    def dialect(self) -> Dialect:
        return "sqlite" if self.path else "postgresql"

    @property
    def connect_arguments(self) -> Mapping[str, Any]:
        if self.path:
            return {"timeout": BUSY_SECONDS}
        return {} if "connect_timeout=" in self.url else {"connect_timeout": CONNECT_SECONDS}

    @property
    def is_vacant(self) -> bool:
        """Whether there is surely no registry; a server must be asked."""
        return self.path is not None and (
            not self.path.exists() or (self.path.is_file() and self.path.stat().st_size == 0)
        )


def read_location(location: str) -> Location:
    """A file name, `sqlite:///file`, or the URL of a PostgreSQL database; what is wrong is said without quoting it.

    >>> read_location("postgresql://ann:secret@db.example/registry").shown
    'PostgreSQL at db.example, database registry'
    """
    scheme, separator, rest = location.partition("://")
    if not separator:
        return _file(location)
    kind = scheme.partition("+")[0]
    if kind == "sqlite" and rest.startswith("/") and rest != "/":
        return _file(unquote(rest[1:]))
    if kind not in ("postgres", "postgresql"):
        raise RegistryError(
            f"a registry cannot be kept at {scheme}://...; needed: a file name, or postgresql://user@host/database"
        )
    try:
        parts = urlsplit(location)
        hosts = parse_qs(parts.query).get("host", [])
        host = ":".join(str(part) for part in (parts.hostname, parts.port) if part) or " ".join(hosts)
        is_torn = "@" in parts.path + parts.query + parts.fragment
    except ValueError:
        is_torn = True
    if is_torn:  # most often by a password, so nothing of it is repeated
        raise RegistryError(
            f"the URL {scheme}://... cannot be understood; needed: postgresql://user:password@host/database, with /, @, : "
            "and such in the password written as %2F, %40, %3A"
        ) from None
    name = unquote(parts.path.lstrip("/")) or "of the user's name"
    return Location(
        url=f"postgresql+psycopg://{rest}", shown=f"PostgreSQL at {host or 'this machine'}, database {name}", path=None
    )


def _file(name: str) -> Location:
    path = Path(name).absolute()  # of a relative name, SQLite would take some as commands
    return Location(url="sqlite://", shown=name, path=path)


def create_private(path: Path) -> None:
    """An empty file for the owner alone, if there is none: documents are confidential.

    What SQLite makes beside the file gets the file's permissions.
    """
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        pass
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no file name"
        needed = "needed: a file in a folder that exists and may be written"
        raise RegistryError(f"the registry {path.name} cannot be made ({reason}); {needed}") from error


def prepare_sqlite(connection: sqlite3.Connection, place: Location) -> None:
    """Refuse other programs' databases, before anything is changed in them; then durable, with foreign keys."""
    try:
        _prepare_sqlite(connection, place)
    except BaseException:
        connection.close()
        raise


def _prepare_sqlite(connection: sqlite3.Connection, place: Location) -> None:
    connection.isolation_level = None  # else the driver begins transactions on its own, later than we want
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if application != APPLICATION_ID and (application or tables):
        raise RegistryError(f"{place.shown} is a database, but no registry; needed: the name of another file")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")  # what is deleted is overwritten
    connection.execute("PRAGMA synchronous = FULL")  # in WAL mode, less may lose the last commits in a power cut
    _use_write_ahead_log(connection)


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Readers then never wait for writers. Turning it on does not queue, so it is tried again."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
        time.sleep(0.02)


def prepare_postgresql(connection: Any) -> None:
    connection.autocommit = True  # else a rollback would undo it
    connection.execute(f"SET search_path TO {SCHEMA}")
    connection.autocommit = False


_SQLITE_SAYS = {
    "SQLITE_READONLY": "may not be written; needed: permission to write the file and its folder",
    "SQLITE_BUSY": f"has been locked by another process for {BUSY_SECONDS} seconds; try again later",
    "SQLITE_NOTADB": "is not a database; needed: the name of another file",
    "SQLITE_CORRUPT": "is damaged; restore it from a backup",
    "SQLITE_CANTOPEN": "cannot be opened; needed: a file that may be read and written",
    "SQLITE_FULL": "cannot grow, for the disk is full; make room and try again",
    "SQLITE_IOERR": "cannot be read or written, for the disk fails; check the disk",
}


def explain(place: Location, error: BaseException | None) -> str:
    """What a driver's error means; more than its first line may quote names or text."""
    reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
    if place.path:
        name = "_".join(str(getattr(error, "sqlite_errorname", "")).split("_")[:2])  # SQLITE_IOERR_FSYNC and its like
        return f"the registry {place.shown} {_SQLITE_SAYS.get(name, f'failed ({reason})')}"
    if getattr(error, "sqlstate", None) is None:
        needed = "needed: a server that runs, and a URL with its host, database and user"
        return f"the registry in {place.shown} cannot be reached ({reason}); {needed}"
    return f"the registry in {place.shown} failed ({reason})"
