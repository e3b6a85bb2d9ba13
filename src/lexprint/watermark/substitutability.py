"""Substitutability: no choice here may turn the word before into a site, for the reader would stop there first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from lexprint.models.protocols import Gap
from lexprint.watermark.inquiry import Inquiry
from lexprint.watermark.synchronicity import FindPair

KeepsNeighbour: TypeAlias = Callable[[Iterable[Gap], FindPair], Inquiry[bool]]


def keeps_neighbour(neighbour: Iterable[Gap], find_pair: FindPair) -> Inquiry[bool]:
    """Whether the word before stays asynchronous; `neighbour` is its gap, once for each member of the pair after it.

    A neighbour in the risk set has no pair in any of them, so it costs nothing.
    """
    for gap in neighbour:
        if (yield from find_pair(gap)) is not None:
            return False
    return True


def trusts_neighbour(neighbour: Iterable[Gap], find_pair: FindPair) -> Inquiry[bool]:
    """No test at all: for the ablation only."""
    yield from ()
    return True
