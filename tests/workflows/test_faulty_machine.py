"""A machine whose models answer otherwise, if only in the last bit of one kind of answer, reads no mark that it is told of."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.fakes import FakeEngine
from tests.workflows.test_blind_tracing import KEY, marked, register

from lexprint.coding.keys import Keyring
from lexprint.errors import AnswersDiffer
from lexprint.registry.protocol import open_registry
from lexprint.settings import Settings, SubstitutionSettings
from lexprint.testing import fake_text
from lexprint.workflows import embed, extract, recover
from lexprint.workflows.payloads import embed_payload, extract_payload
from lexprint.workflows.tracing import trace

TEXT = fake_text(words=400, seed=5)
KEYS = Keyring((KEY,))
REFUSAL = r"^the models answer otherwise here .* on another machine$"


def new_engine() -> FakeEngine:
    return FakeEngine(settings=Settings(substitution=SubstitutionSettings(proposals=8)))


@pytest.fixture
def engine() -> FakeEngine:
    """A sound machine."""
    return new_engine()


@pytest.fixture(params=["predict", "propose", "judge", "entails"])
def faulty(request: pytest.FixtureRequest) -> FakeEngine:
    """The same models and settings on a machine that falsifies one kind of answer."""
    other = new_engine()
    model: Any = other.entailment if request.param == "entails" else other.masked_lm
    setattr(model, request.param, falsified(getattr(model, request.param)))
    return other


def falsified(answer: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Other by the smallest step there is, in the last number of what is answered."""

    def answered(asked: Any) -> Any:
        right = answer(asked)
        last = np.atleast_1d(right[-1])
        last.flat[-1] = np.nextafter(last.flat[-1], np.float32(-100))
        right[-1] = last if np.ndim(right[-1]) else last[0]
        return right

    return answered


def test_records(engine: FakeEngine, faulty: FakeEngine) -> None:
    """Bits and payloads alike; who knows of no record reads as ever."""
    bits, payload = embed(engine, TEXT, [1, 0, 1]), embed_payload(engine, TEXT, "A", key=KEY)
    for read in (
        lambda reader: extract(reader, bits.text, marked_with=bits.record),
        lambda reader: extract_payload(reader, payload.text, keys=KEYS, marked_with=payload.record),
    ):
        read(engine)
        with pytest.raises(AnswersDiffer, match=REFUSAL):
            read(faulty)
    assert extract(faulty, bits.text).sites


def test_bare_fingerprints(engine: FakeEngine, faulty: FakeEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is written down what models of this fingerprint answer."""
    monkeypatch.setattr(FakeEngine, "known_canary", engine.canary)
    bits, payload = embed(engine, TEXT, [1, 0, 1]), embed_payload(engine, TEXT, "A", key=KEY)
    for read in (
        lambda reader: extract(reader, bits.text, marked_with=engine.fingerprint),
        lambda reader: recover(reader, bits.text, marked_with=engine.fingerprint),
        lambda reader: extract_payload(reader, payload.text, keys=KEYS, marked_with=engine.fingerprint),
    ):
        read(engine)
        with pytest.raises(AnswersDiffer, match=REFUSAL):
            read(faulty)


def test_blind_copies(engine: FakeEngine, faulty: FakeEngine, tmp_path: Path) -> None:
    """The registry knows what was answered where they were marked."""
    leak = marked(engine, number=1, salt=b"2" * 16)
    with open_registry(str(tmp_path / "registry.db")) as registry:
        register(registry, engine, number=1, recipients=["Ann", "Ben"])
        assert trace(registry, leak, keys=KEYS, engine=engine).verdict
        with pytest.raises(AnswersDiffer, match=REFUSAL):
            trace(registry, leak, keys=KEYS, engine=faulty)
