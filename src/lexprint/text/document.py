"""Document, Sentence, Word: immutable, and always pointing into the original text.

Words are made when a sentence is first asked for them; until then a sentence is two strings and a few numbers, so that
a book fits easily.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from lexprint.text.span import Span

PARAGRAPH_BREAK = "\n\n"


@dataclass(frozen=True, slots=True)
class Word:
    """A word, a number or a punctuation mark.

    >>> from lexprint import segment
    >>> segment("It’s  old.").sentences[0].words[0]
    Word(text="It's", span=Span(start=0, end=4), view_span=Span(start=0, end=4))
    """

    text: str  # as models see it
    span: Span  # in the original text
    view_span: Span  # in the view of its sentence


@dataclass(frozen=True)
class Sentence:
    """A sentence, as models see it, whose words know where they are in the original text.

    >>> from lexprint import segment
    >>> sentence = segment("A  large\\nhouse.").sentences[0]
    >>> sentence.view, sentence.excerpt(0, 2)
    ('A large house.', 'A large')
    >>> sentence.excerpt_with(1, "big", start=0, stop=3)
    'A big house'
    """

    view: str
    span: Span  # in the original text
    _offsets: "array[int]" = field(repr=False, hash=False)  # view start, view end, start, end of each word

    @cached_property
    def words(self) -> tuple[Word, ...]:
        numbers = iter(self._offsets)
        return tuple(
            Word(self.view[view_start:view_end], Span(start, end), Span(view_start, view_end))
            for view_start, view_end, start, end in zip(numbers, numbers, numbers, numbers, strict=True)
        )

    def __len__(self) -> int:
        return len(self._offsets) // 4

    def excerpt(self, start: int, stop: int) -> str:
        """The view of words `start` to `stop`, the last one not included, with the spacing between them."""
        if not 0 <= start < stop <= len(self):
            raise IndexError(f"no words {start} to {stop} in a sentence of {len(self)}")
        return self.view[self._offsets[4 * start] : self._offsets[4 * stop - 3]]

    def excerpt_with(self, position: int, replacement: str, *, start: int = 0, stop: int | None = None) -> str:
        """The same with another word at `position`, which must be one of those words."""
        stop = len(self) if stop is None else stop
        if not start <= position < stop:
            raise IndexError(f"word {position} is not among words {start} to {stop}")
        whole = self.excerpt(start, stop)
        first = self._offsets[4 * start]
        before = whole[: self._offsets[4 * position] - first]
        after = whole[self._offsets[4 * position + 1] - first :]
        return f"{before}{replacement}{after}"

    def with_word(self, position: int, replacement: str) -> "Sentence":
        """The sentence as models would see it with another word at `position`; the original spans stay."""
        changed = self.excerpt_with(position, replacement)
        offsets = array("I", self._offsets)
        difference = len(replacement) - (offsets[4 * position + 1] - offsets[4 * position])
        offsets[4 * position + 1] += difference
        for index in range(4 * position + 4, len(offsets), 4):
            offsets[index] += difference
            offsets[index + 1] += difference
        return Sentence(changed, self.span, offsets)


@dataclass(frozen=True, slots=True)
class Document:
    """A text and its sentences; `text` is the original string, never rebuilt.

    >>> from lexprint import segment
    >>> document = segment("One.  Two words.")
    >>> [sentence.span.of(document.text) for sentence in document.sentences]
    ['One.', 'Two words.']
    """

    text: str = field(repr=False)
    sentences: tuple[Sentence, ...]
    protected: tuple[Span, ...] = field(
        default=(), repr=False
    )  # parts that must not change; in order, apart, none empty

    @property
    def words(self) -> Iterator[Word]:
        """All words in order."""
        return (word for sentence in self.sentences for word in sentence.words)

    @property
    def word_count(self) -> int:
        return sum(map(len, self.sentences))

    def is_protected(self, word: Word) -> bool:
        """Whether any character of the word must stay as it is."""
        before = bisect_left(self.protected, word.span.end, key=lambda span: span.start)
        return before > 0 and self.protected[before - 1].overlaps(word.span)
