"""What each test is for, on fakes."""

import json

import pytest
from tests.fakes import FakeEngine

from lexprint.evaluation.ablations import (
    AblationRow,
    ablate,
    ablation_table,
    failure_list,
    recovery_table,
    row_from,
    row_json,
)
from lexprint.evaluation.datasets import Corpus
from lexprint.evaluation.schemes import blind_schemes
from lexprint.testing import fake_text

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
