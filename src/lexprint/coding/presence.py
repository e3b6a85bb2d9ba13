"""Whether a text bears a mark at all: no payload, one keyed coin for each pair of words, and every site votes.

The coin belongs to the pair alone, so nothing that happens beside a site changes its vote. The price: whoever compares many texts
of one key learns which word of a pair it prefers. Without the key's mark a coin knows nothing of the text, so the p-value is exact
for any text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import blake2b

from lexprint.coding.keys import MasterKey
from lexprint.coding.weighted_sums import distribution_of_sum

PURPOSE = "presence of a mark 1"


@dataclass(frozen=True, slots=True)
class Tally:
    """How the sites of a text have voted; sites of one pair vote as one, with their majority."""

    agreeing: int  # votes for the mark
    votes: int
    p_value: float  # chance that a text without this key's mark has as many votes for it


def preferences(key: MasterKey) -> Callable[[bytes], int]:
    """Which word of a pair the key prefers, by the pair."""
    derived = key.derive(PURPOSE)
    return lambda pair: blake2b(pair, key=derived, digest_size=1).digest()[0] & 1


def tally(votes: Iterable[tuple[bytes, int]], preferred: Callable[[bytes], int]) -> Tally:
    """Count what sites say, each given as its pair and its bit."""
    majorities: Counter[bytes] = Counter()
    for pair, bit in votes:
        majorities[pair] += 1 if bit else -1
    decided = {pair: surplus for pair, surplus in majorities.items() if surplus}
    agreeing = sum(abs(surplus) for pair, surplus in decided.items() if preferred(pair) == (surplus > 0))
    weights = [abs(surplus) for surplus in decided.values()]
    distribution = distribution_of_sum(weights, [0.5] * len(weights))
    return Tally(agreeing, sum(weights), min(1.0, float(distribution[agreeing:].sum())))
