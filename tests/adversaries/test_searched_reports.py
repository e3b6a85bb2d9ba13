"""Lists of reports: who can write to the database cannot have somebody named there, and nobody learns more by searching."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.adversaries.office import KEYRING, Office
from tests.server.served import bearer, fake_engine

from lexprint.coding.keys import Keyring, MasterKey
from lexprint.registry.protocol import Registry, open_registry
from lexprint.reports.signed_file import read_report, report_bytes, sign
from lexprint.server.app import create_app
from lexprint.server.tokens import create_token
from lexprint.workflows.statuses import review_report
from lexprint.workflows.tracing import trace

PEOPLE = ["Ada", "Bo", "Cy"]


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    with open_registry(str(tmp_path / "lexprint.db"), keys=KEYRING) as opened:
        yield opened


@pytest.fixture
def ids(registry: Registry, tmp_path: Path) -> dict[str, str]:
    """A report that names Bo, one of an unknown text, and one that names Cy."""
    office = Office(registry, tmp_path)
    office.issue(PEOPLE)
    office.issue(PEOPLE, seed=2, name="Plan for spring")
    leaks = {
        "Bo": office.copy("Bo"),
        "nobody": "The quick brown fox jumps over the lazy dog, again and again, for no reason at all. " * 5,
        "Cy": office.copy("Cy", seed=2, name="Plan for spring"),
    }
    return {who: trace(registry, leak, keys=KEYRING).id for who, leak in leaks.items()}


@pytest.fixture
def client(registry: Registry, ids: dict[str, str]) -> Iterator[TestClient]:
    written, _ = create_token(registry, "tracer", scopes=["trace"])
    app = create_app(fake_engine(), registry, keyring=KEYRING)
    with TestClient(app, base_url="http://localhost", headers=bearer(written)) as opened:
        yield opened


def found(client: TestClient, **sought: object) -> list[str]:
    answer = client.get("/v1/reports", params=sought)  # type: ignore[arg-type] # as they come
    assert answer.status_code == 200, answer.text
    assert answer.json()["total"] == len(answer.json()["items"])
    return [one["id"] for one in answer.json()["items"]]


def test_searching(client: TestClient, registry: Registry, ids: dict[str, str]) -> None:
    """Newest first; each condition narrows what the others leave."""
    assert found(client) == [ids["Cy"], ids["nobody"], ids["Bo"]]
    assert found(client, document="SPRING") == [ids["Cy"]]
    plan = next(one.id for one in registry.documents() if one.name == "Plan for spring")
    assert found(client, document=plan) == [ids["Cy"]]
    assert found(client, copy=2) == [ids["Bo"]]
    assert found(client, copy=3) == [ids["Cy"]]
    assert found(client, copy=3, document="memo") == []
    review_report(
        registry, read_report(registry.report(ids["Bo"]).text.encode()), status="confirmed", note="He said so."
    )
    assert found(client, status="confirmed") == [ids["Bo"]]
    assert found(client, status="open") == [ids["Cy"], ids["nobody"]]
    (listed,) = client.get("/v1/reports", params={"status": "confirmed"}).json()["items"]
    assert (listed["notes"], listed["last_note"]) == (1, "He said so.")
    now = datetime.now(UTC)
    assert found(client, since=(now - timedelta(hours=1)).isoformat()) == found(client)
    assert found(client, since=(now + timedelta(hours=1)).replace(tzinfo=None).isoformat()) == []
    assert found(client, since=f"{now - timedelta(days=1):%Y-%m-%d}") == found(client)
    for wrong in ({"copy": 0}, {"status": "guilty"}, {"since": "soon"}, {"document": " "}):
        assert client.get("/v1/reports", params=wrong).status_code == 422


def test_what_others_signed_names_nobody(client: TestClient, registry: Registry, ids: dict[str, str]) -> None:
    """Who can write to the database puts a report there that names Ada, under a key of their own or with a changed number."""
    genuine = registry.report(ids["Bo"]).text
    own_key = sign(read_report(genuine.encode()), Keyring((MasterKey.generate(),)).newest)
    for forged in (report_bytes(own_key).decode(), genuine.replace('"number":2', '"number":1')):
        with registry.writing() as statements:
            statements.change("UPDATE reports SET text = :text WHERE id = :id", text=forged, id=ids["Bo"])
        listed = next(one for one in client.get("/v1/reports").json()["items"] if one["id"] == ids["Bo"])
        assert (listed["verdict"], listed["accused"], listed["document_name"]) == ("bad signature", [], None)
        assert found(client, copy=1) == found(client, copy=2) == []
        for path in ("", "/page", "/signed"):
            shown = client.get(f"/v1/reports/{ids['Bo']}{path}")
            assert shown.status_code >= 400, path
            assert "Ada" not in shown.text
            assert "Bo" not in shown.text


def test_a_search_tells_no_recipients(client: TestClient, registry: Registry) -> None:
    """Neither by their names nor by copies that no report names."""
    for who in PEOPLE:
        assert found(client, document=who) == []
    text = client.get("/v1/reports").text
    assert not any(f'"{who}"' in text for who in PEOPLE)
    assert client.get("/v1/recipients").status_code == 403
