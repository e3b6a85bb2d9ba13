"""AWT's published pairs, of a file in their layout."""

from pathlib import Path

import pytest

from lexprint.errors import FormatError, InputError
from lexprint_evaluation.rivals.awt_output import has_published_blocks, published_blocks, whole_sentences

PAIRS = """\
****
0
0.98
0.92
<eos> = Lobsters = <eos> <eos> The lobster lives in the sea . It is blue @-@ green and <unk> by nature . It sleeps
<eos> = Lobsters = <eos> <eos> The lobster lives as the sea . It is blue @-@ green and <unk> in nature . It sleeps
4
[[1 1 0 0]]
[[1 1 0 0]]
****
1
0.97
0.81
during the day , under well @-@ hidden stones in the mud .
during the day , under well @-@ hidden stones <unk> the mud .
3
[[0 1 1 1]]
[[0 1 1 0]]
"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "awt").mkdir()
    (tmp_path / "awt" / "wikitext2_val_pairs.txt").write_text(PAIRS)
    return tmp_path


def test_blocks_are_read(data: Path) -> None:
    """Bits, words, and how many were exchanged."""
    first, second = published_blocks(data)
    assert (first.written, first.read) == ((1, 1, 0, 0), (1, 1, 0, 0))
    assert (second.written, second.read) == ((0, 1, 1, 1), (0, 1, 1, 0))
    assert [block.substituted for block in (first, second)] == [2, 1]
    assert second.word_count == 13


def test_sentences_are_as_one_would_write_them(data: Path) -> None:
    """No headings, no fragments of a few words, no unknown words but those that AWT put in."""
    first, second = published_blocks(data)
    assert list(first.sentences()) == [("The lobster lives in the sea.", "The lobster lives as the sea.")]
    assert list(second.sentences()) == [
        (
            "during the day, under well-hidden stones in the mud.",
            "during the day, under well-hidden stones <unk> the mud.",
        )
    ]


def test_whole_sentences_are_cut_by_no_block(data: Path) -> None:
    """What begins or ends in another block is no sentence that a rater could judge."""
    assert list(whole_sentences(published_blocks(data))) == [
        ("The lobster lives in the sea.", "The lobster lives as the sea.")
    ]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """With where to get it."""
    assert not has_published_blocks(tmp_path)
    with pytest.raises(InputError, match="S-Abdelnabi/awt"):
        published_blocks(tmp_path)


@pytest.mark.parametrize("damage", [("of", ""), ("[[1 1 0 0]]\n", ""), ("the mud", "mud")])
def test_another_layout_is_refused(data: Path, damage: tuple[str, str]) -> None:
    """Lines that are missing, and blocks that do not go word by word."""
    path = data / "awt" / "wikitext2_val_pairs.txt"
    path.write_text(PAIRS.replace(*damage, 1).replace("by nature", "nature", 1))
    with pytest.raises(FormatError, match="AWT"):
        published_blocks(data)
