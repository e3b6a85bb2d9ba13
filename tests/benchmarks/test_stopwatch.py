"""Documents repeat nothing, and the clock stops where a user would stop it."""

import json
import os
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from benchmarks.stopwatch import WORDS, busy_others, documents_of, issued_by, wait_for

PAUSE_SECONDS = 0.2
STATES: list[dict[str, object]] = [
    {"state": "running", "done": 0, "total": 9},
    {"state": "running", "done": 3, "total": 9, "part": {"sites": [1]}},
    {"state": "running", "done": 3, "total": 9},  # a sign of life is not progress
    {"state": "done", "done": 9, "total": 9},
]


class Told(BaseHTTPRequestHandler):
    """A service with one job."""

    ending = "done"

    def do_POST(self) -> None:
        self._begin()
        self.wfile.write(b'{"id": "0"}')

    def do_GET(self) -> None:
        self._begin()
        for state in STATES:
            time.sleep(PAUSE_SECONDS)
            told = state | ({"state": self.ending} if state["state"] == "done" else {})
            self.wfile.write(b"event: job\ndata: " + json.dumps(told).encode() + b"\n\n")

    def _begin(self) -> None:
        self.send_response(200)
        self.end_headers()

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Nobody reads it."""


@pytest.fixture
def port() -> Iterator[int]:
    with HTTPServer(("127.0.0.1", 0), Told) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def test_the_clock_stops_at_the_first_word_and_at_the_last(port: int) -> None:
    """The first state with words, the last of all, and the longest time between two counts."""
    wait = wait_for(port, os.getpid(), "analyse", {"text": "One."})
    assert 2 * PAUSE_SECONDS <= wait.first < wait.last - PAUSE_SECONDS
    assert wait.last >= 4 * PAUSE_SECONDS
    assert 2 * PAUSE_SECONDS <= wait.silence < wait.last - PAUSE_SECONDS


def test_a_job_that_failed_is_no_figure(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor one that was cancelled."""
    monkeypatch.setattr(Told, "ending", "failed")
    with pytest.raises(SystemExit, match="failed"):
        wait_for(port, os.getpid(), "analyse", {"text": "One."})


def test_no_paragraph_is_in_two_documents() -> None:
    """What was asked before would be answered from memory."""
    given = [" ".join(f"word{number}" for number in range(start, start + 100)) for start in range(0, 14_000, 100)]
    found = documents_of(["\n\n".join(given[:3] + given[:3]), "\n\n".join(given)])
    assert {name: len(text.split()) for name, text in found.items()} == WORDS
    paragraphs = [paragraph.strip() for text in found.values() for paragraph in text.split("\n\n")]
    assert len(set(paragraphs)) == len(paragraphs)
    with pytest.raises(SystemExit, match="ends before document"):
        documents_of(["\n\n".join(given[:50])])


def test_without_files_documents_are_as_long_as_wanted() -> None:
    """From the text that the benchmarks have."""
    found = documents_of([], {"short": 100, "long": 300})
    assert [100 <= len(found["short"].split()) < 150, 300 <= len(found["long"].split()) < 350] == [True, True]


def test_work_of_our_own_is_not_that_of_others() -> None:
    """What is taken off is what was spent here."""
    with busy_others() as others:
        time.sleep(0.05)
        others.append(1e6)
    assert others[-1] == 0.0


def test_a_checkout_that_issues_nothing_is_no_figure(tmp_path: Path) -> None:
    """A command that ends well without copies has not done the work."""
    package = tmp_path / "tree" / "src" / "lexprint"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "__main__.py").touch()
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(SystemExit, match="no 40 copies"):
        issued_by(tmp_path / "tree", folder, "One.")
