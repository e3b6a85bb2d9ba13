"""A watched folder: what is taken, what is waited for, what is set aside."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from lexprint.errors import InputError, RegistryError, TooFewSites
from lexprint.workflows.planning import Master
from lexprint.workflows.watching import FolderWatch

SETTLED = 3.0


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Desk:
    """Looks at a folder, and notes what it would have issued."""

    def __init__(self, folder: Path) -> None:
        self.incoming, self.out, self.clock = folder / "in", folder / "out", Clock()
        self.incoming.mkdir()
        self.issued: list[tuple[str, str, Path]] = []
        self.refused: list[tuple[str, str]] = []
        self.issue: Callable[[Master, Path], None] = self.note

    def note(self, master: Master, folder: Path) -> None:
        self.issued.append((master.name, master.text, folder))

    def watch(self) -> FolderWatch:
        return FolderWatch(
            self.incoming,
            self.out,
            lambda master, folder: self.issue(master, folder),
            on_refused=lambda name, reason: self.refused.append((name, reason)),
            settled_seconds=SETTLED,
            clock=self.clock,
        )

    def put(self, name: str, content: bytes = b"Some words.\n") -> Path:
        (self.incoming / name).write_bytes(content)
        return self.incoming / name

    def names(self, folder: str) -> list[str]:
        return sorted(path.name for path in (self.incoming / folder).glob("*"))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def after(desk: Desk, watch: FolderWatch, seconds: float) -> bool:
    desk.clock.now += seconds
    return watch.look()


def test_a_file_is_issued_once_when_it_rests(desk: Desk) -> None:
    """Then it is moved, and a second look finds nothing; the same name with other words is another document."""
    watch = desk.watch()
    assert not watch.look()
    desk.put("memo.txt")
    assert watch.look()
    assert after(desk, watch, SETTLED - 0.1)
    assert not desk.issued
    assert not after(desk, watch, 0.2)
    assert not after(desk, watch, SETTLED)
    assert [(name, text) for name, text, _ in desk.issued] == [("memo", "Some words.\n")]
    assert desk.names("issued") == ["memo.txt"]
    desk.put("memo.txt", b"Other words.\n")
    watch.look()
    after(desk, watch, SETTLED)
    assert len({folder for *_, folder in desk.issued}) == len(desk.issued) == 2
    assert desk.names("issued") == ["memo-2.txt", "memo.txt"]


def test_a_file_that_grows_is_waited_for(desk: Desk) -> None:
    """Each change begins the wait anew, also one that leaves the size as it is."""
    watch = desk.watch()
    path = desk.put("memo.txt", b"Some wo")
    watch.look()
    path.write_bytes(b"Some words, and more.\n")
    assert after(desk, watch, SETTLED)
    os.utime(path, ns=(1, 1))
    assert after(desk, watch, SETTLED)
    assert not after(desk, watch, SETTLED)
    assert [text for _, text, _ in desk.issued] == ["Some words, and more.\n"]


def test_a_file_that_somebody_has_open_is_waited_for(desk: Desk) -> None:
    """However long the pause between two writes is."""
    watch = desk.watch()
    with (desk.incoming / "memo.txt").open("wb") as file:
        file.write(b"Some ")
        file.flush()
        watch.look()
        assert after(desk, watch, 100 * SETTLED)
        file.write(b"words.\n")
    assert not desk.issued
    watch.look()
    assert not after(desk, watch, SETTLED)
    assert [text for _, text, _ in desk.issued] == ["Some words.\n"]


@pytest.mark.parametrize("name", [".hidden.txt", "~$memo.docx", "memo.docx.part", "memo.TMP", "x.crdownload"])
def test_what_programs_leave_while_they_write_is_not_looked_at(desk: Desk, name: str) -> None:
    """Nor are folders."""
    watch = desk.watch()
    desk.put(name)
    (desk.incoming / "folder").mkdir()
    assert not watch.look()
    assert not after(desk, watch, SETTLED)
    assert not desk.issued
    assert not desk.refused


def test_bad_files_are_named_and_set_aside(desk: Desk) -> None:
    """With the reason beside them; the next ones have their turn."""

    def refuse(master: Master, folder: Path) -> None:
        if master.name == "short":
            raise TooFewSites(needed=20, found=1, recipients=3, words_missing=200)
        desk.note(master, folder)

    desk.issue = refuse
    watch = desk.watch()
    desk.put("broken.docx", b"PK\x03\x04 no Word document")
    desk.put("short.txt")
    desk.put("z.txt")
    watch.look()
    after(desk, watch, SETTLED)
    assert [name for name, _ in desk.refused] == ["broken.docx", "short.txt"]
    assert desk.names("refused") == ["broken.docx", "broken.docx.reason.txt", "short.txt", "short.txt.reason.txt"]
    reason = (desk.incoming / "refused" / "short.txt.reason.txt").read_text()
    assert "1 sites" in reason
    assert reason.count("\n") == 1
    assert [name for name, *_ in desk.issued] == ["z"]


def test_what_is_no_fault_of_the_file_leaves_it_where_it_is(desk: Desk) -> None:
    """A registry that fails, or a full disk, ends the watch; the file is there for the next one."""

    def fail(master: Master, folder: Path) -> None:
        raise RegistryError("the registry is gone")

    desk.issue = fail
    watch = desk.watch()
    desk.put("memo.txt")
    watch.look()
    with pytest.raises(RegistryError):
        after(desk, watch, SETTLED)
    assert desk.names("") == ["memo.txt"]


def test_a_file_that_is_replaced_meanwhile_is_another(desk: Desk) -> None:
    """What was put in its place is not moved away unread."""

    def replace(master: Master, folder: Path) -> None:
        desk.note(master, folder)
        if len(desk.issued) == 1:
            desk.put("memo.txt", b"Newer words.\n")

    desk.issue = replace
    watch = desk.watch()
    desk.put("memo.txt")
    watch.look()
    after(desk, watch, SETTLED)
    watch.look()
    after(desk, watch, SETTLED)
    assert [text for _, text, _ in desk.issued] == ["Some words.\n", "Newer words.\n"]


def test_links_are_not_followed(desk: Desk, tmp_path: Path) -> None:
    """Who may write to the folder, and nothing else, gets no copies of what the watcher alone can read."""
    (tmp_path / "secret.txt").write_text("A secret.\n")
    (desk.incoming / "memo.txt").symlink_to(tmp_path / "secret.txt")
    os.mkfifo(desk.incoming / "pipe.txt")
    watch = desk.watch()
    watch.look()
    after(desk, watch, SETTLED)
    assert not desk.issued
    assert [name for name, _ in desk.refused] == ["memo.txt", "pipe.txt"]
    assert (tmp_path / "secret.txt").read_text() == "A secret.\n"


@pytest.mark.parametrize("name", ["issued", "refused"])
def test_nothing_is_moved_through_a_link(desk: Desk, tmp_path: Path, name: str) -> None:
    """The folders beside the files are folders: a link in the place of one is set aside, or ends the watch."""
    (tmp_path / "elsewhere").mkdir()
    (desk.incoming / name).symlink_to(tmp_path / "elsewhere")
    watch = desk.watch()
    desk.put("memo.txt")
    if name == "refused":
        with pytest.raises(InputError, match="is a link"):
            watch.look()
    else:
        watch.look()
        after(desk, watch, SETTLED)
        assert desk.names("issued") == ["memo.txt"]
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_copies_go_elsewhere(tmp_path: Path) -> None:
    """Else each would be issued to everybody."""
    with pytest.raises(InputError, match="issued again"):
        FolderWatch(tmp_path, tmp_path / "x" / "..", lambda *_: None, on_refused=lambda *_: None)
