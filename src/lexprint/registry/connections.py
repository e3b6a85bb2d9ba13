"""Connections to the database and transactions on it; whatever it says becomes one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sql
from sqlalchemy.engine import URL, Connection, Engine
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from lexprint.errors import ExtraMissing, RegistryError
from lexprint.registry.databases import Location, explain, prepare_postgresql, prepare_sqlite

WRITERS_LOCK = 0x6C65787072696E74  # "lexprint"; the number of PostgreSQL's advisory lock


class Transactions:
    """Writers queue: SQLite's take its write lock when they begin, PostgreSQL's an advisory lock, both before they read
    anything. So a check made inside a write still holds when it commits, and the audit log never forks.
    """

    def __init__(self, place: Location) -> None:
        self.place = place
        self.engine = _engine(place)

    def close(self) -> None:
        self.engine.dispose()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """All of it or nothing, one writer at a time."""
        engine = self.engine.execution_options(lexprint_begin="BEGIN IMMEDIATE")
        with _translated(self.place), engine.begin() as connection:
            if self.place.dialect == "postgresql":
                lock = sql.literal(WRITERS_LOCK, sql.BigInteger)
                connection.execute(sql.select(sql.func.pg_advisory_xact_lock(lock)))
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """One moment's state, however many questions are asked."""
        engine = self.engine
        if self.place.dialect == "postgresql":
            engine = engine.execution_options(isolation_level="REPEATABLE READ")
        try:
            with _translated(self.place), engine.connect() as connection:
                yield connection
        except ValueError as error:  # a column that cannot be unpacked
            raise RegistryError(f"the registry {self.place.shown} is damaged; restore it from a backup") from error


def _engine(place: Location) -> Engine:
    """Without a limit to connections: a thread that waits for one would not be in the database's own queue."""
    arguments = dict(place.connect_arguments)
    if place.path:
        url = URL.create("sqlite", database=str(place.path))
        engine = sql.create_engine(url, connect_args=arguments, max_overflow=-1)
        sql.event.listen(engine, "connect", lambda connection, _: prepare_sqlite(connection, place))
        sql.event.listen(engine, "begin", _begin_sqlite)
        return engine
    try:
        engine = sql.create_engine(place.url, connect_args=arguments, max_overflow=-1, pool_pre_ping=True)
    except ImportError as error:
        raise ExtraMissing("psycopg", extra="postgres") from error
    except SQLAlchemyError as error:
        raise RegistryError(f"the URL of {place.shown} cannot be understood; needed: a URL") from error
    sql.event.listen(engine, "connect", lambda connection, _: prepare_postgresql(connection))
    return engine


def _begin_sqlite(connection: Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get("lexprint_begin", "BEGIN"))


@contextmanager
def _translated(place: Location) -> Iterator[None]:
    try:
        yield
    except DBAPIError as error:
        raise RegistryError(explain(place, error.orig)) from error
    except SQLAlchemyError as error:
        raise RegistryError(f"the registry {place.shown} failed ({type(error).__name__})") from error
