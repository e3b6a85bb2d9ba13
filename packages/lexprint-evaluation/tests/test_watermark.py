"""The evaluation of the watermark, on fakes."""

from dataclasses import replace

import pytest
from tests.fakes import FakeEngine

from lexprint.settings import Settings, SubstitutionSettings
from lexprint.testing import fake_text
from lexprint_evaluation.datasets import Corpus
from lexprint_evaluation.disturbances import DISTURBANCES
from lexprint_evaluation.watermark import (
    Experiment,
    Row,
    disturbance_table,
    example_list,
    measure,
    row_json,
    table,
)

EXPERIMENT = Experiment(sentences=20, seed=7, examples=3, disturbances=DISTURBANCES)
CORPUS = Corpus("imdb", "IMDB", "Short. " + fake_text(words=900, seed=3).replace(" and ", " — “and” "))


@pytest.fixture(scope="module")
def engine() -> FakeEngine:
    """One that finds many sites."""
    return FakeEngine(settings=Settings(substitution=SubstitutionSettings(proposals=8)))


@pytest.fixture(scope="module")
def row(engine: FakeEngine) -> Row:
    return measure(engine, CORPUS, EXPERIMENT, gap=1)


def test_no_bit_is_lost(row: Row) -> None:
    """A reader who knows nothing finds every bit, also after changes that leave the words alone."""
    assert row.bits > 20
    assert row.bit_errors == 0
    assert dict.fromkeys(DISTURBANCES, 0) == row.disturbed_bit_errors


def test_figures_are_of_the_text(row: Row) -> None:
    """Twenty sentences, some words substituted, some of them recovered, means between 0 and 1."""
    assert row.sentences == 20
    assert 0 <= row.recovered <= row.substituted <= row.bits
    assert row.substituted > 0
    for figure in (row.entailment.changed, row.entailment.all, row.similarity.changed, row.similarity.all):
        assert figure is not None
        assert 0 < figure <= 1


def test_the_same_seed_gives_the_same_figures(engine: FakeEngine, row: Row) -> None:
    """Only the clock differs."""
    again = measure(engine, CORPUS, EXPERIMENT, gap=1)
    assert again == row
    other = measure(engine, CORPUS, replace(EXPERIMENT, seed=8), gap=1)
    assert other != row


def test_a_wider_gap_carries_less(engine: FakeEngine, row: Row) -> None:
    """f = 3 has fewer bits and another fingerprint."""
    wide = measure(engine, CORPUS, EXPERIMENT, gap=3)
    assert wide.bits < row.bits
    assert wide.fingerprint != row.fingerprint == engine.fingerprint


def test_progress_ends_at_the_total(engine: FakeEngine) -> None:
    """Writing and reading both count."""
    seen: list[tuple[int, int]] = []
    row = measure(engine, CORPUS, EXPERIMENT, gap=1, on_progress=lambda *counts: seen.append(counts))
    assert seen[-1] == (2 * row.words, 2 * row.words)


def test_the_paper_stands_beside(row: Row) -> None:
    """Published figures of the set for f = 1, and of the means for every f."""
    wide = replace(row, title="WikiText-2", gap=2)
    text = table([row, replace(row, title="WikiText-2"), wide, replace(wide, title="IMDB")])
    lines = [[cell.strip() for cell in line.split("|")] for line in text.splitlines()]
    assert "0.097" in lines[2]
    assert "0.821" in lines[2]
    assert "0.105" in lines[3]
    assert lines[4].count("-") == 4
    assert lines[6][1:3] == ["mean", "1"]
    assert "0.091" in lines[6]
    assert "0.044" in lines[7]
    assert len({len(line) for line in text.splitlines()}) == 1


def test_examples_show_what_was_substituted(row: Row) -> None:
    """In bold, as many words in the original as in the marked sentence."""
    assert len(row.examples) == 3
    for example in row.examples:
        assert example.original != example.marked
        assert example.original.count("**") == example.marked.count("**") >= 2
    assert example_list([row]).count("\n- ") == 3


def test_every_figure_is_in_the_json(row: Row) -> None:
    """Also what follows from others."""
    found = row_json(row)
    assert found["bit_error_rate"] == 0.0
    assert found["bits_per_word"] == pytest.approx(row.bits / row.words)
    assert found["recovered_share"] == pytest.approx(row.recovered / row.substituted)
    assert disturbance_table([row]).splitlines()[2].count(" 0 |") == len(DISTURBANCES)


def test_a_set_that_carries_nothing(engine: FakeEngine) -> None:
    """Has no means of what changed, and no division by zero."""
    row = measure(engine, Corpus("x", "X", "Er war nie zu Hause an diesem Tag."), EXPERIMENT, gap=1)
    assert (row.bits, row.bit_error_rate, row.entailment.changed, row.examples) == (0, 0.0, None, ())
    assert table([row])


def test_words_without_punctuation_are_counted_beside_all(row: Row) -> None:
    """Bits per word as others count them is higher, since commas and full stops are no words."""
    assert 0 < row.plain_words < row.words
    assert row.bits_per_plain_word == row.bits / row.plain_words
    assert "without punctuation" in table([row])
