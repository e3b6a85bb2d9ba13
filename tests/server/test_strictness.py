"""The stricter, the fewer words differ."""

from starlette.testclient import TestClient
from tests.server.served import wait_for


def test_stricter_analyses_find_fewer_words(client: TestClient, memo: str) -> None:
    """Words that a stricter analysis finds are among those of a looser one, and the copies keep to it."""
    found = {}
    for strictness in ("legal", "careful", "dense"):
        job = wait_for(client, client.post("/v1/analyse", json={"text": memo, "strictness": strictness}).json())
        found[strictness] = job["result"]
    sites = {strictness: len(one["sites"]) for strictness, one in found.items()}
    assert sites["legal"] < sites["careful"] < sites["dense"]
    assert len({one["fingerprint"] for one in found.values()}) == 3
    asked = {"text": memo, "recipients": ["Ada"], "strictness": "dense"}
    issued = wait_for(client, client.post("/v1/issue", json=asked).json())["result"]
    assert issued["document"]["sites"] == sites["dense"]
    assert client.post("/v1/analyse", json={"text": memo, "strictness": "lax"}).status_code == 422
