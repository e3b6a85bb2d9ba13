"""What raters said, from answers made by hand."""

from __future__ import annotations

import json

import pytest

from lexprint.errors import FormatError
from lexprint_evaluation.human_scores import (
    Answers,
    agreement_text,
    human_scores,
    krippendorff_alpha,
    read_answers,
    score_table,
)
from lexprint_evaluation.human_sheet import RatedPair, Sheet

SHEET = Sheet(
    "abc",
    1,
    (
        RatedPair("p1", "a cold day", "a chilly day", "ours", "X"),
        RatedPair("p2", "a big old house", "a large ancient house", "ours", "X"),
        RatedPair("p3", "he ran home", "he operated home", "theirs", "X"),
        RatedPair("p4", "so it was", "so it was", "unmarked", "X"),
    ),
)


def returned(name: str, **ratings: tuple[int, int, list[int]]) -> Answers:
    answers = {
        number: {"meaning": meaning, "naturalness": naturalness, "words": words}
        for number, (meaning, naturalness, words) in ratings.items()
    }
    return read_answers(file(rater=name, answers=answers), SHEET, name=f"{name}.json")


def file(**fields: object) -> bytes:
    return json.dumps({"format": "sentence ratings 1", "sheet": "abc", **fields}).encode()


def test_means_and_words_that_disturb() -> None:
    """Over all ratings of a scheme; words that were exchanged apart from those that were not."""
    one = returned("A", p1=(5, 4, []), p2=(4, 3, [1, 3]), p3=(1, 2, [1]), p4=(5, 5, []))
    two = returned("B", p1=(5, 5, []), p2=(3, 3, [2]), p3=(2, 1, []))
    scores = human_scores(SHEET, [one, two], seed=1)
    ours, theirs, unmarked = scores.schemes
    assert (scores.raters, ours.scheme, ours.pairs, ours.ratings) == (2, "ours", 2, 4)
    assert ours.meaning is not None
    assert ours.meaning.mean == pytest.approx(17 / 4)
    assert (ours.meaning.low, ours.meaning.high) == (3.5, 5.0)
    assert ours.naturalness is not None
    assert ours.naturalness.mean == pytest.approx(15 / 4)
    assert ours.disturbing is not None
    assert ours.disturbing.mean == pytest.approx(2 / 6)  # three exchanged words, two raters
    assert ours.elsewhere is not None
    assert ours.elsewhere.mean == pytest.approx(1 / 8)
    assert theirs.disturbing is not None
    assert theirs.disturbing.mean == pytest.approx(1 / 2)
    assert unmarked.disturbing is None
    assert [line.split("|")[1].strip() for line in score_table(scores).splitlines()[2:]] == [
        "unmarked",
        "ours",
        "theirs",
    ]
    assert "2 raters" in agreement_text(scores)


def test_alpha_of_the_textbook() -> None:
    """Krippendorff's own example of four observers and twelve units, ordinal: 0.815."""
    observers = (
        "1 2 3 3 2 1 4 1 2 . . .",
        "1 2 3 3 2 2 4 1 2 5 . 3",
        ". 3 3 3 2 3 4 2 2 5 1 .",
        "1 2 3 3 2 4 4 1 2 5 1 .",
    )
    columns = zip(*(line.split() for line in observers), strict=True)
    units = [[int(value) for value in column if value != "."] for column in columns]
    assert krippendorff_alpha(units) == pytest.approx(0.815, abs=0.0005)


def test_alpha_needs_two_opinions() -> None:
    """One rater agrees with nobody, and where all is the same there is nothing to agree about."""
    assert krippendorff_alpha([[1], [5], []]) is None
    assert krippendorff_alpha([[3, 3], [3, 3]]) is None
    opposed = krippendorff_alpha([[1, 5], [5, 1]])
    assert opposed is not None
    assert opposed < 0


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"\xff\xfe{", "not JSON"),
        (b"[]", "JSON of another kind"),
        (file(format="else"), "JSON of another kind"),
        (file(sheet="xyz", answers={}), "an answer to another sheet"),
        (file(), "pairs are rated that the sheet does not have"),
        (file(answers={"p9": {}}), "pairs are rated that the sheet does not have"),
        (file(answers={}), "without a single answer"),
        (file(answers={"p1": 5}), "a rating is not"),
        (file(answers={"p1": {"meaning": 6, "naturalness": 1}}), "a rating is not"),
        (file(answers={"p1": {"meaning": True, "naturalness": 1}}), "a rating is not"),
        (file(answers={"p1": {"meaning": 5}}), "a rating is not"),
        (file(answers={"p1": {"meaning": 5, "naturalness": 1, "words": [3]}}), "a rating is not"),
        (file(answers={"p1": {"meaning": 5, "naturalness": 1, "words": "no"}}), "a rating is not"),
    ],
)
def test_damaged_answers(content: bytes, found: str) -> None:
    """One sentence that names the file and what is wrong with it."""
    with pytest.raises(FormatError, match=rf"^x\.json is .*{found}.*; needed: answers"):
        read_answers(content, SHEET, name="x.json")


def test_the_same_file_twice() -> None:
    """A rater counts once."""
    one = returned("A", p1=(5, 4, []))
    with pytest.raises(FormatError, match=r"A\.json is the same as A\.json"):
        human_scores(SHEET, [one, one], seed=1)
