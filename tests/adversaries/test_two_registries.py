"""One key and several registries, or one that was restored from a backup: nobody's copy is somebody else's."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random

import pytest
from tests.adversaries.office import Office

from lexprint.registry.protocol import open_registry
from lexprint.workflows.tracing import trace

Open = Callable[[str], Office]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Opens the registry of that name, and closes them all in the end."""
    with ExitStack() as stack:
        yield lambda name: Office(
            stack.enter_context(open_registry(str(tmp_path / f"{name}.db"))), tmp_path / f"{name}-copies"
        )


def test_the_same_document_in_two_registries(opened: Open) -> None:
    """A copy issued in one registry names nobody in another, though key, document and numbers are the same."""
    here, there = opened("a"), opened("b")
    here.issue(["Ada", "Bruno", "Chiara"])
    there.issue(["Xavier", "Yara", "Zoe"])
    for person in ("Ada", "Bruno", "Chiara"):
        assert [copy.recipient for copy in trace(here.registry, here.copy(person)).accused] == [person]
        report = trace(there.registry, here.copy(person))
        assert (report.verdict, report.accused) == ("inconclusive", ())
        assert any(note.startswith("Not one of the copies recorded here") for note in report.notes)


def test_a_restored_backup(opened: Open, tmp_path: Path) -> None:
    """A copy issued after the backup names nobody in the registry that was restored from it."""
    office = opened("first")
    office.issue(["Ada", "Bruno", "Chiara"])
    office.registry.close()
    shutil.copy(tmp_path / "first.db", tmp_path / "backup.db")
    office = opened("first")
    dora = office.copy("Dora")
    office.registry.close()
    shutil.copy(tmp_path / "backup.db", tmp_path / "restored.db")
    restored = opened("restored")
    emil = restored.copy("Emil")
    assert dora != emil
    report = trace(restored.registry, dora)
    assert (report.verdict, report.accused) == ("inconclusive", ())
    assert any(note.startswith("Not one of the copies recorded here") for note in report.notes)
    assert [copy.recipient for copy in trace(restored.registry, emil).accused] == ["Emil"]
    assert restored.registry.verify_audit() is None


def test_a_run_again_makes_the_same_copies(opened: Open, tmp_path: Path) -> None:
    """What is drawn for a copy is stored with it: files that were lost are made again byte for byte."""
    office = opened("first")
    before = office.copy("Ada")
    shutil.rmtree(office.folder)
    assert office.copy("Ada") == before


def restore_at_random(opened: Open, tmp_path: Path, *, times: int, seed: int) -> None:
    """Issue, back up and restore in any order; whoever's copy leaks, it names its recipient or nobody."""
    random = Random(seed)
    leaks: list[tuple[str, str]] = []
    for time in range(times):
        office = opened(f"life-{time}")
        office.issue(["Ada", "Bruno"])
        office.registry.close()
        copies = [tmp_path / f"life-{time}.db"]
        for life in range(2):
            restored = tmp_path / f"life-{time}-{life}.db"
            shutil.copy(random.choice(copies), restored)
            copies.append(restored)
            office = opened(f"life-{time}-{life}")
            person = f"Person {time}-{life}"
            leaks.append((person, office.copy(person)))
            for owner, leak in random.sample(leaks, min(3, len(leaks))):
                named = [copy.recipient for copy in trace(office.registry, leak).accused]
                assert named in ([], [owner])
                assert named or owner != person
            office.registry.close()


def test_restored_again_and_again(opened: Open, tmp_path: Path) -> None:
    """No history of backups gives a copy to two people."""
    restore_at_random(opened, tmp_path, times=6, seed=1)


@pytest.mark.slow
@pytest.mark.long
def test_restored_a_thousand_times(opened: Open, tmp_path: Path) -> None:
    """The same for 1,000 restores."""
    restore_at_random(opened, tmp_path, times=500, seed=2)
