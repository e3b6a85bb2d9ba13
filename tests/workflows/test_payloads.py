"""Payloads in texts, on fakes."""

import json
import logging
from datetime import UTC, datetime
from random import Random

import pytest
from hypothesis import given, settings as hypothesis_settings, strategies as st
from tests.fakes import FakeEngine

from lexprint.coding.keys import Keyring, MasterKey
from lexprint.errors import CapacityError, FingerprintMismatch, InputError, PayloadTooLong, SettingsError
from lexprint.settings import Settings, SubstitutionSettings, WatermarkSettings
from lexprint.testing import fake_text
from lexprint.text.segmentation import segment
from lexprint.watermark.records import read_record
from lexprint.workflows import (
    as_json,
    embed_payload,
    embed_payloads,
    extract_payload,
    restore,
)

DAY = datetime(2026, 1, 31, tzinfo=UTC)
KEY, OTHER, THIRD = (MasterKey(bytes([number]) * 32, created_at=DAY) for number in range(3))
TEXT = fake_text(words=1400, seed=5)
SETTINGS = Settings(substitution=SubstitutionSettings(proposals=8))


@pytest.fixture(scope="module")
def engine() -> FakeEngine:
    """One that finds many sites."""
    return FakeEngine(settings=SETTINGS)


def shuffled(text: str, *, keep: float, seed: int) -> str:
    """Some of its sentences in another order."""
    document = segment(text)
    sentences = [sentence.span.of(text) for sentence in document.sentences]
    return " ".join(Random(seed).sample(sentences, round(keep * len(sentences))))


@hypothesis_settings(max_examples=6)
@given(st.integers(0, 10_000), st.text(alphabet="ABCXYZ0123456789-", min_size=1, max_size=5))
def test_a_payload_comes_back(seed: int, payload: str) -> None:
    """From any text with enough sites."""
    engine = FakeEngine(settings=SETTINGS)
    text = fake_text(words=1200, seed=seed)
    marked = embed_payload(engine, text, payload, key=KEY)
    found = extract_payload(engine, marked.text, keys=[KEY])
    assert found.is_found
    assert found.payload == payload
    assert found.decoded == marked.decoded
    assert extract_payload(engine, marked.text, keys=[OTHER]).payload is None


def test_a_copy_may_be_cut_and_shuffled(engine: FakeEngine) -> None:
    """Two thirds of its sentences in any order still say it."""
    marked = embed_payload(engine, TEXT, 417, bits=16, key=KEY)
    for seed in range(3):
        found = extract_payload(engine, shuffled(marked.text, keep=0.66, seed=seed), keys=[KEY], bits=16)
        assert found.payload == 417
        assert found.readable < marked.decoded.readable


def test_nothing_is_found_without_the_key_or_a_mark(engine: FakeEngine) -> None:
    """That is an answer, with the chance of error that was allowed."""
    marked = embed_payload(engine, TEXT, "A-17", key=KEY)
    for text, keys in ((marked.text, [OTHER, THIRD]), (TEXT, [KEY])):
        found = extract_payload(engine, text, keys=keys)
        assert (found.payload, found.decoded, found.is_found) == (None, None, False)
        assert found.false_positive == 1e-6
        assert found.readable > 80
    assert extract_payload(engine, marked.text, keys=[KEY], bits=24).payload is None  # a text is no number


def test_old_keys_still_read(engine: FakeEngine) -> None:
    """Every key of a ring is tried, and the right one named."""
    marked = embed_payload(engine, TEXT, "A-17", key=KEY)
    found = extract_payload(engine, marked.text, keys=Keyring((THIRD, OTHER, KEY)))
    assert found.decoded is not None
    assert (found.payload, found.decoded.key_id) == ("A-17", KEY.id)


def test_many_payloads_share_the_questions() -> None:
    """A second copy asks models about half or less of what the first did, and is the same as if made alone."""
    engine, alone = FakeEngine(settings=SETTINGS), FakeEngine(settings=SETTINGS)
    asked = []
    copies = []
    for copy in embed_payloads(engine, TEXT, range(4), key=KEY, bits=12):
        copies.append(copy)
        asked.append(engine.entailment.inputs)  # type: ignore[attr-defined] # fakes count
    assert [copy.decoded.payload for copy in copies] == [0, 1, 2, 3]
    assert asked[3] - asked[2] < asked[0] / 2
    assert embed_payload(alone, TEXT, 3, key=KEY, bits=12) == copies[3]


def test_the_record_restores_the_original(engine: FakeEngine) -> None:
    """Through JSON, which also says what was written and with which key."""
    marked = embed_payload(engine, TEXT, "A-17", key=KEY)
    value = json.loads(json.dumps(as_json(marked)))
    assert (value["payload"], value["key"], value["payload_bits"]) == ("A-17", KEY.id, 24)
    assert restore(marked.text, read_record(value)).text == TEXT
    found = json.loads(json.dumps(as_json(extract_payload(engine, marked.text, keys=[KEY]))))
    assert found["payload"] == "A-17"
    assert found["chance_of_error"] < found["false_positive"]
    assert json.loads(json.dumps(as_json(extract_payload(engine, TEXT, keys=[KEY]))))["payload"] is None


def test_too_short_a_text_is_refused_with_numbers(engine: FakeEngine) -> None:
    """What it has, what is needed, and how many words are missing; a text that much longer does."""
    text = fake_text(words=150, seed=5)
    with pytest.raises(PayloadTooLong) as caught:
        embed_payload(engine, text, 5, bits=16, key=KEY)
    error = caught.value
    assert isinstance(error, CapacityError)
    assert (error.needed, error.bits) == (39, 16)
    assert f"has {error.found} sites" in str(error)
    longer = fake_text(words=150 + 2 * error.words_missing, seed=5)
    assert embed_payload(engine, longer, 5, bits=16, key=KEY).spare >= 0


def test_a_bolder_reader_needs_fewer_sites(engine: FakeEngine) -> None:
    """The chance of error that readers allow decides what is enough."""
    bold, careful = (
        embed_payload(engine, TEXT, 5, bits=8, key=KEY, false_positive=chance).needed for chance in (1e-3, 1e-9)
    )
    assert careful - bold == 20


def test_what_cannot_be_written_is_refused(engine: FakeEngine) -> None:
    """Before any model is asked."""
    for payload, bits in ((7, None), ("A", 8), ("", None), (16, 4)):
        with pytest.raises(InputError):
            embed_payload(engine, TEXT, payload, key=KEY, bits=bits)
    with pytest.raises(InputError, match="empty"):
        extract_payload(engine, " ", keys=[KEY])
    for chance in (0.0, 1.0, float("nan")):
        with pytest.raises(SettingsError, match="false_positive"):
            extract_payload(engine, TEXT, keys=[KEY], false_positive=chance)


def test_reading_with_other_settings_is_refused(engine: FakeEngine) -> None:
    """If the reader knows what marked the copy."""
    marked = embed_payload(engine, TEXT, "A-17", key=KEY)
    other = FakeEngine(settings=Settings(substitution=SETTINGS.substitution, watermark=WatermarkSettings(gap=2)))
    with pytest.raises(FingerprintMismatch):
        extract_payload(other, marked.text, keys=[KEY], marked_with=marked.record)


def test_no_key_leaks(engine: FakeEngine, caplog: pytest.LogCaptureFixture) -> None:
    """Neither into results nor into logs."""
    caplog.set_level(logging.DEBUG)
    key = MasterKey(b"sixteen bytes and sixteen more..", created_at=DAY)
    marked = embed_payload(engine, TEXT, "A-17", key=key)
    found = extract_payload(engine, marked.text, keys=[key])
    told = f"{marked!r}{found!r}{as_json(marked)}{as_json(found)}{caplog.text}"
    secret = key.written_out().rpartition(".")[2]
    for leak in ("sixteen", secret, secret[:16], b"sixteen".hex()):
        assert leak not in told
