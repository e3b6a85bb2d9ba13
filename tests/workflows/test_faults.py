"""Every write of issuing fails, is said to have failed, is torn, or is the last: nothing is lost, and it goes on."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from tests.workflows import faults
from tests.workflows.patient import PatientEngine

from lexprint.coding.keys import create_key_file
from lexprint.testing import fake_text
from lexprint.workflows.analysing import analyse_document

ROOT = Path(__file__).parents[2]
TEXT = fake_text(words=300, seed=21)

posix = pytest.mark.skipif(os.name != "posix", reason="kills as POSIX does")


@pytest.fixture
def workshops(tmp_path: Path) -> Path:
    """A master, its analysis and a key; once for first copies, and once for those that follow."""
    analysis = pickle.dumps(analyse_document(PatientEngine(), TEXT))
    for folder in (tmp_path, tmp_path / "more"):
        folder.mkdir(exist_ok=True)
        (folder / "master.txt").write_text(TEXT)
        (folder / "analysis.pickle").write_bytes(analysis)
        create_key_file(folder / "lexprint.key")
    return tmp_path


def survive(workshops: Path, location: str, *, step: int) -> str:
    """In an interpreter of its own: it forks."""
    command = [sys.executable, "-m", faults.__name__, str(workshops), location, str(step)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@posix
def test_some_writes_fail(workshops: Path, location: str) -> None:
    """One in thirty-two, in each way: the registry is consistent, and the same command completes."""
    assert "faults survived" in survive(workshops, location, step=32)


@posix
@pytest.mark.slow
@pytest.mark.long
def test_every_write_fails(workshops: Path, location: str) -> None:
    """All of them, with files and with the database, SQLite and PostgreSQL alike."""
    assert "faults survived" in survive(workshops, location, step=1)
