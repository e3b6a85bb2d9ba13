"""The engine's fingerprint stands for everything that decides where bits are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lexprint import engine as module
from lexprint.engine import Engine
from lexprint.settings import find_profile


def test_settings_change_the_fingerprint() -> None:
    """Another profile marks other words, so it has another fingerprint."""
    assert Engine().fingerprint != Engine(settings=find_profile("paper")).fingerprint


def test_batch_size_and_threads_do_not_change_the_fingerprint() -> None:
    """How the models are run never moves a bit."""
    assert Engine().fingerprint == replace(Engine(), threads=1, batch_size=8).fingerprint


@pytest.mark.parametrize("digest", ["lexicon_digest", "acceptance_digest", "word_lists_digest", "lists_digest"])
def test_rules_change_the_fingerprint(monkeypatch: pytest.MonkeyPatch, digest: str) -> None:
    """Another table of grammar proposes other words, another list leaves out others."""
    usual = Engine().fingerprint
    monkeypatch.setattr(module, digest, lambda: "another table")
    assert Engine().fingerprint != usual
