"""R of the paper: words that carry no bit, and pairs that are none, whatever the models say.

Both answers are the same for either member of a pair, since the words beside a site are fixed and friendship is mutual: a
risk set never tells a reader something else than it told the writer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from lexprint.models.protocols import Gap
from lexprint.settings import WatermarkSettings
from lexprint.substitution.substituter import Substituter
from lexprint.watermark.false_friends import are_false_friends, stands_in_expression

MayBeReplaced: TypeAlias = Callable[[Gap], bool]
MayBePair: TypeAlias = Callable[[str, str], bool]


@dataclass(frozen=True)
class Risks:
    """What is asked before any model is."""

    may_be_replaced: MayBeReplaced
    may_be_pair: MayBePair


def risks(substituter: Substituter, settings: WatermarkSettings) -> Risks:
    """Those of the paper, or those that reading marked texts added to them."""
    if settings.risk_set == "paper":
        return Risks(substituter.may_be_replaced, any_pair)
    return Risks(
        lambda gap: substituter.may_be_replaced(gap) and not stands_in_expression(gap),
        lambda one, other: not are_false_friends(one, other),
    )


def any_pair(one: str, other: str) -> bool:
    return True
