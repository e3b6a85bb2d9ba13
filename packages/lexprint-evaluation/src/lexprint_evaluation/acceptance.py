"""How well acceptance ranks and predicts what a reader said of words in context (`judgements/` in the data folder).

Every judged candidate is looked at in its own sentence, whether or not it would be proposed. A way back and SR cost a question each,
so they are asked for the candidates alone that a first look puts ahead; the others keep what the first look says, which is a
logit of the same chance. Words that the masked LM does not know can never be chosen and rank behind all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import ceil, inf, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexprint.errors import InputError
from lexprint.models.protocols import MaskedLM
from lexprint.substitution.acceptance import first_look, share_of
from lexprint.substitution.candidates import Candidate
from lexprint.substitution.facts import may_be_exchanged
from lexprint.substitution.substituter import Substituter
from lexprint_evaluation.datasets import GOOD, SO_SO, Judged
from lexprint_evaluation.tables import markdown_table

BLOCK = 128  # gaps asked about at once: their answers fill some 50 MB
TOPS = (0.02, 0.05, 0.10)
BINS = 10
FLOORS = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.925, 0.95, 0.975)

Floats64 = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Opinion:
    """All that is asked of the models about one judged candidate; logits, but for the entailment."""

    number: int  # of the judged word
    word: str
    verdict: int
    acceptable: float = -inf
    good: float = -inf
    log_probability: float = -inf
    entailment: float = 0.0  # SR forward
    first_look: float = -inf
    pair: float | None = None  # acceptance of the exchange, in both directions and with SR; None: not computed

    @property
    def is_known(self) -> bool:
        return self.log_probability > -inf

    @property
    def acceptance(self) -> float:
        return self.first_look if self.pair is None else self.pair

    @property
    def candidate(self) -> Candidate:
        return Candidate(self.word, self.log_probability, acceptable=self.acceptable, good=self.good)


# What candidates are ranked by.
RANKINGS: Mapping[str, Callable[[Opinion], float]] = {
    "acceptance": lambda one: one.acceptance,
    "first look": lambda one: one.first_look,
    "fitness, acceptable": lambda one: one.acceptable,
    "fitness, good": lambda one: one.good,
    "log P": lambda one: one.log_probability,
    "SR, forward": lambda one: one.entailment if one.is_known else -inf,
}


def knows_readers(masked_lm: MaskedLM) -> bool:
    """Whether the model was told what readers accept; those of a hub were not."""
    return masked_lm.knows_readers


def blocks(count: int, size: int) -> Iterator[range]:
    for start in range(0, count, size):
        yield range(start, min(start + size, count))


def look(substituter: Substituter, judged: Sequence[Judged], block: range) -> list[Opinion]:
    """A first look at all candidates of these words, and SR."""
    words = [(judged[number].gap, list(judged[number].verdicts)) for number in block]
    opinions = []
    for number, found in zip(block, substituter.look_at(words), strict=True):
        for word, verdict in judged[number].verdicts.items():
            opinions.append(_opinion(number, word, verdict, found.candidates.get(word)))
    known = [index for index, one in enumerate(opinions) if one.is_known]
    asked = [(judged[opinions[index].number].gap, opinions[index].word) for index in known]
    for index, entailment in zip(known, substituter.entailments(asked), strict=True):
        opinions[index] = replace(opinions[index], entailment=entailment)
    return opinions


def _opinion(number: int, word: str, verdict: int, found: Candidate | None) -> Opinion:
    if found is None:
        return Opinion(number, word, verdict)
    return Opinion(
        number, word, verdict, found.acceptable, found.good, found.log_probability, first_look=first_look(found)
    )


def ahead_at_first_look(opinions: Sequence[Opinion], share: float) -> list[int]:
    """Which of them are asked the way back, in order: this share of all."""
    known = [index for index, one in enumerate(opinions) if one.is_known]
    first = sorted(known, key=lambda index: -opinions[index].first_look)[: ceil(share * len(opinions))]
    return sorted(first)


def weigh(substituter: Substituter, judged: Sequence[Judged], opinions: Sequence[Opinion]) -> list[float | None]:
    """Acceptance of each exchange; None where the masked LM does not know the word that stands there."""
    exchanges = [(judged[one.number].gap, one.candidate) for one in opinions]
    weighed = substituter.weigh_back(exchanges, substituter.look_back(exchanges))
    return [None if found is None else found.acceptance for found in weighed]


@dataclass(frozen=True)
class Top:
    """What was said of the candidates that are ranked first."""

    share: float  # of all candidates
    acceptable: float
    good: float


@dataclass(frozen=True)
class Ranking:
    """How well one figure puts candidates in order; areas are None where there is nothing to tell apart."""

    ranked_by: str
    auc_acceptable: float | None
    auc_good: float | None
    tops: tuple[Top, ...]


@dataclass(frozen=True)
class Bin:
    """Candidates whose acceptance lies between two tenths, and how many of them were acceptable indeed."""

    low: float
    high: float
    candidates: int
    predicted: float | None  # mean acceptance
    acceptable: float | None


@dataclass(frozen=True)
class SitePoint:
    """Judged words that would be sites at a floor, and what was said of the best word of each."""

    floor: float
    sites: int
    share: float  # of the judged words
    acceptable: float | None
    good: float | None


@dataclass(frozen=True)
class Figures:
    words: int
    candidates: int
    unknown: int  # candidates that the masked LM does not know
    weighed: int  # candidates that were asked the way back
    rankings: tuple[Ranking, ...]
    bins: tuple[Bin, ...]
    calibration_error: float | None  # expected: the mean over candidates of how far their bin is off
    sites: tuple[SitePoint, ...]


def figures_of(judged: Sequence[Judged], opinions: Sequence[Opinion]) -> Figures:
    if not opinions:
        raise InputError("the file has no judged candidates", needed="words with candidates that somebody judged")
    bins = reliability(opinions)
    return Figures(
        words=len(judged),
        candidates=len(opinions),
        unknown=sum(not one.is_known for one in opinions),
        weighed=sum(one.pair is not None for one in opinions),
        rankings=tuple(_ranking(name, value, opinions) for name, value in RANKINGS.items()),
        bins=bins,
        calibration_error=_calibration_error(bins),
        sites=tuple(_sites(floor, judged, opinions) for floor in FLOORS),
    )


def _ranking(name: str, value: Callable[[Opinion], float], opinions: Sequence[Opinion]) -> Ranking:
    values = np.array([value(one) for one in opinions])
    verdicts = np.array([one.verdict for one in opinions])
    order = np.argsort(-values, kind="stable")
    tops = []
    for share in TOPS:
        first = verdicts[order[: ceil(share * len(order))]]
        tops.append(Top(share, float(np.mean(first >= SO_SO)), float(np.mean(first == GOOD))))
    return Ranking(
        name,
        area_under_curve(values, verdicts >= SO_SO),
        area_under_curve(values, verdicts == GOOD),
        tuple(tops),
    )


def area_under_curve(values: Floats64, is_right: Flags) -> float | None:
    """The chance that a right one has the higher value than a wrong one; equal values count half.

    >>> area_under_curve(np.array([3.0, 2.0, 2.0, 1.0]), np.array([True, True, False, False]))
    0.875
    """
    right = int(is_right.sum())
    wrong = len(values) - right
    if not right or not wrong:
        return None
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[places]  # from 1; of equal values the mean
    return float((ranks[is_right].sum() - right * (right + 1) / 2) / (right * wrong))


def reliability(opinions: Sequence[Opinion]) -> tuple[Bin, ...]:
    """What acceptance predicts beside what was said, in ten bins; words that have no acceptance are in none."""
    known = [one for one in opinions if isfinite(one.acceptance)]
    shares = np.array([share_of(one.acceptance) for one in known])
    accepted = np.array([one.verdict >= SO_SO for one in known], dtype=bool)
    places = np.minimum((shares * BINS).astype(int), BINS - 1)
    found = []
    for place in range(BINS):
        own = places == place
        count = int(own.sum())
        predicted, said = (float(shares[own].mean()), float(accepted[own].mean())) if count else (None, None)
        found.append(Bin(place / BINS, (place + 1) / BINS, count, predicted, said))
    return tuple(found)


def _calibration_error(bins: Sequence[Bin]) -> float | None:
    total = sum(one.candidates for one in bins)
    off = [
        one.candidates * abs(one.predicted - one.acceptable)
        for one in bins
        if one.predicted is not None and one.acceptable is not None
    ]
    return sum(off) / total if total else None


def _sites(floor: float, judged: Sequence[Judged], opinions: Sequence[Opinion]) -> SitePoint:
    """The best candidate of each word that was weighed, changes no fact and reaches the floor."""
    best: dict[int, Opinion] = {}
    for one in opinions:
        if (
            one.pair is None
            or share_of(one.pair) < floor
            or not may_be_exchanged(judged[one.number].gap.word, one.word)
        ):
            continue
        if one.number not in best or one.acceptance > best[one.number].acceptance:
            best[one.number] = one
    verdicts = [one.verdict for one in best.values()]
    acceptable, good = (
        (sum(verdict >= least for verdict in verdicts) / len(verdicts) if verdicts else None) for least in (SO_SO, GOOD)
    )
    return SitePoint(floor, len(best), len(best) / len(judged), acceptable, good)


def figures_json(figures: Figures) -> dict[str, Any]:
    """As written to a file; the figures that matter most come first."""
    own = figures.rankings[0]
    (top5,) = (top for top in own.tops if top.share == 0.05)
    return {
        "auc_acceptable": own.auc_acceptable,
        "auc_good": own.auc_good,
        "top5_acceptable": top5.acceptable,
        **asdict(figures),
    }


def figure_tables(figures: Figures) -> str:
    """How well it ranks, what it predicts, and what a floor would choose."""
    asked = (
        f"{figures.candidates:,} candidates for {figures.words:,} words. The reverse exchange, and SR in both directions, were "
        f"computed for the {figures.weighed:,} that a first look ranks highest; the others are ranked by their first look. {figures.unknown:,} "
        "candidates that the masked LM does not know rank behind all.\n"
    )
    return "\n".join(
        [
            _ranking_table(figures.rankings),
            asked,
            _reliability_table(figures.bins),
            f"Expected calibration error: {_decimal(figures.calibration_error)}.\n",
            _site_table(figures.sites),
            "A judged word would be a site if the best of its weighed candidates reaches the floor and changes no fact.\n",
        ]
    )


def _ranking_table(rankings: Sequence[Ranking]) -> str:
    tops = [f"of the first {share:.0%}: acceptable, good" for share in TOPS]
    return markdown_table(
        ["ranked by", "AUC acceptable", "AUC good", *tops],
        [
            [
                row.ranked_by,
                _decimal(row.auc_acceptable),
                _decimal(row.auc_good),
                *(f"{top.acceptable:.1%}, {top.good:.1%}" for top in row.tops),
            ]
            for row in rankings
        ],
    )


def _reliability_table(bins: Sequence[Bin]) -> str:
    return markdown_table(
        ["acceptance", "candidates", "predicted", "acceptable"],
        [
            [
                f"{one.low:.1f} to {one.high:.1f}",
                f"{one.candidates:,}",
                _percent(one.predicted),
                _percent(one.acceptable),
            ]
            for one in bins
        ],
    )


def _site_table(sites: Sequence[SitePoint]) -> str:
    return markdown_table(
        ["acceptance at least", "sites", "of the judged words", "acceptable", "good"],
        [
            [f"{one.floor:g}", f"{one.sites:,}", f"{one.share:.1%}", _percent(one.acceptable), _percent(one.good)]
            for one in sites
        ],
    )


def _decimal(figure: float | None) -> str:
    return "-" if figure is None else f"{figure:.3f}"


def _percent(figure: float | None) -> str:
    return "-" if figure is None else f"{figure:.1%}"
