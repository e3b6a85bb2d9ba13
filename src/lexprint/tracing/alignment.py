"""Where each site of the master is in the leak, and what stands there.

Passages are found by runs of three words that both texts share, in whatever order they come; at a site any of its words
will do. Runs that follow each other in both texts are chained to passages, and only between the runs of a
passage and at its ends are words compared one by one. Nothing here knows any copy's codeword: what is read, and where, depends
on the leak and the master alone, which is what makes the statistics exact.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from math import log, log10
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexprint.registry.records import CopySite
from lexprint.text.leak_text import Words, find_words, spell
from lexprint.text.span import Span
from lexprint.tracing.likeness import ALIKE, Phrase, nearest, similarity
from lexprint.tracing.shared_runs import (
    BITS_OF_WORD,
    LEAST_PASSAGE,
    LONGEST_GAP,
    Run,
    chains_of,
    overlap_of,
    shared_runs,
)

REACH = 8  # words beside a site that speak for its place; also how far a passage is followed beyond its last run
LEAST_SUPPORT = 4  # of those words that must agree
MOST_BY_CHANCE = 1e-3  # passages so long, of words so rare, that unrelated texts of these lengths may have in common
TIE = 0.5  # two places whose strength differs by less cannot be told apart
REPEATED = 3.0  # places of one site whose strength differs by less are both what the leak says

_AGREEMENT, _SKIP = 3.0, -1.0  # a pair of words that agree, and a word without a partner; a pair that does not is 0


class AlignedSite(NamedTuple):
    """What the leak shows at a site."""

    symbol: int | None  # which of the site's words; None: another one, or it cannot be told
    span: Span | None  # None: the place is missing


@dataclass(frozen=True, slots=True)
class Alignment:
    """Each site's place in the leak, and how much of the master the leak holds."""

    sites: tuple[AlignedSite, ...] = field(repr=False)  # one for each site
    covered_share: float  # of the master's words, those with a place in the leak
    edited_share: float  # of the words there, those changed, dropped or added; marks are no changes


MISSING = AlignedSite(None, None)


def align(leak: str, text: str, sites: Sequence[CopySite]) -> Alignment:
    """Find the sites of a master's text in any leak."""
    texts = _Texts.of(text, leak, sites)
    found = _passages(texts)
    phrases = _placed_phrases(found, texts)
    aligned = _aligned_sites(found, texts) | {site: one.aligned for site, one in phrases.items()}
    sites_there = tuple(aligned.get(site, MISSING) for site in range(len(sites)))
    return Alignment(sites_there, *_shares(found, texts, [one for one in phrases.values() if one.is_told]))


def aligned_words(leak: str, text: str) -> dict[int, frozenset[str]]:
    """Where words of a leak begin that stand in passages of a text, and which of its words stand there, as compared.

    A word counts only where enough of those around it agree, and as the same word of the text, as for sites.
    """
    texts = _Texts.of(text, leak, ())
    found: dict[int, set[str]] = defaultdict(set)
    for place, candidates in _candidates(_passages(texts), range(len(texts.master))).items():
        for one in _nearly_best(candidates):
            found[int(texts.leak.starts[one.leak])].add(texts.master.spelled[place])
    return {start: frozenset(words) for start, words in found.items()}


def _passages(texts: _Texts) -> list[_Passage]:
    runs = shared_runs(texts.choices, texts.words_at, texts.leak_numbers)
    passages = [_filled(chain, texts) for chain in chains_of(runs) if not _is_chance(chain, texts)]
    return [passage for passage in passages if len(passage.agreeing) >= LEAST_PASSAGE]


@dataclass(frozen=True, eq=False, slots=True)
class _Texts:
    """Master and leak as words and as numbers that stand for words; words that the master lacks are all 0."""

    master: Words
    leak: Words
    words: dict[int, tuple[str, ...]]  # index of a master's word -> the words of its site
    site_of: dict[int, int]  # index of a master's word -> its site
    phrases: dict[int, Phrase]  # site -> its words, where it is a phrase or may become one
    choices: tuple[NDArray[np.int64], ...]  # the master with every site as its first word, as its second, ...
    leak_numbers: NDArray[np.int64]
    rarity: NDArray[np.float64]  # of the master's words: nats that a strange word which agrees tells

    @classmethod
    def of(cls, text: str, leak: str, sites: Sequence[CopySite]) -> _Texts:
        master, leaked = find_words(text), find_words(leak)
        places = np.searchsorted(master.starts, [site.span.start for site in sites], side="right") - 1
        whole = {index for index, site in enumerate(sites) if any(" " in word for word in site.words)}
        phrases = {index: Phrase.of(sites[index], master) for index in whole}
        site_of = {
            int(place): index
            for index, (place, site) in enumerate(zip(places, sites, strict=True))
            if index not in whole and place >= 0 and site.span.start < master.ends[place]
        }
        words = {place: tuple(map(spell, sites[index].words)) for place, index in site_of.items()}
        numbers: dict[str, int] = {}
        for word in (*master.spelled, *(word for some in words.values() for word in some)):
            numbers.setdefault(word, (len(numbers) + 1) % 2**BITS_OF_WORD)
        choices = tuple(
            np.array(
                [
                    numbers[words[place][min(symbol, len(words[place]) - 1)] if place in words else word]
                    for place, word in enumerate(master.spelled)
                ],
                dtype=np.int64,
            )
            for symbol in range(max(map(len, words.values()), default=1))
        )
        leak_numbers = np.array([numbers.get(word, 0) for word in leaked.spelled], dtype=np.int64)
        counts = Counter(master.spelled) + Counter(leaked.spelled)
        common = [
            sum(counts[one] for one in {word, *words.get(place, ())}) for place, word in enumerate(master.spelled)
        ]
        rarity = log(max(len(master) + len(leaked), 1)) - np.log(np.array(common, dtype=np.float64))
        return cls(master, leaked, words, site_of, phrases, choices, leak_numbers, rarity)

    @property
    def words_at(self) -> NDArray[np.int64]:
        """How many words may stand at each place of the master."""
        counts = np.ones(len(self.master), dtype=np.int64)
        counts[list(self.words)] = [len(words) for words in self.words.values()]
        return counts

    def similarity(self, master: int, leak: int) -> float:
        """Of two words, 1 if they are the same; of a site, to the nearest of its words; 0 if they are not alike."""
        found = self.leak.spelled[leak]
        return max(similarity(word, found) for word in self.words.get(master, (self.master.spelled[master],)))

    def symbol(self, master: int, leak: int) -> int | None:
        """Which of the site's words stands in the leak, slips allowed where all others are much less alike."""
        return nearest(self.words[master], self.leak.spelled[leak])


@dataclass(frozen=True, slots=True)
class _PlacedPhrase:
    """A phrase, the words of the leak between its neighbours, and what they say."""

    phrase: Phrase
    leak: range
    aligned: AlignedSite

    @property
    def is_told(self) -> bool:
        return self.aligned.symbol is not None


def _is_chance(chain: Sequence[Run], texts: _Texts) -> bool:
    """Whether unrelated texts would share such words too, in places that nobody chose.

    As Karlin and Altschul (1990) count chance alignments: places to begin in both texts, times the chance that words
    like these agree there. A further run may begin anywhere in a gap, and tells what that leaves.
    """
    told = -log(max(len(texts.master) * len(texts.leak), 1))
    previous: Run | None = None
    for run in chain:
        skipped = 0 if previous is None else overlap_of(previous, run)
        agreeing = float(texts.rarity[run.master + skipped : run.master + run.length].sum())
        told += agreeing if previous is None else max(agreeing - 2.0 * log(LONGEST_GAP), 0.0)
        previous = run
    return told < -log(MOST_BY_CHANCE)


@dataclass(frozen=True, slots=True)
class _Passage:
    """A part of the master that was found, in order, in the leak."""

    partners: dict[int, int]  # index of a master's word -> index of the leak's
    agreeing: list[
        int
    ]  # the master's words that are the same there, or another of their site's, slips allowed; in order

    def support(self, place: int) -> int:
        """How many words near a place agree, itself not counted."""
        before, at = bisect_left(self.agreeing, place - REACH), bisect_left(self.agreeing, place)
        after, beyond = bisect_left(self.agreeing, place + 1), bisect_left(self.agreeing, place + REACH + 1)
        return at - before + beyond - after


def _filled(chain: Sequence[Run], texts: _Texts) -> _Passage:
    """A chain with the words between its runs, and those beyond its ends that agree, paired too."""
    partners: dict[int, int] = {}
    previous: Run | None = None
    for run in chain:
        skipped = 0 if previous is None else overlap_of(previous, run)
        if previous is not None:
            between = range(previous.master + previous.length, run.master + skipped)
            leak_between = range(previous.leak + previous.length, run.leak + skipped)
            partners.update(_paired_between(between, leak_between, texts))
        for step in range(skipped, run.length):
            partners[run.master + step] = run.leak + step
        previous = run
    master, leak = chain[0].master, chain[0].leak
    partners.update(
        _paired_beyond(
            range(master - 1, max(master - REACH, 0) - 1, -1), range(leak - 1, max(leak - REACH - 2, 0) - 1, -1), texts
        )
    )
    last = chain[-1]
    master, leak = last.master + last.length, last.leak + last.length
    partners.update(
        _paired_beyond(
            range(master, min(master + REACH, len(texts.master))),
            range(leak, min(leak + REACH + 2, len(texts.leak))),
            texts,
        )
    )
    return _Passage(
        partners, sorted(place for place, other in partners.items() if texts.similarity(place, other) > ALIKE)
    )


def _paired_between(master: range, leak: range, texts: _Texts) -> Iterator[tuple[int, int]]:
    """The best pairing, in order, of words whose surroundings are paired already on both sides."""
    if len(master) and len(leak):
        yield from _traced(_table(master, leak, texts), len(master), len(leak), master, leak)


def _paired_beyond(master: range, leak: range, texts: _Texts) -> Iterator[tuple[int, int]]:
    """The same where only the side that both begin with is paired: as far as more agrees than not."""
    if len(master) and len(leak):
        table = _table(master, leak, texts)
        best = max(
            (value, -row - column, row, column)
            for row, values in enumerate(table)
            for column, value in enumerate(values)
        )
        yield from _traced(table, best[2], best[3], master, leak)


def _table(master: range, leak: range, texts: _Texts) -> list[list[float]]:
    """Needleman and Wunsch's: the worth of the best pairing of the first words of each."""
    table = [[column * _SKIP for column in range(len(leak) + 1)]]
    for row, place in enumerate(master, start=1):
        above, current = table[-1], [row * _SKIP]
        for column, other in enumerate(leak):
            paired = above[column] + _AGREEMENT * texts.similarity(place, other)
            current.append(max(paired, above[column + 1] + _SKIP, current[column] + _SKIP))
        table.append(current)
    return table


def _traced(
    table: Sequence[Sequence[float]], row: int, column: int, master: range, leak: range
) -> Iterator[tuple[int, int]]:
    while row and column:
        value = table[row][column]
        if value == table[row - 1][column] + _SKIP:
            row -= 1
        elif value == table[row][column - 1] + _SKIP:
            column -= 1
        else:
            row, column = row - 1, column - 1
            yield master[row], leak[column]


class _Candidate(NamedTuple):
    """A word of the leak that may be the one at a site."""

    strength: float
    place: int  # of the site in the master
    leak: int


def _aligned_sites(passages: Sequence[_Passage], texts: _Texts) -> dict[int, AlignedSite]:
    """Of sites that are single words, those that have a place."""
    candidates = _candidates(passages, texts.words)
    return {texts.site_of[place]: _aligned_site(some, texts) for place, some in candidates.items()}


def _placed_phrases(passages: Sequence[_Passage], texts: _Texts) -> dict[int, _PlacedPhrase]:
    """Of the other sites, those of which both neighbours have a place, and agree there."""
    beside = {place for phrase in texts.phrases.values() for place in (phrase.first - 1, phrase.last)}
    neighbours = {
        place: [one for one in _nearly_best(some) if texts.similarity(place, one.leak) > ALIKE]
        for place, some in _candidates(passages, beside).items()
    }
    found = {
        site: _placed(phrase, neighbours.get(phrase.first - 1, ()), neighbours.get(phrase.last, ()), texts)
        for site, phrase in texts.phrases.items()
    }
    return {site: one for site, one in found.items() if one is not None}


def _placed(
    phrase: Phrase, before: Sequence[_Candidate], after: Sequence[_Candidate], texts: _Texts
) -> _PlacedPhrase | None:
    """As for a word: what the leak repeats counts once, and places that disagree tell nothing."""
    between = sorted(
        (-min(one.strength, other.strength), one.leak + 1, other.leak)
        for one in before
        for other in after
        if 0 <= other.leak - one.leak - 1 <= phrase.longest + 1
    )
    if not between:
        return None
    symbols = [nearest(phrase.spelled, " ".join(texts.leak.spelled[start:end])) for _, start, end in between]
    told = set(symbols) - {None}
    _, start, end = between[0]
    last = max(start, end - 1)  # where nothing stands, the neighbour is shown
    span = Span(int(texts.leak.starts[start]), int(texts.leak.ends[last]))
    return _PlacedPhrase(phrase, range(start, end), AlignedSite(told.pop() if len(told) == 1 else None, span))


def _candidates(passages: Sequence[_Passage], wanted: Container[int]) -> dict[int, list[_Candidate]]:
    """Where wanted words of the master may stand in the leak, by the words."""
    by_leak: dict[int, list[_Candidate]] = defaultdict(list)
    for passage in passages:
        size = 2.0 * log10(len(passage.agreeing))
        for place, other in passage.partners.items():
            if place in wanted:
                support = passage.support(place)
                if support >= LEAST_SUPPORT:
                    by_leak[other].append(_Candidate(support + size, place, other))
    by_place: dict[int, list[_Candidate]] = defaultdict(list)
    for candidates in by_leak.values():
        winner = _clear_winner(candidates)
        if winner is not None:
            by_place[winner.place].append(winner)
    return by_place


def _clear_winner(candidates: Sequence[_Candidate]) -> _Candidate | None:
    """A word of the leak stands for one word of the master only: a passage that the master repeats must not be confused."""
    best = max(candidates)
    rivals = [one for one in candidates if one.place != best.place and one.strength > best.strength - TIE]
    return None if rivals else best


def _nearly_best(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """Without those that are only a little like the place, where another is much more so."""
    most = max(candidates).strength
    return [one for one in candidates if one.strength > most - REPEATED]


def _aligned_site(candidates: Sequence[_Candidate], texts: _Texts) -> AlignedSite:
    """A passage that the leak repeats counts once; if its places disagree, nothing can be told."""
    best = max(candidates)
    symbols = {one.leak: texts.symbol(one.place, one.leak) for one in _nearly_best(candidates)}
    told = set(symbols.values()) - {None}
    shown = (
        best.leak
        if symbols[best.leak] is not None or len(told) != 1
        else next(leak for leak, symbol in symbols.items() if symbol is not None)
    )
    span = Span(int(texts.leak.starts[shown]), int(texts.leak.ends[shown]))
    return AlignedSite(told.pop() if len(told) == 1 else None, span)


def _shares(passages: Sequence[_Passage], texts: _Texts, phrases: Sequence[_PlacedPhrase]) -> tuple[float, float]:
    """Share of the master's words that lie in passages, and share of the words there that were edited; phrases told are not.

    What stands once in the leak counts once: expressions that the master repeats are passages too, and look much edited.
    """
    covered: set[int] = set()
    kept: set[int] = set()
    leak_covered: set[int] = set()
    leak_partners: set[int] = set()
    for passage in sorted(passages, key=lambda passage: -len(passage.agreeing)):
        leak = set(passage.partners.values())
        if len(leak & leak_partners) > len(leak) / 2:
            continue
        covered.update(range(min(passage.partners), max(passage.partners) + 1))
        leak_covered.update(range(min(leak), max(leak) + 1))
        kept.update(place for place, other in passage.partners.items() if texts.similarity(place, other) == 1.0)
        leak_partners.update(leak)
    if not covered:
        return 0.0, 0.0
    for one in phrases:
        kept.update(covered.intersection(range(one.phrase.first, one.phrase.last)))
        leak_partners.update(one.leak)
    added = len(leak_covered - leak_partners) * len(kept) / len(leak_partners)  # as if nothing stood there twice
    return len(covered) / len(texts.master), 1.0 - len(kept) / (len(covered) + added)
