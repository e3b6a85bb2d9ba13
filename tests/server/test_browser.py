"""The console of a browser that is driven: what is said late is not lost, and not laid to another's charge."""

import json
import os
from collections.abc import Iterator

import pytest
from tests.server.browser import Tab

Message = dict[str, object]

SENT: Message = {"method": "Network.requestWillBeSent", "params": {"requestId": "7"}}
FAILED: Message = {"method": "Network.loadingFailed", "params": {"requestId": "7"}}
TRUE: Message = {"result": {"result": {"value": True}}}


def answered(status: int) -> Message:
    return {"method": "Network.responseReceived", "params": {"requestId": "7", "response": {"status": status}}}


def logged(text: str) -> Message:
    entry = {"level": "error", "text": text, "url": "http://127.0.0.1/v1/files", "networkRequestId": "7"}
    return {"method": "Log.entryAdded", "params": {"entry": entry}}


REFUSAL = logged("Failed to load resource: the server responded with a status of 401 (Unauthorized)")


@pytest.fixture
def pipes() -> Iterator[tuple[int, int]]:
    """Where commands go that nobody reads."""
    reading, writing = os.pipe()
    yield reading, writing
    os.close(reading)
    os.close(writing)


def told(pipes: tuple[int, int], *messages: Message) -> Tab:
    """A tab whose browser says these in turn; each result answers the next command."""
    numbers = iter(range(1, len(messages) + 1))
    numbered = [one | {"id": next(numbers)} if "result" in one else one for one in messages]
    tab = Tab(pipes[1], pipes[0])
    tab._rest = b"".join(json.dumps(one).encode() + b"\0" for one in numbered)
    return tab


def test_a_refusal_that_is_logged_late_is_waited_for(pipes: tuple[int, int]) -> None:
    """The page shows what follows from a refusal before the console has it; it is gone all the same."""
    tab = told(pipes, SENT, answered(401), TRUE, TRUE, REFUSAL, TRUE)
    tab.wait_for("the page asks for a token")
    assert tab.console == [], "not there yet: whoever clears the console now finds it there later"
    tab.refused(401)
    assert tab.console == []


def test_an_answer_on_its_way_is_waited_for(pipes: tuple[int, int]) -> None:
    """Nothing is fine while a request may still fail."""
    tab = told(pipes, SENT, TRUE, TRUE, answered(500), TRUE, logged("status of 500"), TRUE)
    tab.wait_for("the page is there")
    tab.settle()
    assert tab.console == ["status of 500 http://127.0.0.1/v1/files"]


def test_requests_that_fail_or_stream_are_not_waited_for(pipes: tuple[int, int]) -> None:
    """The answer to one has begun, the other will have none."""
    for message in (answered(200), FAILED):
        tab = told(pipes, SENT, message, TRUE)
        tab.settle()


@pytest.mark.parametrize("messages", [(TRUE,), (SENT, answered(403), logged("a status of 403 (Forbidden)"), TRUE)])
def test_only_the_refusal_that_was_named_is_forgiven(pipes: tuple[int, int], messages: tuple[Message, ...]) -> None:
    """None at all, or another one, is a failure."""
    tab = told(pipes, *messages)
    with pytest.raises(AssertionError):
        tab.refused(401)
