"""Several people who issue one document at the same moment, and one person under several spellings."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.adversaries.office import Office

from lexprint.errors import InputError
from lexprint.registry.protocol import open_registry
from lexprint.workflows.results import IssuedDocument
from lexprint.workflows.tracing import trace


def at_once(location: str, folder: Path, groups: list[list[str]]) -> list[IssuedDocument]:
    """Each group is issued the same document, into a folder of its own, all beginning together."""
    together = threading.Barrier(len(groups))

    def run(number: int) -> IssuedDocument:
        with open_registry(location) as registry:
            together.wait()
            return Office(registry, folder).issue(groups[number], folder=f"copies-{number}")

    open_registry(location).close()
    with ThreadPoolExecutor(len(groups)) as threads:
        return list(threads.map(run, range(len(groups))))


@pytest.mark.parametrize("attempt", range(3))
def test_three_issues_of_one_document(location: str, tmp_path: Path, attempt: int) -> None:
    """All succeed, in one document, with numbers of their own, and every copy is traced to its recipient."""
    groups = [["Ada", "Bruno"], ["Chiara"], ["Dora", "Emil"]]
    done = at_once(location, tmp_path, groups)
    assert len({one.document.id for one in done}) == 1
    assert sorted(copy.number for one in done for copy in one.copies) == [1, 2, 3, 4, 5]
    with open_registry(location) as registry:
        for number, one in enumerate(done):
            for copy in one.copies:
                leak = (tmp_path / f"copies-{number}" / copy.file_name).read_text()
                assert [named.recipient for named in trace(registry, leak).accused] == [copy.recipient]
        assert registry.verify_audit() is None


def test_three_issues_to_the_same_people(location: str, tmp_path: Path) -> None:
    """They get one copy each, the same bytes in all three folders."""
    done = at_once(location, tmp_path, [["Ada", "Bruno"]] * 3)
    assert [[copy.number for copy in one.copies] for one in done] == [[1, 2]] * 3
    written = [
        {path.name: path.read_bytes() for path in (tmp_path / f"copies-{number}").iterdir()} for number in range(3)
    ]
    assert written[0] == written[1] == written[2]


SPELLINGS: list[Callable[[str], str]] = [str.upper, str.lower, lambda name: name.replace("ë", "e\u0308")]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_one_person_under_two_spellings(location: str, tmp_path: Path, spelling: Callable[[str], str]) -> None:
    """Case and Unicode form make no second person: they keep their copy, under the name they had at first."""
    with open_registry(location) as registry:
        office = Office(registry, tmp_path)
        (first,) = office.issue(["Zoë"]).copies
        (second,) = office.issue([spelling("Zoë")]).copies
        assert second == first
        (other,) = office.issue([spelling("Zoë")], seed=2).copies
        assert other.recipient == "Zoë"
        assert [one.name for one in registry.recipients()] == ["Zoë"]
        with pytest.raises(InputError, match="named twice"):
            office.issue(["Zoë", spelling("Zoë")])
        assert registry.verify_audit() is None


@pytest.mark.parametrize(("one", "other"), [("Weiß", "Weiss"), ("Anna²", "Anna2"), ("Raﬀi", "Raffi")])
def test_two_people_whose_names_are_nearly_one(location: str, tmp_path: Path, one: str, other: str) -> None:
    """Each has a copy under their own name; what one leaks never names the other."""
    with open_registry(location) as registry:
        office = Office(registry, tmp_path)
        office.issue([one])
        (copy,) = office.issue([other], seed=2).copies
        assert copy.recipient == other
        assert [made.recipient for made in office.issue([one, other], seed=3).copies] == [one, other]
