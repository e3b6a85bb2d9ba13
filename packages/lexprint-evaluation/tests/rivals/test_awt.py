"""The adversarial transformer at a tiny size: it learns to write what it reads."""

from pathlib import Path

import pytest

from lexprint.errors import FormatError, InputError
from lexprint.testing import fake_text
from lexprint.text.editing import apply_edits
from lexprint.text.segmentation import segment
from lexprint_evaluation.datasets import Corpus
from lexprint_evaluation.metrics import bit_errors

pytest.importorskip("torch", reason="torch is of the extra awt")

from lexprint_evaluation.rivals import awt

pytestmark = pytest.mark.extra
SIZES = awt.Sizes(vocabulary=200, writable=40, width=32, layers=1, heads=2)
CORPUS = Corpus("tale", "Tale", fake_text(words=9_000, seed=1))
TEXT = fake_text(words=330, seed=2)


def trained(steps: int) -> awt.AwtScheme:
    return awt.train([CORPUS], awt.Training(minutes=30, most_steps=steps, batch=8), sizes=SIZES)


@pytest.fixture(scope="module")
def untrained() -> awt.AwtScheme:
    """One that has seen a few blocks only."""
    return trained(3)


def test_hidden_words_are_not_seen() -> None:
    """The language model guesses a hidden word by the others alone, and all its guesses are probabilities."""
    import torch

    model = awt.Network(SIZES).language
    words = torch.arange(awt.BLOCK)[None] % SIZES.vocabulary
    hidden = torch.zeros_like(words, dtype=torch.bool)
    hidden[0, 7] = True
    other = words.clone()
    other[0, 7] = 31
    with torch.inference_mode():
        guesses = model(words, hidden)
        assert torch.equal(guesses, model(other, hidden))
        assert not torch.equal(guesses, model(other, ~hidden & hidden))
    assert torch.allclose(guesses.exp().sum(-1), torch.ones(1, awt.BLOCK), atol=1e-5)


def test_blocks_stay_where_they_are(untrained: awt.AwtScheme) -> None:
    """Four bits for every eighty words, whatever is exchanged; only words of letters change."""
    blocks = segment(TEXT).word_count // awt.BLOCK
    marked = untrained.embed(TEXT, [1, 0, 1, 1] * 10)
    assert len(marked.bits) == len(untrained.extract(marked.text)) == awt.BITS * blocks
    assert apply_edits(TEXT, marked.edits) == marked.text
    assert all(edit.span.of(TEXT).isalpha() and edit.replacement.isalpha() for edit in marked.edits)


def test_short_texts_and_messages_carry_nothing(untrained: awt.AwtScheme) -> None:
    """Bits come four at a time, words eighty."""
    assert untrained.embed(TEXT, [1, 0, 1]).bits == ()
    assert untrained.extract(TEXT[:200]) == ()


def test_a_file_marks_alike(untrained: awt.AwtScheme, tmp_path: Path) -> None:
    """Kept and loaded, it writes and reads the same; other files are refused."""
    path = tmp_path / "awt.pt"
    path.write_bytes(untrained.to_bytes())
    bits = [0, 1] * 20
    assert awt.load(path).embed(TEXT, bits) == untrained.embed(TEXT, bits)
    path.write_bytes(b"nonsense")
    with pytest.raises(FormatError, match="train-awt"):
        awt.load(path)


def test_too_little_text_is_refused() -> None:
    """What is measured is not learned from."""
    with pytest.raises(InputError, match="too short"):
        awt.train([Corpus("short", "Short", fake_text(words=900, seed=1))], awt.Training(minutes=0.01), sizes=SIZES)


@pytest.mark.slow
def test_it_learns_to_be_read() -> None:
    """After some hundred steps most bits come back, from texts that it has not seen."""
    scheme = trained(600)
    marked = scheme.embed(TEXT, [1, 0, 0, 1] * 10)
    assert bit_errors(marked.bits, scheme.extract(marked.text)) <= len(marked.bits) // 4
