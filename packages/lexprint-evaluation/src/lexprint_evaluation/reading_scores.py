"""What readers said of the words that each scheme would choose: good, so-so or bad, with 95 % intervals (Wilson)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from lexprint.errors import FormatError
from lexprint_evaluation.confidence import Interval, wilson_interval
from lexprint_evaluation.datasets import BAD, GOOD, SO_SO
from lexprint_evaluation.human_sheet import read_object
from lexprint_evaluation.reading_sheet import KEPT, KEY_FORMAT
from lexprint_evaluation.tables import markdown_table

NEEDED = "the sheet of this key, with verdicts of 2, 1 or 0"
NEEDED_KEY = "the key that lexprint evaluate reading-sheet wrote"
LEGEND = (
    "Each word counts once for every scheme that would choose it; in brackets 95 % confidence intervals (Wilson). `kept` are the "
    "author's own words, offered in place of a candidate.\n"
)


@dataclass(frozen=True)
class Key:
    """Who would choose what."""

    sheet: str
    fingerprint: str
    sizes: Mapping[str, tuple[int, int]]  # words and sites, by scheme
    lines: Mapping[str, Mapping[str, tuple[str, ...]]]  # schemes by candidate, by the line's id
    best_acceptance: Mapping[str, Sequence[float]]  # of each site, by scheme; empty where nobody is asked
    acceptance: Mapping[str, Mapping[str, float]]  # by candidate, by the line's id


@dataclass(frozen=True)
class Score:
    """What was said of one scheme's words."""

    scheme: str
    sites_per_word: float | None  # None: controls are not chosen by a scheme
    judged: int
    good: Interval | None
    so_so: Interval | None
    bad: Interval | None


def read_key(content: bytes, *, name: str) -> Key:
    data = read_object(content, name=name, form=KEY_FORMAT, needed=NEEDED_KEY)
    try:
        sizes = {str(scheme): (int(one["words"]), int(one["sites"])) for scheme, one in data["schemes"].items()}
        lines = {
            str(number): {str(word): tuple(map(str, names)) for word, names in line.items()}
            for number, line in data["lines"].items()
        }
        best = {str(scheme): tuple(map(float, one["acceptance"])) for scheme, one in data["schemes"].items()}
        acceptance = {
            str(number): {str(word): float(share) for word, share in line.items()}
            for number, line in data["acceptance"].items()
        }
        return Key(str(data["sheet"]), str(data["fingerprint"]), sizes, lines, best, acceptance)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FormatError(name, found="damaged", needed=NEEDED_KEY) from error


def read_sheet(content: bytes, key: Key, *, name: str) -> list[tuple[str, str, int]]:
    """Line, candidate and verdict of all that was judged; what a reader passed over is left out."""
    try:
        rows = [json.loads(line) for line in content.decode("utf-8-sig").splitlines() if line.strip()]
        judged = {row["id"]: dict(row["judged"]) for row in rows}
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise FormatError(name, found="not a sheet, or damaged", needed=NEEDED) from error
    if len(judged) != len(rows):
        raise FormatError(name, found="damaged: a line is there twice", needed=NEEDED)
    verdicts = [(number, word, verdict) for number, given in judged.items() for word, verdict in given.items()]
    for number, word, verdict in verdicts:
        if word not in key.lines.get(number, {}):
            raise FormatError(name, found=f"a sheet of another key: line {number} does not offer {word}", needed=NEEDED)
        if type(verdict) is not int or verdict not in (GOOD, SO_SO, BAD):
            raise FormatError(name, found=f"damaged: the verdict on {word} in line {number} is unknown", needed=NEEDED)
    if not verdicts:
        raise FormatError(name, found="without a single verdict", needed=NEEDED)
    return verdicts


def scores_of(key: Key, verdicts: Sequence[tuple[str, str, int]]) -> list[Score]:
    """One for each scheme, and one for the author's own words."""
    counts = {scheme: Counter[int]() for scheme in (*key.sizes, KEPT)}
    for number, word, verdict in verdicts:
        for scheme in key.lines[number][word]:
            counts[scheme][verdict] += 1
    return [_score(scheme, count, key.sizes.get(scheme)) for scheme, count in counts.items()]


def scores_above(key: Key, verdicts: Sequence[tuple[str, str, int]], thresholds: Sequence[float]) -> list[Score]:
    """Of schemes that ask for acceptance, the words that have more, for each threshold."""
    found: list[Score] = []
    for scheme, best in key.best_acceptance.items():
        for threshold in thresholds if best else ():
            count = Counter(
                verdict
                for number, word, verdict in verdicts
                if scheme in key.lines[number][word] and key.acceptance.get(number, {}).get(word, 0.0) > threshold
            )
            size = (key.sizes[scheme][0], sum(share > threshold for share in best))
            found.append(_score(f"{scheme}, above {threshold:.2f}", count, size))
    return found


def _score(scheme: str, count: Counter[int], size: tuple[int, int] | None) -> Score:
    total = count.total()
    words, sites = size or (0, 0)
    good, so_so, bad = (wilson_interval(count[verdict], total) for verdict in (GOOD, SO_SO, BAD))
    return Score(scheme, sites / words if words else None, total, good, so_so, bad)


def score_table(scores: Sequence[Score]) -> str:
    """A line for each scheme, fewest bad words first."""
    ordered = sorted(scores, key=lambda one: (one.bad.mean if one.bad else 1.0, one.scheme))
    return markdown_table(
        ["scheme", "sites per word", "judged", "good", "so-so", "bad"],
        [
            [
                one.scheme,
                "-" if one.sites_per_word is None else f"{one.sites_per_word:.3f}",
                str(one.judged),
                *(_cell(found) for found in (one.good, one.so_so, one.bad)),
            ]
            for one in ordered
        ],
    )


def _cell(found: Interval | None) -> str:
    return "-" if found is None else f"{found.mean:.1%} [{found.low:.1%}, {found.high:.1%}]"


def scores_json(key: Key, scores: Sequence[Score]) -> dict[str, Any]:
    return {"sheet": key.sheet, "fingerprint": key.fingerprint, "schemes": [asdict(one) for one in scores]}
