"""R of the paper: words that carry no bit, and pairs that are none, whatever the models say.

Both answers are the same for either member of a pair, since what must not be exchanged must not be so from either side: a risk
set never tells a reader something else than it told the writer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from lexprint.models.protocols import Gap
from lexprint.settings import WatermarkSettings
from lexprint.substitution.facts import is_fixed, may_be_exchanged
from lexprint.substitution.substituter import Substituter

MayBeReplaced: TypeAlias = Callable[[Gap], bool]
MayBePair: TypeAlias = Callable[[str, str], bool]


@dataclass(frozen=True)
class Risks:
    """What is asked before any model is."""

    may_be_replaced: MayBeReplaced
    may_be_pair: MayBePair


def risks(substituter: Substituter, settings: WatermarkSettings) -> Risks:
    """What the substituter leaves out, or also words whose exchange could change a fact."""
    if settings.risk_set != "careful":
        return Risks(substituter.may_be_replaced, any_pair)
    return Risks(
        lambda gap: not is_fixed(gap.word) and substituter.may_be_replaced(gap),
        may_be_exchanged,
    )


def any_pair(one: str, other: str) -> bool:
    return True
