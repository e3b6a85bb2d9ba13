"""Names of copies and their writing."""

import os
import stat
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given, strategies as st

from lexprint.errors import InputError
from lexprint.workflows.copy_files import (
    copy_file_name,
    digest_of_file,
    extension_of,
    safe_part,
    sole_writer,
    write_together,
)


@given(st.text(), st.integers(1, 10**6), st.text())
def test_names_stay_in_their_folder(name: str, number: int, recipient: str) -> None:
    """Whatever a recipient is called, the name is one part, not hidden, not too long, and can be encoded."""
    found = copy_file_name(name, number, recipient, extension=".txt")
    assert PurePosixPath(found).name == PureWindowsPath(found).name == found
    assert not found.startswith((".", "-", " "))
    assert len(found.encode()) <= 255
    assert set(found) & set('/\\:*?"<>|\0\n') == set()


@given(st.text(), st.text(), st.sets(st.integers(1, 10**5), min_size=2, max_size=2))
def test_numbers_tell_names_apart(one: str, other: str, numbers: set[int]) -> None:
    """Also where upper and lower case are the same."""
    first, second = sorted(numbers)
    names = {
        copy_file_name("memo", number, who, extension="").casefold() for number, who in ((first, one), (second, other))
    }
    assert len(names) == 2


def test_readable_names() -> None:
    """Letters of any script stay."""
    assert safe_part("  Zoë/../O'Neil ") == "Zoë-O-Neil"
    assert safe_part("李雷") == "李雷"
    assert safe_part("...") == "copy"
    assert [extension_of(name) for name in ("a.docx", "a", ".hidden", "a.b/c", "a.t t")] == [
        ".docx",
        ".txt",
        ".txt",
        ".txt",
        ".txt",
    ]


def test_files_are_whole_or_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If one cannot be written none gets its name, and nothing unfinished stays."""
    write_together(tmp_path, {"a": b"1", "b": b"2"})
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a": b"1", "b": b"2"}

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(InputError, match="No space left"):
        write_together(tmp_path, {"c": b"3", "d": b"4"})
    assert {path.name for path in tmp_path.iterdir()} == {"a", "b"}


def test_copies_are_for_their_owner_alone(tmp_path: Path) -> None:
    """Whatever the user's mask allows."""
    for mask in (0o000, 0o022, 0o077):
        old = os.umask(mask)
        try:
            write_together(tmp_path, {f"{mask}": b"1"})
        finally:
            os.umask(old)
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}


def test_links_are_replaced_not_followed(tmp_path: Path) -> None:
    """Nothing outside the folder is ever written."""
    (tmp_path / "outside").write_text("mine")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a").symlink_to(tmp_path / "outside")
    assert digest_of_file(folder / "a") == "something else than a file"
    write_together(folder, {"a": b"1"})
    assert (tmp_path / "outside").read_text() == "mine"


def test_leftovers_of_a_killed_run_go(tmp_path: Path) -> None:
    """And nothing else does."""
    (tmp_path / ".lexprint-copy-0123").write_text("half")
    (tmp_path / ".mine").write_text("mine")
    with sole_writer(tmp_path):
        pass
    assert [path.name for path in tmp_path.iterdir()] == [".mine"]
