"""How a database comes to have the tables: numbered steps, only ever appended to; the names of those taken are in it.

The first makes the tables as `tables.py` declares them, so a later step has to find out whether its change is there already.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection
from datetime import UTC, datetime
from typing import TypeAlias

import sqlalchemy as sql
from sqlalchemy.engine import Connection

from lexprint.errors import RegistryError
from lexprint.registry.audit import time_text
from lexprint.registry.databases import APPLICATION_ID, SCHEMA
from lexprint.registry.tables import APPEND_ONLY, METADATA, MIGRATIONS, REGISTRY

Step: TypeAlias = Callable[[Connection], None]


def _create_tables(connection: Connection) -> None:
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
    elif not connection.exec_driver_sql(f"SELECT 1 FROM pg_namespace WHERE nspname = '{SCHEMA}'").scalar():
        connection.exec_driver_sql(f"CREATE SCHEMA {SCHEMA}")
    METADATA.create_all(connection, checkfirst=False)
    for statement in APPEND_ONLY[connection.dialect.name].strip().splitlines():
        connection.exec_driver_sql(statement)
    connection.execute(sql.insert(REGISTRY), {"id": secrets.token_hex(16)})


STEPS: tuple[tuple[str, Step], ...] = (("0001 tables", _create_tables),)

# PostgreSQL's to_regclass would be shorter, but may answer from a cache that is older than the wait for the lock.
_HAS_MIGRATIONS: dict[str, str] = {
    "sqlite": "SELECT 1 FROM sqlite_master WHERE name = 'migrations'",
    "postgresql": f"SELECT 1 FROM pg_tables WHERE schemaname = '{SCHEMA}' AND tablename = 'migrations'",
}


def applied(connection: Connection) -> set[str]:
    """The names of the steps that the database has taken; none: there is no registry in it."""
    if not connection.exec_driver_sql(_HAS_MIGRATIONS[connection.dialect.name]).scalar():
        return set()
    return set(connection.scalars(sql.select(MIGRATIONS.c.name)))


def pending(taken: Collection[str]) -> list[tuple[str, Step]]:
    """The steps still to be taken, in order; refuses what only a later lexprint can have written."""
    unknown = sorted(set(taken) - {name for name, _ in STEPS})
    if unknown:
        raise RegistryError(
            f"the registry was changed by a newer lexprint (step {unknown[-1]}); run: pip install --upgrade lexprint"
        )
    return [(name, step) for name, step in STEPS if name not in taken]


def migrate(connection: Connection) -> None:
    """Take the pending steps, within a write: by now another process may have taken them."""
    for name, step in pending(applied(connection)):
        step(connection)
        connection.execute(sql.insert(MIGRATIONS), {"name": name, "applied_at": time_text(datetime.now(UTC))})
