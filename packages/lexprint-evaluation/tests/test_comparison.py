"""Ways of marking side by side, on fakes."""

import itertools
import json
import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.fakes import FakeEngine

from lexprint.testing import fake_text
from lexprint.text.editing import Edit, apply_edits
from lexprint.text.segmentation import segment
from lexprint.text.span import Span
from lexprint_evaluation.comparison import (
    AWT_OUTPUT,
    PUBLISHED,
    MethodRow,
    compare,
    comparison_tables,
    equal_payload_table,
    evenly,
    example_lists,
    originals,
    parts,
    row_from,
    row_json,
    score_published,
    sentence_pairs,
    shown,
)
from lexprint_evaluation.datasets import Corpus
from lexprint_evaluation.marked_text import MarkedText
from lexprint_evaluation.rivals.awt_output import Block
from lexprint_evaluation.schemes import schemes

CORPUS = Corpus("imdb", "IMDB", fake_text(words=900, seed=3))


class EveryThe:
    """Writes to each "the": 1 is "thee"; reads all, or forgets the last bit of a text."""

    name = "every-the"

    def __init__(self, *, forgets: int = 0) -> None:
        self._forgets = forgets

    def embed(self, text: str, bits: Sequence[int]) -> MarkedText:
        places = [word.span for word in segment(text).words if word.text == "the"]
        edits = tuple(Edit(span, "thee") for span, bit in zip(places, bits, strict=False) if bit)
        return MarkedText(apply_edits(text, edits), tuple(bits[: len(places)]), edits)

    def extract(self, text: str) -> tuple[int, ...]:
        found = [int(word.text == "thee") for word in segment(text).words if word.text in ("the", "thee")]
        return tuple(found[: len(found) - self._forgets])


def measured(reader: EveryThe | None = None, *, seed: int = 1) -> MethodRow:
    return compare(
        FakeEngine(), CORPUS, writer=EveryThe(), reader=reader or EveryThe(), sentences=40, seed=seed, examples=6
    )


def test_any_scheme_can_be_measured() -> None:
    """Bits, errors, exchanged words and means between 0 and 1."""
    row = measured()
    assert (row.method, row.title, row.sentences, row.bit_errors) == ("every-the", "IMDB", 40, 0)
    text = "".join(f" {part}" for part in parts(CORPUS, sentences=40))
    assert 0 < row.substituted < row.bits == len(re.findall(r"\bthe\b", text))
    for figure in (row.entailment.changed, row.entailment.all, row.similarity.changed, row.similarity.all):
        assert figure is not None
        assert 0 < figure <= 1


def test_bits_that_are_not_read_are_errors() -> None:
    """One lost in each part."""
    assert measured(EveryThe(forgets=1)).bit_errors == len(parts(CORPUS, sentences=40)) == 2


def test_the_same_seed_gives_the_same_row() -> None:
    """And a row survives being written down."""
    row = measured()
    assert measured() == row != measured(seed=2)
    assert row_from(json.loads(json.dumps(row_json(row)))) == row


@pytest.mark.parametrize("budget", [0, 1, 5, 1000])
def test_a_budget_is_kept_and_spread(budget: int) -> None:
    """As many bits as allowed or as there is room for, all read right, and no more words exchanged than bits written."""
    full = measured()
    row = compare(
        FakeEngine(), CORPUS, writer=EveryThe(), reader=EveryThe(), sentences=40, seed=1, budgets=(budget, budget)
    )
    assert row.bits_of_parts == tuple(min(budget, room) for room in full.bits_of_parts)
    assert (row.bits, row.bit_errors) == (sum(row.bits_of_parts), 0)
    assert row.substituted <= min(row.bits, full.substituted)


def test_bits_lost_within_a_budget_are_errors() -> None:
    """A reader who misses a site looks for the bits at others."""
    forgetful = EveryThe(forgets=9)
    row = compare(FakeEngine(), CORPUS, writer=EveryThe(), reader=forgetful, sentences=40, seed=1, budgets=(9, 9))
    assert row.bit_errors > 0


@pytest.mark.parametrize(("count", "places"), [(0, 0), (0, 7), (1, 1), (3, 7), (7, 7), (2, 101)])
def test_places_are_chosen_evenly(count: int, places: int) -> None:
    """Different ones, in order, and no two gaps differ by more than one."""
    found = evenly(count, places)
    assert len(found) == len(set(found)) == count
    assert found == sorted(found)
    gaps = [later - earlier for earlier, later in itertools.pairwise(found)]
    assert not gaps or max(gaps) - min(gaps) <= 1


def test_equal_payload_stands_beside_the_reference() -> None:
    """Each set's own row first, then what rivals make of as many bits."""
    row = measured()
    text = equal_payload_table("every-the", [row], [replace(row, method="rival", bits=7)])
    assert [line.split("|")[2].strip() for line in text.splitlines()[4:]] == ["every-the", "rival"]
    assert equal_payload_table("absent", [row], [row]).count("IMDB") == 0


def test_our_own_schemes_lose_nothing() -> None:
    """Read by another who knows nothing of the writer."""
    engine = FakeEngine()
    (writer,), (reader,) = schemes(engine, ["paper"]), schemes(engine, ["paper"])
    row = compare(engine, CORPUS, writer=writer, reader=reader, sentences=30, seed=1)
    assert row.bits > 10
    assert row.bit_errors == 0


def test_sentences_are_paired_by_edits() -> None:
    """Even where the marked text would be cut elsewhere."""
    text = "We went to the old house near the river. It was a very cold day."
    start = text.index("house")
    edits = (Edit(Span(start, start + 5), "Dr. No"),)
    pairs = sentence_pairs(segment(text), MarkedText(apply_edits(text, edits), (1,), edits))
    assert pairs == [
        ("We went to the old house near the river.", "We went to the old Dr. No near the river."),
        ("It was a very cold day.", "It was a very cold day."),
    ]


def test_published_output_is_scored_alike() -> None:
    """As many blocks as hold the sentences that were asked for, with their bit errors."""
    original = "the cat sat on the mat .".split()
    block = Block(tuple(original), tuple("the dog sat on the mat .".split()), (1, 0, 1, 1), (1, 0, 0, 1))
    row = score_published(FakeEngine(), [block] * 5, sentences=3)
    assert (row.method, row.title, row.sentences, row.words, row.bits) == (AWT_OUTPUT, "WikiText-2", 3, 21, 12)
    assert (row.bit_errors, row.substituted) == (3, 3)


def test_the_paper_stands_beside() -> None:
    """Each method has the paper's figures of its own; methods that the paper does not know have none."""
    rows = [replace(measured(), method=method) for method in ("topkara", "lexprint", "every-the")]
    tables = comparison_tables(rows)
    assert "0.8433" in tables
    assert "0.9819" in tables
    lines = [line for line in tables.splitlines() if line.startswith("| every-the")]
    assert lines[0].rstrip(" |").endswith("-")
    assert row_json(rows[0])["published"] == {"entailment": 0.8433, "similarity": 0.9160}
    assert set(PUBLISHED["hao"]) == {
        "Wuthering Heights",
        "Dracula",
        "Pride and Prejudice",
        "WikiText-2",
        "IMDB",
        "AG News",
    }


def test_examples_are_the_same_sentences() -> None:
    """Words that were put in are bold, and each method shows what it did to one and the same sentence."""
    row = measured()
    unmarked = {"IMDB": originals(CORPUS, sentences=40, seed=1, count=6)}
    assert len(row.examples) == len(unmarked["IMDB"]) == 6
    for marked, plain in zip(row.examples, unmarked["IMDB"], strict=True):
        assert marked.replace("**thee**", "the") == plain
    assert any("**thee**" in example for example in row.examples)
    text = example_lists(unmarked, [row, replace(row, method="other")])
    assert text.count("  - every-the:") == text.count("  - other:") == 6


@pytest.mark.parametrize(
    ("text", "line"),
    [("A *big* house", "A \\*large\\* house"), ("a_b\n [big] x", "a\\_b \\[**large**\\] x")],
)
def test_examples_are_markdown(text: str, line: str) -> None:
    """What Markdown would read as marks is escaped, and only the edit is bold."""
    start = text.index("big")
    found = shown(text, Span(0, len(text)), [Edit(Span(start, start + 3), "large")])
    assert found.replace("**large**", "large") == line.replace("**large**", "large")
    assert "**large**" in found
