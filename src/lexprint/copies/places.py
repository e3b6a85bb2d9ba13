"""The words of a text that may become sites of copies, each in its whole sentence."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lexprint.models.protocols import Gap, gap_at
from lexprint.substitution.exclusions import FUNCTION_WORDS, RELATIVES
from lexprint.substitution.facts import is_fixed
from lexprint.substitution.lexicon import grammar_of
from lexprint.substitution.substituter import Substituter
from lexprint.text.document import Document, Sentence
from lexprint.text.span import Span

SHORTEST_SENTENCE = 6  # words; what is shorter may be a heading or a label, and its first word a name for what follows
LONGEST_HEADING = 10  # words; what is longer and has no mark at its end is an item of a list, or was cut
LONGEST_SMALL_WORD = 3  # letters; shorter ones have no capital in most titles
ADVERBS = frozenset({"RB", "RBR", "RBS"})


@dataclass(frozen=True, slots=True)
class Place:
    """A word that may become a site."""

    sentence: int
    position: int  # of the word in its sentence
    gap: Gap  # its word is in lower case, also where it begins the sentence
    words_before: int  # in earlier sentences
    begins_sentence: bool = False

    def written(self, word: str) -> str:
        """A word as it would stand there.

        >>> Place(0, 0, Gap("", "however", ", he left."), 0, begins_sentence=True).written("nevertheless")
        'Nevertheless'
        """
        return word.capitalize() if self.begins_sentence else word


def places(document: Document, substituter: Substituter, protected: Sequence[Span]) -> Iterator[Place]:
    """All of them in order; `protected` spans, in order and apart, hold none."""
    starts = [span.start for span in protected]
    words_before = 0
    for number, sentence in enumerate(document.sentences):
        for position, word in enumerate(() if stands_alone(sentence) else sentence.words):
            begins = position == 0
            written = word.text.lower() if begins and _may_begin(sentence) else word.text
            if is_fixed(written) or is_protected(word.span, protected, starts):
                continue
            gap = gap_at(sentence, position).with_word(written)
            if substituter.may_give_way(gap) and begins == (written != word.text):
                yield Place(number, position, gap, words_before, begins_sentence=begins)
        words_before += len(sentence)


def stands_alone(sentence: Sentence) -> bool:
    """Whether it may be a title, a heading or a label, whose few words are names for what follows."""
    return _is_title(sentence) or _is_heading(sentence)


def _is_heading(sentence: Sentence) -> bool:
    """Whether it is short and has no mark at its end."""
    return len(sentence) <= LONGEST_HEADING and sentence.words[-1].text[-1].isalnum()


def _is_title(sentence: Sentence) -> bool:
    """Whether most words of some length have a capital, as in the titles of works and the headings of some."""
    long = [word.text for word in sentence.words if len(word.text) > LONGEST_SMALL_WORD]
    return len(long) > 1 and 2 * sum(word[0].isupper() for word in long) > len(long)


def _may_begin(sentence: Sentence) -> bool:
    """Whether the sentence begins with a word that is no name: a function word or nothing but an adverb, before a small letter."""
    if len(sentence) < SHORTEST_SENTENCE:
        return False
    first, second = sentence.words[0].text, sentence.words[1].text
    grammar = grammar_of(first.lower())
    is_plain = first.lower() in FUNCTION_WORDS - RELATIVES or (grammar is not None and grammar.tags <= ADVERBS)
    return is_plain and first.istitle() and second != ":" and not second[0].isupper()


def is_protected(span: Span, protected: Sequence[Span], starts: Sequence[int]) -> bool:
    """Whether any of the spans, in order and apart, overlaps; `starts` are theirs."""
    before = bisect_left(starts, span.end)  # those that begin before the word ends
    return before > 0 and protected[before - 1].end > span.start
