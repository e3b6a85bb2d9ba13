"""Which message fits a set of noisy parities best: exact where all messages can be tried, else the likeliest ones.

A parity is a row over GF(2) and the bit that was read for it; a parity that was lost is simply not there. Finding the best
message among noisy random parities is hard in general, but a reader only wants one that fits so well that chance is ruled
out, and the fewer errors that leaves room for, the sooner a set of parities without any of them turns up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, comb, log, log1p
from random import Random

import numpy as np
from numpy.typing import NDArray

EXACT_BITS = 20  # up to here every message is tried: a million of them, in some 20 ms
MOST_TRIES = 120  # sets of parities solved for one longer message; each takes about a millisecond
MISSED = 1e-3  # chance of overlooking a message that would have been accepted, where fewer tries suffice for it
FLIPS = 2  # errors among the parities that are solved; more are found by solving others

Signs = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Parity:
    """What one site says of the message: the parity of the bits in `row` is `bit`."""

    row: int
    bit: int
    reliability: float = 1.0  # above 0; more reliable ones are trusted first


@dataclass(frozen=True, slots=True)
class Fit:
    """A message, and how many parities it agrees with."""

    message: int
    agreeing: int


def best_fit(parities: Sequence[Parity], *, bits: int, good_enough: int) -> Fit | None:
    """The message of so many bits that agrees with most parities, if that is `good_enough`.

    The best one is found for sure up to EXACT_BITS. The search for longer ones ends at the first that is good enough.
    """
    if good_enough > len(parities):
        return None
    found = _try_all(parities, bits) if bits <= EXACT_BITS else _solve_some(parities, bits, good_enough)
    return found if found is not None and found.agreeing >= good_enough else None


def _try_all(parities: Sequence[Parity], bits: int) -> Fit:
    """Agreements less disagreements of all messages at once are a Walsh-Hadamard transform."""
    surplus = np.zeros(1 << bits, np.int32)  # (messages,)
    for parity in parities:
        surplus[parity.row] += 1 - 2 * parity.bit
    for place in range(bits):
        without, including = surplus.reshape(-1, 2, 1 << place).transpose(
            1, 0, 2
        )  # views: messages without and with the bit
        without += including
        np.subtract(without, 2 * including, out=including)
    best = int(surplus.argmax())
    return Fit(best, (len(parities) + int(surplus[best])) // 2)


def _solve_some(parities: Sequence[Parity], bits: int, good_enough: int) -> Fit | None:
    """Ordered statistics decoding (Fossorier and Lin 1995) over many random orders, reliable parities first in each."""
    rows = _as_matrix([parity.row for parity in parities], bits)
    received = np.array([parity.bit for parity in parities], np.float32)
    best: Fit | None = None
    for order in _orders(parities, _tries(len(parities), bits, good_enough)):
        solution = _solve([parities[index] for index in order], bits)
        if solution is None:
            return None  # in any order: there are too few independent parities
        found = _best_nearby(solution, rows, received, bits)
        if best is None or found.agreeing > best.agreeing:
            best = found
        if best.agreeing >= good_enough:
            break
    return best


def _tries(count: int, bits: int, good_enough: int) -> int:
    """How many sets to solve so that one has at most FLIPS errors, if no more are wrong than may be."""
    wrong = count - good_enough
    sets = comb(count, bits)
    lucky = sum(comb(wrong, flips) * comb(count - wrong, bits - flips) for flips in range(FLIPS + 1)) / sets
    if lucky >= 1.0:
        return 1
    return MOST_TRIES if lucky == 0.0 else min(MOST_TRIES, ceil(log(MISSED) / log1p(-lucky)))


def _orders(parities: Sequence[Parity], count: int) -> Iterator[list[int]]:
    """Most reliable first, then random orders in which reliable parities tend to come first."""
    random = Random(0)  # the same text gives the same answer
    indices = range(len(parities))
    yield sorted(indices, key=lambda index: -parities[index].reliability)
    for _ in range(count - 1):
        # An exponential race: each is first with a chance that is proportional to its reliability.
        arrivals = [-log1p(-random.random()) / parity.reliability for parity in parities]
        yield sorted(indices, key=arrivals.__getitem__)


@dataclass(frozen=True, slots=True)
class _Solution:
    """The message that some parities determine, and for each of those how the message changes if its bit is flipped."""

    message: int
    changes: list[int]


def _solve(parities: Sequence[Parity], bits: int) -> _Solution | None:
    """By the first independent parities; None if there are fewer of them than bits.

    Each reduced row is kept with its own bit and the set of parities that it is the sum of.
    """
    reduced: dict[int, tuple[int, int, int]] = {}  # highest place -> row, bit, parities in it
    for parity in parities:
        row, bit, used = parity.row, parity.bit, 1 << len(reduced)
        while row and (place := row.bit_length() - 1) in reduced:
            other, other_bit, other_used = reduced[place]
            row, bit, used = row ^ other, bit ^ other_bit, used ^ other_used
        if row:
            reduced[row.bit_length() - 1] = row, bit, used
            if len(reduced) == bits:
                return _back_substituted(reduced, bits)
    return None


def _back_substituted(reduced: dict[int, tuple[int, int, int]], bits: int) -> _Solution:
    message, changes = 0, [0] * bits
    used_at = [0] * bits
    for place in range(bits):
        row, bit, used = reduced[place]
        rest = row ^ (1 << place)
        while rest:
            lower = rest.bit_length() - 1
            bit ^= message >> lower & 1
            used ^= used_at[lower]
            rest ^= 1 << lower
        message |= bit << place
        used_at[place] = used
    for place, used in enumerate(used_at):
        for number in range(bits):
            changes[number] |= (used >> number & 1) << place
    return _Solution(message, changes)


def _best_nearby(solution: _Solution, rows: Signs, received: Signs, bits: int) -> Fit:
    """The best of the solution and those with one or two of its parities taken for errors."""
    guesses = _as_matrix([solution.message, *solution.changes], bits)  # (1 + bits, bits)
    signs = 1.0 - 2.0 * np.mod(rows @ guesses.T, 2.0)  # (parities, 1 + bits)
    agreement = signs[:, 0] * (1.0 - 2.0 * received)  # (parities,) 1 where the solution agrees, else -1
    flips = signs.copy()
    flips[:, 0] = 1.0  # column 0 flips nothing, so that pairs with it are single flips
    surplus = (flips * agreement[:, None]).T @ flips  # (1 + bits, 1 + bits)
    one, other = divmod(int(surplus.argmax()), bits + 1)
    message = solution.message
    if one != other:
        for column in (one, other):
            message ^= solution.changes[column - 1] if column else 0
    return Fit(message, round((len(received) + float(surplus[one, other])) / 2))


def _as_matrix(numbers: Sequence[int], bits: int) -> Signs:
    """Numbers as rows of zeros and ones, the lowest bit first."""
    size = (bits + 7) // 8
    octets = np.frombuffer(b"".join(number.to_bytes(size, "little") for number in numbers), np.uint8)
    spread = np.unpackbits(octets.reshape(len(numbers), size), axis=1, bitorder="little")[:, :bits]
    return spread.astype(np.float32)  # (numbers, bits)
