"""Quality of marked sentences: the arithmetic of rows, and the schemes that are judged."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.fakes import FakeEngine

from lexprint.testing import fake_text
from lexprint_evaluation import quality
from lexprint_evaluation.confidence import Figure
from lexprint_evaluation.datasets import Corpus
from lexprint_evaluation.judges import Pair, judges
from lexprint_evaluation.quality import MarkedSet, published_set
from lexprint_evaluation.rivals.awt_output import Block

CORPUS = Corpus("fake", "Fake", fake_text(words=400, seed=2))


class CountsExchanges:
    """One nat for each word that differs."""

    def judge(self, pairs: Sequence[Pair]) -> list[Figure]:
        return [
            Figure(-float(sum(one != other for one, other in zip(*map(str.split, pair), strict=True))), 10)
            for pair in pairs
        ]


@pytest.fixture(scope="module")
def marked() -> MarkedSet:
    (marker,) = quality.markers(FakeEngine(), ["lexprint"])
    return quality.mark(marker, CORPUS, sentences=12, seed=1)


def test_marking_exchanges_words(marked: MarkedSet) -> None:
    """Pairs are the sentences that count, and differ where a bit wanted another word."""
    assert len(marked.pairs) == 12
    assert 0 < marked.substituted <= marked.bits < marked.words
    assert -sum(one.amount for one in CountsExchanges().judge(marked.pairs)) == marked.substituted


def test_a_row_says_what_a_bit_costs(marked: MarkedSet) -> None:
    """Likelihood lost over bits written; means over changed sentences and over all."""
    figures = quality.figures_of(CountsExchanges(), marked.pairs)
    row = quality.quality_row(marked, {"fluency": figures}, seed=1)
    assert row.nats_per_bit == pytest.approx(marked.substituted / marked.bits)
    changed, every = row.of_changed["fluency"], row.of_all["fluency"]
    assert changed is not None
    assert every is not None
    assert changed.mean == pytest.approx(-marked.substituted / (10 * row.changed))
    assert every.mean == pytest.approx(-marked.substituted / 120)
    assert changed.low <= changed.mean <= changed.high


def test_all_sets_as_one(marked: MarkedSet) -> None:
    """Counts are summed, and the mean of two equal sets is theirs."""
    figures = {"fluency": quality.figures_of(CountsExchanges(), marked.pairs)}
    row, both = quality.quality_row(marked, figures, seed=1), quality.pooled([(marked, figures)] * 2, seed=1)
    assert (both.title, both.sentences, both.bits) == ("all sets", 24, 2 * marked.bits)
    assert both.of_all["fluency"] is not None
    assert row.of_all["fluency"] is not None
    assert both.of_all["fluency"].mean == pytest.approx(row.of_all["fluency"].mean)


def test_nothing_exchanged() -> None:
    """No mean of what changed, and no division by zero."""
    marked = MarkedSet("X", "none", 5, 0, 0, (("He left early that day.", "He left early that day."),))
    figures = {name: quality.figures_of(judge, marked.pairs) for name, judge in judges(FakeEngine(), []).items()}
    row = quality.quality_row(marked, figures, seed=1)
    assert row.of_changed == {"sr": None, "ss": None}
    assert row.of_all["ss"] is not None
    assert row.of_all["ss"].mean == pytest.approx(1.0)
    assert quality.quality_table([row]).splitlines()[2].split("|")[-2].strip() == "-"


def test_what_was_marked_can_be_kept(marked: MarkedSet) -> None:
    """Interrupted runs resume with the same pairs."""
    import json
    from dataclasses import asdict

    assert quality.marked_set_from(json.loads(json.dumps(asdict(marked)))) == marked


def test_registered_copies_are_judged_too() -> None:
    """As issuing makes them; fakes find no site, so nothing is exchanged."""
    (marker,) = quality.markers(FakeEngine(), ["registered"])
    found = marker.embed(CORPUS.text, [1] * 500)
    assert marker.name == "registered"
    assert len(found.edits) <= len(found.bits)
    assert (found.text == CORPUS.text) == (not found.edits)


def test_plot_is_a_picture(marked: MarkedSet) -> None:
    """SVG that names every scheme and judge, the same for the same figures."""
    from lexprint_evaluation.plots import quality_plot

    row = quality.quality_row(marked, {"fluency": quality.figures_of(CountsExchanges(), marked.pairs)}, seed=1)
    picture = quality_plot([row])
    assert all(word in picture for word in (b"<svg", b"lexprint", b"fluency", b"Fake"))
    assert picture == quality_plot([row])


def test_what_awt_published_is_a_set_like_others() -> None:
    """Its sentences before and after, with the bits and words of its blocks."""
    block = Block(tuple("It is a very cold day .".split()), tuple("It is a very <unk> day .".split()), (1, 0), (1, 1))
    found = published_set([block, block], title="WikiText-2")
    assert (found.title, found.words, found.bits, found.substituted) == ("WikiText-2", 14, 4, 2)
    assert found.pairs == (("It is a very cold day.", "It is a very <unk> day."),) * 2
