"""Turns: each new reading of a document takes one, and small edits are known."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from tests.registry.registered import copies, document_id, record

from lexprint.errors import RegistryError, UnknownDocument
from lexprint.registry.protocol import Registry
from lexprint.tracing.trace_turns import Mark, Reading, share_of_turn, take_turn

NOW = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)


def reading(symbols: Sequence[int], *, first: int = 0, doubtful: Sequence[int] = ()) -> Reading:
    return Reading.of(Mark(place, symbol, place in doubtful) for place, symbol in enumerate(symbols, start=first))


def test_turns_are_counted_by_document_and_reading(registry: Registry) -> None:
    """The same reading of as many copies is the same question; anything else is another one."""
    for number in (1, 2):
        registry.add_document(record(number), copies(number, 1, 2))

    def turn(symbols: Sequence[int], *, number: int = 1, compared: int = 2, doubtful: Sequence[int] = ()) -> int:
        found = reading(symbols, doubtful=doubtful)
        return take_turn(registry, document_id(number), found, compared=compared, at=NOW).number

    assert [turn([0, 1]), turn([1, 1]), turn([0, 1]), turn([0, 1], doubtful=[1])] == [1, 2, 1, 3]
    assert turn([0, 1], number=2) == 1
    assert turn([0, 1], compared=3) == 4
    assert turn([0, 1]) == 1
    assert registry.verify_audit() is None
    with pytest.raises(UnknownDocument):
        turn([0], number=3)


def test_a_reading_survives_storing() -> None:
    """In any order, with what was doubtful."""
    marks = [Mark(2**32 - 1, 1), Mark(0, 2, True), Mark(7, 0)]
    found = Reading.of(marks)
    assert Reading.unpacked(found.packed()).digest == found.digest == Reading.of(marks[::-1]).digest
    assert found.digest != Reading.of([*marks[:2], Mark(7, 0, True)]).digest
    with pytest.raises(RegistryError, match="damaged"):
        Reading.unpacked(found.packed()[:-1])


def test_small_edits(registry: Registry) -> None:
    """The nearest of the earlier readings is told, if it differs in few of the places that both show."""
    registry.add_document(record(1), copies(1, 1, 2))
    symbols = [0, 1] * 20

    def nearest(found: Reading, *, minutes: int) -> tuple[int, int] | None:
        at = NOW + timedelta(minutes=minutes)
        edited = take_turn(registry, document_id(1), found, compared=2, at=at).nearest
        return None if edited is None else (edited.likeness.common, edited.likeness.different)

    assert nearest(reading(symbols), minutes=0) is None
    assert nearest(reading([1 - symbol for symbol in symbols]), minutes=1) is None
    assert nearest(reading([1, *symbols[1:]]), minutes=2) == (40, 1)
    assert nearest(reading([1, 0, *symbols[2:]]), minutes=3) == (40, 1)
    assert nearest(reading([*symbols[:10]]), minutes=4) is None  # too few to say
    assert nearest(reading([1 - symbol for symbol in symbols[:8]] + symbols[8:]), minutes=5) is None


def test_shares_of_the_bound() -> None:
    """A half, a sixth, a twelfth: all of them together are the whole."""
    assert [round(1 / share_of_turn(turn)) for turn in (1, 2, 3, 10)] == [2, 6, 12, 110]
