"""Blind marks belong to one copy of one document in one registry: what is marked elsewhere accuses nobody here."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path

import pytest
from tests.adversaries.office import KEYRING
from tests.fakes import FakeEngine

from lexprint.formats.source import open_source
from lexprint.registry.protocol import Registry, open_registry
from lexprint.reports.report import Report
from lexprint.settings import Settings, SubstitutionSettings
from lexprint.testing import fake_text
from lexprint.workflows.issuing import Master, issue_blind
from lexprint.workflows.tracing import trace

ENGINE = FakeEngine(settings=Settings(substitution=SubstitutionSettings(proposals=8)))
A, B = (fake_text(words=700, seed=seed) for seed in (8, 9))


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[[str], Registry]]:
    """Opens the registry of that name, and closes them all in the end."""
    with ExitStack() as stack:
        yield lambda name: stack.enter_context(open_registry(str(tmp_path / f"{name}.db")))


def issued(registry: Registry, text: str, people: Sequence[str], folder: Path, *, name: str = "memo") -> list[str]:
    """Blind copies of a text for some people."""
    content = text.encode()
    master = Master(open_source(content, name="memo.txt"), name, sha256(content).hexdigest(), ".txt")
    done = issue_blind(ENGINE, master, people, keyring=KEYRING, registry=registry, folder=folder)
    return [(folder / copy.file_name).read_text() for copy in done.copies]


def traced(registry: Registry, page: str, *, document_id: str | None = None) -> Report:
    leak = open_source(page.encode(), name="leak.html" if page.startswith("<") else "leak.txt")
    return trace(registry, leak.text, protected=leak.protected, keys=KEYRING, engine=ENGINE, document_id=document_id)


def named(report: Report) -> list[str | None]:
    return [copy.recipient for copy in report.accused]


def test_another_document_beside_this_one_as_code(opened: Callable[[str], Registry], tmp_path: Path) -> None:
    """Copy 3 of B as prose, with all of A where marks are not read, names nobody of A, though B's marks are plain."""
    registry = opened("a")
    issued(registry, A, ["Ada", "Bruno", "Chiara"], tmp_path / "a", name="A")
    copies = issued(registry, B, ["Xavier", "Yara", "Zoe"], tmp_path / "b", name="B")
    document = registry.versions("A")[0].id
    page = f"<!doctype html><html><body><p>{copies[2]}</p><pre><code>{A}</code></pre></body></html>"
    assert named(traced(registry, page, document_id=document)) == []
    assert named(traced(registry, page)) == ["Zoe"]


def test_another_registry_of_the_same_key(opened: Callable[[str], Registry], tmp_path: Path) -> None:
    """Nor does a copy of the same document and number; each registry knows its own."""
    here, there = opened("a"), opened("b")
    text = fake_text(words=1_500, seed=8)
    ours = issued(here, text, ["Ada", "Bruno"], tmp_path / "a")
    theirs = issued(there, text, ["Xavier", "Yara"], tmp_path / "b")
    for copies, registry, people in ((ours, here, ["Ada", "Bruno"]), (theirs, there, ["Xavier", "Yara"])):
        assert [named(traced(registry, copy)) for copy in copies] == [[one] for one in people]
    assert [named(traced(there, copy)) for copy in ours] == [[], []]
    report = traced(there, ours[0])
    assert any(note.startswith("Not one of the copies recorded here") for note in report.notes)


def test_a_marked_text_of_another_registry_with_a_part_of_this_document(
    opened: Callable[[str], Registry], tmp_path: Path
) -> None:
    """500 characters of A beside B's prose are not enough to make B's marks A's."""
    here, there = opened("a"), opened("b")
    issued(here, A, ["Ada", "Bruno", "Chiara"], tmp_path / "a")
    copies = issued(there, B, ["Xavier", "Yara", "Zoe"], tmp_path / "b")
    for number in range(3):
        assert named(traced(here, f"{A[:500]}\n\n{copies[number]}")) == []


def test_a_restored_backup_of_blind_copies(opened: Callable[[str], Registry], tmp_path: Path) -> None:
    """Dora's copy, issued after the backup, names nobody where Emil has her number."""
    registry = opened("first")
    issued(registry, A, ["Ada"], tmp_path / "first")
    registry.close()
    shutil.copy(tmp_path / "first.db", tmp_path / "restored.db")
    (dora,) = issued(opened("first"), A, ["Dora"], tmp_path / "first")
    restored = opened("restored")
    (emil,) = issued(restored, A, ["Emil"], tmp_path / "restored")
    assert named(traced(restored, dora)) == []
    assert named(traced(restored, emil)) == ["Emil"]


def test_only_passages_of_the_document_are_read(opened: Callable[[str], Registry], tmp_path: Path) -> None:
    """A copy in the middle of strange prose is read where it is itself, and the prose adds no noise."""
    registry = opened("a")
    copies = issued(registry, A, ["Ada", "Bruno", "Chiara"], tmp_path / "a")
    alone = traced(registry, copies[1])
    among = traced(registry, f"{B}\n\n{copies[1]}\n\n{fake_text(words=700, seed=11)}")
    assert named(alone) == named(among) == ["Bruno"]
    assert among.readable <= alone.readable
