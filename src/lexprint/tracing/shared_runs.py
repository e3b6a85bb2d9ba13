"""Runs of words that two texts share, in whatever order they come, and chains of runs that follow each other in both."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

SEED = 3  # words that must agree for a passage to be noticed: with one word in ten changed, seven of ten still do
LONGEST_GAP = 24  # words between two runs of one passage, in either text
LEAST_PASSAGE = 5  # words of a passage that must agree; unrelated texts share many runs of three
MOST_IN_MASTER = 8  # a run of words that the master repeats more often tells no place
MOST_IN_LEAK = 16  # occurrences of a run that are followed; the others are further copies of a passage
BITS_OF_WORD = 21  # of a number that stands for a word; three fit into 64 bits

_BUCKET = 32  # words


class Run(NamedTuple):
    """Words that agree, one after the other, in both texts."""

    master: int
    leak: int
    length: int


def shared_runs(
    choices: Sequence[NDArray[np.int64]], words_at: NDArray[np.int64], leak: NDArray[np.int64]
) -> list[Run]:
    """All runs of words that both texts share, by their place in the master, without those that stand alone by chance.

    Words are numbers. `choices` are the master with every site as its first word, as its second, ...; `words_at` says how
    many words may stand at each place.
    """
    at_master, at_leak, is_single = _seeds(choices, words_at, leak)
    order = np.lexsort((at_master, at_leak - at_master))
    at_master, at_leak, is_single = at_master[order], at_leak[order], is_single[order]
    if not len(at_master):
        return []
    begins = np.append(True, (np.diff(at_leak - at_master) != 0) | (np.diff(at_master) != 1))
    first = np.flatnonzero(begins)
    lengths = np.diff(np.append(first, len(at_master))) + SEED - 1
    single = np.logical_or.reduceat(is_single, first)
    kept = single | (_neighbourhood(at_master[first], at_leak[first], lengths) > LEAST_PASSAGE)
    runs = zip(at_master[first][kept].tolist(), at_leak[first][kept].tolist(), lengths[kept].tolist(), strict=True)
    return sorted(Run(*run) for run in runs)


def _seeds(
    choices: Sequence[NDArray[np.int64]], words_at: NDArray[np.int64], leak: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Where three words agree: their places in the master and in the leak, and whether they stand once in both."""
    keys, places = [], []
    for symbols in product(range(len(choices)), repeat=SEED):
        rows = [choices[symbol] for symbol in symbols]
        chosen = np.flatnonzero(
            np.logical_and.reduce([_window(words_at, step) > symbol for step, symbol in enumerate(symbols)])
        )
        keys.append(_keys(rows)[chosen])
        places.append(chosen)
    key, place = np.concatenate(keys), np.concatenate(places)
    order = np.argsort(key, kind="stable")
    key, place = key[order], place[order]

    leak_key = _keys([leak] * SEED)
    low, high = np.searchsorted(key, leak_key, side="left"), np.searchsorted(key, leak_key, side="right")
    hits = np.flatnonzero((high > low) & (high - low <= MOST_IN_MASTER))
    hits = hits[np.argsort(low[hits], kind="stable")]
    _, first, occurrences = np.unique(low[hits], return_index=True, return_counts=True)
    rank = np.arange(len(hits)) - np.repeat(first, occurrences)
    is_single = np.repeat(occurrences, occurrences) * (high - low)[hits] == 1
    hits, is_single = hits[rank < MOST_IN_LEAK], is_single[rank < MOST_IN_LEAK]

    counts = (high - low)[hits]
    within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    return place[np.repeat(low[hits], counts) + within], np.repeat(hits, counts), np.repeat(is_single, counts)


def _window(values: NDArray[Any], step: int) -> NDArray[Any]:
    """What stands `step` words after the first of each run of SEED words."""
    return values[step : max(len(values) - SEED + 1 + step, step)]


def _keys(rows: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """One number for each run of SEED words."""
    keys = np.zeros(max(len(rows[0]) - SEED + 1, 0), dtype=np.int64)
    for step, row in enumerate(rows):
        keys = keys << BITS_OF_WORD | _window(row, step)
    return keys


def _neighbourhood(master: NDArray[np.int64], leak: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Words in runs that lie near, in the master and in how far they were moved: (runs,)."""
    rows, columns = master // _BUCKET + 1, (leak - master + int(master.max())) // (_BUCKET // 2) + 1
    width = int(columns.max()) + 2
    buckets, index = np.unique(rows * width + columns, return_inverse=True)
    totals = np.bincount(index, weights=lengths).astype(np.int64)
    near = np.zeros(len(master), dtype=np.int64)
    for row, column in product((-1, 0, 1), repeat=2):
        wanted = (rows + row) * width + columns + column
        at = np.minimum(np.searchsorted(buckets, wanted), len(buckets) - 1)
        near += np.where(buckets[at] == wanted, totals[at], 0)
    return near


def chains_of(runs: Sequence[Run]) -> Iterator[list[Run]]:
    """Runs that follow each other closely in both texts, the longest chains first; each run is in one of them."""
    lengths: list[float] = []
    before: list[int] = []
    ending: dict[int, list[int]] = defaultdict(list)  # runs by where they end in the leak
    for index, run in enumerate(runs):
        best, previous = float(run.length), -1
        bucket = run.leak // _BUCKET
        for other in (*ending[bucket - 1], *ending[bucket], *ending[bucket + 1]):
            link = _link(runs[other], run)
            if link is not None and lengths[other] + link > best:
                best, previous = lengths[other] + link, other
        lengths.append(best)
        before.append(previous)
        ending[(run.leak + run.length) // _BUCKET].append(index)
    used = [False] * len(runs)
    for end in sorted(range(len(runs)), key=lambda index: -lengths[index]):
        chain: list[Run] = []
        index = end
        while index >= 0 and not used[index]:
            used[index] = True
            chain.append(runs[index])
            index = before[index]
        if chain:
            yield chain[::-1]


def _link(one: Run, other: Run) -> float | None:
    """Words that `other` adds to a chain that ends with `one`, less for gaps and drift; None if it cannot follow."""
    if one.master >= other.master or one.leak >= other.leak:
        return None
    overlap = overlap_of(one, other)
    gap, leak_gap = (
        other.master + overlap - one.master - one.length,
        other.leak + overlap - one.leak - one.length,
    )
    if overlap >= other.length or max(gap, leak_gap) > LONGEST_GAP:
        return None
    return other.length - overlap - 0.05 * (gap + leak_gap) - 0.2 * abs(gap - leak_gap)


def overlap_of(one: Run, other: Run) -> int:
    return max(one.master + one.length - other.master, one.leak + one.length - other.leak, 0)
