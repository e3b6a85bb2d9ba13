"""`pytest --no-skips`, which `make test-all` uses: what is skipped is told, and fails unless it is accepted."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
TESTS = """
import pytest

def test_runs():
    assert True

def test_absent():
    pytest.skip("there is no Chromium")

def test_accepted():
    pytest.skip("there is no qemu here")
"""


def outcome(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "conftest.py").write_text((ROOT / "conftest.py").read_text("utf-8"), "utf-8")
    (folder / "test_some.py").write_text(TESTS, "utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(folder),
        *options,
        str(folder),
    ]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_skipped_tests_fail_where_all_must_run(tmp_path: Path) -> None:
    """One sentence for each, and an exit code; accepted reasons are only told."""
    done = outcome(tmp_path, "--no-skips")
    assert done.returncode == 1
    assert "REFUSED, must run here: test_some.py::test_absent: there is no Chromium" in done.stdout
    assert "nobody runs test_some.py::test_accepted: there is no qemu here" in done.stdout
    assert outcome(tmp_path, "--no-skips", "-k", "not absent").returncode == 0
    assert outcome(tmp_path).returncode == 0
