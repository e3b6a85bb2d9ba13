"""Somebody who can write to the database, and lacks the owner's key, alters what copies say, so that the owner signs an innocent name."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from tests.adversaries.office import KEYRING, Office
from tests.adversaries.test_audit_log import Intruder
from tests.cli.conftest import Run
from tests.workflows.leaks import Issued, issue

from lexprint.coding.keys import Keyring
from lexprint.errors import RegistryError
from lexprint.registry import audit
from lexprint.registry.packing import pack_sites
from lexprint.registry.protocol import Registry, open_registry
from lexprint.text.pairs import Pair
from lexprint.workflows.cases import make_case
from lexprint.workflows.tracing import trace
from lexprint.workflows.whole_evidence import list_evidence

BO, ADA = 17, 23  # who leaks, and who is to be blamed
EXCHANGED_NAMES = (
    "UPDATE recipients SET name = name || '.', person = person || '.' WHERE name = 'Recipient 17'",
    "UPDATE recipients SET name = 'Recipient 17', person = 'recipient 17' WHERE name = 'Recipient 23'",
    "UPDATE recipients SET name = 'Recipient 23', person = 'recipient 23' WHERE name = 'Recipient 17.'",
)
ATTACKS = {
    "names exchanged": EXCHANGED_NAMES,
    "words exchanged": (
        "UPDATE copies SET codeword = (SELECT codeword FROM copies WHERE number = 17) WHERE number = 23",
    ),
    "a copy given to another": (
        "INSERT INTO recipients (person, name) VALUES ('ada', 'Ada')",
        "UPDATE copies SET recipient = (SELECT serial FROM recipients WHERE name = 'Ada') WHERE number = 17",
    ),
    "a bound that lets everybody be named": ("UPDATE documents SET error_bound = '0.99'",),
}


@pytest.fixture
def registry(location: str, keyring: Keyring) -> Iterator[Registry]:
    with open_registry(location, keys=keyring) as opened:
        yield opened


@pytest.fixture
def issued(registry: Registry) -> Issued:
    return issue(registry)


@pytest.fixture
def intruder(location: str, issued: Issued) -> Intruder:
    found = Intruder(location)
    found.lift_the_triggers()
    return found


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
@pytest.mark.parametrize("is_rebuilt", [False, True], ids=["log as it was", "log rebuilt"])
def test_nobody_is_named_by_altered_records(
    registry: Registry, issued: Issued, intruder: Intruder, keyring: Keyring, attack: tuple[str, ...], is_rebuilt: bool
) -> None:
    """What Bo leaks names nobody before the owner has looked: neither Ada nor a report that anybody could take for signed."""
    for statement in attack:
        intruder.do(statement)
    if is_rebuilt:
        intruder.rebuild()
    with pytest.raises(RegistryError, match="of the audit log does not hold"):
        trace(registry, issued.copy(BO), keys=keyring)
    assert not registry.reports()


def test_a_planted_copy_is_not_named(registry: Registry, issued: Issued, intruder: Intruder, keyring: Keyring) -> None:
    """Bo's own words put there once more as Ada's second copy, and logged as lexprint would, but without the key."""
    intruder.do("INSERT INTO recipients (person, name) VALUES ('ada', 'Ada')")
    intruder.do(
        "INSERT INTO copies (document, number, recipient, file_name, salt, codeword) SELECT document, 51, "
        "(SELECT serial FROM recipients WHERE name = 'Ada'), 'memo-51.docx', salt, codeword FROM copies WHERE number = 17"
    )
    planted: dict[str, object] = {"document": issued.record.id, "numbers": [[51, 51]], "count": 1}
    planted["sha256"] = audit.planned_digest(intruder.planned([[51, 51]]))
    intruder.append(audit.COPIES_PLANNED, planted, key_id=audit.NO_KEY)
    with pytest.raises(RegistryError, match="it was written without the owner's key"):
        trace(registry, issued.copy(BO), keys=keyring)


def test_records_that_hold_name_who_leaked(
    registry: Registry, issued: Issued, intruder: Intruder, keyring: Keyring
) -> None:
    """Nothing was altered; nor does it matter to this document what was done to others."""
    other = issue(registry, number=2, name="other.docx")
    intruder.do(f"UPDATE documents SET name = 'another' WHERE id = '{other.record.id}'")
    report = trace(registry, issued.copy(BO), document_id=issued.record.id, keys=keyring)
    assert [(copy.number, copy.recipient) for copy in report.accused] == [(BO, "Recipient 17")]


def test_the_list_for_a_court_is_not_made_of_altered_records(
    registry: Registry, issued: Issued, intruder: Intruder, keyring: Keyring
) -> None:
    """The report was right; words that were exchanged since do not get under the owner's signature with it."""
    leak = issued.copy(BO)
    report = trace(registry, leak, keys=keyring)
    intruder.do("UPDATE copies SET salt = (SELECT salt FROM copies WHERE number = 23) WHERE number = 17")
    with pytest.raises(RegistryError, match="of the audit log does not hold"):
        list_evidence(registry, report, leak, leak=leak.encode(), leak_name="leak.txt", keys=keyring)


def test_no_copies_are_made_of_altered_records(location: str, tmp_path: Path) -> None:
    """Nor would words that somebody put there, to be read in the owner's copies, go out with the next one."""
    with open_registry(location, keys=KEYRING) as registry:
        office = Office(registry, tmp_path)
        done = office.issue(["Bo"])
        first, *others = done.document.sites
        libel = replace(first, pair=Pair.of(first.word, "libel"))
        intruder = Intruder(location)
        intruder.do("UPDATE documents SET sites = ?", pack_sites([libel, *others]))
        with pytest.raises(RegistryError, match="of the audit log does not hold"):
            office.issue(["Ada", "Emil"])
        assert [copy.recipient for copy in registry.copies(done.document.id)] == ["Bo"]


ALTERED_LOGS = {
    "the clerk is gone": "DELETE FROM audit WHERE event = 'copy downloaded'",
    "somebody else in the place of the clerk": "UPDATE audit SET details = ?, hash = ? WHERE event = 'copy downloaded'",
}


@pytest.mark.parametrize("attack", ALTERED_LOGS.values(), ids=ALTERED_LOGS)
def test_a_case_is_not_made_of_an_altered_log(
    registry: Registry, issued: Issued, intruder: Intruder, keyring: Keyring, attack: str
) -> None:
    """A clerk fetched the copy and leaked it: whoever takes that out of the log, head and seal untouched, gets no signed case."""
    details = {"document": issued.record.id, "number": BO, "token": "0123456789ab"}
    registry.record_event("file downloaded", {})  # of other matters, which are not in the case
    fetched = registry.record_event("copy downloaded", details)
    registry.record_event("file downloaded", {})
    leak = issued.copy(BO)
    report = trace(registry, leak, keys=keyring)
    assert b"0123456789ab" in make_case(registry, report, leak.encode(), leak_name="leak.txt", keys=keyring)
    before = (fetched.sequence - 1, fetched.previous)
    forged = audit.next_entry(
        before,
        at=datetime.fromisoformat(fetched.at),
        event=fetched.event,
        details=details | {"token": "ba9876543210"},
        key_id=fetched.key_id,
    )
    intruder.do(attack, *([forged.details, forged.hash] if "?" in attack else []))
    with pytest.raises(RegistryError, match="of the audit log does not hold"):
        make_case(registry, report, leak.encode(), leak_name="leak.txt", keys=keyring)


def test_the_command_says_so_in_one_sentence(
    run: Run, registry: Registry, issued: Issued, intruder: Intruder, location: str
) -> None:
    """And prints no verdict."""
    for statement in EXCHANGED_NAMES:
        intruder.do(statement)
    Path("leak.txt").write_text(issued.copy(BO))
    done = run("trace", "leak.txt", "--registry", location)
    assert (done.code, done.output) == (1, b"")
    assert "lexprint: this registry is not as its owner left it: entry 2 of the audit log does not hold" in done.errors
