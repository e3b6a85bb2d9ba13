"""The service asks models about a text once, and not at all if a command has asked before."""

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.server.served import wait_for

from lexprint.engine import Engine
from lexprint.formats.source import open_source
from lexprint.registry.protocol import Registry
from lexprint.workflows import analysing
from lexprint.workflows.analysing import analyse_document, find_analysis


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that models were asked about."""
    texts: list[str] = []

    def counted(engine: Engine, text: str, **options: Any) -> Any:
        texts.append(text)
        return analyse_document(engine, text, **options)

    monkeypatch.setattr(analysing, "analyse_document", counted)
    return texts


def test_a_text_is_analysed_once(client: TestClient, memo: str, asked: list[str]) -> None:
    """For looking at it, for looking again, and for issuing it twice under different names."""
    for _ in range(2):
        assert wait_for(client, client.post("/v1/analyse", json={"text": memo}).json())["state"] == "done"
    for name in ("first", "second"):
        request = {"text": memo, "recipients": ["Ada"], "name": name}
        assert wait_for(client, client.post("/v1/issue", json=request).json())["state"] == "done"
    assert asked == [memo]


def test_what_a_command_has_analysed_is_known(
    client: TestClient, memo: str, asked: list[str], registry: Registry, engine: Engine, tmp_path: Path
) -> None:
    """They share the registry; the answer is the same."""
    (tmp_path / "memo.txt").write_text(memo, "utf-8")
    source = open_source((tmp_path / "memo.txt").read_bytes(), name="memo.txt")
    found = find_analysis(registry, engine, source.text, protected=source.protected)
    job = wait_for(client, client.post("/v1/analyse", json={"text": memo}).json())
    assert [tuple(site["span"]) for site in job["result"]["sites"]] == [
        (site.span.start, site.span.end) for site in found.sites
    ]
    assert asked == [memo]
