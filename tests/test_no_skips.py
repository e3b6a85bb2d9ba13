"""`pytest --no-skips`, which `make test-all` uses: what is skipped is told, and fails unless it is accepted."""

import os
import runpy
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
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # others have no part in it, and load slowly
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_skipped_tests_fail_where_all_must_run(tmp_path: Path) -> None:
    """One sentence for each, and an exit code; accepted reasons are only told."""
    done = outcome(tmp_path, "--no-skips")
    assert done.returncode == 1
    assert "REFUSED, must run here: test_some.py::test_absent: there is no Chromium" in done.stdout
    assert "nobody runs test_some.py::test_accepted: there is no qemu here" in done.stdout
    assert outcome(tmp_path, "--no-skips", "-k", "not absent").returncode == 0
    assert outcome(tmp_path).returncode == 0


def test_what_nobody_runs_is_named() -> None:
    """Every file with a test that may be skipped everywhere stands in CONTRIBUTING.md."""
    accepted = runpy.run_path(str(ROOT / "conftest.py"))["ACCEPTED"]
    named = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    found = [
        path.relative_to(ROOT).as_posix()
        for folder in ("tests", "packages")
        for path in sorted((ROOT / folder).rglob("test_*.py"))
        if path != Path(__file__) and _skips(path.read_text("utf-8"), accepted)
    ]
    assert len(found) == 4
    assert [path for path in found if f"`{path}`" not in named] == []


def _skips(source: str, reasons: tuple[str, ...]) -> bool:
    """Whether a reason to skip has these words, also by the name of the program that it says is missing."""
    lines = [line for line in source.splitlines() if "reason=" in line]
    return any(reason in line or f"{{{reason.upper()}}}" in line for line in lines for reason in reasons)
