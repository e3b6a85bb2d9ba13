"""Boundaries are where a reader sees them, and stay there when words are swapped."""

import time

import pytest
from nupunkt import load_default_model

from lexprint.text import segmentation
from lexprint.text.segmentation import LONGEST_PARAGRAPH, LONGEST_SENTENCE, may_be_swapped, segment


def words_of(text: str) -> list[str]:
    return [word.text for word in segment(text).words]


def views_of(text: str) -> list[str]:
    return [sentence.view for sentence in segment(text).sentences]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("don’t stop", ["don't", "stop"]),
        ("a well-known dogs' home", ["a", "well-known", "dogs", "'", "home"]),
        ("1,000.50 at 10:30, 3rd", ["1,000.50", "at", "10:30", ",", "3rd"]),
        ("2.5kg of snake_case, _very_ good", ["2.5kg", "of", "snake_case", ",", "_", "very", "_", "good"]),
        ("what?! (no)...", ["what", "?", "!", "(", "no", ")", "..."]),
        ("so…. “x”", ["so", "....", '"', "x", '"']),
        ("yes—no", ["yes", "-", "no"]),
        ("हिन्दी q\u0323x", ["हिन्दी", "q\u0323x"]),
        ("👩\u200d🚀 !\ufe0f", ["👩", "🚀", "!\ufe0f"]),
        ("", []),
        ("\x00 \u200b", []),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    """Letters with inner marks are one word, so are numbers and dots; all else stands alone."""
    assert words_of(text) == words


@pytest.mark.parametrize(
    "sentences",
    [
        ["He met Dr. Moss at 5 p.m. on Monday.", "She left."],
        ["It was a long week.", "Heathcliff slept."],
        ["It is approx. five miles, etc. and so on.", "Yes."],
        ['"Is it late?" she asked.', '"No!"', "He smiled."],
        ["Ah! how kind of you.", "Thanks..."],
        ["One.", "Two?", "Three!"],
        ["no punctuation at all"],
    ],
)
def test_sentences(sentences: list[str]) -> None:
    """Abbreviations, quotes and asides do not end a sentence; full stops after ordinary words do."""
    assert views_of(" ".join(sentences)) == sentences


def test_blank_lines_end_sentences() -> None:
    """A paragraph break is a boundary with or without a full stop; a line break is not."""
    assert views_of("CHAPTER I\n\nIt was\ncold\n \nand dark") == ["CHAPTER I", "It was cold", "and dark"]


def test_spans_are_exact(letter: str) -> None:
    """Cutting the original at the spans gives the words as they are written there."""
    sentence = segment(letter).sentences[1]
    assert sentence.span.of(letter) == "She said it was “almost ready”."
    assert [word.span.of(letter) for word in sentence.words][4:8] == ["“", "almost", "ready", "”"]


def test_long_sentences_are_cut_by_count() -> None:
    """No sentence is longer than a model can read."""
    lengths = [len(sentence) for sentence in segment("word " * 250).sentences]
    assert lengths == [LONGEST_SENTENCE, LONGEST_SENTENCE, 250 - 2 * LONGEST_SENTENCE]


def test_long_sentences_are_cut_after_a_clause_mark() -> None:
    """Where a clause ends in the second half of the limit, the cut is there."""
    views = views_of("one " * 60 + "two; " + "three " * 60)
    assert [view.split()[-1] for view in views] == ["two;", "three"]


def test_endless_paragraphs_are_cut_by_count() -> None:
    """The segmenter never sees more than so many words at once, whatever they are."""
    document = segment("Yes. " * LONGEST_PARAGRAPH)
    assert {len(sentence) for sentence in document.sentences} == {2}
    assert document.word_count == 2 * LONGEST_PARAGRAPH


def test_windows_do_not_cut_sentences() -> None:
    """Where one window ends and the next begins cannot be seen in the sentences."""
    document = segment("She saw the house. " * LONGEST_PARAGRAPH)
    assert {sentence.view for sentence in document.sentences} == {"She saw the house."}


@pytest.mark.parametrize("unit", ["x", "X", "x.", "…", "!", "\u0301", "\ud800", "'", "\U0001f469\u200d\U0001f680"])
def test_a_long_line_without_spaces_is_read(unit: str) -> None:
    """A line with nothing to cut at is segmented like any other."""
    text = unit * (200_000 // len(unit))
    document = segment(text)
    assert document.sentences[0].span.start == 0
    assert document.sentences[-1].span.end == len(text)


@pytest.mark.parametrize("word", ["house", "ok", "found", "week"])
def test_plain_words_may_be_swapped(word: str) -> None:
    """Lower-case ASCII words of two letters or more may be swapped."""
    assert may_be_swapped(word)


@pytest.mark.parametrize(
    "word", ["a", "House", "NASA", "don't", "well-known", "etc", "approx", "café", "3rd", "", "two words"]
)
def test_other_words_may_not(word: str) -> None:
    """Names, abbreviations and whatever boundaries depend on stay."""
    assert not may_be_swapped(word)


def test_abbreviations_are_known_to_the_segmenter() -> None:
    """An abbreviation that the segmenter does not know would only be kept from being swapped, for nothing."""
    assert load_default_model().abbreviations >= segmentation._ABBREVIATIONS
    assert not may_be_swapped("etc")
    assert may_be_swapped("house")


def test_the_placeholder_is_neutral() -> None:
    """The word that hides the others is itself ordinary: no abbreviation, no sentence starter, in no collocation."""
    parameters = load_default_model().parameters
    hidden = segmentation._PLACEHOLDER
    assert may_be_swapped(hidden)
    assert hidden not in parameters.abbrev_types | parameters.sent_starters
    assert not any(hidden in pair for pair in parameters.collocations)


@pytest.mark.slow
def test_time_grows_with_length_alone(tale: str) -> None:
    """Ten times the text takes about ten times as long, as one endless line or as many paragraphs."""
    for separator in (" ", "\n\n"):
        seconds = [_seconds_to_segment((tale + separator) * copies) for copies in (2_000, 20_000)]
        assert seconds[1] < 25 * seconds[0]


def _seconds_to_segment(text: str) -> float:
    started = time.process_time()
    segment(text)
    return time.process_time() - started


def test_very_long_words_stand_alone() -> None:
    """Else every word beside one would be asked about with all its letters."""
    long = "a" * 501
    document = segment(f"The house is {long} and large. It {'b' * 500} stands.")
    assert [sentence.view for sentence in document.sentences] == [
        "The house is",
        long,
        "and large.",
        f"It {'b' * 500} stands.",
    ]
    assert [sentence.view for sentence in segment(long).sentences] == [long]
