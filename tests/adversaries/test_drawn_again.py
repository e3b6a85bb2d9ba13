"""Somebody with key and registry, or write access to a watched folder, wants another's copy without leaving a trace."""

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.adversaries.office import KEYRING, Office, document

from lexprint.cli.issue import read_master
from lexprint.errors import InputError
from lexprint.registry.protocol import Registry, open_registry
from lexprint.workflows.planning import Master
from lexprint.workflows.watching import FolderWatch


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    with open_registry(str(tmp_path / "registry.db"), keys=KEYRING) as opened:
        yield opened


def written_again(registry: Registry) -> list[list[list[int]]]:
    return [json.loads(one.details)["numbers"] for one in registry.audit() if one.event == "copies written again"]


def test_a_copy_that_is_drawn_into_another_folder_is_logged(registry: Registry, tmp_path: Path) -> None:
    """The same command with another folder writes Ada's very copy: there is an entry for it, with document and number."""
    office = Office(registry, tmp_path)
    office.issue(["Ada", "Bo"])
    assert written_again(registry) == []
    before = (tmp_path / "memo-1" / "memo-0001-Ada.txt").read_text()
    assert office.copy("Ada", folder="elsewhere") == before
    assert written_again(registry) == [[[1, 1]]]
    office.issue(["Ada", "Bo"])
    assert len(written_again(registry)) == 1, "what is there already is not written"
    assert registry.verify_audit() is None


def test_who_is_killed_after_writing_is_logged_too(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the first run never came to say that the copies were issued: only planning them is not in the log twice."""
    office = Office(registry, tmp_path)

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(registry, "mark_issued", killed)
        for folder in ("first", "second", "third"):
            with pytest.raises(KeyboardInterrupt):
                office.issue(["Ada"], folder=folder)
    assert written_again(registry) == [[[1, 1]], [[1, 1]]]


def test_no_entry_no_copy(registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If it cannot be logged, it is not written."""
    office = Office(registry, tmp_path)
    office.issue(["Ada"])

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(registry, "record_event", full)
    with pytest.raises(OSError, match="No space"):
        office.issue(["Ada"], folder="elsewhere")
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("mode", [0o644, 0o666, 0o777])
def test_a_master_for_everybody_has_private_copies(registry: Registry, tmp_path: Path, mode: int) -> None:
    """A copy is for one person; that all may read the master, or the issuer's mask is loose, does not matter."""
    (tmp_path / "memo.txt").write_text(document().text)
    (tmp_path / "memo.txt").chmod(mode)
    old = os.umask(0)
    try:
        Office(registry, tmp_path).issue(["Ada"], master=read_master(str(tmp_path / "memo.txt"), name=None))
    finally:
        os.umask(old)
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "memo-1").iterdir()} == {0o600}


@pytest.mark.parametrize("mode", [0o644, 0o666, 0o777])
def test_who_drops_a_document_does_not_choose_who_reads_its_copies(
    registry: Registry, tmp_path: Path, mode: int
) -> None:
    """Into a watched folder, with permissions for all."""
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    (folder / "memo.txt").write_bytes(document(1).text.encode())
    (folder / "memo.txt").chmod(mode)

    def issue(master: Master, place: Path) -> None:
        old = os.umask(0)
        try:
            Office(registry, out).issue(["Ada", "Bo"], master=master, folder=place.name)
        finally:
            os.umask(old)

    watch = FolderWatch(folder, out, issue, on_refused=lambda *_: None, settled_seconds=0)
    watch.look()
    copies = [path for path in out.glob("*/*.txt") if path.is_file()]
    assert len(copies) == 2
    assert {stat.S_IMODE(path.stat().st_mode) for path in copies} == {0o600}


@pytest.mark.parametrize("content", [b"Some words.\n", b"\xff\xfe\x00"])
def test_a_link_that_appears_at_the_last_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    """The dropper exchanges `issued` or `refused` for a link just when it was looked at: nothing is written behind it."""
    folder, out, secret = tmp_path / "in", tmp_path / "out", tmp_path / "elsewhere"
    for one in (folder, secret):
        one.mkdir()
    (folder / "memo.txt").write_bytes(content)
    is_symlink = Path.is_symlink

    def exchanged(self: Path) -> bool:
        found = is_symlink(self)
        if self.name in ("issued", "refused") and not found:
            self.rmdir()
            self.symlink_to(secret)
        return found

    monkeypatch.setattr(Path, "is_symlink", exchanged)
    opened = os.open

    def exchanged_before_opening(path: object, *arguments: object, **named: object) -> int:
        if isinstance(path, Path) and path.name in ("issued", "refused") and path.is_dir() and not is_symlink(path):
            path.rmdir()
            path.symlink_to(secret)
        return opened(path, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", exchanged_before_opening)
    watch = FolderWatch(folder, out, lambda *_: None, on_refused=lambda *_: None, settled_seconds=0)
    with pytest.raises(InputError, match="is a link"):
        watch.look()
    assert list(secret.iterdir()) == []
