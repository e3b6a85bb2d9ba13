"""The verbs, files and records over HTTP, on fakes."""

import io
import json
import re
import zipfile
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.formats.corpus import make_docx, paragraph_xml
from tests.server.conftest import Serve
from tests.server.served import on_both_databases, wait_for

from lexprint.engine import Engine
from lexprint.models.protocols import Entailment, MaskedLM
from lexprint.registry.protocol import Registry
from lexprint.server.limits import Limits

PEOPLE = "Name,Room\nAda,1\nBo,2\nCleo,3\n"


@pytest.fixture
def issued(client: TestClient, memo: str) -> dict[str, Any]:
    """A document with three copies."""
    asked = {"text": memo, "name": "Q3 memo", "recipients_table": PEOPLE}
    job = wait_for(client, client.post("/v1/issue", json=asked).json())
    assert job["state"] == "done", job["problem"]
    result: dict[str, Any] = job["result"]
    return result


def events(client: TestClient) -> list[str]:
    items = client.get("/v1/audit").json()["items"]
    return [item["event"] for item in items][::-1]


def test_bits_go_in_and_come_out(client: TestClient, essay: str) -> None:
    """What embed writes, extract reads, and recover with the record undoes."""
    room = client.post("/v1/capacity", json={"text": essay}).json()
    assert room["bits"] == len(room["sites"]) > 16
    bits = "10" * 8
    marked = client.post("/v1/embed", json={"text": essay, "bits": bits}).json()
    assert marked["file"] is None
    found = client.post("/v1/extract", json={"text": marked["text"]}).json()
    assert found["bits"].startswith(bits)
    original = client.post("/v1/recover", json={"text": marked["text"], "record": marked["record"]}).json()
    assert (original["text"], original["exact"]) == (essay, True)
    guess = client.post("/v1/recover", json={"text": marked["text"]}).json()
    assert guess["exact"] is False


def test_payloads_use_the_key_of_the_service(client: TestClient, essay: str) -> None:
    """A payload is found again; in a text without one, nothing is."""
    asked = {"text": essay, "payload": 5, "payload_bits": 4, "false_positive": 0.01}
    marked = client.post("/v1/embed", json=asked)
    assert marked.status_code == 200, marked.text
    asked = {"what": "payload", "payload_bits": 4, "false_positive": 0.01}
    found = client.post("/v1/extract", json={"text": marked.json()["text"], **asked}).json()
    assert found["payload"] == 5
    assert client.post("/v1/extract", json={"text": essay, **asked}).json()["payload"] is None


def test_substitutes(client: TestClient, memo: str) -> None:
    """Words that may stand in for one of the text, best first."""
    site = client.post("/v1/capacity", json={"text": memo}).json()["sites"][0]
    asked = {"text": memo, "word": site["word"]}
    found = client.post("/v1/substitutes", json=asked).json()
    assert found["word"] == site["word"]
    assert {"word", "probability", "entailment", "acceptance"} == set(found["substitutes"][0])


@on_both_databases
def test_files_keep_their_format(client: TestClient, memo: str) -> None:
    """A file goes up, is marked, and comes down as what it was."""
    content = memo.replace("\n", "\r\n").encode()
    sent = client.post("/v1/files", files={"file": ("../memos/Q3 “memo”.txt", content)}).json()
    assert (sent["name"], sent["kind"], sent["size"]) == ("Q3 “memo”.txt", "plain text", len(content))
    assert sent["is_writable"]
    assert client.get(f"/v1/files/{sent['id']}/content").content == content
    marked = client.post("/v1/embed", json={"file": sent["id"], "bits": "0110"}).json()
    assert marked["text"] is None
    received = client.get(f"/v1/files/{marked['file']['id']}/content")
    assert received.headers["content-disposition"] == "attachment; filename*=UTF-8''Q3%20%E2%80%9Cmemo%E2%80%9D.txt"
    assert received.headers["content-type"] == "application/octet-stream"
    found = client.post("/v1/extract", json={"text": received.content.decode()}).json()
    assert found["bits"].startswith("0110")
    assert client.delete(f"/v1/files/{sent['id']}").status_code == 204
    assert client.get(f"/v1/files/{sent['id']}").status_code == 404
    assert events(client)[1:] == ["file downloaded", "file downloaded"]


def test_every_writable_format_can_be_marked(client: TestClient, essay: str) -> None:
    """What stands in markup is left alone, the file stays what it was, and what was written is read; text is text."""
    paragraphs = essay.strip().split("\n\n")
    page = "<!doctype html><title>x</title>" + "".join(f"<p>{one}</p>\n" for one in paragraphs)
    notes = "# Notes\n\n" + "\n\n".join(paragraphs) + "\n\n```\ncode\n```\n"
    for name, content in (
        ("page.html", page.encode()),
        ("notes.md", notes.encode()),
        ("memo.docx", make_docx("".join(map(paragraph_xml, paragraphs)))),
    ):
        sent = client.post("/v1/files", files={"file": (name, content)}).json()
        marked = client.post("/v1/embed", json={"file": sent["id"], "bits": "10110"})
        assert marked.status_code == 200, marked.text
        assert marked.json()["file"]["kind"] == sent["kind"]
        found = client.post("/v1/extract", json={"file": marked.json()["file"]["id"]}).json()
        assert found["bits"].startswith("10110"), name
    as_text = client.post("/v1/embed", json={"text": page, "bits": "1"}).json()["text"]
    assert as_text.startswith("<!doctype html><title>x</title><p>")


def test_word_documents_are_issued_as_word_documents(client: TestClient, memo: str) -> None:
    """Copies of a .docx are Word documents that differ in words alone."""
    content = make_docx("".join(map(paragraph_xml, memo.strip().split("\n\n"))))
    sent = client.post("/v1/files", files={"file": ("memo.docx", content)}).json()
    assert sent["kind"] == "Word document"
    job = client.post("/v1/issue", json={"file": sent["id"], "recipients": ["Ada", "Bo"]}).json()
    done = wait_for(client, job)
    assert done["state"] == "done", done["problem"]
    document = done["result"]["document"]["id"]
    copies = [client.get(f"/v1/documents/{document}/copies/{number}/content").content for number in (1, 2)]
    texts = []
    for copy in copies:
        read = client.post("/v1/files", files={"file": ("copy.docx", copy)}).json()
        assert read["kind"] == "Word document"
        texts.append(client.post("/v1/trace", json={"file": read["id"]}).json())
    assert [text["report"]["accused"][0]["recipient"] for text in texts] == ["Ada", "Bo"]


@on_both_databases
def test_from_document_to_verdict(client: TestClient, registry: Registry, memo: str, issued: dict[str, Any]) -> None:
    """Copies are issued, packed, and one that leaks is traced, with a signed report; all of it is in the log."""
    document = issued["document"]["id"]
    assert [copy["recipient"] for copy in issued["copies"]] == ["Ada", "Bo", "Cleo"]
    listed = client.get("/v1/documents").json()["items"][0]
    assert (listed["id"], listed["name"], listed["issued"], listed["has_files"]) == (document, "Q3 memo", 3, True)
    archive = client.get(f"/v1/documents/{document}/archive")
    assert archive.headers["content-type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(archive.content)) as packed:
        assert len(packed.namelist()) == 4
        leak = packed.read(issued["copies"][1]["file"]).decode()
        assert [copy["recipient"] for copy in json.loads(packed.read("manifest.json"))["copies"]] == [
            "Ada",
            "Bo",
            "Cleo",
        ]
    assert leak != memo
    traced = client.post("/v1/trace", json={"text": leak.upper()}).json()
    assert traced["report"]["verdict"] == "one copy"
    assert traced["report"]["accused"][0]["recipient"] == "Bo"
    assert traced["headline"] == "The leak comes from copy 2"
    assert "1 in" in traced["chance_of_error"]
    assert traced["signature"]
    report = traced["report"]["id"]
    assert client.get(f"/v1/reports/{report}").json() == traced
    signed = client.get(f"/v1/reports/{report}/signed").json()
    assert signed["signature"] == traced["signature"]
    page = client.get(f"/v1/reports/{report}/page")
    assert "attachment" in page.headers["content-disposition"]
    assert "copy 2" in page.text
    (summary,) = client.get("/v1/reports").json()["items"]
    assert (summary["verdict"], summary["accused"], summary["is_signed"]) == ("one copy", [2], True)
    assert {
        "job asked for",
        "copies issued",
        "job finished",
        "archive downloaded",
        "leak traced",
        "trace served",
        "report downloaded",
    } <= set(events(client))
    assert registry.verify_audit() is None


def test_only_administrators_see_how_near_copies_are(client: TestClient, memo: str) -> None:
    """Whoever may only trace gets neither a ranking nor a loose bound, which would tell as much."""
    asked = {"text": memo, "recipients": ["Ada", "Bo", "Cleo"]}
    issued = wait_for(client, client.post("/v1/issue", json=asked).json())["result"]
    document = issued["document"]["id"]
    leak = client.get(f"/v1/documents/{document}/copies/1/content").content.decode()
    made = client.post("/v1/tokens", json={"name": "press", "scopes": ["trace"]}).json()
    tracer = {"Authorization": f"Bearer {made['token']}"}
    assert client.post("/v1/trace", json={"text": leak}, headers=tracer).json()["report"]["verdict"] == "one copy"
    loose = client.post("/v1/trace", json={"text": leak, "error_bound": 0.3}, headers=tracer)
    assert (loose.status_code, "needs the scope admin" in loose.json()["detail"]) == (403, True)
    request = {"text": leak, "document": document}
    assert client.post("/v1/ranking", json=request, headers=tracer).status_code == 403
    ranking = client.post("/v1/ranking", json=request).json()
    assert (ranking["copies"][0]["number"], ranking["leader"], len(ranking["copies"])) == (1, 1, 3)
    assert ranking["lead"].startswith("Copy 1 leads, ")
    assert {"copies ranked", "ranking served"} <= set(events(client))


def test_blind_copies_can_be_fetched_and_traced(client: TestClient, essay: str) -> None:
    """They cannot be made again from the master, so they are kept."""
    asked = {"text": essay, "recipients": ["Ada"], "scheme": "blind", "error_bound": 0.1}
    done = wait_for(client, client.post("/v1/issue", json=asked).json())
    assert done["state"] == "done", done["problem"]
    copy = client.get(f"/v1/documents/{done['result']['document']['id']}/copies/1/content").content.decode()
    traced = client.post("/v1/trace", json={"text": copy, "error_bound": 0.1}).json()
    assert [one["recipient"] for one in traced["report"]["accused"]] == ["Ada"]


def test_pairs_that_were_struck_are_left_alone(client: TestClient, memo: str) -> None:
    """Only pairs that a person let stand differ between copies."""
    analysed = wait_for(client, client.post("/v1/analyse", json={"text": memo}).json())["result"]
    assert analysed["text"] == memo
    sites = analysed["sites"]
    kept = [{"number": n, "word": s["word"], "other": s["other"]} for n, s in enumerate(sites, 1) if n % 5]
    job = client.post("/v1/issue", json={"text": memo, "recipients": ["Ada"], "kept": kept}).json()
    done = wait_for(client, job)
    assert done["state"] == "done", done["problem"]
    assert done["result"]["document"]["sites"] == len(kept) < len(sites)


@on_both_databases
def test_lists_come_in_pages(client: TestClient, issued: dict[str, Any]) -> None:
    """Each page says where the next begins, and the last that there is none."""
    path = f"/v1/documents/{issued['document']['id']}/copies"
    first = client.get(path, params={"limit": 2}).json()
    assert [one["number"] for one in first["items"]] == [1, 2]
    assert (first["total"], first["next_offset"]) == (3, 2)
    second = client.get(path, params={"limit": 2, "offset": 2}).json()
    assert ([one["number"] for one in second["items"]], second["next_offset"]) == ([3], None)
    assert [one["name"] for one in client.get("/v1/recipients", params={"offset": 1}).json()["items"]] == ["Bo", "Cleo"]
    assert client.get(path, params={"limit": 0}).status_code == 422


def test_tracing_loads_no_model(serve: Serve, client: TestClient, memo: str, issued: dict[str, Any]) -> None:
    """A service whose models cannot be loaded still traces copies with registered sites."""

    class NoModels(Engine):
        def _load_masked_lm(self) -> MaskedLM:
            raise AssertionError("a model was loaded")

        def _load_entailment(self) -> Entailment:
            raise AssertionError("a model was loaded")

    with serve(engine=NoModels()) as light:
        content = light.get(f"/v1/documents/{issued['document']['id']}/copies/3/content").content
        traced = light.post("/v1/trace", json={"text": content.decode()}).json()
    assert traced["report"]["accused"][0]["recipient"] == "Cleo"


@on_both_databases
def test_the_same_request_is_done_once(client: TestClient, memo: str) -> None:
    """With an idempotency key a repeated request gets the first answer; another request under that key is refused."""
    headers = {"Idempotency-Key": "one"}
    asked = {"text": memo, "recipients": ["Ada"]}
    first = client.post("/v1/issue", json=asked, headers=headers)
    again = client.post("/v1/issue", json=asked, headers=headers)
    assert first.status_code == again.status_code == 202
    assert first.json()["id"] == again.json()["id"]
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    assert client.get("/v1/jobs").json()["total"] == 1
    other = client.post("/v1/issue", json=asked | {"recipients": ["Bo"]}, headers=headers)
    assert (other.status_code, other.json()["code"]) == (422, "KeyReused")
    refused = client.post("/v1/trace", json={"text": " "}, headers={"Idempotency-Key": "two"})
    assert refused.status_code == 422
    assert client.post("/v1/trace", json={"text": "Words."}, headers={"Idempotency-Key": "two"}).status_code == 200


def test_problems_say_what_is_needed(client: TestClient) -> None:
    """Errors are problem JSON with the numbers apart, and never repeat what was sent."""
    short = client.post("/v1/embed", json={"text": "Too short.", "message": "Hi"})
    assert short.status_code == 422
    assert short.headers["content-type"] == "application/problem+json"
    assert short.json() == {
        "title": short.json()["title"],
        "status": 422,
        "detail": "the text carries 0 bits, the message has 16; use a longer text or fewer bits",
        "code": "CapacityError",
        "needed": 16,
        "found": 0,
    }
    wrong = client.post("/v1/embed", json={"text": "secret text", "bits": "secret bits"})
    assert wrong.status_code == 422
    assert "secret" not in wrong.text
    assert wrong.json()["errors"][0]["at"] == ["body", "bits"]
    job = client.post("/v1/issue", json={"text": "Too short.", "recipients": ["Ada"]}).json()
    failed = wait_for(client, job)
    assert (failed["state"], failed["problem"]["code"]) == ("failed", "TooFewSites")
    for path in ("/v1/documents/0123456789abcdef", "/v1/reports/0123456789abcdef", f"/v1/jobs/{'0' * 32}", "/nowhere"):
        assert client.get(path).status_code == 404
    assert client.get("/v1/trace").status_code == 405


def test_a_service_without_a_key_says_so(serve: Serve, memo: str) -> None:
    """It traces, but issues nothing and signs nothing."""
    with serve(keyring=None) as client:
        refused = client.post("/v1/issue", json={"text": memo, "recipients": ["Ada"]})
        assert (refused.status_code, refused.json()["code"]) == (503, "SecretError")
        assert client.post("/v1/trace", json={"text": memo}).json()["signature"] is None


def test_long_texts_are_jobs(serve: Serve, memo: str) -> None:
    """They are refused with the way out, and that works."""
    with serve(limits=Limits(words=100)) as client:
        refused = client.post("/v1/capacity", json={"text": memo})
        assert (refused.status_code, refused.json()["code"]) == (413, "TooLong")
        job = client.post("/v1/capacity", json={"text": memo}, headers={"Prefer": "respond-async"})
        assert job.status_code == 202
        assert wait_for(client, job.json())["result"]["bits"] > 0


def test_progress_is_told(client: TestClient, memo: str) -> None:
    """Events end with the result."""
    job = client.post("/v1/analyse", json={"text": memo}).json()
    with client.stream("GET", f"/v1/jobs/{job['id']}/events") as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        told = "".join(response.iter_text())
    names = re.findall(r"^event: (\w+)$", told, re.MULTILINE)
    assert names[-1] == "done"
    assert set(names[:-1]) <= {"progress"}
    last = json.loads(told.strip().rpartition("data: ")[2])
    assert last["result"]["sites"]


@on_both_databases
def test_tokens_are_managed(client: TestClient) -> None:
    """One is made, shown once, listed without itself, and revoked."""
    made = client.post("/v1/tokens", json={"name": "press", "scopes": ["mark"]}).json()
    headers = {"Authorization": f"Bearer {made['token']}"}
    assert client.get("/v1/recipients", headers=headers).status_code == 200
    _, listed = client.get("/v1/tokens").json()
    assert "token" not in listed
    assert listed["expires_at"] is not None
    assert client.delete(f"/v1/tokens/{made['id']}").json()["revoked_at"]
    assert client.get("/v1/recipients", headers=headers).status_code == 401
    assert client.delete(f"/v1/tokens/{'0' * 12}").status_code == 404


def test_health_metrics_and_schema(client: TestClient) -> None:
    """What operators and programs ask first."""
    assert client.get("/health").json()["status"] == client.get("/ready").json()["status"] == "ok"
    client.get("/v1/files/" + "0" * 32)
    metrics = client.get("/v1/metrics")
    assert metrics.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert 'lexprint_requests_total{method="GET",route="/v1/files/{file_id}",status="404"} 1' in metrics.text
    assert 'lexprint_request_seconds_count{route="/health"} 1' in metrics.text
    assert "lexprint_resident_bytes" in metrics.text
    schema = client.get("/v1/openapi.json").json()
    assert {
        "/v1/substitutes",
        "/v1/capacity",
        "/v1/embed",
        "/v1/extract",
        "/v1/recover",
        "/v1/issue",
        "/v1/trace",
    } <= set(schema["paths"])
    assert all("default" in operation["responses"] for path in schema["paths"].values() for operation in path.values())
