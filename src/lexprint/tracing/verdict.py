"""From a leak to the copy it was made of: what is seen at each site, which copies that fits, and whether it is enough.

A finding names copies, not people. Every copy is tested on its own: given the leak and all other codewords, that of an
innocent copy is still a row of coins which nobody outside has seen, whoever else is guilty. So accusing one copy changes
nothing for the others, and no accusation rests on another being right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lexprint.registry.records import Code, Codewords, DocumentRecord
from lexprint.text.span import Span
from lexprint.tracing import collusion
from lexprint.tracing.alignment import align
from lexprint.tracing.collusion import SHARES, weights_alone
from lexprint.tracing.likelihood import matches, weighted_matches
from lexprint.tracing.significance import (
    binomial_tails,
    endured_share,
    family_wise_bound,
    family_wise_p_value,
    largest_p_value,
    weighted_tails,
)

Verdict: TypeAlias = Literal["one copy", "several copies", "inconclusive"]

ERROR_BOUND = 1e-6  # maximum probability of naming an innocent copy, whatever the leak
CERTAIN = (
    0.999  # chance with which a recorded copy would have been accused, for a report to say that it is none of them
)
RANKED = 20  # copies that a finding lists
SLIP = 2  # what a site tells besides its coins, in coins, if about one word in five is a slip or an edit
EDITED = 0.02  # share of edited words from which on somebody may have exchanged marked words too, and it matters which
LURED = 0  # instead of SLIP, in a leak so edited, where edits lead to what is seen: a third of it may come of them
UNLURED = 4  # and where they lead elsewhere: a slip in thirty
COINS_FOR_JOINT_TESTS = 2.0  # times those that a copy alone needs; with fewer, joint tests find nobody


@dataclass(frozen=True, slots=True)
class Observation:
    """What the leak shows at a site of the master."""

    site: int  # index into the record's sites
    symbol: int | None  # which of the site's words stands there; None: another one, or the place is missing
    span: Span | None  # in the leak; None: the place is missing
    seen: str | None  # the leak's own characters in that span
    is_doubtful: bool = False  # whether it may well come of an edit, since edits lead to that word and there are such


@dataclass(frozen=True, slots=True)
class Suspect:
    """A copy and how well it fits the leak."""

    number: int  # of the copy
    matches: int  # readable sites where the leak shows what this copy says
    readable: int  # sites where the leak shows one of the words
    p_value: float  # chance that a given innocent copy fits this well
    family_p_value: float  # chance that any innocent copy does


@dataclass(frozen=True, slots=True)
class Finding:
    """What tracing can say about a leak, and on what grounds."""

    verdict: Verdict
    accused: tuple[Suspect, ...]  # those whose family-wise chance lies within the bound, most certain first
    ranking: tuple[Suspect, ...]  # the best of all copies, accused or not
    observations: tuple[Observation, ...]  # one for each site, in order
    readable: int  # sites where the leak shows one of the words
    compared: int  # copies
    covered_share: float  # of the master's words, how many have a place in the leak
    edited_share: float  # of the words in that part, about how many were changed, dropped or added beyond the marks
    error_bound: float
    code: Code
    in_company: bool = False  # whether copies were also tested together with others
    excluded_share: float = 0.0  # of marked words: had no more been exchanged, a recorded copy would have been accused


@dataclass(frozen=True, slots=True)
class Observed:
    """What a leak shows of a document; nothing of it depends on any copy."""

    observations: tuple[Observation, ...]  # one for each site, in order
    covered_share: float
    edited_share: float


def trace_document(
    leak: str,
    record: DocumentRecord,
    numbers: Sequence[int],
    codewords: Codewords,
    *,
    error_bound: float = ERROR_BOUND,
) -> Finding:
    """Which of the numbered copies of a document a leak was made of; `codewords` has a row for each number."""
    return judge(observe(leak, record), record, numbers, codewords, error_bound=error_bound)


def observe(leak: str, record: DocumentRecord) -> Observed:
    """What the leak shows at each site of a document."""
    alignment = align(leak, record.text, record.sites)
    is_edited = record.code == "independent" and alignment.edited_share > EDITED
    observations = tuple(
        Observation(
            number,
            aligned.symbol,
            aligned.span,
            None if aligned.span is None else aligned.span.of(leak),
            is_doubtful=is_edited and aligned.symbol is not None and site.words[aligned.symbol] in site.likely_edits,
        )
        for number, (site, aligned) in enumerate(zip(record.sites, alignment.sites, strict=True))
    )
    return Observed(observations, alignment.covered_share, alignment.edited_share)


def judge(
    observed: Observed,
    record: DocumentRecord,
    numbers: Sequence[int],
    codewords: Codewords,
    *,
    error_bound: float = ERROR_BOUND,
) -> Finding:
    """Which copies fit what was observed better than chance allows."""
    if codewords.shape != (len(numbers), len(record.sites)):
        raise ValueError(f"codewords are {codewords.shape}; needed: {len(numbers)} copies, {len(record.sites)} sites")
    observations = observed.observations
    shown = Shown.of(observed, record)
    suspects = suspects_of(shown, numbers, codewords[:, shown.sites], error_bound=error_bound)
    accused = tuple(suspect for suspect in suspects if suspect.family_p_value <= error_bound)
    verdicts: tuple[Verdict, ...] = ("inconclusive", "one copy", "several copies")
    return Finding(
        verdict=verdicts[min(len(accused), 2)],
        accused=accused,
        ranking=suspects[:RANKED],
        observations=observations,
        readable=len(shown.sites),
        compared=len(numbers),
        covered_share=observed.covered_share,
        edited_share=observed.edited_share,
        error_bound=error_bound,
        code=record.code,
        in_company=shown.is_in_company(copies=len(numbers), error_bound=error_bound),
        excluded_share=0.0 if accused else shown.excluded_share(copies=len(numbers), error_bound=error_bound),
    )


@dataclass(frozen=True, eq=False, slots=True)
class Shown:
    """The sites that can be read, as tests of copies want them."""

    sites: NDArray[np.int64]  # which columns of the codewords
    symbols: NDArray[np.uint8]
    biases: NDArray[np.float64]
    choices: tuple[int, ...]  # words of each site
    doubtful: tuple[bool, ...]
    code: Code

    @classmethod
    def of(cls, observed: Observed, record: DocumentRecord) -> Shown:
        readable = [one for one in observed.observations if one.symbol is not None]
        sites = np.array([one.site for one in readable], dtype=np.int64)
        return cls(
            sites,
            np.array([one.symbol for one in readable], dtype=np.uint8),
            np.array(record.biases)[sites],
            tuple(len(record.sites[one.site].words) for one in readable),
            tuple(one.is_doubtful for one in readable),
            record.code,
        )

    @classmethod
    def of_coins(cls, bits: Sequence[int]) -> Shown:
        """Fair coins, such as the marks of blind copies."""
        count = len(bits)
        fair = np.full(count, 0.5)
        return cls(
            np.arange(count), np.array(bits, dtype=np.uint8), fair, (2,) * count, (False,) * count, "independent"
        )

    @property
    def least_p_value(self) -> float:
        """The least that any copy can have, singly or jointly, whatever it says; not sharp."""
        if self.code == "tardos":
            # Jointly, a copy may stand out by not saying what the leak shows: of three, the others said it.
            chances = np.minimum(self.biases, 1.0 - self.biases)
        else:
            chances = np.ldexp(1.0, -_coins(self.symbols, self.choices))
        return float(np.prod(chances))

    def is_in_company(self, *, copies: int, error_bound: float) -> bool:
        return are_in_company(
            self.symbols, code=self.code, copies=copies, error_bound=error_bound, choices=self.choices
        )

    def excluded_share(self, *, copies: int, error_bound: float) -> float:
        """The largest share of exchanged marked words with which a copy would still be accused, nearly always.

        Of the tests that are made, only the one that weighs each copy alone is counted on. It depends on nothing but
        what can be read, so whoever is told learns nothing of any copy.
        """
        bound = self.bound_alone(copies=copies, error_bound=error_bound)
        return endured_share(*self.weights_alone, bound=bound, power=CERTAIN)

    def bound_alone(self, *, copies: int, error_bound: float) -> float:
        """What a copy's chance may be in the test that weighs it alone."""
        bound = largest_p_value(recipients=max(copies, 1), error_bound=error_bound)
        if self.is_in_company(copies=copies, error_bound=error_bound):
            bound = SHARES[0] * min(bound, error_bound / max(copies, 1))
        return bound / 2 if any(self.doubtful) else bound

    @property
    def weights_alone(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """What each site counts in that test, and how probably an innocent copy fits there."""
        if self.code == "tardos":
            return weights_alone(self.symbols, self.biases)
        coins = _coins(self.symbols, self.choices)
        return coins + SLIP, np.ldexp(1.0, -coins)


def chances(
    codewords: Codewords,
    symbols: NDArray[np.uint8],
    biases: NDArray[np.float64],
    *,
    code: Code,
    error_bound: float,
    choices: Sequence[int] = (),
    doubtful: Sequence[bool] = (),
) -> NDArray[np.float64]:
    """For each copy, the chance that a given innocent one fits as well; columns, symbols and biases are of the same sites.

    `choices` are the words that each of them has to choose from; two if it is not given. Where some of the symbols are
    `doubtful`, all are weighed alike and by their doubts, and the better of both counts, at the price of two tests. What
    is doubtful, and whether company is worth its price, depends on the leak and never on a codeword; so in every test an
    innocent one is a row of coins.
    """
    if code == "tardos":
        return collusion.p_values(codewords, symbols, biases, error_bound=error_bound)
    coins = _coins(symbols, choices)
    alone = _tails_of_fits(codewords, symbols, coins, coins + SLIP)
    if any(doubtful):
        wary = _tails_of_fits(codewords, symbols, coins, coins + np.where(doubtful, LURED, UNLURED))
        alone = np.minimum(2.0 * np.minimum(alone, wary), 1.0)
    if not are_in_company(symbols, code=code, copies=len(codewords), error_bound=error_bound, choices=choices):
        return alone
    fits, ones = (codewords == symbols).view(np.uint8), np.ones(len(symbols), dtype=np.uint8)
    return collusion.in_company(alone, fits, ones, np.ldexp(1.0, -coins), error_bound=error_bound)


def are_in_company(
    symbols: NDArray[np.uint8], *, code: Code, copies: int, error_bound: float, choices: Sequence[int] = ()
) -> bool:
    """Whether copies are also tested together with others, for which tests alone leave a part of the bound."""
    needed = log2(max(copies, 1) / error_bound)
    return code == "tardos" or int(_coins(symbols, choices).sum()) >= COINS_FOR_JOINT_TESTS * needed


def _coins(symbols: NDArray[np.uint8], choices: Sequence[int]) -> NDArray[np.int64]:
    """How many fell right in an innocent copy that has the word which the leak shows: (sites,)."""
    most = np.asarray(choices or [2] * len(symbols), dtype=np.int64) - 1
    return np.minimum(symbols.astype(np.int64) + 1, most)


def _tails_of_fits(
    codewords: Codewords, symbols: NDArray[np.uint8], coins: NDArray[np.int64], weights: NDArray[np.int64]
) -> NDArray[np.float64]:
    """For each copy, the chance that the weights of the sites where an innocent one fits add up to as much."""
    if coins.max(initial=1) == 1 and np.all(weights == weights[:1]):
        found: NDArray[np.float64] = binomial_tails(len(symbols))[matches(codewords, symbols)]
        return found
    tails = weighted_tails(weights, np.ldexp(1.0, -coins))
    fitting: NDArray[np.float64] = tails[weighted_matches(codewords, symbols, weights)]
    return fitting


def suspects_of(
    shown: Shown, numbers: Sequence[int], codewords: Codewords, *, error_bound: float
) -> tuple[Suspect, ...]:
    """All copies that may be accused and the best of the others, those that fit best first; columns are what is shown."""
    matching = matches(codewords, shown.symbols)
    p_values = chances(
        codewords,
        shown.symbols,
        shown.biases,
        code=shown.code,
        error_bound=error_bound,
        choices=shown.choices,
        doubtful=shown.doubtful,
    )
    # Joint tests are not independent of each other, so there the correction is a bound.
    in_company = shown.is_in_company(copies=len(numbers), error_bound=error_bound)
    family_wise = family_wise_bound if in_company else family_wise_p_value
    order = np.lexsort((-matching, p_values))
    count = max(RANKED, int(np.count_nonzero(p_values <= error_bound)))
    return tuple(
        Suspect(
            number=int(numbers[index]),
            matches=int(matching[index]),
            readable=len(shown.sites),
            p_value=float(p_values[index]),
            family_p_value=family_wise(float(p_values[index]), recipients=len(numbers)),
        )
        for index in order[:count]
    )
