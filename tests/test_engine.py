"""The engine's fingerprint stands for everything that decides where bits are; its models are loaded once."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from tests.fakes import FakeEngine

from lexprint import engine as module
from lexprint.engine import Engine
from lexprint.errors import ModelError
from lexprint.models.protocols import MaskedLM
from lexprint.settings import find_profile


def test_settings_change_the_fingerprint() -> None:
    """Another profile marks other words, so it has another fingerprint."""
    assert Engine().fingerprint != Engine(settings=find_profile("paper")).fingerprint


def test_batch_size_and_threads_do_not_change_the_fingerprint() -> None:
    """How the models are run never moves a bit."""
    assert Engine().fingerprint == replace(Engine(), threads=1, batch_size=8).fingerprint


def test_phrases_change_the_fingerprint_of_copies_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A list that grows leaves what was marked readable; copies of the paper's profile have no phrases."""
    bits, copies, paper = (
        Engine().fingerprint,
        Engine().copies_fingerprint,
        Engine(settings=find_profile("paper")).copies_fingerprint,
    )
    monkeypatch.setattr("lexprint.engine.phrases_digest", lambda: "another list")
    assert Engine().fingerprint == bits
    assert Engine().copies_fingerprint != copies
    assert Engine(settings=find_profile("paper")).copies_fingerprint == paper


@pytest.mark.parametrize("digest", ["lexicon_digest", "acceptance_digest", "word_lists_digest", "lists_digest"])
def test_rules_change_the_fingerprint(monkeypatch: pytest.MonkeyPatch, digest: str) -> None:
    """Another table of grammar proposes other words, another list leaves out others."""
    usual = Engine().fingerprint
    monkeypatch.setattr(module, digest, lambda: "another table")
    assert Engine().fingerprint != usual


class CountingEngine(FakeEngine):
    """Counts how often its masked LM is loaded, which takes a moment."""

    def _load_masked_lm(self) -> MaskedLM:
        vars(self)["loads"] = vars(self).get("loads", 0) + 1
        vars(self)["said"] = self.loading
        time.sleep(0.05)
        return super()._load_masked_lm()


def test_models_are_loaded_once_for_all() -> None:
    """Threads and engines with other settings share them; that there is another engine loads nothing."""
    engine = CountingEngine()
    twin = engine.with_settings(find_profile("paper"))
    second = twin.with_settings(find_profile("dense"))
    assert not {"masked_lm", "entailment"} & (set(vars(engine)) | set(vars(twin)))
    with ThreadPoolExecutor(6) as threads:
        found = list(threads.map(lambda one: one.masked_lm, [twin, engine, second] * 2))
    assert all(one is found[0] for one in found)
    assert vars(engine)["loads"] == 1


def test_an_engine_says_what_it_loads() -> None:
    """While it does, to whoever shares its models too, and no longer."""
    engine = CountingEngine()
    twin = engine.with_settings(find_profile("paper"))
    assert (engine.loading, twin.loading) == (None, None)
    loader = threading.Thread(target=twin.load)
    loader.start()
    while twin.loading is None and loader.is_alive():
        time.sleep(0.001)
    loader.join()
    assert vars(engine)["said"] == "masked_lm"
    assert (engine.loading, twin.loading) == (None, None)


def test_a_model_that_cannot_be_loaded_is_not_being_loaded() -> None:
    """It can be tried again."""

    class Broken(FakeEngine):
        def _load_masked_lm(self) -> MaskedLM:
            raise ModelError("broken")

    engine = Broken()
    for _ in range(2):
        with pytest.raises(ModelError):
            engine.load()
        assert engine.loading is None
