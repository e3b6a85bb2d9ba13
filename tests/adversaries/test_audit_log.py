"""Somebody who can write to the database, and lacks the owner's key, wants the log to tell another story."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.rows import dict_row
from tests.cli.conftest import Run
from tests.registry.registered import NOON, copies, document_id, record

from lexprint.coding.keys import Keyring, MasterKey
from lexprint.errors import RegistryError
from lexprint.registry import audit
from lexprint.registry.audit import SealedHead
from lexprint.registry.protocol import open_existing_registry, open_registry
from lexprint.registry.records import AuditEntry
from lexprint.tracing.trace_turns import Mark, Reading, take_turn


class Intruder:
    """Whoever can write to the database, behind the registry's back; knows how lexprint makes its log."""

    def __init__(self, location: str) -> None:
        self._location = location

    def do(self, statement: str, *values: object) -> list[dict[str, Any]]:
        if "://" not in self._location:
            with closing(sqlite3.connect(self._location)) as connection, connection:
                connection.row_factory = sqlite3.Row
                return [dict(row) for row in connection.execute(statement, values)]
        with psycopg.connect(self._location, row_factory=dict_row) as connection:
            connection.execute("SET search_path TO lexprint")
            cursor = connection.execute(statement.replace("?", "%s"), values)
            return cursor.fetchall() if cursor.description else []

    def lift_the_triggers(self) -> None:
        names = [("audit_no_change", " ON audit")] if "://" in self._location else []
        for name, table in names or [(f"audit_{one}", "") for one in ("no_update", "no_delete", "in_order")]:
            self.do(f"DROP TRIGGER {name}{table}")

    def rebuild(self, *, without: int | None = None, keyless: bool = False) -> list[AuditEntry]:
        """Write the whole log anew from what is stored now, every hash right."""
        old = self.do("SELECT * FROM audit ORDER BY sequence")
        self.do("DELETE FROM audit")
        entries: list[AuditEntry] = []
        for row in old:
            if row["sequence"] == without:
                continue
            details = json.loads(row["details"])
            if row["event"] == audit.COPIES_PLANNED:
                details["sha256"] = audit.planned_digest(self.planned(details["numbers"]))
            last = (entries[-1].sequence, entries[-1].hash) if entries else None
            key_id = audit.NO_KEY if keyless else row["key_id"]
            entries.append(audit.next_entry(last, at=NOON, event=row["event"], details=details, key_id=key_id))
            self._append(entries[-1])
        return entries

    def append(self, event: str, details: dict[str, object], *, key_id: str) -> None:
        (last,) = self.do("SELECT sequence, hash FROM audit ORDER BY sequence DESC LIMIT 1")
        self._append(
            audit.next_entry((last["sequence"], last["hash"]), at=NOON, event=event, details=details, key_id=key_id)
        )

    def seal(self, entry: AuditEntry, key: MasterKey) -> None:
        head = SealedHead.of(entry, key)
        self.do("UPDATE audit_head SET sequence = ?, hash = ?, seal = ?", head.sequence, head.hash, head.seal)
        self.do("UPDATE audit_head SET key_id = ?", head.key_id)

    def planned(self, ranges: list[list[int]]) -> list[Any]:
        query = (
            "SELECT number, name, file_name, salt, codeword FROM copies JOIN recipients ON recipient = serial "
            "WHERE number BETWEEN ? AND ? ORDER BY number"
        )
        return [tuple(row.values()) for first, last in ranges for row in self.do(query, first, last)]

    def _append(self, entry: AuditEntry) -> None:
        fields = ("sequence", "at", "event", "details", "key_id", "previous", "hash")
        values = [getattr(entry, name) for name in fields]
        self.do(f"INSERT INTO audit ({', '.join(fields)}) VALUES ({', '.join('?' * len(fields))})", *values)


@pytest.fixture
def intruder(location: str, keyring: Keyring) -> Intruder:
    """At a registry of one document with three copies, of which a leak was traced: five entries."""
    with open_registry(location, keys=keyring) as registry:
        registry.add_document(record(1), copies(1, 1, 3))
        registry.mark_issued(document_id(1), [(1, "a" * 64), (2, "b" * 64)], NOON)
        registry.save_report("r1", document_id(1), "{}", NOON)
        registry.record_event("leak traced", {"report": "r1"})
        assert registry.verify_audit() is None
    intruder = Intruder(location)
    intruder.lift_the_triggers()
    return intruder


def last_hash(location: str) -> str:
    with open_existing_registry(location) as registry:
        return registry.audit()[-1].hash


def test_an_untouched_log_holds(intruder: Intruder, location: str, run: Run) -> None:
    """For who has the key, and for who noted down a hash, the last or an earlier one."""
    head = last_hash(location)
    done = run("registry", "verify", "--registry", location)
    assert (done.code, done.text) == (0, f"the log holds: 5 entries, last hash {head}\n")
    with open_existing_registry(location) as registry:
        registry.record_event("something else", {})
    assert run("registry", "verify", "--registry", location, "--expect", head.upper()).code == 0


def test_the_last_entry_is_erased(intruder: Intruder, location: str, run: Run) -> None:
    """Its seal is still there, and that of the log before it is gone; the owner can write nothing over it either."""
    head = last_hash(location)
    intruder.do("DELETE FROM audit WHERE sequence = 5")
    assert run("registry", "verify", "--registry", location).is_refusal(1, "entry 5", "is missing")
    assert run("registry", "verify", "--registry", location, "--expect", head).is_refusal(1, "entry 5", "is missing")


def test_the_last_report_is_erased_with_its_entries(intruder: Intruder, location: str, run: Run) -> None:
    """So that what is stored and what is logged agree."""
    intruder.do("DELETE FROM audit WHERE sequence >= 4")
    intruder.do("DELETE FROM reports")
    assert run("registry", "verify", "--registry", location).is_refusal(1, "entry 5", "is missing")


def test_a_recipient_is_renamed_and_the_log_rebuilt(intruder: Intruder, location: str, run: Run) -> None:
    """Every hash is right; only the seal is not."""
    intruder.do("UPDATE recipients SET name = 'Somebody Else' WHERE name = 'Recipient 1'")
    intruder.rebuild()
    assert run("registry", "verify", "--registry", location).is_refusal(1, "entry 5", "rebuilt")


def test_an_entry_in_the_middle_is_left_out(intruder: Intruder, location: str, run: Run) -> None:
    """The log closes over the gap, and is one entry short."""
    intruder.do("DELETE FROM reports")
    intruder.rebuild(without=4)
    assert run("registry", "verify", "--registry", location).is_refusal(1, "entry 5", "is missing")


def test_the_log_is_rebuilt_without_any_key(intruder: Intruder, location: str, run: Run) -> None:
    """As if its owner had never had one."""
    intruder.do("UPDATE recipients SET name = 'Somebody Else' WHERE name = 'Recipient 1'")
    intruder.rebuild(keyless=True)
    intruder.do("DELETE FROM audit_head")
    assert run("registry", "verify", "--registry", location).is_refusal(1, "entry 1", "without the owner's key")


def test_the_seal_is_taken_away(intruder: Intruder, location: str, run: Run) -> None:
    """Entries that claim a key must be sealed."""
    intruder.do("DELETE FROM audit_head")
    assert run("registry", "verify", "--registry", location).is_refusal(1, "entry 1", "is not sealed")


@pytest.mark.parametrize("borrows_the_id", [False, True])
def test_the_log_is_sealed_with_another_key(
    intruder: Intruder,
    location: str,
    run: Run,
    keyring: Keyring,
    borrows_the_id: bool,
) -> None:
    """Whatever the key is called."""
    intruder.do("UPDATE recipients SET name = 'Somebody Else' WHERE name = 'Recipient 1'")
    intruder.seal(intruder.rebuild()[-1], MasterKey.generate())
    if borrows_the_id:
        intruder.do("UPDATE audit_head SET key_id = ?", keyring.newest.id)
    assert run("registry", "verify", "--registry", location).is_refusal(1, "entry 5", "not among the owner's keys")


def test_an_entry_is_added_in_the_owner_s_name(intruder: Intruder, location: str, run: Run, keyring: Keyring) -> None:
    """After the sealed one, with the key's id, which is no secret."""
    intruder.append("leak traced", {"report": "r2"}, key_id=keyring.newest.id)
    assert run("registry", "verify", "--registry", location).is_refusal(1, "entry 6", "is not sealed")


def test_a_copy_is_planted(intruder: Intruder, location: str, run: Run) -> None:
    """The guilty codeword under another name, logged as any copy is, but without the key."""
    with open_existing_registry(location) as registry:
        registry.plan_copies(document_id(1), copies(1, 4, 4))
    assert run("registry", "verify", "--registry", location).is_refusal(1, "entry 6", "without the owner's key")


RESETS = {
    "all are forgotten": "DELETE FROM traces",
    "the last is forgotten": "DELETE FROM traces WHERE turn = 3",
    "they begin lower": "UPDATE traces SET turn = turn - 1",
    "another reading was asked": "UPDATE traces SET digest = 'ab' WHERE turn = 2",
    "a reading is known already": (
        "INSERT INTO traces SELECT document, 0, compared, 'ab', reading, traced_at FROM traces WHERE turn = 1"
    ),
    "other copies were compared": "UPDATE traces SET compared = 9 WHERE turn = 2",
    "it was long ago": "UPDATE traces SET traced_at = '2020-01-01T00:00:00.000000+00:00' WHERE turn = 3",
}


@pytest.mark.parametrize("attack", RESETS.values(), ids=RESETS)
def test_traces_are_counted_anew(intruder: Intruder, location: str, run: Run, keyring: Keyring, attack: str) -> None:
    """So that the next leak of a document has all of the bound again, though it is the fourth."""
    with open_existing_registry(location, keys=keyring) as registry:
        for symbol in range(3):
            take_turn(registry, document_id(1), Reading.of([Mark(1, symbol)]), compared=3, at=NOON)
        assert registry.verify_audit() is None
    intruder.do(attack)
    assert run("registry", "verify", "--registry", location).is_refusal(1, "entry", "turn taken")


@pytest.mark.parametrize("attack", ["DELETE FROM audit WHERE sequence = 5", "DELETE FROM audit_head"])
def test_the_next_entry_does_not_hide_it(intruder: Intruder, location: str, keyring: Keyring, attack: str) -> None:
    """The owner's next write would seal what is there now, so it is refused."""
    intruder.do(attack)
    with open_existing_registry(location, keys=keyring) as registry:
        with pytest.raises(RegistryError, match="nothing was written, for entry"):
            registry.plan_copies(document_id(1), copies(1, 4, 4))
        assert len(registry.copies(document_id(1))) == 3


def test_an_older_copy_of_the_database_is_put_back(tmp_path: Path, keyring: Keyring, run: Run) -> None:
    """Its seal is as good as it was; a hash that was noted down since tells."""
    path = tmp_path / "registry.db"
    with open_registry(str(path), keys=keyring) as registry:
        registry.add_document(record(1), copies(1, 1, 3))
    shutil.copy(path, tmp_path / "backup.db")
    with open_registry(str(path), keys=keyring) as registry:
        noted = registry.record_event("leak traced", {"report": "r1"}).hash
    shutil.copy(tmp_path / "backup.db", path)
    assert run("registry", "verify", "--registry", path).code == 0
    assert run("registry", "verify", "--registry", path, "--expect", noted).is_refusal(1, "entry 3", "expected hash")


def test_without_key_or_hash_nothing_is_confirmed(intruder: Intruder, location: str, run: Run, tmp_path: Path) -> None:
    """A log that anybody could have made is not said to hold."""
    (tmp_path / "lexprint.key").unlink()
    assert run("registry", "verify", "--registry", location).is_refusal(3, "without a key", "--expect")
    assert run("registry", "verify", "--registry", location, "--expect", "12").is_refusal(2, "64 hexadecimal digits")


def test_rotated_keys_still_verify(intruder: Intruder, location: str, keyring: Keyring) -> None:
    """The old key's seal is read by the keyring that holds it; the newest makes the next one."""
    rotated = Keyring((MasterKey.generate(), *keyring))
    with open_existing_registry(location, keys=rotated) as registry:
        assert registry.verify_audit() is None
        assert registry.record_event("key rotated", {}).key_id == rotated.newest.id
        assert registry.verify_audit() is None
    with open_existing_registry(location, keys=keyring) as registry:
        broken = registry.verify_audit()
        assert broken is not None
        assert "not among the owner's keys" in broken.reason
