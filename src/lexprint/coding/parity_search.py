"""Which message fits a set of noisy parities best: exact where all messages can be tried, else the likeliest ones.

A parity is a row over GF(2) and the bit that was read for it; a parity that was lost is simply not there. Finding the best
message among noisy random parities is hard in general, but a reader only wants one that fits so well that chance is ruled
out, and the fewer errors that leaves room for, the sooner a set of parities without any of them turns up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import ceil, comb, log, log1p
from random import Random

import numpy as np
from numpy.typing import NDArray

EXACT_BITS = 20  # up to here every message is tried: a million of them, in some 20 ms
MOST_TRIES = 600  # sets of parities solved for one longer message; each takes less than a millisecond
MISSED = 1e-3  # chance of overlooking a message that would have been accepted, where fewer tries suffice for it
EXCHANGED = 6  # one in so many parities of a set is another one in the next set
FLIPS = 2  # errors among the parities that are solved; more are found by solving others

Bits = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Parity:
    """What one site says of the message: the parity of the bits in `row` is `bit`."""

    row: int
    bit: int
    weight: int = 1  # above 0; more reliable ones weigh more, and are trusted first


@dataclass(frozen=True, slots=True)
class Fit:
    """A message, and what the parities that it agrees with weigh."""

    message: int
    agreeing: int


def best_fit(parities: Sequence[Parity], *, bits: int, good_enough: int) -> Fit | None:
    """The message of so many bits that agrees with most parities by weight; None if they leave it open.

    The best one is found for sure up to EXACT_BITS. The search for longer ones ends at the first that is good enough, and
    lasts as long as one that is would be worth: what it finds otherwise need not be the best.
    """
    if good_enough > sum(parity.weight for parity in parities):
        return None
    return _try_all(parities, bits) if bits <= EXACT_BITS else _solve_some(parities, bits, good_enough)


def _try_all(parities: Sequence[Parity], bits: int) -> Fit:
    """Agreements less disagreements of all messages at once are a Walsh-Hadamard transform."""
    surplus = np.zeros(1 << bits, np.int32)  # (messages,)
    for parity in parities:
        surplus[parity.row] += parity.weight * (1 - 2 * parity.bit)
    for place in range(bits):
        without, including = surplus.reshape(-1, 2, 1 << place).transpose(
            1, 0, 2
        )  # views: messages without and with the bit
        without += including
        np.subtract(without, 2 * including, out=including)
    best = int(surplus.argmax())
    return Fit(best, (sum(parity.weight for parity in parities) + int(surplus[best])) // 2)


def _solve_some(parities: Sequence[Parity], bits: int, good_enough: int) -> Fit | None:
    """Ordered statistics decoding (Fossorier and Lin 1995) of one set of independent parities after another.

    The first set holds the most reliable ones. The next ones differ from it by exchanges (Canteaut and Chabaud 1998),
    which cost far less than solving anew.
    """
    ranked = sorted(parities, key=lambda parity: -parity.weight)
    solution = _solve(ranked, bits)
    if solution is None:
        return None  # there are too few independent parities, whichever are chosen
    code = _Code.of(ranked, solution, bits)
    random = Random(0)  # the same parities give the same answer
    best: Fit | None = None
    for attempt in range(_tries(parities, bits, good_enough)):
        if attempt:
            code.exchange(random, count=1 + bits // EXCHANGED)
        agreeing, errors = code.best_nearby()
        if best is None or agreeing > best.agreeing:
            best = Fit(code.message(errors), agreeing)
        if best.agreeing >= good_enough:
            break
    return best


def _tries(parities: Sequence[Parity], bits: int, good_enough: int) -> int:
    """How many sets to solve so that one has at most FLIPS errors, if no more are wrong than may be.

    Most are wrong if they are those that weigh least.
    """
    weights = sorted(parity.weight for parity in parities)
    count, room = len(weights), sum(weights) - good_enough
    wrong = sum(total <= room for total in accumulate(weights))
    sets = comb(count, bits)
    lucky = sum(comb(wrong, flips) * comb(count - wrong, bits - flips) for flips in range(FLIPS + 1)) / sets
    if lucky >= 1.0:
        return 1
    return MOST_TRIES if lucky == 0.0 else min(MOST_TRIES, ceil(log(MISSED) / log1p(-lucky)))


@dataclass(frozen=True, slots=True)
class _Solution:
    """The message that some parities determine, and for each of those how the message changes if its bit is flipped."""

    message: int
    used: list[int]  # numbers of the parities
    changes: list[int]


def _solve(parities: Sequence[Parity], bits: int) -> _Solution | None:
    """By the first independent parities; None if there are fewer of them than bits.

    Each reduced row is kept with its own bit and the set of parities that it is the sum of.
    """
    reduced: dict[int, tuple[int, int, int]] = {}  # highest place -> row, bit, parities in it
    chosen: list[int] = []
    for number, parity in enumerate(parities):
        row, bit, parts = parity.row, parity.bit, 1 << len(reduced)
        while row and (place := row.bit_length() - 1) in reduced:
            other, other_bit, other_parts = reduced[place]
            row, bit, parts = row ^ other, bit ^ other_bit, parts ^ other_parts
        if row:
            reduced[row.bit_length() - 1] = row, bit, parts
            chosen.append(number)
            if len(chosen) == bits:
                return _back_substituted(reduced, chosen)
    return None


def _back_substituted(reduced: dict[int, tuple[int, int, int]], chosen: list[int]) -> _Solution:
    message = 0
    parts_at: list[int] = []  # which parities each bit of the message is the sum of
    for place in range(len(chosen)):
        row, bit, parts = reduced[place]
        rest = row ^ (1 << place)
        while rest:
            lower = rest.bit_length() - 1
            bit ^= message >> lower & 1
            parts ^= parts_at[lower]
            rest ^= 1 << lower
        message |= bit << place
        parts_at.append(parts)
    changes = [
        sum((parts >> number & 1) << place for place, parts in enumerate(parts_at)) for number in range(len(chosen))
    ]
    return _Solution(message, chosen, changes)


@dataclass(slots=True)
class _Code:
    """All parities as sums of a few independent ones, which may be exchanged for others."""

    parities: Sequence[Parity]
    received: NDArray[np.uint8]  # (parities,)
    weights: Bits  # (parities,)
    basis: list[int]  # numbers of the independent ones
    sums: NDArray[np.uint8]  # (parities, basis) 1: the parity is a sum in which this one occurs

    @classmethod
    def of(cls, parities: Sequence[Parity], solution: _Solution, bits: int) -> _Code:
        rows = _as_matrix([parity.row for parity in parities], bits)
        changes = _as_matrix(solution.changes, bits)
        sums = np.mod(rows @ changes.T, 2.0).astype(np.uint8)
        received = np.array([parity.bit for parity in parities], np.uint8)
        weights = np.array([parity.weight for parity in parities], np.float32)
        return cls(parities, received, weights, list(solution.used), sums)

    def exchange(self, random: Random, *, count: int) -> None:
        """Put random parities in the place of random ones of the basis."""
        for _ in range(count):
            column = random.randrange(len(self.basis))
            candidates = np.flatnonzero(self.sums[:, column])  # itself among them, which changes nothing
            number = int(candidates[random.randrange(len(candidates))])
            others = self.sums[number].copy()
            others[column] = 0
            self.sums ^= self.sums[:, column, None] & others
            self.basis[column] = number

    def best_nearby(self) -> tuple[int, tuple[int, int]]:
        """What agrees, by weight, if none, one or two of the basis are errors, at best; and which of them: -1 is none."""
        signs = np.ones((len(self.received), len(self.basis) + 1), np.float32)  # column 0 stands for none
        signs[:, 1:] -= 2.0 * self.sums
        agreement = 1.0 - 2.0 * (self._expected(self.received[self.basis]) ^ self.received).astype(np.float32)
        surplus = (signs * (agreement * self.weights)[:, None]).T @ signs  # (1 + basis, 1 + basis)
        one, other = divmod(int(surplus.argmax()), len(self.basis) + 1)
        return round((float(self.weights.sum()) + float(surplus[one, other])) / 2), (one - 1, other - 1)

    def message(self, errors: tuple[int, int]) -> int:
        """What the basis says, if these of it are errors; the same one twice is none."""
        said = self.received[self.basis]
        for column in errors:
            if column >= 0:
                said[column] ^= 1
        corrected = [Parity(self.parities[number].row, int(bit)) for number, bit in zip(self.basis, said, strict=True)]
        solution = _solve(corrected, len(self.basis))
        assert solution is not None, "exchanges keep the basis independent"
        return solution.message

    def _expected(self, said: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """What all parities would be, by those of the basis."""
        expected: NDArray[np.uint8] = np.bitwise_xor.reduce(self.sums & said, axis=1)
        return expected


def _as_matrix(numbers: Sequence[int], bits: int) -> Bits:
    """Numbers as rows of zeros and ones, the lowest bit first."""
    size = (bits + 7) // 8
    octets = np.frombuffer(b"".join(number.to_bytes(size, "little") for number in numbers), np.uint8)
    spread = np.unpackbits(octets.reshape(len(numbers), size), axis=1, bitorder="little")[:, :bits]
    return spread.astype(np.float32)  # (numbers, bits)
