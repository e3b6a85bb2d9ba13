"""The client against a real service on fakes: the same answers as the library's, and refusals as errors."""

import threading
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import pytest
import uvicorn
from tests.server.served import fake_engine
from tests.server.test_jobs import free_port

from lexprint import workflows
from lexprint.client import Client, ServiceError
from lexprint.coding.keys import Keyring, MasterKey
from lexprint.engine import Engine
from lexprint.registry.protocol import Registry, open_registry
from lexprint.server.app import create_app
from lexprint.server.limits import Limits
from lexprint.server.tokens import create_token
from lexprint.testing import fake_text

MEMO = "\n\n".join(fake_text(words=100, seed=seed) for seed in range(2)) + "\n"


@dataclass(frozen=True)
class Served:
    url: str
    engine: Engine
    registry: Registry


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A service that needs tokens, in a thread."""
    port, engine = free_port(), fake_engine()
    with open_registry(str(tmp_path_factory.mktemp("service") / "lexprint.db")) as registry:
        limits = Limits(requests_per_minute=100_000)
        app = create_app(engine, registry, keyring=Keyring((MasterKey.generate(),)), limits=limits)
        server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="warning"))
        thread = threading.Thread(target=server.run)
        thread.start()
        deadline = time.monotonic() + 30
        while not server.started and time.monotonic() < deadline:
            time.sleep(0.01)
        yield Served(f"http://127.0.0.1:{port}", engine, registry)
        server.should_exit = True
        thread.join(20)


@pytest.fixture(scope="module")
def client(served: Served) -> Client:
    written, _ = create_token(served.registry, "tests", scopes={"mark", "trace"})
    return Client(served.url, token=written)


def test_verbs_answer_as_the_library_does(client: Client, served: Served) -> None:
    """Capacity, bits, messages, recovery and substitutes."""
    told: list[tuple[int, int]] = []
    room = client.capacity(MEMO, on_progress=lambda done, total: told.append((done, total)))
    assert room.bits == workflows.capacity(served.engine, MEMO).bits > 8
    marked = client.embed(MEMO, [1, 0, 1, 1])
    assert marked.text == workflows.embed(served.engine, MEMO, [1, 0, 1, 1]).text
    assert marked.text is not None
    found = client.extract(marked.text)
    assert found.bits is not None
    assert found.bits.startswith("1011")
    assert client.restore(marked.text, marked.record).text == MEMO
    assert client.recover(marked.text).is_exact is False
    word = room.sites[0]["word"]
    library = workflows.find_substitutes(served.engine, MEMO, word=word).substitutes
    assert [one.word for one in client.substitutes(MEMO, word=word)] == [one.word for one in library]
    message = client.embed_message(MEMO, "A")
    assert message.text is not None
    assert (client.extract(message.text).message or "").startswith("A")


def test_payloads(client: Client) -> None:
    """Written and found with the key of the service."""
    marked = client.embed_payload(MEMO, 5, bits=3, false_positive=0.1)
    assert marked.text is not None
    assert client.extract_payload(marked.text, bits=3, false_positive=0.1).payload == 5


def test_files_issue_and_trace(client: Client, tmp_path: Path) -> None:
    """A file is sent, issued, fetched, and its leak traced."""
    (tmp_path / "memo.txt").write_text(MEMO)
    file = client.upload(tmp_path / "memo.txt")
    assert client.download(file).decode() == MEMO
    assert client.analyse(file).text == MEMO
    issued = client.issue(file, ["Ada", "Bo"], name="Q3 memo")
    assert [copy.recipient for copy in issued.copies] == ["Ada", "Bo"]
    leak = client.copy(issued.document_id, 2).decode()
    with zipfile.ZipFile(BytesIO(client.archive(issued.document_id))) as archive:
        assert archive.read(issued.copies[1].file_name).decode() == leak
    traced = client.trace(leak)
    assert (traced.verdict, traced.accused[0].recipient) == ("one copy", "Bo")
    assert traced.signed["signature"]
    assert b"copy 2" in client.report_page(traced.report_id)
    assert [one["name"] for one in client.documents()] == ["Q3 memo"]
    assert [one["name"] for one in client.recipients()] == ["Ada", "Bo"]
    assert [one["id"] for one in client.reports()] == [traced.report_id]


def test_refusals_are_errors(client: Client, served: Served) -> None:
    """With the service's sentence, status and code; the token is never in them."""
    with pytest.raises(ServiceError, match="1 recipients need") as failed:
        client.issue("Too short.", ["Ada"])
    assert (failed.value.status, failed.value.code) == (422, "TooFewSites")
    with pytest.raises(ServiceError, match="a token is needed") as refused:
        list(Client(served.url).documents())
    assert refused.value.status == 401
    with pytest.raises(ServiceError, match="is not known") as unknown:
        client._fetch(f"/v1/jobs/{'0' * 32}")
    assert unknown.value.status == 404
    with pytest.raises(ServiceError, match="does not answer"):
        list(Client(f"http://127.0.0.1:{free_port()}").documents())
    with pytest.raises(ServiceError, match="no URL"):
        Client("file:///etc/passwd")
    assert "lxp" not in repr(client)
