"""`lexprint serve`: it starts, answers, and ends when it is told to."""

import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.server.test_jobs import free_port

from lexprint.coding.keys import create_key_file


def answer_of(url: str, *, seconds: float = 60) -> int:
    """The status of a page, once somebody listens."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(url, timeout=10) as response:
                status: int = response.status
                return status
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


@pytest.mark.parametrize("options", [["--no-tokens"], ["--workers", "2"]])
def test_it_serves_and_stops(tmp_path: Path, options: list[str]) -> None:
    """With one process or several, with tokens unless they are not wanted; a signal ends it without complaint."""
    port = free_port()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LEXPRINT_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "lexprint", "serve", "--port", str(port), *options],
        cwd=tmp_path,
        env=environment,
        stderr=subprocess.PIPE,
    )
    try:
        assert answer_of(f"http://127.0.0.1:{port}/ready") == 200
        assert answer_of(f"http://127.0.0.1:{port}/") == 200
        has_tokens = "--no-tokens" not in options
        assert answer_of(f"http://127.0.0.1:{port}/v1/documents") == (401 if has_tokens else 200)
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=30)
    finally:
        process.kill()
        process.wait()
    assert process.returncode in (0, -signal.SIGTERM)
    assert f"http://127.0.0.1:{port}/" in errors.decode()
    assert "there is no key" in errors.decode()
    assert (f"http://127.0.0.1:{port}/#login=lxp_" in errors.decode()) == has_tokens
    assert ("WARNING: --no-tokens opens" in errors.decode()) != has_tokens
    assert "Traceback" not in errors.decode()
    assert (tmp_path / "lexprint.db").exists()


def test_a_service_that_cannot_be_is_refused(run: Run, folder: Path) -> None:
    """A key that was named but is not there; no time at all; timestamps without a signature, or from nowhere."""
    assert run("serve", "--key", folder / "none.key").is_refusal(3, "none.key")
    assert run("serve", "--seconds", "0").is_refusal(2, "--seconds")
    assert run("serve", "--authority", "https://example.org/tsa").is_refusal(3, "not signed")
    create_key_file(folder / "lexprint.key")
    assert run("serve", "--authority", "example.org").is_refusal(2, "web address")
