"""The evaluation of payloads, on fakes."""

from __future__ import annotations

import pytest
from tests.fakes import FakeEngine

from lexprint.evaluation import payload
from lexprint.settings import Settings, SubstitutionSettings
from lexprint.testing import fake_text


@pytest.fixture(scope="module")
def engine() -> FakeEngine:
    return FakeEngine(settings=Settings(substitution=SubstitutionSettings(proposals=8)))


def test_untouched_payloads_are_recovered(engine: FakeEngine) -> None:
    """Nothing is lost on untouched text, neither the payload nor a bit in order."""
    chosen = {name: payload.PAYLOAD_ATTACKS[name] for name in ("untouched", "5.0% of words deleted")}
    texts = [fake_text(words=1200, seed=seed) for seed in (1, 2)]
    rows, readings = payload.payload_rows(engine, texts, chosen, bits=8, false_positive=1e-4, seed=1)
    untouched, damaged = rows
    assert (untouched.recovered, untouched.wrong, untouched.bit_errors) == (2, 0, 0)
    assert untouched.readable == untouched.agreeing
    assert damaged.bit_errors > 0
    assert len(readings) == 2
    found = payload.strangers(readings, keys=20, bits=8, false_positive=1e-4)
    assert (found.readings, found.keys, found.found) == (2, 20, 0)
    assert "ContextLS" in payload.payload_table(rows)


def test_published_rows_are_measured() -> None:
    """Every published figure stands beside an attack of ours."""
    assert set(payload.PUBLISHED_BIT_ERRORS) <= set(payload.PAYLOAD_ATTACKS)
