"""Folders that nobody keeps: private, locked, gone."""

import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lexprint.errors import InputError
from lexprint.workflows.scratch import remove_abandoned, scratch_folder


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files go."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_a_folder_is_private_and_goes(temporary: Path) -> None:
    """Also when the work in it fails."""

    def fail() -> None:
        with scratch_folder() as folder:
            (folder / "copy.txt").write_text("confidential")
            assert folder.parent.stat().st_mode & 0o077 == 0
            assert folder.parent.parent.stat().st_mode & 0o077 == 0
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert [path.name for path in temporary.rglob("*") if not path.name.startswith("lexprint-")] == []


def test_what_is_in_use_is_not_abandoned() -> None:
    """However many are at work at once."""

    def work(number: int) -> str:
        with scratch_folder() as folder:
            (folder / "copy.txt").write_text(str(number))
            remove_abandoned()
            return (folder / "copy.txt").read_text()

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(work, range(64))) == [str(number) for number in range(64)]


def test_folders_of_others_are_refused(temporary: Path) -> None:
    """Somebody who guessed the name could look into it, or lead elsewhere."""
    with scratch_folder() as folder:
        root = folder.parent.parent
    root.chmod(0o755)
    with pytest.raises(InputError, match="not a private folder"):
        remove_abandoned()
    root.rmdir()
    (temporary / "elsewhere").mkdir(mode=0o700)
    root.symlink_to(temporary / "elsewhere")
    with pytest.raises(InputError, match="not a private folder"), scratch_folder():
        pass
