"""The left-to-right walk that embedding and extraction share (Algorithm 2).

Why the reader stops where the writer did: a word is judged by the words before it, as already marked, and by the one after
it. The reader sees the same, unless the next word was exchanged afterwards. A site's next word never is, since f >= 1. A
word that was passed over before a site is not synchronous with either member of that site's pair after it: that is what
the substitutability test asked. And words that no one judges are the same for both, as they follow from the sites, or from
the protected parts of the text, which a reader has to know where a writer did.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from lexprint.models.protocols import Gap
from lexprint.substitution.acceptance import share_of
from lexprint.text.document import Document, Sentence
from lexprint.text.pairs import Pair
from lexprint.watermark.inquiry import WINDOW, Inquiry, answer_all
from lexprint.watermark.scheme import Scheme
from lexprint.watermark.sites import Site
from lexprint.watermark.synchronicity import Synchronous

AHEAD = 6  # words of a sentence that are asked about together where there is room; most of them stay as they are
FIRST = 1  # the first word of a sentence has no left context; index 2 in the paper, which counts from 1

OnWords: TypeAlias = Callable[[int], None]  # told how many more words the walk has left behind


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The words beside a site; f >= 1, so neither is a site itself, and reader and writer see the same."""

    before: str
    after: str


Choose: TypeAlias = Callable[[Pair, str, Neighbours], Inquiry[str]]


@dataclass(frozen=True, slots=True)
class Visit:
    """A site and the word that the walk left there."""

    site: Site
    word: str


def walk(
    document: Document, scheme: Scheme, choose: Choose, *, window: int = WINDOW, on_words: OnWords | None = None
) -> tuple[Visit, ...]:
    """Visit every word that can carry a bit, in order, letting `choose` decide what stands there."""
    walks = (
        _walk_sentence(
            sentence, scheme, choose, on_words or _ignore, protected=_protected_positions(document, sentence)
        )
        for sentence in document.sentences
    )
    stops = answer_all(walks, scheme.substituter, window=window)
    return tuple(
        Visit(_site(document, index, stop), stop.chosen) for index, found in enumerate(stops) for stop in found
    )


def gaps_as_they_stand(document: Document, scheme: Scheme) -> Iterator[Gap]:
    """Every gap that a reader may come to, in order; those that sites make him skip among them."""
    for sentence in document.sentences:
        context = _LocalContext(sentence)
        protected = _protected_positions(document, sentence)
        for position in range(FIRST, len(sentence) - scheme.gap - 1):
            if position not in protected:
                yield context.gap(position)


def _protected_positions(document: Document, sentence: Sentence) -> Collection[int]:
    if not document.protected:
        return ()
    return {position for position, word in enumerate(sentence.words) if document.is_protected(word)}


def _ignore(words: int) -> None:
    pass


def keep(pair: Pair, word: str, neighbours: Neighbours) -> Inquiry[str]:
    """Leave every word as it is: what a reader does."""
    yield from ()
    return word


@dataclass(frozen=True, slots=True)
class _Stop:
    position: int
    verdict: Synchronous
    chosen: str


class _LocalContext:
    """A sentence as already marked, seen from its words: each sees what stands before it and the one word after it."""

    def __init__(self, sentence: Sentence) -> None:
        self.words = [word.text for word in sentence.words]
        spans = [word.view_span for word in sentence.words]
        self._spacings = [sentence.view[one.end : other.start] for one, other in pairwise(spans)]
        self._lefts = [""]

    def gap(self, position: int) -> Gap:
        return self._gap(position, self.words[position + 1])

    def gap_before(self, position: int, word: str) -> Gap:
        """Of the word before `position`, if `word` stood there."""
        return self._gap(position - 1, word)

    def neighbours(self, position: int) -> Neighbours:
        return Neighbours(self.words[position - 1], self.words[position + 1])

    def put(self, position: int, word: str) -> None:
        self.words[position] = word
        del self._lefts[position + 1 :]

    def _gap(self, position: int, following: str) -> Gap:
        while len(self._lefts) <= position:
            last = len(self._lefts) - 1
            self._lefts.append(f"{self._lefts[last]}{self.words[last]}{self._spacings[last]}")
        return Gap(self._lefts[position], self.words[position], f"{self._spacings[position]}{following}")


def _walk_sentence(
    sentence: Sentence, scheme: Scheme, choose: Choose, on_words: OnWords, *, protected: Collection[int]
) -> Inquiry[list[_Stop]]:
    stops: list[_Stop] = []
    if len(sentence) <= FIRST + scheme.gap + 1:
        on_words(len(sentence))
        return stops
    context = _LocalContext(sentence)
    # The paper starts with 0, which spares its word 2 the test, as word 1 is never judged. It says so for f = 1; for other
    # f the same is 1 - f, and 0 would spare a word whose neighbour was judged.
    latest_site = FIRST - scheme.gap - 1
    position, reported, expected, end = FIRST, 0, FIRST, len(sentence) - scheme.gap - 1
    while position < end:
        on_words(position - reported)
        reported = position
        if position >= expected and position not in protected:
            ahead = range(position + 1, min(position + AHEAD, end))
            following = (context.gap(one) for one in ahead if one not in protected)
            if (yield from scheme.expect(context.gap(position), following)):
                expected = ahead.stop
        verdict = None if position in protected else (yield from scheme.find_pair(context.gap(position)))
        if verdict is None:
            position += 1
            continue
        word = context.words[position]
        # The word in place comes first: its neighbour was judged with it a moment ago.
        choices = (word, verdict.pair.other(word))
        neighbour = (context.gap_before(position, choice) for choice in choices)
        has_no_rival = position - latest_site == scheme.gap + 1 or position - 1 in protected  # none that anyone judges
        if has_no_rival or (yield from scheme.keeps_neighbour(neighbour, scheme.find_pair)):
            chosen = yield from choose(verdict.pair, word, context.neighbours(position))
            stops.append(_Stop(position, verdict, chosen))
            if chosen != word:
                context.put(position, chosen)
                expected = position
            latest_site = position
            position += scheme.gap + 1
        else:
            position += 2  # the next word has a synchronous one before it as it stands, so its own test must fail
    on_words(len(sentence) - reported)
    return stops


def _site(document: Document, index: int, stop: _Stop) -> Site:
    word = document.sentences[index].words[stop.position]
    return Site(
        sentence=index,
        position=stop.position,
        span=word.span,
        found=word.span.of(document.text),
        word=word.text,
        pair=stop.verdict.pair,
        entailment=stop.verdict.entailment,
        clearance=stop.verdict.clearance,
        acceptance=None if stop.verdict.acceptance is None else share_of(stop.verdict.acceptance),
    )
