"""The chain of entries: what follows from what, and what is noticed."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st
from tests.registry.registered import NOON, record

from lexprint.registry import audit
from lexprint.registry.records import AuditEntry, BrokenEntry
from lexprint.text.pairs import Figures

NOTHING = dict.fromkeys(audit.STORED_EVENTS, 0)


def chain(*events: str) -> list[AuditEntry]:
    entries: list[AuditEntry] = []
    for event in events:
        last = (entries[-1].sequence, entries[-1].hash) if entries else None
        entries.append(audit.next_entry(last, at=NOON, event=event, details={"event": event}))
    return entries


def verify(entries: list[AuditEntry], stored: Mapping[str, int] = NOTHING) -> BrokenEntry | None:
    return audit.first_broken(entries, digest_of=lambda event, details: details["sha256"], stored=stored)


def test_hashes_are_fixed() -> None:
    """Logs outlive versions, so the hash of an entry must never change."""
    assert chain("trace made")[0].hash == "cae83dac8f75b987360d8c739cd1b55113004b344f3fe66e6f9321d59da2fb33"


def test_whole_chains_hold() -> None:
    """So does an empty one."""
    assert verify([]) is None
    assert verify(chain("one", "two", "three")) is None


@given(st.integers(0, 3), st.sampled_from(["at", "event", "details", "hash", "previous"]), st.text(max_size=3))
def test_any_change_is_noticed(position: int, field: str, value: str) -> None:
    """At the entry that was changed, not later."""
    entries = chain("one", "two", "three", "four")
    entries[position] = replace(entries[position], **{field: getattr(entries[position], field) + value + "."})
    broken = verify(entries)
    assert broken is not None
    assert broken.sequence == position + 1


@given(st.permutations(range(4)), st.integers(0, 4))
def test_order_and_gaps_are_noticed(order: list[int], length: int) -> None:
    """Only a beginning of the chain holds by itself; what it lacks, the stored things tell."""
    entries = chain("one", "two", "three", "four")
    shuffled = [entries[position] for position in order[:length]]
    assert (verify(shuffled) is None) == (order[:length] == list(range(length)))


def test_rewritten_chains_are_noticed_by_what_is_stored() -> None:
    """A log that was begun anew holds, but does not know the documents."""
    broken = verify(chain("one"), stored=NOTHING | {audit.DOCUMENT_ADDED: 2})
    assert broken == BrokenEntry(2, "it is missing: 2 are stored and 0 were logged (document added)")


def test_digests_cover_every_field() -> None:
    """Any change to a document changes its digest."""
    one = record(1, sites=2)
    changed = [
        replace(one, id="0"),
        replace(one, name="x"),
        replace(one, text="x"),
        replace(one, digest="x"),
        replace(one, issuing="blind"),
        replace(one, code="independent"),
        replace(one, sites=one.sites[:1]),
        replace(one, sites=(replace(one.sites[0], entailment=0.5), one.sites[1])),
        replace(one, sites=(replace(one.sites[0], further=("x",)), one.sites[1])),
        replace(one, sites=(replace(one.sites[0], likely_edits=("x",)), one.sites[1])),
        replace(one, sites=(replace(one.sites[0], figures=(Figures(0.9, 0.8),)), one.sites[1])),
        replace(one, sites=(replace(one.sites[0], figures=(Figures(0.9, 0.9),)), one.sites[1])),
        replace(one, biases=(0.1, 0.2)),
        replace(one, key_id="x"),
        replace(one, fingerprint="x"),
        replace(one, created_at=datetime(2026, 1, 1, tzinfo=UTC)),
    ]
    assert len({audit.document_digest(document) for document in [one, *changed]}) == 1 + len(changed)
    assert audit.document_digest(replace(one, biases=(0, 1))) == audit.document_digest(replace(one, biases=(0.0, 1.0)))


def test_details_are_canonical() -> None:
    """The same details, in whatever order, are the same text, in ASCII."""
    text = audit.canonical_json({"b": "é\0", "a": [1, 2]})
    assert text == audit.canonical_json({"a": [1, 2], "b": "é\0"})
    assert text.isascii()
    assert json.loads(text) == {"a": [1, 2], "b": "é\0"}


@given(st.sets(st.integers(1, 60)))
def test_ranges_say_the_numbers(numbers: set[int]) -> None:
    """Runs are disjoint, ordered, apart, and say just these numbers."""
    ranges = audit.as_ranges(numbers)
    assert [number for first, last in ranges for number in range(first, last + 1)] == sorted(numbers)
    assert all(later[0] > earlier[1] + 1 for earlier, later in pairwise(ranges))


def test_times_need_a_zone() -> None:
    """A time without a zone is refused."""
    with pytest.raises(ValueError, match="zone"):
        audit.time_text(datetime(2026, 1, 1))
