"""What a copy says, and whether a report is genuine."""

import json
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.server.conftest import Serve
from tests.server.served import wait_for

from lexprint.coding.keys import Keyring, MasterKey
from lexprint.registry.protocol import Registry
from lexprint.reports.signed_file import read_report
from lexprint.workflows.cases import make_case


@pytest.fixture
def issued(client: TestClient, memo: str) -> dict[str, Any]:
    """A document with two copies."""
    job = wait_for(client, client.post("/v1/issue", json={"text": memo, "recipients": ["Ada", "Bo"]}).json())
    assert job["state"] == "done", job["problem"]
    result: dict[str, Any] = job["result"]
    return result


def test_a_copy_can_be_read_before_it_is_sent(client: TestClient, memo: str, issued: dict[str, Any]) -> None:
    """Its text is that of its file, and every word that is not the master's is told, with what the master says."""
    path = f"/v1/documents/{issued['document']['id']}/copies"
    for number, name in ((1, "Ada"), (2, "Bo")):
        shown = client.get(f"{path}/{number}/text").json()
        assert shown["recipient"] == name
        assert shown["text"] == client.get(f"{path}/{number}/content").text != memo
        back = shown["text"]
        for one in reversed(shown["changed"]):
            start, end = one["span"]
            assert back[start:end] == one["word"] != one["master"]
            back = back[:start] + one["master"] + back[end:]
        assert back == memo
    assert client.get(f"{path}/3/text").status_code == 404
    assert client.get(f"/v1/documents/{'0' * 16}/copies/1/text").status_code == 404
    told = [item["event"] for item in client.get("/v1/audit").json()["items"]]
    assert told.count("copy shown") == 2


def verified(client: TestClient, content: bytes) -> dict[str, Any]:
    found: dict[str, Any] = client.post("/v1/verification", files={"file": ("report.json", content)}).json()
    return found


def test_a_report_is_verified(client: TestClient, serve: Serve, issued: dict[str, Any]) -> None:
    """Genuine, changed, unsigned, signed by others and no report at all are told apart, and only a whole one is shown."""
    leak = client.get(f"/v1/documents/{issued['document']['id']}/copies/2/content").text
    report_id = client.post("/v1/trace", json={"text": leak}).json()["report"]["id"]
    content = client.get(f"/v1/reports/{report_id}/signed").content
    found = verified(client, content)
    assert (found["finding"], found["is_known"]) == ("genuine", True)
    assert found["report"]["headline"] == "The leak comes from copy 2"
    forged = content.replace(b'"recipient":"Bo"', b'"recipient":"Ada"')
    assert forged != content
    found = verified(client, forged)
    assert (found["finding"], found["is_known"], found["report"]) == ("changed", False, None)
    unsigned = json.dumps(json.loads(content) | {"signature": None, "public_key": None, "key_id": None}).encode()
    assert verified(client, unsigned)["finding"] == "unsigned"
    assert verified(client, b"<html>")["finding"] == "unreadable"
    with serve(keyring=Keyring((MasterKey.generate(),))) as stranger:
        found = verified(stranger, content)
    assert found["finding"] == "foreign"
    assert len(found["signer"]) > 16


def test_a_case_is_verified(client: TestClient, issued: dict[str, Any], registry: Registry, keyring: Keyring) -> None:
    """Whole, by what is in it; a changed one is told from a ZIP file that is none."""
    leak = client.get(f"/v1/documents/{issued['document']['id']}/copies/2/content").content
    report_id = client.post("/v1/trace", json={"text": leak.decode()}).json()["report"]["id"]
    report = read_report(client.get(f"/v1/reports/{report_id}/signed").content)
    case = make_case(registry, report, leak, leak_name="leak.txt", keys=keyring)
    found = verified(client, case)
    assert (found["finding"], found["is_known"], found["report"]["headline"]) == (
        "genuine",
        True,
        "The leak comes from copy 2",
    )
    found = verified(client, case.replace(leak[:40], leak[:40].swapcase()))
    assert (found["finding"], found["report"]) == ("unreadable", None)  # its checksum does not fit any more
    found = verified(client, case + b" ")
    assert (found["finding"], found["report"]) == ("changed", None)
    assert verified(client, b"PK\3\4")["finding"] == "unreadable"
