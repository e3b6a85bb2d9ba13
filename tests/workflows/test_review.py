"""What a reviewer sees and strikes out."""

from dataclasses import replace

import pytest

from lexprint.errors import InputError
from lexprint.registry.records import CopySite
from lexprint.text.pairs import Figures, Pair
from lexprint.text.span import Span
from lexprint.workflows.review import is_reviewed_so, keep_reviewed, review_lines

TEXT = "It was a big\n house. The old dog barked."
SITES = (
    CopySite(Span(9, 12), "big", Pair("big", "large"), 0.97),
    CopySite(Span(25, 28), "old", Pair("elderly", "old"), 0.96),
)


def test_lines_show_the_pair_in_its_sentence() -> None:
    """On one line, the word of the master first."""
    lines = review_lines(TEXT, SITES)
    assert [line.sentence for line in lines] == ["It was a [big|large] house.", "The [old|elderly] dog barked."]
    assert [line.number for line in lines] == [1, 2]
    assert all(line.is_kept for line in lines)


def test_struck_and_deleted_lines_keep_nothing() -> None:
    """Whatever the order of the others."""
    one, other = review_lines(TEXT, SITES)
    assert keep_reviewed(SITES, [other, one]) == SITES
    assert keep_reviewed(SITES, [replace(one, is_kept=False), other]) == SITES[1:]
    assert keep_reviewed(SITES, [one]) == SITES[:1]
    assert is_reviewed_so(SITES[:1], [one], code="independent")
    assert is_reviewed_so(SITES[1:], [other, replace(one, is_kept=False)], code="independent")
    assert not is_reviewed_so(SITES, [one], code="independent")


def test_the_review_of_another_text_is_refused() -> None:
    """By number and pair."""
    one, other = review_lines(TEXT, SITES)
    for wrong in (replace(one, number=2), replace(one, other="huge"), replace(other, number=3), replace(one, number=0)):
        with pytest.raises(InputError, match="not a pair of this text"):
            keep_reviewed(SITES, [wrong])


def test_each_word_has_a_line_of_its_own() -> None:
    """What is left of a site after some are struck: its best word makes the pair."""
    sites = (replace(SITES[0], further=("great", "huge"), likely_edits=("big", "large", "huge")), SITES[1])
    lines = review_lines(TEXT, sites)
    assert [(line.number, line.other) for line in lines] == [(1, "large"), (1, "great"), (1, "huge"), (2, "elderly")]
    assert keep_reviewed(sites, lines) == sites
    left = keep_reviewed(sites, [replace(lines[0], is_kept=False), *lines[1:]])
    assert left == (
        replace(SITES[0], pair=Pair("big", "great"), further=("huge",), likely_edits=("big", "huge")),
        SITES[1],
    )
    assert is_reviewed_so(left, lines[1:], code="independent")
    assert not is_reviewed_so(left, lines, code="independent")
    pairs = tuple(replace(site, further=()) for site in left)
    assert is_reviewed_so(pairs, lines[1:], code="tardos")


def test_each_line_has_the_figures_of_its_own_word() -> None:
    """What is left keeps its own, and what a reviewer writes over the figures changes nothing."""
    figures = (Figures(0.97, 0.93), Figures(0.96, 0.71), Figures(0.95, None))
    site = replace(SITES[0], further=("great", "huge"), figures=figures)
    lines = review_lines(TEXT, (site,))
    assert [(line.entailment, line.acceptance) for line in lines] == [(0.97, 0.93), (0.96, 0.71), (0.95, None)]
    (left,) = keep_reviewed((site,), [replace(line, entailment=1.0, acceptance=1.0) for line in lines[1:]])
    assert (left.entailment, left.figures) == (0.96, figures[1:])
    assert [left.figures_of(word) for word in ("great", "huge")] == [*figures[1:]]
    assert SITES[0].figures_of("large") == Figures(0.97, None)
