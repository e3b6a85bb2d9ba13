"""What raters said of each scheme, how sure that is, and how far they agree (Krippendorff's alpha)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from lexprint.errors import FormatError
from lexprint_evaluation.confidence import Figure, Interval, interval
from lexprint_evaluation.human_sheet import RatedPair, Sheet, read_object
from lexprint_evaluation.tables import markdown_table

ANSWERS_FORMAT = "sentence ratings 1"
NEEDED = "answers downloaded from the sheet"
SCALE = range(1, 6)


@dataclass(frozen=True)
class Rating:
    """One rater's opinion of one pair."""

    meaning: int
    naturalness: int
    words: tuple[int, ...]  # of the version, as split at spaces, that disturb


@dataclass(frozen=True)
class Answers:
    name: str  # of the file
    rater: str
    ratings: Mapping[str, Rating]  # by the pair's id


@dataclass(frozen=True)
class SchemeScore:
    """What all raters together say of one scheme."""

    scheme: str
    pairs: int  # that somebody rated
    ratings: int
    meaning: Interval | None
    naturalness: Interval | None
    disturbing: Interval | None  # share of the exchanged words that disturb; None where nothing was exchanged
    elsewhere: Interval | None  # share of all other words that do


@dataclass(frozen=True)
class Agreement:
    """Krippendorff's alpha for ordinal ratings: 1 perfect, 0 as by chance; None where no pair has two raters."""

    meaning: float | None
    naturalness: float | None


@dataclass(frozen=True)
class Scores:
    raters: int
    schemes: tuple[SchemeScore, ...]
    agreement: Agreement


def read_answers(content: bytes, sheet: Sheet, *, name: str) -> Answers:
    """A returned file, which must fit the sheet and hold what the form can produce, nothing else."""
    data = read_object(content, name=name, form=ANSWERS_FORMAT, needed=NEEDED)
    if data.get("sheet") != sheet.id:
        raise FormatError(name, found="an answer to another sheet", needed=f"answers to the sheet {sheet.id}")
    pairs = {pair.id: pair for pair in sheet.pairs}
    answers = data.get("answers")
    if not isinstance(answers, dict) or not set(answers) <= set(pairs):
        raise FormatError(name, found="damaged: pairs are rated that the sheet does not have", needed=NEEDED)
    if not answers:
        raise FormatError(name, found="without a single answer", needed=NEEDED)
    ratings = {number: _rating(answer, pairs[number], name) for number, answer in answers.items()}
    return Answers(name, str(data.get("rater") or name), ratings)


def _rating(answer: Any, pair: RatedPair, name: str) -> Rating:
    damaged = FormatError(name, found="damaged: a rating is not as the sheet writes it", needed=NEEDED)
    if not isinstance(answer, dict):
        raise damaged
    words = answer.get("words", [])
    whole = [answer.get("meaning"), answer.get("naturalness"), *(words if isinstance(words, list) else [None])]
    if not all(type(number) is int for number in whole):
        raise damaged
    if not all(number in SCALE for number in whole[:2]) or not all(
        0 <= number < len(pair.version.split(" ")) for number in whole[2:]
    ):
        raise damaged
    return Rating(whole[0], whole[1], tuple(sorted(set(whole[2:]))))


def human_scores(sheet: Sheet, answers: Sequence[Answers], *, seed: int) -> Scores:
    """Means over ratings; intervals by bootstrap over pairs, since ratings of one pair are not independent."""
    for index, one in enumerate(answers):
        for other in answers[:index]:
            if one.ratings == other.ratings and one.rater == other.rater:
                raise FormatError(one.name, found=f"the same as {other.name}", needed="one file from each rater")
    given: defaultdict[str, list[Rating]] = defaultdict(list)
    for one in answers:
        for number, rating in one.ratings.items():
            given[number].append(rating)
    rated = [(pair, given[pair.id]) for pair in sheet.pairs if given[pair.id]]
    schemes = sorted({pair.scheme for pair in sheet.pairs})
    found = [_score(scheme, [one for one in rated if one[0].scheme == scheme], seed=seed) for scheme in schemes]
    agreement = Agreement(
        krippendorff_alpha([[rating.meaning for rating in ratings] for _, ratings in rated]),
        krippendorff_alpha([[rating.naturalness for rating in ratings] for _, ratings in rated]),
    )
    return Scores(len(answers), tuple(found), agreement)


def _score(scheme: str, rated: Sequence[tuple[RatedPair, Sequence[Rating]]], *, seed: int) -> SchemeScore:
    def mean(amount: Callable[[RatedPair, Rating], float], weight: Callable[[RatedPair], float]) -> Interval | None:
        figures = [
            Figure(sum(amount(pair, rating) for rating in ratings), len(ratings) * weight(pair))
            for pair, ratings in rated
        ]
        return interval(figures, seed=seed)

    return SchemeScore(
        scheme=scheme,
        pairs=len(rated),
        ratings=sum(len(ratings) for _, ratings in rated),
        meaning=mean(lambda pair, rating: rating.meaning, lambda pair: 1),
        naturalness=mean(lambda pair, rating: rating.naturalness, lambda pair: 1),
        disturbing=mean(
            lambda pair, rating: len(exchanged(pair) & set(rating.words)), lambda pair: len(exchanged(pair))
        ),
        elsewhere=mean(
            lambda pair, rating: len(set(rating.words) - exchanged(pair)),
            lambda pair: len(pair.version.split(" ")) - len(exchanged(pair)),
        ),
    )


def exchanged(pair: RatedPair) -> set[int]:
    """Which words of the version are not those of the original; words are exchanged one for one."""
    both = zip(pair.original.split(" "), pair.version.split(" "), strict=False)
    return {index for index, (one, other) in enumerate(both) if one != other}


def krippendorff_alpha(units: Sequence[Sequence[int]]) -> float | None:
    """Agreement beyond chance on an ordinal scale; raters may have left out units (Krippendorff 2011, section F).

    >>> krippendorff_alpha([[1, 1], [2, 2], [5, 5]])
    1.0
    """
    weights: dict[tuple[int, int], float] = defaultdict(float)
    for unit in units:
        for pair in permutations(unit, 2) if len(unit) > 1 else ():
            weights[pair] += 1 / (len(unit) - 1)
    totals: dict[int, float] = defaultdict(float)
    for (value, _), weight in weights.items():
        totals[value] += weight
    whole = sum(totals.values())
    if whole < 2:
        return None

    def distance(one: int, other: int) -> float:
        low, high = sorted((one, other))
        between = sum(total for value, total in totals.items() if low <= value <= high)
        return float((between - (totals[low] + totals[high]) / 2) ** 2)

    observed = sum(weight * distance(*pair) for pair, weight in weights.items())
    expected = sum(
        totals[one] * totals[other] * distance(one, other) for one in list(totals) for other in list(totals)
    ) / (whole - 1)
    if not expected:
        return None  # everybody said the same of everything: nothing to agree about
    return 1.0 - observed / expected


def score_table(scores: Scores) -> str:
    """A line for each scheme, best meaning first."""
    header = ["scheme", "pairs", "ratings", "meaning", "naturalness", "exchanged words that disturb", "other words"]
    ordered = sorted(scores.schemes, key=lambda one: -one.meaning.mean if one.meaning else 0.0)
    return markdown_table(
        header,
        [
            [
                one.scheme,
                str(one.pairs),
                str(one.ratings),
                *(_cell(found, "{:.2f}") for found in (one.meaning, one.naturalness)),
                *(_cell(found, "{:.1%}") for found in (one.disturbing, one.elsewhere)),
            ]
            for one in ordered
        ],
    )


def agreement_text(scores: Scores) -> str:
    shown = [
        f"{name} {'-' if alpha is None else f'{alpha:.2f}'}"
        for name, alpha in (
            ("meaning", scores.agreement.meaning),
            ("naturalness", scores.agreement.naturalness),
        )
    ]
    return (
        f"{scores.raters} raters; ratings from 1 to 5, in brackets 95 % confidence intervals by bootstrap over pairs. "
        f"Agreement (Krippendorff's alpha, ordinal): {', '.join(shown)}.\n"
    )


def _cell(found: Interval | None, form: str) -> str:
    if found is None:
        return "-"
    return f"{form.format(found.mean)} [{form.format(found.low)}, {form.format(found.high)}]"
