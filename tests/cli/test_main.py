"""What holds for every command: where its output goes, and what its exit code says."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lexprint.coding.keys import create_key_file


@pytest.mark.parametrize(
    "arguments", ["--version", "key list", "key public --json", "registry list", "key new other.key"]
)
def test_closed_standard_output_is_refused(tmp_path: Path, arguments: str) -> None:
    """Before anything is done: a result that nobody gets is no success."""
    create_key_file(tmp_path / "lexprint.key")
    command = f'exec "{sys.executable}" -m lexprint {arguments} >&-'
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "lexprint: standard output is closed; needed: an open one, such as > /dev/null\n"
    assert {path.name for path in tmp_path.iterdir()} == {"lexprint.key"}


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    """One sentence, exit code 1."""
    create_key_file(tmp_path / "lexprint.key")
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "lexprint", "key", "list"]
        done = subprocess.run(command, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "lexprint: No space left on device\n")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_half_an_output_is_no_success(tmp_path: Path, unbuffered: str) -> None:
    """Where the disk has room for a part alone, also if Python was told not to buffer."""
    for name, word in (("a.txt", "word"), ("b.txt", "term")):
        (tmp_path / name).write_text(f"One {word} here. " * 5000)
    command = f'ulimit -f 64; exec "{sys.executable}" -m lexprint diff a.txt b.txt --json > out'
    environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(
        ["sh", "-c", command], cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (1, "lexprint: File too large\n")


def test_small_matrices_are_no_work_for_many_threads() -> None:
    """A command's numpy has one thread: with one for each core, extracting a payload took thirty times the processor."""
    program = "import lexprint.__main__, numpy, os; print(len(os.listdir('/proc/self/task')))"
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    finished = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=True)
    assert finished.stdout == b"1\n"
