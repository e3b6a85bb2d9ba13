"""Loading the models takes seconds, and nobody is left without a word meanwhile."""

import threading
import time
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.server.browser import Tab
from tests.server.conftest import Serve
from tests.server.paged import MEMO, is_shown, needs_browser, page_served, sign_in, text_of
from tests.server.served import TIMEOUT_SECONDS, fake_engine, wait_for
from tests.workflows.patient import PatientEngine

from lexprint.engine import Engine
from lexprint.errors import WeightsMissing
from lexprint.models.protocols import MaskedLM
from lexprint.registry.protocol import Registry
from lexprint.settings import load_settings
from lexprint.text.segmentation import segment


class GatedEngine(PatientEngine):
    """Loads its masked LM when the gate is opened, and counts how often."""

    def _load_masked_lm(self) -> MaskedLM:
        vars(self)["loads"] = vars(self).get("loads", 0) + 1
        assert gate_of(self).wait(TIMEOUT_SECONDS)
        return super()._load_masked_lm()


def gate_of(engine: Engine) -> threading.Event:
    found: threading.Event = vars(engine).setdefault("gate", threading.Event())
    return found


@pytest.fixture
def engine() -> GatedEngine:
    arguments = {"substitution.proposals": 8, "substitution.entailment_floor": 0.85}
    return GatedEngine(settings=load_settings(environment={}, arguments=arguments))


def until_doing(client: TestClient, job: dict[str, Any]) -> dict[str, Any]:
    """The job when it says what it does."""
    deadline = time.monotonic() + TIMEOUT_SECONDS
    found = job
    while not found["doing"]:
        assert time.monotonic() < deadline, found
        time.sleep(0.02)
        found = client.get(f"/v1/jobs/{job['id']}").json()
    return found


def until_begun(engine: Engine) -> None:
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while not vars(engine).get("loads"):
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("/v1/analyse", {"text": MEMO}),
        ("/v1/issue", {"text": MEMO, "recipients": ["Ada", "Bo"]}),
        ("/v1/capacity", {"text": MEMO}),
        ("/v1/embed", {"text": MEMO, "bits": "1011"}),
        ("/v1/embed", {"text": MEMO, "payload": "A"}),
        ("/v1/extract", {"text": MEMO, "what": "bits"}),
        ("/v1/recover", {"text": MEMO}),
    ],
)
def test_a_job_says_that_models_are_loaded(
    serve: Serve, engine: GatedEngine, path: str, asked: dict[str, object]
) -> None:
    """And how many words it will read, so that an estimate can be made; when they are loaded it says no more of it."""
    with serve(engine=engine) as client:
        job = client.post(path, json=asked, headers={"Prefer": "respond-async"}).json()
        found = until_doing(client, job)
        assert found["doing"] == "loading the models, the first of two"
        assert (found["state"], found["done"]) == ("running", 0)
        while not found["total"]:
            found = client.get(f"/v1/jobs/{job['id']}").json()
        assert found["total"] == segment(MEMO).word_count
        gate_of(engine).set()
        assert wait_for(client, job)["doing"] is None


def test_opening_the_page_loads_the_models(serve: Serve, engine: GatedEngine) -> None:
    """Meanwhile requests are answered; whatever comes first, they are loaded once, for requests and jobs together."""
    with serve(engine=engine) as client:
        assert client.get("/v1/session").status_code == 200
        assert client.get("/page.css").status_code == 200
        assert client.post("/v1/files", files={"file": ("memo.txt", MEMO.encode())}).status_code == 201
        assert "loads" not in vars(engine), "somebody who opens no page may never mark"
        for _ in range(2):
            assert client.get("/").status_code == 200
        until_begun(engine)
        assert client.get("/v1/documents").status_code == 200
        jobs = [
            client.post("/v1/analyse", json={"text": MEMO, "strictness": one}).json() for one in ("careful", "dense")
        ]
        until_doing(client, jobs[0])
        gate_of(engine).set()
        for job in jobs:
            assert wait_for(client, job)["state"] == "done"
        assert client.post("/v1/capacity", json={"text": MEMO}).status_code == 200
    assert vars(engine)["loads"] == 1


def test_a_known_document_needs_no_models(serve: Serve, engine: GatedEngine) -> None:
    """Its analysis is answered at once by a service that was just started."""
    asked = {"text": MEMO}
    with serve(engine=fake_engine()) as client:
        wait_for(client, client.post("/v1/analyse", json=asked).json())
    with serve(engine=engine) as client:
        assert wait_for(client, client.post("/v1/analyse", json=asked).json())["state"] == "done"
    assert "loads" not in vars(engine)


def test_models_that_cannot_be_loaded_are_complained_of_where_they_are_needed(serve: Serve) -> None:
    """The page opens, and whoever asks for words is told why there are none."""

    class Broken(PatientEngine):
        def _load_masked_lm(self) -> MaskedLM:
            raise WeightsMissing("masked_lm")

    with serve(engine=Broken()) as client:
        assert client.get("/").status_code == 200
        failed = wait_for(client, client.post("/v1/analyse", json={"text": MEMO}).json())
        assert failed["problem"]["code"] == "WeightsMissing"
        assert client.get("/").status_code == 200


@needs_browser
def test_the_page_says_that_models_are_loaded(tab: Tab, registry: Registry, engine: GatedEngine) -> None:
    """Within a second, with seconds that count and a time that is left; then it counts words."""
    with page_served(registry, engine) as url:
        sign_in(tab, url, registry)
        until_begun(engine)  # by opening it
        tab.run(
            "(() => { window.said = []; const node = document.getElementById('analyse-progress');"
            " new MutationObserver(() => said.push([performance.now(), node.textContent]))"
            ".observe(node, {childList: true, subtree: true, characterData: true}); })()"
        )
        tab.fill("document-text", MEMO)
        tab.click("analyse")
        tab.wait_for("said.some(([, words]) => /Loading the models, .*, 3 s by now/.test(words))")
        said = tab.run("said")
        gate_of(engine).set()
        tab.wait_for(f"{is_shown('step-recipients')} || {is_shown('analyse-problem')}")
        assert text_of(tab, "analyse-problem") == ""
    loading = [words for _, words in said if "Loading the models" in words]
    assert all("left" in words for words in loading)
    shown = [words for _, words in said if words]
    assert all("left" in words or "then" in words for words in shown), "an estimate from the first moment"
    assert len(set(loading)) >= 3, "it moves"
