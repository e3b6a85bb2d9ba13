"""The client against a real service on fakes: the same answers as the library's, and refusals as errors."""

import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import pytest
from tests.server.paged import page_served
from tests.server.served import fake_engine
from tests.server.test_jobs import free_port

from lexprint.client import Client
from lexprint.engine import Engine
from lexprint.errors import InputError, ServiceError
from lexprint.library import Lexprint
from lexprint.registry.protocol import Registry, open_registry
from lexprint.reports.signed_file import read_report
from lexprint.server.tokens import create_token
from lexprint.testing import fake_text
from lexprint.workflows.cases import read_case

MEMO = "\n\n".join(fake_text(words=100, seed=seed) for seed in range(2)) + "\n"


@dataclass(frozen=True)
class Served:
    url: str
    engine: Engine
    registry: Registry


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A service that needs tokens, in a thread."""
    engine = fake_engine()
    with (
        open_registry(str(tmp_path_factory.mktemp("service") / "lexprint.db")) as registry,
        page_served(registry, engine) as address,
    ):
        yield Served(address.rstrip("/"), engine, registry)


@pytest.fixture(scope="module")
def client(served: Served) -> Client:
    written, _ = create_token(served.registry, "tests", scopes={"mark", "trace"})
    return Client(served.url, token=written)


def test_verbs_answer_as_the_library_does(client: Client, served: Served, tmp_path: Path) -> None:
    """Capacity, bits, messages, recovery and substitutes are equal, field by field."""
    library = Lexprint(engine=served.engine, registry=str(tmp_path / "own.db"))
    told: list[tuple[int, int]] = []
    room = client.capacity(text=MEMO, on_progress=lambda done, total: told.append((done, total)))
    assert room == library.capacity(text=MEMO)
    assert room.sites > 8
    assert client.analyse(text=MEMO) == library.analyse(text=MEMO)
    strict = client.analyse(text=MEMO, strictness="careful")
    assert strict == library.analyse(text=MEMO, strictness="careful")
    assert strict.sites < client.analyse(text=MEMO, strictness="dense").sites
    marked = client.embed(text=MEMO, bits=[1, 0, 1, 1])
    assert marked == library.embed(text=MEMO, bits=[1, 0, 1, 1])
    found = client.extract_bits(text=marked.text)
    assert found == library.extract_bits(text=marked.text)
    assert (found.bits or "").startswith("1011")
    assert client.restore(text=marked.text, record=marked.record).text == MEMO
    assert client.recover(text=marked.text) == library.recover(text=marked.text)
    word = marked.record["sites"][0]["word"]
    assert client.substitutes(MEMO, word) == library.substitutes(MEMO, word)
    message = client.embed(text=MEMO, message="A")
    assert (client.extract_bits(text=message.text).message or "").startswith("A")


def test_payloads(client: Client) -> None:
    """Written and found with the key of the service."""
    marked = client.embed(text=MEMO, payload=5, payload_bits=3, false_positive=0.1)
    assert client.extract(text=marked.text, payload_bits=3, false_positive=0.1).payload == 5


def test_files_issue_and_trace(client: Client, tmp_path: Path) -> None:
    """A file is sent, issued, fetched, and its leak traced."""
    (tmp_path / "memo.txt").write_text(MEMO)
    assert client.embed(tmp_path / "memo.txt", bits=[1]).text is None
    issued = client.issue(tmp_path / "memo.txt", to=["Ada", "Bo"], out=tmp_path / "copies", name="Q3 memo")
    assert [copy.recipient for copy in issued.copies] == ["Ada", "Bo"]
    with pytest.raises(ServiceError, match="not as it should be"):
        client.issue(text=MEMO, to=["Ada"], out=tmp_path / "blind", blind=True, strictness="legal")
    leak = issued.copies[1].path
    assert sha256(leak.read_bytes()).hexdigest() == issued.copies[1].digest
    with zipfile.ZipFile(BytesIO(client.archive(issued.document_id))) as archive:
        assert archive.read(leak.name) == leak.read_bytes()
    report = client.trace(leak)
    assert (report.verdict, [copy.recipient for copy in report.named]) == ("one copy", ["Bo"])
    assert 0 < report.named[0].chance_of_error <= 1e-6
    report.save(tmp_path / "report.html")
    assert "copy 2" in (tmp_path / "report.html").read_text()
    report.save(tmp_path / "report.json")
    assert read_report((tmp_path / "report.json").read_bytes()).id == report.id
    assert [one["name"] for one in client.documents()] == ["Q3 memo"]
    assert [one["name"] for one in client.recipients()] == ["Ada", "Bo"]
    assert [one["id"] for one in client.reports()] == [report.id]
    assert client.copy_for(issued.document_id, "Bo") == leak.read_bytes()
    first = client.copy_for(issued.document_id, "Cy O'Neil / Legal")
    assert first == client.copy_for(issued.document_id, "cy o'neil / legal") == client.copy(issued.document_id, 3)
    assert client.review(report.id, note="To be looked at.")["status"] == "open"
    assert client.review(report.id, status="confirmed")["number"] == 2
    assert [one["note"] for one in client.reviews(report.id)] == ["To be looked at.", ""]
    assert [one["status"] for one in client.reports()] == ["confirmed"]
    assert read_case(client.case(report.id, leak), name="case.zip").id == report.id
    with pytest.raises(ServiceError, match="is not the leak"):
        client.case(report.id, text="Another text.")


def test_what_is_marked_must_be_clear(client: Client, tmp_path: Path) -> None:
    """Neither nothing, nor two documents, nor a file that is not there."""
    for given in ({}, {"document": b"x", "text": "x"}, {"document": tmp_path / "none.txt"}):
        with pytest.raises(InputError):
            client.capacity(**given)


def test_refusals_are_errors(client: Client, served: Served, tmp_path: Path) -> None:
    """With the service's sentence, status and code; the token is never in them."""
    with pytest.raises(ServiceError, match="1 recipients need") as failed:
        client.issue(text="Too short.", to=["Ada"], out=tmp_path)
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
