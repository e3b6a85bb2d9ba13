"""The verbs, on fakes."""

import json
from dataclasses import replace
from functools import partial
from random import Random

import pytest
from hypothesis import given, strategies as st
from tests.fakes import FakeEngine

from lexprint.errors import AnswersDiffer, CapacityError, FingerprintMismatch, InputError
from lexprint.settings import Settings, SubstitutionSettings, WatermarkSettings
from lexprint.testing import fake_text
from lexprint.watermark.records import read_record
from lexprint.workflows import (
    as_json,
    capacity,
    diff,
    embed,
    embed_message,
    extract,
    message_bits,
    message_of,
    recover,
    restore,
)

TEXT = fake_text(words=400, seed=5)
FEW = SubstitutionSettings(proposals=8)


@pytest.fixture
def engine() -> FakeEngine:
    """One that finds many sites."""
    return FakeEngine(settings=Settings(substitution=FEW))


def random_bits(count: int) -> list[int]:
    return Random(count).choices((0, 1), k=count)


def test_what_is_written_is_read(engine: FakeEngine) -> None:
    """Bits come back in order, with the same fingerprint."""
    bits = random_bits(12)
    marked = embed(engine, TEXT, bits)
    reading = extract(engine, marked.text, marked_with=marked.record)
    assert list(reading.bits[:12]) == bits
    assert reading.fingerprint == marked.record.fingerprint == engine.fingerprint


def test_json_restores_exactly(engine: FakeEngine) -> None:
    """What went through JSON leads back to the original, to the last character."""
    marked = embed(engine, TEXT, random_bits(15))
    record = read_record(json.loads(json.dumps(as_json(marked))))
    assert record == marked.record
    original = restore(marked.text, record)
    assert (original.text, original.is_exact) == (TEXT, True)


def test_a_record_restores_its_own_text_only(engine: FakeEngine) -> None:
    """A text that was changed by one character is refused."""
    marked = embed(engine, TEXT, random_bits(5))
    with pytest.raises(InputError, match="another text"):
        restore(f"{marked.text} ", marked.record)


def test_recovering_touches_sites_only(engine: FakeEngine) -> None:
    """The most probable original differs from the marked text in members of pairs."""
    marked = embed(engine, TEXT, random_bits(15))
    guess = recover(engine, marked.text)
    sites = {site.span: site.pair for site in extract(engine, marked.text).sites}
    assert guess.sites == len(sites)
    assert not guess.is_exact
    assert all(edit.replacement in sites[edit.span] for edit in guess.edits)


@given(st.text(min_size=1))
def test_messages_are_their_bits(message: str) -> None:
    """UTF-8, highest bit first, and back; a NUL ends it."""
    if "\0" in message:
        assert message_of(message_bits(message)) == (message.partition("\0")[0] or None)
    else:
        assert message_of(message_bits(message)) == message
        assert message_of((*message_bits(f"{message}\0"), 1, 0, 1)) == message
    assert message_bits("A") == (0, 1, 0, 0, 0, 0, 0, 1)


def test_bits_that_are_no_text_are_no_message() -> None:
    """A stray continuation byte, or nothing at all."""
    assert message_of((1,) * 8) is None
    assert message_of((0,) * 8) is None
    assert message_of((1, 0, 1)) is None


@pytest.mark.parametrize("message", ["", "a\0b", "\udcff"])
def test_messages_that_cannot_be_read_are_not_written(engine: FakeEngine, message: str) -> None:
    """What would not come back is refused."""
    with pytest.raises(InputError):
        embed_message(engine, TEXT, message)


def test_too_long_a_message_is_refused_with_numbers(engine: FakeEngine) -> None:
    """Both numbers are attributes, for whoever wants to act on them."""
    carried = capacity(engine, TEXT).bits
    with pytest.raises(CapacityError) as caught:
        embed_message(engine, TEXT, "m" * carried)
    assert caught.value.needed == 8 * carried
    assert abs(caught.value.found - carried) < carried / 4


@pytest.mark.parametrize("text", ["", " \n", "\u200b"])
def test_a_text_without_words_is_refused(engine: FakeEngine, text: str) -> None:
    """By every verb that needs words."""
    for verb in (extract, recover, capacity):
        with pytest.raises(InputError, match="empty"):
            verb(engine, text)
    with pytest.raises(InputError, match="empty"):
        embed(engine, text, [1])


def test_reading_with_other_settings_is_refused(engine: FakeEngine) -> None:
    """Before any model is asked."""
    marked = embed(engine, TEXT, random_bits(3))
    other = FakeEngine(settings=replace(engine.settings, watermark=WatermarkSettings(gap=2)))
    with pytest.raises(FingerprintMismatch, match=r"watermark\.gap = 1"):
        extract(other, marked.text, marked_with=marked.record)
    with pytest.raises(FingerprintMismatch):
        recover(other, marked.text, marked_with=marked.record.fingerprint)
    assert "substituter" not in vars(other)


def test_a_machine_that_answers_otherwise_is_refused(engine: FakeEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Same models, same settings, other answers: one sentence instead of wrong bits; who has no record reads as ever.

    A bare fingerprint is enough where it is known what the models answer.
    """
    marked = embed(engine, TEXT, random_bits(3))
    other = FakeEngine(settings=engine.settings)
    vars(other)["canary"] = "0" * 16
    refusal = r"^the models answer otherwise here .* on another machine$"
    with pytest.raises(AnswersDiffer, match=refusal):
        extract(other, marked.text, marked_with=marked.record)
    monkeypatch.setattr(FakeEngine, "known_canary", engine.canary)
    for verb in (extract, recover):
        with pytest.raises(AnswersDiffer, match=refusal):
            verb(other, marked.text, marked_with=engine.fingerprint)
        verb(engine, marked.text, marked_with=engine.fingerprint)
    assert extract(other, marked.text).bits == extract(engine, marked.text, marked_with=marked.record).bits


def test_capacity_is_told_by_paragraph(engine: FakeEngine) -> None:
    """Paragraphs end at blank lines of any kind, and hold all sites."""
    text = "\r\n \r\n".join([TEXT, "Short one.", fake_text(words=50, seed=6)])
    found = capacity(engine, text)
    assert [paragraph.span.of(text) for paragraph in found.paragraphs] == text.split("\r\n \r\n")
    assert found.bits == len(extract(engine, text).sites)
    assert all(paragraph.span.contains(site.span) for paragraph in found.paragraphs for site in paragraph.sites)
    assert found.bits_per_word == pytest.approx(found.bits / found.words)
    nothing = capacity(engine, "Short one.")
    assert (nothing.bits, nothing.bits_per_word) == (0, 0.0)


def test_progress_counts_every_word_once(engine: FakeEngine) -> None:
    """It rises to the number of words, whatever the verb."""
    for verb in (extract, recover, capacity, partial(embed, bits=[1, 0])):
        seen: list[tuple[int, int]] = []
        verb(engine, TEXT, on_progress=lambda *counts, seen=seen: seen.append(counts))
        assert [done for done, _ in seen] == sorted(done for done, _ in seen)
        assert seen[-1][0] == seen[-1][1] == capacity(engine, TEXT).words


def test_every_result_has_a_json_form(engine: FakeEngine) -> None:
    """With the fingerprint, but for a comparison, which asks no model."""
    marked = embed(engine, TEXT, [1, 0, 1])
    for result in (marked, extract(engine, marked.text), recover(engine, marked.text), capacity(engine, TEXT)):
        assert json.loads(json.dumps(as_json(result)))["fingerprint"] == engine.fingerprint
    assert json.dumps(as_json(diff(TEXT, marked.text)))
    with pytest.raises(TypeError):
        as_json(object())
