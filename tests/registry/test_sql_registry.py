"""Tampering, damage, foreign files and unreachable servers: each is one sentence."""

import os
import sqlite3
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import event
from tests.registry.postgres import Server
from tests.registry.registered import NOON, copies, document_id, record

from lexprint.errors import ExtraMissing, RegistryError
from lexprint.registry import connections
from lexprint.registry.databases import prepare_sqlite
from lexprint.registry.protocol import Registry, open_existing_registry, open_registry
from lexprint.registry.sql_registry import SqlRegistry


def change(location: str, *statements: str) -> None:
    """Do behind the registry's back what its own code never does."""
    if "://" not in location:
        with closing(sqlite3.connect(location)) as connection, connection:
            for statement in statements:
                connection.execute(statement)
        return
    with psycopg.connect(location) as connection:
        for statement in ("SET search_path TO lexprint", *statements):
            connection.execute(statement)


def without_triggers(location: str) -> list[str]:
    if "://" in location:
        return ["DROP TRIGGER audit_no_change ON audit"]
    return [f"DROP TRIGGER audit_{name}" for name in ("no_update", "no_delete", "in_order")]


@pytest.fixture
def filled(registry: Registry) -> Registry:
    """Two documents, one of them issued, and a report: seven entries."""
    registry.add_document(record(1), copies(1, 1, 3))
    registry.mark_issued(document_id(1), [(1, "a" * 64), (2, "b" * 64)], NOON)
    registry.record_event("trace made", {"verdict": "inconclusive"})
    registry.add_document(record(2), copies(2, 1, 1))
    registry.save_report("r1", document_id(1), "{}", NOON)
    assert registry.verify_audit() is None
    return registry


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit SET event = 'nothing' WHERE sequence = 2",
        "DELETE FROM audit WHERE sequence = 7",
        "DELETE FROM audit",
    ],
)
def test_log_is_append_only(filled: Registry, location: str, statement: str) -> None:
    """The database itself refuses to change or remove an entry."""
    with pytest.raises((sqlite3.IntegrityError, psycopg.Error), match="append-only"):
        change(location, statement)
    assert filled.verify_audit() is None


def test_log_cannot_be_overwritten_or_emptied(filled: Registry, location: str) -> None:
    """Nor by the ways around UPDATE and DELETE."""
    forged = "INTO audit VALUES (1, 'now', 'nothing', '{}', '', 'x', 'y')"
    statement = "TRUNCATE audit" if "://" in location else f"INSERT OR REPLACE {forged}"
    with pytest.raises((sqlite3.IntegrityError, psycopg.Error), match="append-only"):
        change(location, statement)
    assert filled.verify_audit() is None


@pytest.mark.parametrize(
    ("statement", "sequence", "reason"),
    [
        ("UPDATE audit SET details = '{}' WHERE sequence = 4", 4, "it was changed"),
        ("UPDATE audit SET at = 'yesterday' WHERE sequence = 4", 4, "it was changed"),
        ("UPDATE audit SET previous = 'x' WHERE sequence = 3", 3, "does not follow"),
        ("DELETE FROM audit WHERE sequence = 4", 4, "missing"),
        ("DELETE FROM audit WHERE sequence = 1", 1, "missing"),
        ("DELETE FROM audit WHERE sequence = 7", 7, "1 are stored and 0 were logged (report saved)"),
        ("UPDATE documents SET name = 'other' WHERE serial = 1", 1, "document added"),
        ("UPDATE documents SET text = sites WHERE serial = 2", 5, "document added"),
        ("UPDATE documents SET text = digest WHERE serial = 2", 5, "document added"),
        ("UPDATE copies SET codeword = (SELECT codeword FROM copies WHERE number = 2) WHERE number = 3", 2, "planned"),
        ("UPDATE copies SET number = 9 WHERE number = 3", 2, "planned"),
        ("DELETE FROM copies WHERE number = 3", 2, "planned"),
        ("UPDATE recipients SET name = 'Nobody' WHERE name = 'Recipient 3'", 2, "planned"),
        ("UPDATE copies SET digest = 'cc' WHERE number = 2", 3, "issued"),
        ("UPDATE copies SET digest = 'cc', issued_at = 'now' WHERE number = 3", 8, "3 are stored and 2 were logged"),
        ("UPDATE reports SET text = '[]'", 7, "report saved"),
        ("DELETE FROM reports", 7, "report saved"),
    ],
)
def test_tampering_is_found(filled: Registry, location: str, statement: str, sequence: int, reason: str) -> None:
    """Whatever is changed, in the log or in what it speaks of: the first entry that does not hold is named."""
    if "://" in location:
        statement = statement.replace("text = digest", "text = digest::bytea")
    change(location, *without_triggers(location), statement)
    broken = filled.verify_audit()
    assert broken is not None
    assert broken.sequence == sequence
    assert reason in broken.reason


def test_unreadable_columns_are_damage(filled: Registry, location: str) -> None:
    """A text that cannot be unpacked is said to be damaged."""
    change(location, "UPDATE documents SET text = biases, sites = biases")
    with pytest.raises(RegistryError, match="damaged; restore"):
        filled.document(document_id(1))


def test_newer_registries_are_refused(filled: Registry, location: str) -> None:
    """A registry that a later lexprint has changed may mean other things."""
    change(location, "INSERT INTO migrations VALUES ('9999 later', 'now')")
    for opening in (open_registry, open_existing_registry):
        with pytest.raises(RegistryError, match=r"newer lexprint \(step 9999 later\); run: pip install --upgrade"):
            opening(location)


def test_files_are_private(tmp_path: Path) -> None:
    """Nobody else may read the registry, nor what SQLite puts beside it."""
    path = tmp_path / "registry.db"
    with open_registry(str(path)) as registry:
        registry.add_document(record(1), [])
        found = {one.name: stat.S_IMODE(one.stat().st_mode) for one in tmp_path.iterdir()}
    assert found == {"registry.db": 0o600, "registry.db-wal": 0o600, "registry.db-shm": 0o600}


def test_sqlite_is_durable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write-ahead log, full synchronisation and foreign keys, on every connection."""
    monkeypatch.setattr(connections, "prepare_sqlite", prepare_sqlite)  # other tests do not wait for disks
    with SqlRegistry.opened(str(tmp_path / "registry.db")) as registry, registry._transactions.reading() as connection:
        names = ("journal_mode", "synchronous", "foreign_keys")
        assert [connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in names] == ["wal", 2, 1]


@pytest.mark.parametrize("name", [":memory:", "file:x?mode=memory", "a b ?#%41.db"])
def test_odd_names_are_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """No name has a second meaning."""
    monkeypatch.chdir(tmp_path)
    with open_registry(name) as registry:
        registry.add_document(record(1), [])
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_urls_of_files(tmp_path: Path) -> None:
    """An SQLite file may be named by URL too."""
    with open_registry(f"sqlite:///{tmp_path}/a%20b.db"):
        pass
    assert (tmp_path / "a b.db").exists()


def test_foreign_databases_stay_untouched(tmp_path: Path) -> None:
    """Another program's database is refused and not changed by a byte."""
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE documents (id INTEGER)")
    before = path.read_bytes()
    for opening in (open_registry, open_existing_registry):
        with pytest.raises(RegistryError, match="is a database, but no registry"):
            opening(str(path))
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_other_files_stay_untouched(tmp_path: Path) -> None:
    """So is what is no database at all."""
    path = tmp_path / "memo.txt"
    path.write_text("The committee met on a cold evening. " * 100)
    before = path.read_bytes()
    with pytest.raises(RegistryError, match="is not a database"):
        open_registry(str(path))
    assert path.read_bytes() == before


def test_damaged_files(tmp_path: Path) -> None:
    """Pages that were overwritten are noticed when they are read."""
    path = tmp_path / "registry.db"
    with open_registry(str(path)) as registry:
        for number in range(1, 9):
            registry.add_document(record(number), copies(number, 1, 9))
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)
    with (
        pytest.raises(RegistryError, match="is damaged; restore it from a backup"),
        open_registry(str(path)) as registry,
    ):
        registry.documents()


def test_places_that_cannot_be(tmp_path: Path) -> None:
    """A folder, a missing folder, a name that is none."""
    with pytest.raises(RegistryError, match="cannot be opened"):
        open_registry(str(tmp_path))
    with pytest.raises(RegistryError, match="cannot be opened"):
        open_existing_registry(str(tmp_path))
    with pytest.raises(RegistryError, match=r"cannot be made \(No such file or directory\)"):
        open_registry(str(tmp_path / "none" / "registry.db"))
    with pytest.raises(RegistryError, match="no file name"):
        open_registry("a\0b")


@contextmanager
def ordinary_user() -> Iterator[None]:
    """Root may write anything, so it steps down for a while."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_read_only_files() -> None:
    """A registry that may not be written is refused with what is needed."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "registry.db"
        with open_registry(str(path)) as registry:
            registry.add_document(record(1), [])
        path.chmod(0o444)
        Path(folder).chmod(0o555)
        try:
            with (
                ordinary_user(),
                pytest.raises(RegistryError, match=r"may not be written|cannot be opened"),
                open_registry(str(path)) as registry,
            ):
                registry.add_document(record(2), [])
        finally:
            Path(folder).chmod(0o755)


def test_unreachable_servers_and_wrong_names(postgres: Server) -> None:
    """Nobody listens, no such database, no such user: the server's reason, and no password."""
    locations = [
        "postgresql://ann:secret@127.0.0.1:1/registry",
        f"postgresql://postgres:secret@/none?host={postgres.folder}",
        f"postgres://nobody:secret@/postgres?host={postgres.folder}",
    ]
    for location in locations:
        for opening in (open_registry, open_existing_registry):
            with pytest.raises(RegistryError, match=r"cannot be reached \(.*needed: a server that runs") as refusal:
                opening(location)
            assert "secret" not in str(refusal.value)
            assert "\n" not in str(refusal.value)


def test_users_without_rights(postgres: Server) -> None:
    """Who may not create tables is told so."""
    postgres.execute("DROP SCHEMA IF EXISTS lexprint CASCADE")
    postgres.execute("DROP ROLE IF EXISTS guest")
    postgres.execute("CREATE ROLE guest LOGIN")
    with pytest.raises(RegistryError, match=r"failed \(permission denied for database postgres\)"):
        open_registry(postgres.url.replace("postgres@", "guest@"))


def test_missing_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    """PostgreSQL is an extra, and the message says which."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(ExtraMissing, match=r"pip install 'lexprint\[postgres\]'"):
        open_registry("postgresql://db.example/registry")


def test_other_tables_are_no_hindrance(postgres: Server) -> None:
    """A registry lives beside other tables of the same names."""
    postgres.execute("DROP SCHEMA IF EXISTS lexprint CASCADE")
    postgres.execute("CREATE TABLE IF NOT EXISTS public.documents (id integer)")
    with open_registry(postgres.url) as registry:
        registry.add_document(record(1), [])
        assert len(registry.documents()) == 1
    postgres.execute("DROP TABLE public.documents")


def test_versions_of_one_name_look_at_no_other_copies(tmp_path: Path) -> None:
    """A registry may hold millions of copies; those of other documents are not counted to tell a document's versions."""
    with SqlRegistry.opened(str(tmp_path / "registry.db")) as registry:
        for number in (1, 2):
            registry.add_document(record(number, name=f"memo {number}"), copies(number, 1, 3))
        asked: list[tuple[str, tuple[object, ...]]] = []
        event.listen(
            registry._transactions.engine, "before_cursor_execute", lambda *given: asked.append((given[2], given[3]))
        )
        (found,) = registry.versions("memo 1")
    assert found.planned == 3
    with closing(sqlite3.connect(tmp_path / "registry.db")) as connection:
        plans = [
            row[-1]
            for statement, values in asked
            if statement.startswith("SELECT")
            for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", values)
        ]
    assert any("SEARCH copies" in line for line in plans)
    assert not any("SCAN copies" in line for line in plans)
