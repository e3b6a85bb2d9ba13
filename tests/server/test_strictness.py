"""The stricter, the fewer words differ."""

import re
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.server.served import wait_for

from lexprint.workflows import strictness


def sites_of(analysis: dict[str, Any]) -> set[tuple[int, int]]:
    return {tuple(site["span"]) for site in analysis["sites"]}


def analysed(client: TestClient, text: str, **options: str) -> dict[str, Any]:
    found: dict[str, Any] = wait_for(client, client.post("/v1/analyse", json={"text": text, **options}).json())[
        "result"
    ]
    return found


def test_stricter_analyses_find_fewer_words(client: TestClient, memo: str) -> None:
    """Words that a stricter analysis finds are among those of a looser one, and the copies keep to it."""
    found = {
        "careful": analysed(client, memo, strictness="careful"),
        "usual": analysed(client, memo),
        "dense": analysed(client, memo, strictness="dense"),
    }
    sites = {strictness: len(one["sites"]) for strictness, one in found.items()}
    assert sites["careful"] < sites["usual"] < sites["dense"]
    assert len({one["fingerprint"] for one in found.values()}) == 3
    asked = {"text": memo, "recipients": ["Ada"], "strictness": "dense"}
    issued = wait_for(client, client.post("/v1/issue", json=asked).json())["result"]
    assert issued["document"]["sites"] == sites["dense"]
    assert client.post("/v1/analyse", json={"text": memo, "strictness": "lax"}).status_code == 422


def test_legal_is_careful_and_keeps_operative_words(
    client: TestClient, memo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a contract turns on stays; all else is as with careful."""
    careful = analysed(client, memo, strictness="careful")
    word = memo[slice(*careful["sites"][0]["span"])]
    monkeypatch.setattr(strictness, "listed", lambda _: (word,))
    kept = {(match.start(), match.end()) for match in re.finditer(rf"\b{word}\b", memo)}
    assert sites_of(analysed(client, memo, strictness="legal")) == sites_of(careful) - kept
