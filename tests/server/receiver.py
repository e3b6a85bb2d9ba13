"""A program that is told by webhooks, on this machine."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Receiver:
    """What came, and how it is to be answered: each status once, then 200."""

    url: str = ""
    statuses: list[int] = field(default_factory=list)
    arrived: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    answered: int = 0
    news: threading.Condition = field(default_factory=threading.Condition)

    def wait_for(self, count: int, *, seconds: float = 60.0) -> list[tuple[dict[str, str], bytes]]:
        with self.news:
            assert self.news.wait_for(lambda: self.answered >= count, seconds), f"{self.answered} came"
            return self.came

    @property
    def came(self) -> list[tuple[dict[str, str], bytes]]:
        """What was answered."""
        return self.arrived[: self.answered]


@contextmanager
def listening(*statuses: int, port: int = 0) -> Iterator[Receiver]:
    receiver = Receiver(statuses=list(statuses))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            # In the order of arrival: once this one is answered, the next may come on another thread.
            receiver.arrived.append(({name.lower(): value for name, value in self.headers.items()}, body))
            status = receiver.statuses.pop(0) if receiver.statuses else 200
            self.send_response(status)
            if status == 307:
                self.send_header("Location", f"{receiver.url}/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()
            with receiver.news:
                receiver.answered += 1
                receiver.news.notify_all()

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    receiver.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
