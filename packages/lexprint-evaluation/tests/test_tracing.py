"""The evaluation of tracing, on masters made of fakes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.fakes import FakeEngine

from lexprint.registry.records import CopySite, DocumentRecord
from lexprint.settings import Settings, SubstitutionSettings
from lexprint.testing import fake_text
from lexprint.watermark.extract import extract
from lexprint.workflows.marking import scheme_of, segmented
from lexprint_evaluation import tracing
from lexprint_evaluation.attack_table import by_title
from lexprint_evaluation.datasets import Corpus


@pytest.fixture(scope="module")
def engine() -> FakeEngine:
    return FakeEngine(settings=Settings(substitution=SubstitutionSettings(proposals=8, acceptance_floor=0.5)))


@pytest.fixture(scope="module")
def record(engine: FakeEngine) -> DocumentRecord:
    """A master whose sites are those of the paper's scheme: fakes know no others."""
    text = fake_text(words=900, seed=3)
    found = extract(segmented(text), scheme_of(engine)).sites
    empty = tracing.master_of(engine, "Too short.", name="fake 1")
    sites = tuple(CopySite(site.span, site.word, site.pair, site.entailment) for site in found)
    assert len(sites) > 40
    return replace(empty, text=text, sites=sites, biases=(0.5,) * len(sites))


def test_untouched_copies_are_named(record: DocumentRecord) -> None:
    """Every leak of a whole copy leads to it, and to nobody else."""
    (row,) = tracing.attack_rows([record], by_title(["untouched"]), recipients=50, trials=5, seed=1)
    assert (row.right, row.inconclusive, row.wrong) == (5, 0, 0)
    assert row.readable == len(record.sites)


def test_same_seed_same_outcome(record: DocumentRecord) -> None:
    """All but the time is a function of the seed."""
    once, again = (
        tracing.attack_rows([record], by_title(["crop 50% kept"]), recipients=20, trials=3, seed=2) for _ in range(2)
    )
    assert [replace(row, seconds=0.0) for row in once] == [replace(row, seconds=0.0) for row in again]


def test_nobody_is_accused_who_was_never_given_a_copy(record: DocumentRecord) -> None:
    """Innocent codewords and unmarked texts lead nowhere."""
    found = tracing.innocence([record], [record.text], recipients=500, unmarked_recipients=100, seed=1)
    assert (found.compared, found.accused, found.unmarked_texts, found.unmarked_accused) == (500, 0, 1, 0)
    assert "500 copies" in tracing.innocence_text(found)


@pytest.mark.parametrize("name", tracing.MIXES)
def test_colluders_write_only_what_they_hold(name: str) -> None:
    """Where all agree there is no choice."""
    generator = np.random.default_rng(1)
    held = generator.integers(2, size=(3, 200)).astype(np.uint8)
    mixed = tracing.MIXES[name](held, generator)
    agreed = (held == held[0]).all(axis=0)
    assert (mixed[agreed] == held[0, agreed]).all()


def test_majority_and_minority_differ() -> None:
    """With three there is never a tie: one writes what the other does not."""
    generator = np.random.default_rng(1)
    held = generator.integers(2, size=(3, 200)).astype(np.uint8)
    split = ~(held == held[0]).all(axis=0)
    assert (tracing.majority(held, generator)[split] != tracing.minority(held, generator)[split]).all()


def test_collusion_table() -> None:
    """A row a case, a column a number of sites; two colluders with 300 sites are caught."""
    rows = tracing.collusion_rows(sites=(30, 300), colluders=(2,), recipients=20, trials=2, seed=1)
    assert all(row.caught == row.trials and not row.wrong for row in rows if row.sites == 300)
    assert len(tracing.collusion_table(rows).splitlines()) == 2 + len(rows) // 2


def test_pieces_are_of_the_size_asked_for() -> None:
    """Whole sentences, about as many words as wanted, from different places."""
    corpus = Corpus("fake", "Fake", fake_text(words=3000, seed=1))
    found = list(tracing.pieces(corpus, words=300, count=3))
    assert len(set(found)) == 3
    assert all(300 <= segmented(piece).word_count < 400 for piece in found)


def test_plot_is_a_picture(record: DocumentRecord) -> None:
    """SVG that names every attack, the same for the same figures."""
    from lexprint_evaluation.plots import tracing_plot

    rows = tracing.attack_rows([record], by_title(["untouched"]), recipients=5, trials=1, seed=1)
    mixes = tracing.collusion_rows(sites=(50,), colluders=(3,), recipients=5, trials=1, seed=1)
    picture = tracing_plot(rows, mixes)
    assert b"<svg" in picture
    assert b"untouched" in picture
    assert picture == tracing_plot(rows, mixes)
