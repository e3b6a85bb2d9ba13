"""Reading the data that lexprint is measured on, from a small copy of its layout."""

import gzip
import json
from pathlib import Path

import pytest

from lexprint.errors import FormatError, InputError
from lexprint.text.segmentation import segment
from lexprint_evaluation.datasets import corpora, detokenised, first_sentences, is_long

STORY = "It was a long and quiet evening. " * 60


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Every set, in a few lines."""
    for name in ("novels", "wikitext2", "imdb"):
        (tmp_path / name).mkdir()
    contents = "Chapter I\nChapter II\n\n"
    (tmp_path / "novels" / "storm_and_calm.txt").write_text(
        f"By Nobody\n\n{contents}Chapter I\n\n{STORY}\n\nChapter II\n\nEnd."
    )
    (tmp_path / "wikitext2" / "valid.txt").write_text(
        " \n = Lobster = \n \n The lobster is well @-@ known , and <unk> . It weighs 1 @,@ 000 g . \n = = Use = = \n"
    )
    with gzip.open(tmp_path / "imdb" / "reviews.jsonl.gz", "wt") as file:
        file.write(json.dumps({"text": "Great film.<br /><br />I would see it again."}) + "\n\n")
    return tmp_path


def test_sets_are_running_text(data: Path) -> None:
    """Without front matter, headings, tags and words that nobody knows."""
    found = {corpus.name: corpus for corpus in corpora(data)}
    assert list(found) == ["storm_and_calm", "wikitext2", "imdb"]
    assert found["storm_and_calm"].title == "Storm and Calm"
    assert found["storm_and_calm"].text.startswith(f"\n\n{STORY}")
    assert found["wikitext2"].text == "It weighs 1,000 g."
    assert found["imdb"].text == "Great film.\n\nI would see it again."


def test_sets_are_chosen_by_name(data: Path) -> None:
    """`novels` stands for all of them; an unknown name is refused with those that are known."""
    assert [corpus.name for corpus in corpora(data, ["imdb", "novels"])] == ["storm_and_calm", "imdb"]
    with pytest.raises(InputError, match=r"dracula.*storm_and_calm"):
        corpora(data, ["dracula"])


def test_a_folder_without_data(tmp_path: Path) -> None:
    """It says what is missing."""
    with pytest.raises(InputError, match="does not have any set"):
        corpora(tmp_path)


def test_damaged_data_is_named(data: Path) -> None:
    """A file of another layout is refused by name."""
    (data / "imdb" / "reviews.jsonl.gz").write_bytes(b"no gzip")
    with pytest.raises(FormatError, match=r"reviews\.jsonl\.gz"):
        corpora(data)


@pytest.mark.parametrize(
    ("tokenised", "written"),
    [
        ("He did n't say it 's 5 @.@ 5 % ( or so ) .", "He didn't say it's 5.5% (or so)."),
        ('" Yes , " she said ; " I know . "', '"Yes," she said; "I know."'),
        ("The workers ' union paid $ 4 @,@ 000 .", "The workers' union paid $4,000."),
        ("between 5 – 6 kg", "between 5 – 6 kg"),
    ],
)
def test_wikitext_is_written_as_one_would(tokenised: str, written: str) -> None:
    """Spaces around marks go, and nothing else."""
    assert detokenised(tokenised) == written


def test_sentences_of_five_words_count() -> None:
    """Shorter ones and headings stay in the text, but do not count."""
    text = "Chapter 1. It began on a dark night. No! He was not at home then. 1 2 3 4 5 6. And so it went on."
    cut = first_sentences(text, 2)
    assert cut == "It began on a dark night. No! He was not at home then."
    assert sum(map(is_long, segment(cut).sentences)) == 2
    with pytest.raises(InputError, match="no sentence"):
        first_sentences("No. Yes. 1 2 3 4 5.", 3)


def test_any_folder_of_texts_is_a_set(tmp_path: Path) -> None:
    """Plain texts, or JSON lines with a text each, under the folder's name; other folders are left alone."""
    for name in ("dracula", "news", "notes"):
        (tmp_path / name).mkdir()
    (tmp_path / "dracula" / "1.txt").write_text("It was a dark night.\n", "utf-8")
    (tmp_path / "dracula" / "2.txt").write_text("The wolves were near.\n", "utf-8")
    (tmp_path / "news" / "a.jsonl").write_text('{"id": 1, "text": "Oil fell.<br />Gold rose."}\n', "utf-8")
    (tmp_path / "notes" / "b.jsonl").write_text('{"words": []}\n', "utf-8")
    found = corpora(tmp_path)
    assert [(one.name, one.text) for one in found] == [
        ("dracula", "It was a dark night.\n\nThe wolves were near."),
        ("news", "Oil fell.\nGold rose."),
    ]
    assert [one.name for one in corpora(tmp_path, ["news"])] == ["news"]
