"""A real Chromium, driven over its debugging pipe: nothing has to be installed but the browser."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
OPTIONS = """
    --headless=new --no-sandbox --disable-gpu --disable-quic --disable-background-networking --disable-component-update
    --disable-sync --disable-dev-shm-usage --no-first-run --hide-scrollbars --disable-extensions --remote-debugging-pipe about:blank
""".split()
TIMEOUT_SECONDS = 60.0
POLL_SECONDS = 0.02
LEFT = ("Inspected target navigated or closed", "Execution context was destroyed.")


class PageLeft(Exception):
    """The page that was asked is not there any more."""


@dataclass
class Tab:
    """One page of the browser."""

    commands: int
    answers: int
    session: str | None = None
    console: list[str] = field(default_factory=list)
    _loading: set[str] = field(default_factory=set)  # requests that have no answer yet
    _unlogged: set[str] = field(default_factory=set)  # requests that were refused, before the console says so
    width: int = 0  # of the screen that it looks at
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))
    _rest: bytes = b""

    def call(self, method: str, **parameters: object) -> dict[str, Any]:
        """A command of the debugging protocol, and its answer."""
        number = next(self._numbers)
        message: dict[str, object] = {"id": number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            received = self._receive()
            if received.get("id") == number:
                if received.get("error", {}).get("message") in LEFT:
                    raise PageLeft(f"{method} was asked of a page that gave way to another")
                assert "error" not in received, received
                result: dict[str, Any] = received["result"]
                return result
            self._note(received)

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            chunk = os.read(self.answers, 1 << 16)
            assert chunk, "the browser has ended"
            self._rest += chunk
        message, _, self._rest = self._rest.partition(b"\0")
        received: dict[str, Any] = json.loads(message)
        return received

    def _note(self, event: dict[str, Any]) -> None:
        """What a user would find in the console, and which requests may still add to it."""
        method, told = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.console.append(str(told["exceptionDetails"].get("exception", {}).get("description")))
        elif method == "Log.entryAdded" and told["entry"]["level"] == "error":
            self.console.append(f"{told['entry']['text']} {told['entry'].get('url', '')}".rstrip())
            self._unlogged.discard(told["entry"].get("networkRequestId", ""))
        elif method == "Network.requestWillBeSent":
            self._loading.add(told["requestId"])
        elif method == "Network.responseReceived":  # its body may be a stream that lasts
            self._loading.discard(told["requestId"])
            if told["response"]["status"] >= 400:
                self._unlogged.add(told["requestId"])
        elif method == "Network.loadingFailed":
            self._loading.discard(told["requestId"])

    def settle(self, *, seconds: float = TIMEOUT_SECONDS) -> None:
        """Wait until every request has its answer and whatever was refused is in the console.

        A refusal comes there on a way of its own: on a busy machine, after the page has shown what follows from it.
        """
        deadline = time.monotonic() + seconds
        self.run("0")
        while self._loading or self._unlogged:
            assert time.monotonic() < deadline, f"{len(self._loading)} requests have no answer; {self.console}"
            time.sleep(POLL_SECONDS)
            self.run("0")

    def refused(self, status: int) -> None:
        """The service has refused something with that status: the console says so, and of nothing else."""
        self.settle()
        said = f"the server responded with a status of {status} "
        assert self.console, f"nothing was refused with {status}"
        assert [entry for entry in self.console if said not in entry] == []
        self.console.clear()

    def open(self, url: str) -> None:
        """Another document; of requests that the one before leaves behind nothing more is told."""
        left_behind = self._loading | self._unlogged
        self.call("Page.navigate", url=url)
        self._loading -= left_behind
        self._unlogged -= left_behind
        self.wait_for("document.readyState === 'complete'")

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        answer = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True, userGesture=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait_for(self, condition: str, *, seconds: float = TIMEOUT_SECONDS) -> None:
        """Until it is true of the page, or of another that takes its place meanwhile."""
        deadline = time.monotonic() + seconds
        while not self._is_true(condition):
            assert time.monotonic() < deadline, f"{condition} did not come true; {self.console}"
            time.sleep(POLL_SECONDS)

    def _is_true(self, condition: str) -> bool:
        try:
            return bool(self.run(f"Boolean({condition})"))
        except PageLeft:
            return False

    def fill(self, element: str, text: str) -> None:
        """Write a text where there was another."""
        self.run(
            f"(() => {{ const e = document.getElementById('{element}'); e.value = {json.dumps(text)}; "
            "e.dispatchEvent(new Event('input', {bubbles: true})); })()"
        )

    def click(self, element: str) -> None:
        self.run(f"document.getElementById('{element}').click()")

    def middle_of(self, selector: str) -> tuple[float, float]:
        """Where it is on the screen, once it has been scrolled there."""
        x, y = self.run(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView({{block: 'center', behavior: 'instant'}});"
            " const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()"
        )
        return x, y

    def point(self, selector: str) -> None:
        """Move the mouse there."""
        x, y = self.middle_of(selector)
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click_on(self, selector: str) -> None:
        """With the mouse, as a person does."""
        x, y = self.middle_of(selector)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def tap(self, selector: str) -> None:
        """With a finger."""
        x, y = self.middle_of(selector)
        self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def drop(self, element: str, file: Path) -> None:
        """Let a file fall on an element, as from a folder beside the browser: the events are the browser's own."""
        x, y = self.middle_of(f"#{element}")
        data = {"items": [], "files": [str(file)], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            self.call("Input.dispatchDragEvent", type=kind, x=x, y=y, data=data)

    def save_into(self, folder: Path) -> None:
        """Where downloads go from now on."""
        self.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))

    def look(self, *, width: int, height: int, theme: str) -> None:
        """As on a screen of that size, in the light or the dark theme."""
        is_phone = width < 600
        self.width = width
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=is_phone
        )
        self.call("Emulation.setTouchEmulationEnabled", enabled=is_phone, maxTouchPoints=1)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])

    def press(self, key: str) -> None:
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowRight": 39, " ": 32, "Delete": 46}
        text = {"Enter": "\r", " ": " "}.get(key, "")
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=key,
                windowsVirtualKeyCode=codes[key],
                **({"text": text} if text and kind == "keyDown" else {}),
            )

    def screenshot(self, path: Path, *, whole: bool = False) -> None:
        found = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(found["data"]))


@contextmanager
def browser() -> Iterator[Tab]:
    """A fresh browser with one tab; it ends with the block."""
    assert PROGRAM is not None
    command_read, command_write = os.pipe()
    answer_read, answer_write = os.pipe()

    def connect() -> None:  # the browser reads from 3 and writes to 4
        os.dup2(command_read, 63)
        os.dup2(answer_write, 64)
        os.dup2(63, 3)
        os.dup2(64, 4)

    with TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [PROGRAM, f"--user-data-dir={profile}", *OPTIONS],
            preexec_fn=connect,
            close_fds=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(command_read)
        os.close(answer_write)
        try:
            tab = Tab(command_write, answer_read)
            target = tab.call("Target.createTarget", url="about:blank")["targetId"]
            tab.session = tab.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Log", "Network"):
                tab.call(f"{domain}.enable")
            yield tab
        finally:
            process.kill()
            process.wait()
            os.close(command_write)
            os.close(answer_read)
