"""The evaluation of payloads, on fakes."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from tests.fakes import FakeEngine

from lexprint.coding.payload_code import decode
from lexprint.settings import Settings, SubstitutionSettings
from lexprint.testing import fake_text
from lexprint_evaluation import payload
from lexprint_evaluation.attack_table import ON_PAYLOADS, by_title
from lexprint_evaluation.checkpoint import Checkpoint


@pytest.fixture(scope="module")
def engine() -> FakeEngine:
    return FakeEngine(settings=Settings(substitution=SubstitutionSettings(proposals=8)))


TEXTS = {f"fake {seed}": fake_text(words=1200, seed=seed) for seed in (1, 2)}
CHOSEN = by_title(("untouched", "deletion 5%"))
MEASURED = partial(payload.payload_rows, bits=8, false_positive=1e-4, seed=1)


def test_untouched_payloads_are_recovered(engine: FakeEngine) -> None:
    """Nothing is lost on untouched text, neither the payload nor a bit in order, under any key."""
    rows = MEASURED(engine, TEXTS, CHOSEN, marks=3)
    untouched, damaged = rows
    assert (untouched.trials, untouched.recovered, untouched.alike) == (6, 6, 6)
    assert (untouched.wrong, untouched.bit_errors) == (0, 0)
    assert untouched.readable == untouched.agreeing
    assert damaged.trials == 2
    assert damaged.bit_errors > 0
    assert damaged.agreeing < damaged.readable
    assert "ContextLS" in payload.payload_table(rows)


def test_other_keys_find_nothing(engine: FakeEngine) -> None:
    """Neither in a text without a mark nor in a marked one."""
    found = payload.strangers(engine, TEXTS, keys=40, bits=8, false_positive=1e-4, seed=1)
    assert (found.readings, found.keys, found.found) == (4, 10, 0)


def test_keys_that_wrote_it_do_find_it(engine: FakeEngine) -> None:
    """The same readings under the key that marked them: so a stranger's silence means something."""
    (text,) = list(TEXTS.values())[:1]
    unmarked, marked = payload.readings_of(engine, text, "seed", bits=8)
    mark = payload.Mark.of("seed", bits=8)
    for reading, found in ((unmarked, False), (marked, True)):
        for observations in (reading.alike, reading.weighed):
            decoded = decode(observations, (mark.key,), forms=(mark.frame.form,), false_positive=1e-4)
            assert (decoded is not None) == found


def test_a_run_that_was_cut_goes_on(engine: FakeEngine, tmp_path: Path) -> None:
    """Texts that were measured are not measured again, and the rows are the same."""
    whole = MEASURED(engine, TEXTS, CHOSEN)
    kept = tmp_path / "payload.partial.jsonl"
    first = dict(list(TEXTS.items())[:1])
    MEASURED(engine, first, CHOSEN, checkpoint=Checkpoint(kept))
    before = engine.masked_lm.inputs  # type: ignore[attr-defined]
    MEASURED(engine, first, CHOSEN, checkpoint=Checkpoint(kept))
    assert engine.masked_lm.inputs == before  # type: ignore[attr-defined]
    assert MEASURED(engine, TEXTS, CHOSEN, checkpoint=Checkpoint(kept)) == whole


def test_published_rows_are_measured() -> None:
    """Every published figure stands beside an attack of ours."""
    assert set(payload.PUBLISHED_BIT_ERRORS) <= set(ON_PAYLOADS)


def test_keys_are_not_called_texts() -> None:
    """Ten readings under 1,000 keys each are no 10,000 texts, and nobody may take them for that."""
    note = payload.strangers_note(payload.Strangers(readings=10, keys=1000, found=0))
    assert "10 readings" in note
    assert "each under 1,000 keys" in note
    assert "10,000" not in note
