"""The shipped masked LM reads the sentence, then fills the gap."""

import functools
import operator

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from lexprint.models.masked_lm import OnnxMaskedLM
from lexprint.models.protocols import Floats, Gap
from lexprint.models.tokenization import PairTokenizer
from lexprint.models.weights import shipped_model

FAVORITE = Gap("He watches his ", "favorite", " show every night.")


@pytest.fixture(scope="module")
def masked_lm() -> OnnxMaskedLM:
    return OnnxMaskedLM(shipped_model("masked_lm"))


@pytest.fixture(scope="module")
def tokenizer() -> PairTokenizer:
    files = shipped_model("masked_lm")
    return PairTokenizer(files.read(files.tokenizer))


def test_a_row_is_a_distribution(masked_lm: OnnxMaskedLM) -> None:
    """Log-probabilities over the whole vocabulary, which sum to one."""
    rows = masked_lm.predict([FAVORITE, FAVORITE])
    assert rows.shape == (2, len(masked_lm.vocabulary))
    assert np.exp(rows.astype(np.float64)).sum(axis=1) == pytest.approx([1, 1], abs=1e-4)


def test_it_has_read_the_word(masked_lm: OnnxMaskedLM) -> None:
    """Having read the sentence it prefers the word that stood there; blind it need not."""
    word = masked_lm.vocabulary.index("favorite")
    read, blind = masked_lm.predict([FAVORITE]), masked_lm.predict_blind([FAVORITE])
    assert read[0, word] > blind[0, word]
    assert (read[0] > read[0, word]).sum() < 10


def test_blind_means_blind(masked_lm: OnnxMaskedLM) -> None:
    """Without reading, the word in the gap makes no difference."""
    other = Gap(FAVORITE.left, "hated", FAVORITE.right)
    assert np.array_equal(masked_lm.predict_blind([FAVORITE]), masked_lm.predict_blind([other]))


def test_probes_answer_whatever_else_is_asked(masked_lm: OnnxMaskedLM) -> None:
    """Words of one sentence share its reading; each answer has the bits that it has alone, in one pass or in two."""
    others = [Gap("He ", "watches", " his favorite show every night."), Gap("It was a ", "large", " house.")]
    gaps = [FAVORITE, *others]
    columns = [[masked_lm.vocabulary.index(word) for word in ("preferred", "best", "house")]] * 3
    questions = list(zip(gaps, columns, strict=True))
    assessed, judged, proposed = masked_lm.assess(questions), masked_lm.judge(questions), masked_lm.propose(gaps)
    for question, said, verdicts, row in zip(questions, assessed, judged, proposed, strict=True):
        assert np.array_equal(said.verdicts, verdicts)
        assert np.array_equal(said.log_probabilities, row)
        assert np.array_equal(masked_lm.judge([question])[0], verdicts)
        assert np.array_equal(masked_lm.propose([question[0]])[0], row)


def test_words_are_chosen_by_what_is_probable(masked_lm: OnnxMaskedLM) -> None:
    """One reading of a text gives the bits of two, whatever is chosen, of no word, one or more than stand beside it at once."""
    others = [Gap("He ", "watches", " his favorite show every night."), Gap("It was a ", "large", " house.")]
    gaps, counts = [FAVORITE, *others], (0, 70, 1)
    seen: dict[int, Floats] = {}

    def choose(number: int, row: Floats) -> list[int]:
        seen[number] = row
        return [int(column) for column in np.argsort(-row, kind="stable")[: counts[number]]]

    found = masked_lm.judge_chosen(gaps, choose)
    proposed = masked_lm.propose(gaps)
    assert np.array_equal([seen[number] for number in range(len(gaps))], proposed)
    questions = [(gap, choose(number, row)) for number, (gap, row) in enumerate(zip(gaps, proposed, strict=True))]
    for verdicts, expected in zip(found, masked_lm.judge(questions), strict=True):
        assert verdicts.shape == expected.shape
        assert np.array_equal(verdicts, expected)


def test_readers_prefer_what_fits(masked_lm: OnnxMaskedLM) -> None:
    """A synonym is more acceptable than an opposite or another thing."""
    words = ("big", "small", "green")
    columns = [masked_lm.vocabulary.index(word) for word in words]
    ((big, *others),) = [rows[:, 0] for rows in masked_lm.judge([(Gap("They bought a ", "large", " house."), columns)])]
    assert big > max(others)


def test_nothing_asked_nothing_answered(masked_lm: OnnxMaskedLM) -> None:
    """No gaps give no rows."""
    assert masked_lm.predict([]).shape == masked_lm.propose([]).shape == (0, len(masked_lm.vocabulary))
    assert masked_lm.judge([]) == masked_lm.assess([]) == masked_lm.judge_chosen([], lambda number, row: []) == []


def test_long_contexts_do_not_fit(masked_lm: OnnxMaskedLM) -> None:
    """What exceeds the model's positions is refused beforehand, not cut in silence."""
    assert masked_lm.fits(FAVORITE)
    assert not masked_lm.fits(Gap("word " * 300, "favorite", " show."))


@given(st.text(st.characters(codec="utf-8"), max_size=30), st.text(st.characters(codec="utf-8"), max_size=30))
def test_parts_are_tokenized_as_the_whole(tokenizer: PairTokenizer, left: str, right: str) -> None:
    """A word between spaces cuts the text where the tokenizer would."""
    parts = tokenizer.pieces([f"{left} ", "house", f" {right}"])
    assert functools.reduce(operator.iadd, parts, []) == tokenizer.pieces([f"{left} house {right}"])[0]


@given(st.text(st.characters(codec="utf-8"), max_size=12) | st.text(st.characters(codec="ascii")), st.integers(0, 12))
@example("[MASK][MASK]", 2)
@example("\u0130\ud55c", 2)
def test_short_texts_need_not_be_cut(tokenizer: PairTokenizer, text: str, count: int) -> None:
    """The quick answer to how long a text is agrees with counting its pieces."""
    assert tokenizer.has_at_most(count, text) == (len(tokenizer.pieces([text])[0]) <= count)
