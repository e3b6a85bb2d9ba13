"""Whoever may trace must not learn from the answers how to write a text that points to somebody else."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from html import unescape
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from tests.tracing.masters import copy_of, excerpt, make_text
from tests.workflows.leaks import Issued, issue

from lexprint.registry.protocol import Registry, open_registry
from lexprint.reports.page import report_page
from lexprint.reports.report import Report
from lexprint.reports.signed_file import report_json
from lexprint.reports.wording import explanation, headline, lead_in_words, method
from lexprint.workflows.tracing import rank_copies, trace


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    with open_registry(str(tmp_path / "registry.db")) as opened:
        yield opened


def text_of(issued: Issued, symbols: Sequence[int]) -> str:
    return copy_of(issued.record, np.array(symbols, dtype=np.uint8))


def told_about(value: Any, number: int) -> list[int]:
    """All that a report says in numbers of how well a copy agrees, wherever it says it."""
    if isinstance(value, dict):
        own = [value["matches"]] if value.get("number") == number and "matches" in value else []
        return own + [found for one in value.values() for found in told_about(one, number)]
    return [found for one in value for found in told_about(one, number)] if isinstance(value, list) else []


def climb(registry: Registry, issued: Issued, *, own: int, target: int, random: Random, steps: int) -> list[Report]:
    """From one's own copy towards another's, a marked word at a time, keeping what the reports seem to reward."""
    symbols = issued.codewords[own - 1].tolist()
    reports = [trace(registry, text_of(issued, symbols))]
    best = max(told_about(report_json(reports[0]), target), default=0)
    for site in random.sample(range(len(symbols)), min(steps, len(symbols))):
        tried = [1 - symbol if place == site else symbol for place, symbol in enumerate(symbols)]
        reports.append(trace(registry, text_of(issued, tried)))
        told = max(told_about(report_json(reports[-1]), target), default=0)
        if told > best or (told == best and random.random() < 0.5):
            symbols, best = tried, told
    reports.append(trace(registry, text_of(issued, symbols)))
    return reports


def innocents(reports: Sequence[Report], own: int) -> list[int]:
    return [copy.number for report in reports for copy in report.accused if copy.number != own]


def test_hill_climbing(registry: Registry) -> None:
    """A hundred queries from one's own copy towards another's name nobody but oneself."""
    issued = issue(registry, words=800)
    reports = climb(registry, issued, own=3, target=17, random=Random(1), steps=96)
    assert innocents(reports, 3) == []
    assert [told_about(report_json(report), 17) for report in reports] == [[]] * len(reports)


@pytest.mark.parametrize("seed", range(2))
def test_short_hill_climbs(registry: Registry, seed: int) -> None:
    """Nor do climbs with other targets and chances, by flips at random where nothing is told."""
    issued = issue(registry, number=seed + 1, words=300, copies=8)
    assert innocents(climb(registry, issued, own=1, target=2, random=Random(seed), steps=36), 1) == []


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("seed", range(200))
def test_two_hundred_hill_climbs(registry: Registry, seed: int) -> None:
    """The same in full size."""
    random = Random(seed)
    issued = issue(registry, number=seed + 1, words=random.choice([300, 600, 900]), copies=random.choice([5, 50]))
    own, target = random.sample(range(1, 6), 2)
    assert innocents(climb(registry, issued, own=own, target=target, random=random, steps=100), own) == []


def without_identity(report: Report) -> dict[str, object]:
    value = json.loads(json.dumps(report_json(report)))
    for name in ("id", "made_at"):
        del value["report"][name]
    return dict(value)


def reissued(folder: Path, issued: Issued, kept: int) -> Registry:
    """A registry with the same document whose copies, but for one, say other words."""
    registry = open_registry(str(folder / "other.db"))
    issue(registry, number=int(issued.record.id, 16), secret="another", kept={kept: issued.codewords[kept - 1]})
    return registry


@pytest.mark.parametrize("share", [0.0, 0.2, 0.35, 0.5])
def test_reports_are_silent_on_copies_that_are_not_named(registry: Registry, tmp_path: Path, share: float) -> None:
    """What a report says follows from the leak, the document and the named copies: others may be any."""
    issued = issue(registry)
    random = Random(7)
    symbols = [1 - symbol if random.random() < share else symbol for symbol in issued.codewords[16].tolist()]
    leak = text_of(issued, symbols)
    with reissued(tmp_path, issued, kept=17) as other:
        reports = [trace(one, leak) for one in (registry, other)]
    assert {copy.number for report in reports for copy in report.accused} <= {17}
    assert without_identity(reports[0]) == without_identity(reports[1])


def test_where_the_marks_are_is_told_only_with_a_name(registry: Registry) -> None:
    """A leak that names nobody gets no list of the words that differ between copies."""
    issued = issue(registry)
    report = trace(registry, issued.record.text)
    assert (report.accused, report.evidence) == ((), ())
    assert report.readable == len(issued.record.sites)


def test_small_edits_are_noticed(registry: Registry) -> None:
    """A text that differs from a traced one in a marked word or a few is said to; another copy is not."""
    issued = issue(registry)
    symbols = issued.codewords[16].tolist()
    assert not any("small edit" in note for note in trace(registry, text_of(issued, symbols)).notes)
    assert not any("small edit" in note for note in trace(registry, issued.copy(18)).notes)
    for flips in (1, 5):
        edited = [1 - symbol if place < flips else symbol for place, symbol in enumerate(symbols)]
        notes = trace(registry, text_of(issued, edited)).notes
        assert any("small edit" in note for note in notes)
    disguise = make_text(300, Random(5))
    edited = [1 - symbol if place == 40 else symbol for place, symbol in enumerate(symbols)]
    notes = trace(registry, f"{disguise}\n\n{text_of(issued, edited)}").notes
    assert any("small edit" in note for note in notes)


def test_every_trace_counts(registry: Registry) -> None:
    """The chance of error of the k-th leak is k(k+1) times that of one that nobody asked before; the bound stays."""
    issued = issue(registry)
    first = trace(registry, issued.copy(1))
    later = [trace(registry, issued.copy(number)) for number in (2, 3, 4)]
    assert [report.turn for report in (first, *later)] == [1, 2, 3, 4]
    for turn, report in enumerate(later, start=2):
        (copy,) = report.accused
        price = copy.family_p_value / (50 * copy.p_value)
        assert abs(price - turn * (turn + 1)) < Decimal("0.05") * price
        assert copy.family_p_value <= report.error_bound
        assert f"any of the {turn - 1} earlier" in " ".join(text for _, text in method(report))


def test_the_same_leak_again_is_the_same_question(registry: Registry) -> None:
    """It takes no turn, in whatever layout, unless copies were added since."""
    issued = issue(registry)
    leak = issued.copy(17)
    assert [trace(registry, text).turn for text in (leak, leak.upper(), " ".join(leak.split()))] == [1, 1, 1]
    assert trace(registry, issued.copy(18)).turn == 2
    assert trace(registry, leak).turn == 1


def test_texts_that_could_name_nobody_take_no_turn(registry: Registry) -> None:
    """Unrelated texts and shreds cost nothing."""
    issued = issue(registry)
    for seed in range(5):
        report = trace(registry, excerpt(issued.copy(17), Random(seed), words=40))
        assert (report.verdict, report.turn) in [("inconclusive", None), ("no document", None)]
    assert trace(registry, issued.copy(17)).turn == 1


def test_the_text_does_not_say_that_a_chosen_bound_was_set_before(registry: Registry) -> None:
    """Whoever asks chooses the bound, and the signed words say so."""
    issued = issue(registry)
    for bound, said in (
        (1e-6, "lexprint's own limit"),
        (0.3, "a limit that the issuer chose, or whoever asked for this trace"),
    ):
        report = trace(registry, issued.copy(17), error_bound=bound)
        words = " ".join(text for _, text in method(report))
        assert said in words
        assert "before the trace" not in words


def test_a_report_says_who_could_have_forged_the_leak(registry: Registry) -> None:
    """Whoever could read the registry or held the copy, and what somebody who may trace could have tried."""
    report = trace(registry, issue(registry).copy(17))
    for shown in (" ".join(text for _, text in method(report)), unescape(report_page(report))):
        assert "someone who could read it, or who held another recipient's copy, could have written a text" in shown
        assert "Someone who may trace leaks could have tried many texts" in shown


def test_ranking_is_for_those_who_hold_the_registry(registry: Registry) -> None:
    """It can be asked for, by another name, and is logged; it makes no report."""
    issued = issue(registry)
    ranking = rank_copies(registry, issued.copy(17), document_id=issued.record.id)
    assert (ranking.copies[0].number, len(ranking.copies)) == (17, 20)
    assert registry.reports() == []
    assert [entry.event for entry in registry.audit()][-1] == "copies ranked"


def short_leak(issued: Issued) -> str:
    """A part of copy 17 that shows too few marked words to name it, and enough to make it lead."""
    sites = issued.record.sites
    return issued.copy(17)[: sites[18].span.start]


def test_a_lead_is_told_to_those_who_hold_the_registry_alone(registry: Registry, tmp_path: Path) -> None:
    """A report on the same leak is the same whichever copy leads: nobody who traces can climb by leads."""
    issued = issue(registry)
    leak = short_leak(issued)
    said = lead_in_words(rank_copies(registry, leak, document_id=issued.record.id).lead)
    assert re.fullmatch(r"Copy 17 leads, 1 in [\d,]+: not proof; about \d+ more readable sites would settle it\.", said)
    report = trace(registry, leak, document_id=issued.record.id)
    assert (report.verdict, told_about(report_json(report), 17)) == ("inconclusive", [])
    shown = f"{report_json(report)} {report_page(report)} {explanation(report)} {headline(report)} {method(report)}"
    assert "leads" not in shown.lower()
    other = open_registry(str(tmp_path / "other.db"))
    with other:
        issue(other, number=int(issued.record.id, 16), secret="another")
        assert without_identity(trace(other, leak, document_id=issued.record.id)) == without_identity(report)


def test_a_lead_that_goes_on_is_settled(registry: Registry) -> None:
    """With so many more readable sites as are said, the copy is named."""
    issued = issue(registry)
    lead = rank_copies(registry, short_leak(issued), document_id=issued.record.id).lead
    assert lead.further is not None
    longer = issued.copy(17)[: issued.record.sites[18 + lead.further].span.start]
    assert [copy.number for copy in trace(registry, longer, document_id=issued.record.id).accused] == [17]
    assert rank_copies(registry, longer, document_id=issued.record.id).lead.is_enough


def test_every_trace_makes_a_lead_harder_to_settle(registry: Registry) -> None:
    """Who asks again and again is told a number that grows, as the bound of the next trace shrinks."""
    issued = issue(registry)
    leak = short_leak(issued)
    first = rank_copies(registry, leak, document_id=issued.record.id).lead
    for number in range(1, 9):
        trace(registry, issued.copy(number))
    later = rank_copies(registry, leak, document_id=issued.record.id).lead
    assert (first.number, later.number) == (17, 17)
    assert first.further is not None
    assert later.further is not None
    assert later.further > first.further


@pytest.mark.parametrize("seed", range(3))
def test_an_innocent_best_copy_is_not_called_a_lead(registry: Registry, seed: int) -> None:
    """Of a text whose words are drawn at random some copy agrees best, and none is said to lead."""
    issued = issue(registry)
    symbols = [Random(seed * 1_000 + place).randint(0, 1) for place in range(len(issued.record.sites))]
    ranking = rank_copies(registry, text_of(issued, symbols), document_id=issued.record.id)
    assert ranking.lead.number is None
    assert str(ranking.copies[0].number) not in lead_in_words(ranking.lead).replace("1 leak in 10", "").split()


def test_all_turns_together_keep_the_bound() -> None:
    """The shares of the bound add up to no more than all of it."""
    from lexprint.tracing.trace_turns import share_of_turn

    assert 0.999 < sum(map(share_of_turn, range(1, 10_000))) < 1.0


def test_replaced_texts_are_not_mixed_up(registry: Registry) -> None:
    """Turns are counted by document."""
    first, second = issue(registry, number=1), issue(registry, number=2, name="minutes")
    assert trace(registry, first.copy(1)).turn == 1
    assert trace(registry, second.copy(1)).turn == 1
    assert trace(registry, replace(first).copy(2)).turn == 2
