"""What each test is for, on fakes."""

import json
from dataclasses import replace

import pytest
from tests.fakes import FakeEngine

from lexprint.testing import fake_text
from lexprint_evaluation.ablations import (
    AblationRow,
    ablate,
    ablation_table,
    failure_list,
    pooled,
    recovery_table,
    row_from,
    row_json,
)
from lexprint_evaluation.datasets import Corpus
from lexprint_evaluation.schemes import blind_schemes

CORPUS = Corpus("imdb", "IMDB", fake_text(words=330, seed=0))


def measured(name: str) -> AblationRow:
    engine = FakeEngine()
    (writer,), (reader,) = blind_schemes(engine, [name]), blind_schemes(engine, [name])
    return ablate(engine, CORPUS, writer=writer, reader=reader, sentences=40, seed=1, examples=2)


@pytest.fixture(scope="module")
def rows() -> list[AblationRow]:
    return [measured(f"paper{suffix}") for suffix in ("", "-without-synchronicity", "-without-substitutability")]


def test_nothing_is_lost_with_both(rows: list[AblationRow]) -> None:
    """Every word is found with its pair."""
    full = rows[0]
    assert full.bits >= 20
    assert full.bit_errors == 0
    assert full.located.right == full.located.written == full.bits
    assert full.located.surplus == 0
    assert full.examples == ()
    assert 0 < full.recovered <= full.substituted


def test_bits_are_lost_without_either(rows: list[AblationRow]) -> None:
    """In the ways that the paper shows: other pairs and missed words, or a word found one too early."""
    _, no_synchronicity, no_substitutability = rows
    assert no_synchronicity.bit_error_rate > 0.05
    assert no_synchronicity.located.other_pair > 0
    assert no_substitutability.bit_errors > 0
    assert no_substitutability.located.surplus > 0
    assert [row.tests for row in rows] == ["both tests", "without synchronicity", "without substitutability"]


def test_what_the_test_turns_down_is_counted(rows: list[AblationRow]) -> None:
    """Words that would wake the one before them; where nothing is tested, nothing is turned down."""
    full, _, untested = rows
    assert full.turned_down > 0
    assert untested.turned_down == 0
    assert untested.bits > full.bits


def test_all_sets_are_summed(rows: list[AblationRow]) -> None:
    """For each scheme with more than one set."""
    full, ablated, _ = rows
    (whole,) = pooled([full, ablated, replace(full, title="Dracula", bit_errors=3)])
    assert (whole.title, whole.method, whole.bits, whole.bit_errors) == ("all sets", "paper", 2 * full.bits, 3)
    assert whole.located.written == 2 * full.located.written
    assert pooled(rows) == []


def test_counts_add_up(rows: list[AblationRow]) -> None:
    """Every bit written is at a word that is right, misread or missed."""
    for row in rows:
        assert row.located.written == row.bits
        assert row_from(json.loads(json.dumps(row_json(row)))) == row


def test_tables_hold_the_papers_examples(rows: list[AblationRow]) -> None:
    """Below ours; failures show both sides."""
    table = ablation_table(rows)
    assert table.count("paper's examples") == 3
    assert "0.821" in recovery_table(rows)
    failures = failure_list(rows)
    assert "### IMDB, paper-without-synchronicity" in failures
    assert "~~" in failures
    assert "### IMDB, paper\n" not in failures
