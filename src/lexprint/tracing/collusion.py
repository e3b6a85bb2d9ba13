"""Copies that were mixed by several recipients: the tardos code's decoder, alone and jointly with others, which serves coins too.

Alone, a copy is tested for agreeing with the leak more than chance allows, each site weighted by what it tells if the
leak mixes the words of a few copies at random. Mixes made to confuse, such as always taking the rarer word, hide each
copy but not all of them together: so a copy is also tested given one or two others, its company. Given the leak
*and everybody else's codeword*, an innocent codeword is still a row of independent coins of known bias; and company is
chosen without a look at the copy under test. So this test too has an exact p-value, whether or not those others are guilty,
and only the few companies tried are counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from itertools import combinations
from math import comb, log
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from lexprint.registry.records import Codewords
from lexprint.tracing.likelihood import weighted_matches
from lexprint.tracing.significance import SMALLEST, weighted_tails

Bits: TypeAlias = NDArray[np.uint8]  # (sites,)
Floats: TypeAlias = NDArray[np.float64]
Strategy: TypeAlias = tuple[float, ...]  # chance that a 1 is written where 0, 1, ... all of the colluders hold one

COLLUDERS = 4  # c of the decoder that tests copies alone; its power hardly depends on it
NOISE = 0.02  # share of sites where a slip or an edit shows a chance word of the pair
SHARES = (0.8, 0.1, 0.1)  # of the error bound, for copies alone, with one other and with two
COMPANIES = 8  # tried for each copy, strategy and number of others
EXPLAINED = 0.97  # share of the sites where an accused copy agrees, above which company has nothing left to explain

# What no colluder holds cannot be written; else they may choose at random, by majority or by minority.
STRATEGIES: tuple[tuple[Strategy, ...], ...] = (
    (),
    ((0.0, 0.5, 1.0),),
    ((0.0, 1 / 3, 2 / 3, 1.0), (0.0, 0.0, 1.0, 1.0), (0.0, 1.0, 0.0, 1.0)),
)

_POOL = 48  # copies that fit best alone under a strategy, of which company is chosen
_TESTED = 256  # copies that fit best alone under it, which are tested jointly
_FINALISTS = 6  # of those, how many get an exact p-value
_PROMISING = 8.0  # nats that an exact p-value may be sharper than the likelihood ratio
_UNITS = 2**14  # weights of all sites together; rounded to these units they keep 99.9 % of their power
_UNITS_A_SITE = 8
_MOST_SITES = 4_096  # used: a tail takes time by the square of them


@dataclass(frozen=True, slots=True)
class _Test:
    """What each bit of a codeword adds to the log-likelihood of being guilty, site by site."""

    favoured: Bits
    weights: NDArray[np.int64]
    chances: Floats  # of the favoured bit in an innocent codeword

    @classmethod
    def of(cls, gain: Floats, biases: Floats) -> _Test:
        """From how much more a 1 tells than a 0."""
        size = np.abs(gain)
        if len(size) > _MOST_SITES:  # the choice depends on the leak and the biases only, so innocents stay innocent
            size[np.argsort(-size * np.sqrt(biases * (1 - biases)), kind="stable")[_MOST_SITES:]] = 0.0
        unit = max(float(size.sum()) / max(_UNITS, _UNITS_A_SITE * len(size)), 1e-300)
        favoured = (gain > 0).astype(np.uint8)
        return cls(favoured, np.rint(size / unit).astype(np.int64), np.where(favoured == 1, biases, 1.0 - biases))

    def p_values(self, codewords: Codewords) -> Floats:
        """Chance that a given innocent copy fits as well, for each codeword: exact."""
        p_values: Floats = self.tails()[self.sums(codewords)]
        return p_values

    def sums(self, codewords: Codewords) -> NDArray[np.int64]:
        return weighted_matches(codewords, self.favoured, self.weights)

    def tails(self) -> Floats:
        counted = self.weights > 0
        return weighted_tails(self.weights[counted], self.chances[counted])


def weights_alone(bits: Bits, biases: Floats) -> tuple[NDArray[np.int64], Floats]:
    """What each site weighs in the test alone, and the chance that an innocent copy fits there; without sites of no weight."""
    test = _alone(bits, biases)
    counted = test.weights > 0
    return test.weights[counted], test.chances[counted]


def p_values_alone(codewords: Codewords, bits: Bits, biases: Floats) -> Floats:
    """For each copy, the chance that a given innocent one fits as well: exact, and uniform among innocents.

    With the interleaving attack's log-likelihood ratio as the score (Laarhoven 2014, "Capacities and capacity-achieving
    decoders for various fingerprinting games", section III): ln(1 + (1 - q) / (c q)) if the copy says what the leak
    shows, q being how common that is, else ln(1 - 1 / c).
    """
    return _alone(bits, biases).p_values(codewords)


def _alone(bits: Bits, biases: Floats) -> _Test:
    common = np.where(bits == 1, biases, 1.0 - biases)
    gain = np.log1p((1.0 - common) / (COLLUDERS * common)) - log(1.0 - 1.0 / COLLUDERS)
    return _Test.of(np.where(bits == 1, gain, -gain), biases)


def p_values(codewords: Codewords, bits: Bits, biases: Floats, *, error_bound: float) -> Floats:
    """For each copy, the chance that a given innocent one fits as well in any of the tests that could be made of it."""
    return in_company(p_values_alone(codewords, bits, biases), codewords, bits, biases, error_bound=error_bound)


def in_company(alone: Floats, codewords: Codewords, bits: Bits, biases: Floats, *, error_bound: float) -> Floats:
    """The same from any tests `alone`, which have their share of the bound.

    Among innocents no smaller than uniform. The error bound decides only which tests are worth their time: a copy
    that would be accused alone needs no company.
    """
    p_values = np.minimum(alone / SHARES[0], 1.0)
    bound = error_bound / max(len(codewords), 1)
    told = set(np.flatnonzero(p_values <= bound).tolist())
    if told and float(np.mean(codewords[sorted(told)] == bits, axis=1).max()) > EXPLAINED:
        return p_values  # tests left out make nobody more suspicious
    for others in range(1, min(len(STRATEGIES), len(codewords))):
        price = COMPANIES * len(STRATEGIES[others]) / SHARES[others]
        found: dict[int, _InCompany] = {}
        for strategy in STRATEGIES[others]:
            for one in _in_company(codewords, _Likelihoods.of(strategy, bits, biases), others=others, told=told):
                found[one.copy] = max(one, found.get(one.copy, one))
        for one in sorted(found.values(), reverse=True)[:_FINALISTS]:
            if one.nats > log(price / bound) - _PROMISING:
                exact = float(_Test.of(one.gain, biases).p_values(codewords[[one.copy]])[0])
                p_values[one.copy] = max(min(p_values[one.copy], exact * price), SMALLEST)
    return p_values


@dataclass(frozen=True, eq=False, slots=True)
class _Likelihoods:
    """Logarithms of how likely a strategy makes what the leak shows, where 0, 1, ... of the others hold a 1."""

    without: Floats  # (others + 1, sites), one more copy in the mix, whichever bit it holds
    with_zero: Floats  # the same if it holds a 0
    with_one: Floats
    alone: Floats  # (sites,) how much more likely a 1 of one copy makes it than a 0, whatever the others hold
    biases: Floats

    @classmethod
    def of(cls, strategy: Strategy, bits: Bits, biases: Floats) -> _Likelihoods:
        others = len(strategy) - 2
        writes_one = (1.0 - NOISE) * np.array(strategy)[:, None] + NOISE * biases  # (others + 2, sites)
        shown = np.where(bits == 1, writes_one, 1.0 - writes_one)
        zero, one = shown[:-1], shown[1:]
        held = np.array(
            [comb(others, ones) * biases**ones * (1.0 - biases) ** (others - ones) for ones in range(others + 1)]
        )
        return cls(
            without=np.log((1.0 - biases) * zero + biases * one),
            with_zero=np.log(zero),
            with_one=np.log(one),
            alone=np.log((held * one).sum(axis=0)) - np.log((held * zero).sum(axis=0)),
            biases=biases,
        )


@dataclass(frozen=True, slots=True, order=True)
class _InCompany:
    """How much likelier the leak is if this copy was mixed in with some company than if any other was."""

    nats: float
    copy: int
    gain: Floats = field(compare=False, repr=False)  # (sites,) of a 1 over a 0


def _in_company(
    codewords: Codewords, likelihoods: _Likelihoods, *, others: int, told: Set[int]
) -> Iterator[_InCompany]:
    """Each copy worth it, in the best of those companies that are likeliest without it.

    Company is sought among the copies that fit best alone. Every copy has as many others to choose from, so that its
    own codeword has no say in who they are: where it is not in the pool itself, the last of the pool is left out.
    """
    order = np.argsort(-_Test.of(likelihoods.alone, likelihoods.biases).sums(codewords), kind="stable")
    pool = order[:_POOL]
    companies = np.array(list(combinations(range(len(pool)), others)))  # (companies, others), ranks in the pool
    ones = codewords[pool].astype(np.intp)[companies].sum(axis=1)  # (companies, sites), how many of them hold a 1
    every_site = np.arange(codewords.shape[1])
    without = likelihoods.without[ones, every_site]  # (companies, sites)
    ranked = np.argsort(-without.sum(axis=1), kind="stable")
    for rank, copy in enumerate(order[:_TESTED].tolist()):
        if copy not in told:
            is_absent = (companies == min(rank, len(pool) - 1)).any(axis=1)
            chosen = ranked[~is_absent[ranked]][:COMPANIES]
            held = np.where(
                codewords[copy] == 1,
                likelihoods.with_one[ones[chosen], every_site],
                likelihoods.with_zero[ones[chosen], every_site],
            )
            nats = (held - without[chosen]).sum(axis=1)
            best = int(np.argmax(nats))
            gain = (likelihoods.with_one - likelihoods.with_zero)[ones[chosen[best]], every_site]
            yield _InCompany(float(nats[best]), copy, gain)
