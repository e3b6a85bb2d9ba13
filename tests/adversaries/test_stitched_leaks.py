"""Leaks put together from copies of several documents and registries: only those whose words are in them are named."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from tests.adversaries.office import Office
from tests.tracing.masters import make_text

from lexprint.registry.protocol import open_registry
from lexprint.workflows.tracing import trace

DOCUMENTS = (1, 2, 3)


@dataclass(frozen=True)
class World:
    """Two offices with the same key and the same documents, and everybody's copies."""

    offices: tuple[Office, Office]
    copies: dict[tuple[int, str, int], str]  # by office, person and document


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with open_registry(str(tmp_path / "one.db")) as one, open_registry(str(tmp_path / "two.db")) as two:
        offices = Office(one, tmp_path / "one"), Office(two, tmp_path / "two")
        copies = {}
        for index, (office, people) in enumerate(zip(offices, (["Ada", "Bo", "Cy"], ["Xi", "Yo", "Zed"]), strict=True)):
            for seed in DOCUMENTS:
                for copy in office.issue(people, seed=seed).copies:
                    file = office.folder / f"memo-{seed}" / copy.file_name
                    copies[index, copy.recipient, seed] = file.read_text()
        yield World(offices, copies)


def stitched(world: World, random: Random) -> tuple[str, set[tuple[int, str]]]:
    """Passages of one to five copies in any order, with strange prose between; and whose they are, by office."""
    owners = random.sample(sorted(world.copies), random.randint(1, 5))
    pieces = [make_text(random.randint(20, 200), random)]
    for owner in owners:
        words = world.copies[owner].split(" ")
        for _ in range(random.randint(1, 3)):
            length = random.randint(30, len(words))
            start = random.randint(0, len(words) - length)
            pieces.append(" ".join(words[start : start + length]))
    random.shuffle(pieces)
    return "\n\n".join(pieces), {(index, person) for index, person, _ in owners}


def trace_stitched(world: World, *, times: int, seed: int) -> int:
    """How often somebody is named; nobody ever is whose copy is not in the leak."""
    random, named = Random(seed), 0
    for _ in range(times):
        leak, owners = stitched(world, random)
        for index, office in enumerate(world.offices):
            documents = [None, *(one.id for one in office.registry.documents())]
            report = trace(office.registry, leak, document_id=random.choice(documents))
            assert {(index, copy.recipient) for copy in report.accused} <= owners
            named += bool(report.accused)
    return named


def test_stitched_leaks(world: World) -> None:
    """Whoever is named has words in the leak, in the registry where it is traced."""
    assert trace_stitched(world, times=8, seed=1) > 0


@pytest.mark.slow
def test_two_hundred_stitched_leaks(world: World) -> None:
    """The same for 200 leaks."""
    assert trace_stitched(world, times=200, seed=2) > 100
