"""Clients that send half a request, or do not read their answer: they lose their connection, and nobody else does."""

import os
import resource
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
import uvicorn
from tests.server.served import fake_engine
from tests.server.test_jobs import free_port

from lexprint.registry.protocol import open_registry
from lexprint.server import connections
from lexprint.server.app import create_app
from lexprint.server.process import BoundedConnection
from lexprint.server.tokens import create_token

HALF_A_REQUEST = b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
ROOT = Path(__file__).parents[2]


@pytest.fixture
def port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A service whose patience is short, in a thread."""
    for name, value in (
        ("CHECK_SECONDS", 0.05),
        ("HEADER_SECONDS", 0.5),
        ("BODY_GRACE_SECONDS", 0.5),
        ("STALL_SECONDS", 0.5),
    ):
        monkeypatch.setattr(connections, name, value)
    number = free_port()
    with open_registry(str(tmp_path / "lexprint.db")) as registry:
        app = create_app(fake_engine(), registry)
        server = uvicorn.Server(
            uvicorn.Config(app, port=number, log_level="warning", http=BoundedConnection, ws="none")
        )
        thread = threading.Thread(target=server.run)
        thread.start()
        deadline = time.monotonic() + 30
        while not server.started and time.monotonic() < deadline:
            time.sleep(0.01)
        app.state.token, _ = create_token(registry, "tests", scopes={"mark"})
        monkeypatch.setenv("LEXPRINT_TEST_TOKEN", app.state.token)
        yield number
        server.should_exit = True
        thread.join(20)


def is_closed(connection: socket.socket, *, seconds: float = 10.0) -> bool:
    """Whether the other side ends it within that time."""
    connection.settimeout(seconds)
    try:
        while connection.recv(65536):
            pass
    except TimeoutError:
        return False
    except ConnectionError:
        return True
    return True


def is_cut_off(connection: socket.socket, letters: bytes, *, pause: float = 0.05) -> bool:
    """Whether sending them again and again comes to an end soon."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            connection.sendall(letters)
        except OSError:
            return True
        time.sleep(pause)
    return False


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=10)


@pytest.mark.parametrize(
    "sent", [b"", b"G", HALF_A_REQUEST, b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\nGET /hea"]
)
def test_half_a_request_is_not_waited_for(port: int, sent: bytes) -> None:
    """Nothing at all, a letter, half of its head, and half of a second one behind a whole one."""
    with connect(port) as connection:
        connection.sendall(sent)
        assert is_closed(connection)


def test_a_head_that_trickles_in_is_not_waited_for(port: int) -> None:
    """A letter now and then does not buy more time."""
    with connect(port) as connection:
        connection.sendall(HALF_A_REQUEST)
        assert is_cut_off(connection, b"a")


@pytest.mark.parametrize("path", ["/v1/session", "/v1/files", "/health"])
def test_a_body_that_trickles_in_is_not_waited_for(port: int, path: str) -> None:
    """Whoever asks, and whether or not it was answered already."""
    token = os.environ["LEXPRINT_TEST_TOKEN"]
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nContent-Length: 900\r\n"
    with connect(port) as connection:
        connection.sendall(head.encode() + b"Content-Type: application/json\r\n\r\n{")
        assert is_cut_off(connection, b" ")


def test_who_reads_nothing_is_not_waited_for(port: int) -> None:
    """Answers that nobody takes do not stay in memory."""
    with connect(port) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        ask = b"GET /page.js HTTP/1.1\r\nHost: localhost\r\n\r\n"
        connection.settimeout(1)
        assert is_cut_off(connection, 2_000 * ask)
        time.sleep(1.5)
        assert is_closed(connection)


def test_honest_clients_keep_their_connection(port: int) -> None:
    """One that pauses between requests, and one that sends a body slowly but steadily."""
    with httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
        assert client.get("/health").status_code == 200
        time.sleep(1.0)
        assert client.get("/health").status_code == 200
    headers = {"Authorization": f"Bearer {os.environ['LEXPRINT_TEST_TOKEN']}", "Content-Type": "application/json"}

    def body() -> Iterator[bytes]:
        yield b'{"text": "'
        for _ in range(12):
            time.sleep(0.1)
            yield b"word " * 400
        yield b'"}'

    assert httpx.post(f"http://127.0.0.1:{port}/v1/analyse", content=body(), headers=headers).status_code == 202


def test_eleven_hundred_half_requests_do_not_stop_the_service(tmp_path: Path) -> None:
    """With as many files as systems usually grant, 1,024, it still answers at once."""
    port = free_port()
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < 2_000:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4_000), hard))
    program = (
        "import resource, sys\nresource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))\n"
        f"sys.argv = ['lexprint', 'serve', '--port', '{port}', '--no-link']\nfrom lexprint.cli import main\nmain()"
    )
    with ExitStack() as stack:
        service = stack.enter_context(
            subprocess.Popen([sys.executable, "-c", program], cwd=tmp_path, env=environment, stderr=subprocess.PIPE)
        )
        stack.callback(service.kill)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                assert httpx.get(f"http://127.0.0.1:{port}/health").status_code == 200
                break
            except httpx.TransportError:
                time.sleep(0.1)
        for _ in range(1_100):
            connection = stack.enter_context(connect(port))
            connection.sendall(HALF_A_REQUEST)
        began = time.monotonic()
        for _ in range(5):
            assert httpx.get(f"http://127.0.0.1:{port}/health", timeout=10).status_code == 200
        assert time.monotonic() - began < 10
        assert httpx.get(f"http://127.0.0.1:{port}/ready", timeout=10).status_code == 200
