"""Sentence and word boundaries, closed under substitution: swapping words moves none of them.

Proof: word boundaries depend on a swapped word only through its characters being letters, which its replacement shares;
and before sentences are sought every word that may be swapped is hidden behind one placeholder, so the segmenter is
given the same string before and after. Whatever else cuts a text (blank lines, clause marks, counts of words) is blind to
which word stands where.
"""

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from nupunkt import PunktSentenceTokenizer, load_default_model

from lexprint.text.document import PARAGRAPH_BREAK, Document, Sentence
from lexprint.text.lists import listed
from lexprint.text.span import Span
from lexprint.text.view import View, build_view, combining_marks

LONGEST_SENTENCE = 96  # words; a pair of such sentences still fits a model's 512 positions
LONGEST_WORD = 500  # letters; a longer one is a sentence by itself, as models would read it with each word beside it
LONGEST_PARAGRAPH = 4_000  # words given to the segmenter at once; no real paragraph comes near it

_PLACEHOLDER = "word"  # stands for every word that may be swapped; no abbreviation, no known sentence starter
_SWAPPABLE = re.compile("[a-z]{2,}")

_ABBREVIATIONS = frozenset(listed("abbreviations"))  # in lower case, with a full stop at the end


def may_be_swapped(word: str) -> bool:
    """Whether a word is of the class whose members may replace each other without moving a boundary.

    Both the old and the new word must be.
    """
    return _SWAPPABLE.fullmatch(word) is not None and word not in _ABBREVIATIONS


def segment(text: str, *, protected: tuple[Span, ...] = ()) -> Document:
    """Find the sentences and words of any text; `protected` are parts that must not change, in order and apart.

    >>> document = segment("Dr. Who’s  well-known. He left!")
    >>> [[word.text for word in sentence.words] for sentence in document.sentences]
    [['Dr', '.', "Who's", 'well-known', '.'], ['He', 'left', '!']]
    """
    view = build_view(text)
    words = _find_words(view.text)
    firsts = _with_long_words_apart(words, list(_sentence_starts(view.text, words)))
    return Document(text, _build_sentences(view, words, firsts), protected)


@dataclass(frozen=True, slots=True)
class _Words:
    """Offsets of all words in the view, and which of them begin a paragraph."""

    starts: Sequence[int]
    ends: Sequence[int]
    paragraphs: Sequence[int]


def _find_words(view: str) -> _Words:
    starts, ends, paragraphs = array("I"), array("I"), [0]
    for match in _word_pattern().finditer(view):
        start, end = match.span()
        if view[start] == "\n":
            paragraphs.append(len(starts))
        else:
            starts.append(start)
            ends.append(end)
    return _Words(starts, ends, paragraphs)


@cache
def _word_pattern() -> re.Pattern[str]:
    """A word with its inner apostrophes and hyphens, a number, a run of dots, or any other character that is not space.

    Letters and digits that touch are one word ("3rd", "2.5kg", "snake_case"): none of its parts could be swapped. Marks
    belong to what they stand on.
    """
    marks = f"[{combining_marks()}]"
    number = r"\d++(?:[.,:]\d++)+"
    atom = rf"(?:{number}|[^\W_])[^\W_]*(?:{marks}+[^\W_]*)*"
    return re.compile(rf"{atom}(?:['_-]{atom})*|{PARAGRAPH_BREAK}|(?:\.{{2,}}|[^\w\s]|_){marks}*")


def _sentence_starts(view: str, words: _Words) -> Iterator[int]:
    """Index of the first word of each sentence, in order."""
    for first, after in pairwise([*words.paragraphs, len(words.starts)]):
        while first < after:
            last = min(first + LONGEST_PARAGRAPH, after)
            starts = _split_window(view, words, range(first, last))
            if last < after and len(starts) > 1 and last - starts[-1] <= LONGEST_SENTENCE:
                last = starts.pop()  # the window may end within a sentence, which the next window then sees whole
            for start, stop in pairwise([*starts, last]):
                yield from _cut_long(view, words, range(start, stop))
            first = last


def _split_window(view: str, words: _Words, window: range) -> list[int]:
    """Sentence starts among the words of one paragraph, as the segmenter sees them behind placeholders."""
    pieces: list[str] = []
    hidden_starts: list[int] = []
    cursor, length = words.starts[window.start], 0
    for index in window:
        start, end = words.starts[index], words.ends[index]
        word = view[start:end]
        if may_be_swapped(word):
            word = _PLACEHOLDER
        length += start - cursor
        hidden_starts.append(length)
        length += len(word)
        pieces += (view[cursor:start], word)
        cursor = end
    found = {bisect_left(hidden_starts, start) for start, _ in _segmenter().span_tokenize("".join(pieces))}
    return [window.start + position for position in sorted(found | {0}) if position < len(window)]


@cache
def _segmenter() -> PunktSentenceTokenizer:
    segmenter = load_default_model()
    segmenter.EXCL_QUEST_LOWERCASE_CONTINUES = True  # "Ah! how kind" is one sentence
    return segmenter


def _cut_long(view: str, words: _Words, sentence: range) -> Iterator[int]:
    """Starts of the parts of a sentence: it is cut after a clause mark where there is one, else by count."""
    start = sentence.start
    while sentence.stop - start > LONGEST_SENTENCE:
        yield start
        limit = start + LONGEST_SENTENCE
        marks = (
            index for index in range(limit - 1, start + LONGEST_SENTENCE // 2, -1) if view[words.starts[index]] in ";:,"
        )
        start = next(marks, limit - 1) + 1
    yield start


def _with_long_words_apart(words: _Words, firsts: list[int]) -> list[int]:
    """No replacement is so long, and no word that long has one: so this too is the same before and after."""
    sizes = enumerate(end - start for start, end in zip(words.starts, words.ends, strict=True))
    long = [index for index, size in sizes if size > LONGEST_WORD]
    if not long:
        return firsts
    apart = {first for index in long for first in (index, index + 1) if first < len(words.starts)}
    return sorted(apart.union(firsts))


def _build_sentences(view: View, words: _Words, firsts: list[int]) -> tuple[Sentence, ...]:
    starts, ends = np.asarray(words.starts, dtype=np.intp), np.asarray(words.ends, dtype=np.intp)
    columns = starts, ends, view.starts[starts], view.ends[ends - 1]
    offsets: NDArray[np.uint32] = np.stack(columns, axis=1).astype(np.uint32)  # (words, 4)
    sentences = []
    for first, stop in pairwise([*firsts, len(starts)]):
        block = offsets[first:stop].copy()
        span = Span(int(block[0, 2]), int(block[-1, 3]))
        text = view.text[block[0, 0] : block[-1, 1]]
        block[:, :2] -= block[0, 0]
        sentences.append(Sentence(text, span, array("I", block.tobytes())))
    return tuple(sentences)
