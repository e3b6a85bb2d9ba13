"""Documents repeat nothing, and the clock stops where a user would stop it."""

import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from benchmarks.stopwatch import WORDS, busy_others, documents_of, measured, states, wait_for

from benchmarks import stopwatch

PAUSE_SECONDS = 0.2
STATES: list[dict[str, object]] = [
    {"state": "running", "done": 0, "total": 9},
    {"state": "running", "done": 3, "total": 9, "part": {"sites": [1]}},
    {"state": "running", "done": 3, "total": 9},  # a sign of life is not progress
    {"state": "done", "done": 9, "total": 9},
]

# A checkout with one job, that takes 0.4 seconds and tells no words before it is done.
OTHER = """
import sys, time
from http.server import BaseHTTPRequestHandler, HTTPServer

class Other(BaseHTTPRequestHandler):
    def do_POST(self):
        self.say(b'{"id": "0"}')

    def do_GET(self):
        self.say(b"")
        if self.path != "/ready":
            time.sleep(0.4)
            self.wfile.write(b'data: {"state": "done", "done": 9, "total": 9}\\n')

    def say(self, answer):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(answer)

if "--help" in sys.argv:
    print("--no-tokens" if NEEDS_TOKENS else "")
elif "serve" in sys.argv:
    assert ("--no-tokens" in sys.argv) == NEEDS_TOKENS
    HTTPServer(("127.0.0.1", int(sys.argv[sys.argv.index("--port") + 1])), Other).serve_forever()
"""


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


def test_the_clock_stops_at_the_first_word_and_at_the_last(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first state with words, the last of all, and the longest time between two counts."""
    seconds = 10.0

    def a_state_a_second(asked: int, job_id: str) -> Iterator[dict[str, object]]:
        nonlocal seconds
        for state in states(asked, job_id):
            seconds += 1
            yield state

    monkeypatch.setattr(time, "perf_counter", lambda: seconds)
    monkeypatch.setattr(stopwatch, "states", a_state_a_second)
    wait = wait_for(port, os.getpid(), "analyse", {"text": "One."})
    assert (wait.first, wait.last, wait.silence) == (2.0, 4.0, 2.0)


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


@pytest.mark.parametrize("needs_tokens", [True, False])
def test_another_checkout_is_asked_the_same(tmp_path: Path, needs_tokens: bool) -> None:
    """Its own code answers, with the options that it knows; without parts its first word comes with the last."""
    package = tmp_path / "tree" / "src" / "lexprint"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text(OTHER.replace("NEEDS_TOKENS", str(needs_tokens)), "utf-8")
    first, last, *_ = measured("One.", threads=1, tree=tmp_path / "tree")
    assert first == last
    assert float(first.removesuffix(" s")) >= 0.4


def test_a_service_that_ends_is_no_figure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor one that never begins."""
    monkeypatch.setattr("benchmarks.stopwatch.wait_until_ready", lambda _: sys.exit("the service does not start"))
    package = tmp_path / "tree" / "src" / "lexprint"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "__main__.py").touch()
    with pytest.raises(SystemExit, match="does not start"):
        list(measured("One.", threads=1, tree=tmp_path / "tree"))
