"""A process is killed in the middle of its work, and somebody looks for what it left on the disk."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from lexprint.server.process import ServeOptions, app_of
from lexprint.testing import fake_text

SERVICE = """
import sys, time
from lexprint.server.process import ServeOptions, app_of
from lexprint.testing import fake_text
from lexprint.workflows.scratch import scratch_folder
with scratch_folder() as folder:
    (folder / "memo-0001-Ada.txt").write_text("confidential")
    sys.stdout.write("ready\\n"); sys.stdout.flush(); time.sleep(600)
"""
WRITER = """
import os, sys, time
from lexprint.cli import files
os.fsync = lambda _: (sys.stdout.write("ready\\n"), sys.stdout.flush(), time.sleep(600))
files.write_bytes("marked.txt", b"confidential")
"""


def kill_while_at_work(program: str, folder: Path) -> None:
    environment = os.environ | {"TMPDIR": str(folder)}
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGKILL)


def confidential_files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and path.read_bytes() == b"confidential"]


def test_copies_of_a_killed_service_go_when_it_starts_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The service keeps no copies; those that it was making are removed by its successor, which starts with that."""
    kill_while_at_work(SERVICE, tmp_path)
    assert confidential_files(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    app = app_of(ServeOptions(registry=str(tmp_path / "lexprint.db")))
    app.state.service.registry.close()
    assert not confidential_files(tmp_path)


def test_half_a_file_of_a_killed_command_goes_with_the_next(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the next command writes to that folder."""
    monkeypatch.chdir(tmp_path)
    kill_while_at_work(WRITER, tmp_path)
    assert confidential_files(tmp_path)
    (tmp_path / "a.txt").write_text(fake_text(words=100, seed=1))
    assert run("embed", "a.txt", "b.txt", "--bits", "1").code == 0
    assert not confidential_files(tmp_path)
