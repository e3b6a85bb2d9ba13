"""Results of experiments as their JSON has them: rows, sums over rows, and figures as tables show them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any, TypeAlias

Result: TypeAlias = Mapping[str, Any]  # of one experiment, or one of its rows

MEASURED, QUOTED = "ours", "published"
PAPERS_OWN = "the paper's own"  # its scheme by its own models, as against the profile `paper`


def rows_of(results: Mapping[str, Result], name: str) -> Sequence[Result]:
    rows: Sequence[Result] = results.get(name, {}).get("rows", [])
    return rows


def ratio(rows: Sequence[Result], part: str, whole: str) -> float | None:
    """Of sums; None if there is nothing to divide by, or older results do not have it."""
    total = sum(row.get(whole, 0) for row in rows)
    return sum(row[part] for row in rows) / total if total else None


def known_mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def shown(value: float | None, *, places: int = 4) -> str:
    return "-" if value is None else f"{value:.{places}f}"


def percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"
