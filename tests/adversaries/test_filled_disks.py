"""Somebody with a token sends files until the disk of the service is full, and nobody can trace any more."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.server.served import bearer, fake_engine

from lexprint.registry.protocol import Registry, open_registry
from lexprint.server.app import create_app
from lexprint.server.limits import Limits
from lexprint.server.tokens import create_token

FILE = b"A memo that nobody needs. " * 20  # 520 bytes
MOST = 3  # that a token may keep


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    with open_registry(str(tmp_path / "lexprint.db")) as opened:
        yield opened


@pytest.fixture
def client(registry: Registry) -> Iterator[TestClient]:
    app = create_app(fake_engine(), registry, limits=Limits(kept_bytes=MOST * len(FILE)))
    with TestClient(app, base_url="http://localhost") as client:
        yield client


def test_a_token_keeps_no_more_than_it_may(client: TestClient, registry: Registry) -> None:
    """It is refused in one sentence, what it deletes makes room again, and others notice nothing of it."""
    flooding, other = (bearer(create_token(registry, name, scopes={"trace"})[0]) for name in ("flood", "other"))
    for headers in (flooding, other):
        sent = [client.post("/v1/files", files={"file": ("memo.txt", FILE)}, headers=headers) for _ in range(MOST)]
        assert [answer.status_code for answer in sent] == [201] * MOST
    refused = client.post("/v1/files", files={"file": ("memo.txt", FILE)}, headers=flooding)
    assert (refused.status_code, refused.json()["code"]) == (413, "Full")
    assert (
        "this token keeps 1,560 bytes, and may keep 1,560; delete files that nobody needs" in refused.json()["detail"]
    )
    assert client.delete(f"/v1/files/{sent[0].json()['id']}", headers=other).status_code == 204
    assert client.post("/v1/files", files={"file": ("memo.txt", FILE)}, headers=other).status_code == 201


def test_results_count_too(client: TestClient, registry: Registry) -> None:
    """Who has files made instead of sending them fills the disk no more than others."""
    headers = bearer(create_token(registry, "marks", scopes={"mark"})[0])
    sent = [client.post("/v1/files", files={"file": ("memo.txt", FILE)}, headers=headers) for _ in range(MOST)]
    answer = client.post("/v1/recover", json={"file": sent[0].json()["id"]}, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (413, "Full")
