"""From a leak to the copy it was made of: what is seen at each site, which copies that fits, and whether it is enough.

A finding names copies, not people. Every copy is tested on its own: given the leak, the codeword of an innocent copy
is still a row of coins that nobody outside has seen, whoever else is guilty; so accusing one copy changes nothing for
the others, and no accusation rests on another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from lexprint.text.span import Span
from lexprint.tracing.records import Code

Verdict: TypeAlias = Literal["one copy", "several copies", "inconclusive"]

ERROR_BOUND = 1e-6  # chance that any innocent copy at all is accused, whatever the leak
RANKED = 20  # copies that a finding lists


@dataclass(frozen=True, slots=True)
class Observation:
    """What the leak shows at a site of the master."""

    site: int  # index into the record's sites
    bit: int | None  # the member of the pair that stands there; None: another word, or the place is missing
    span: Span | None  # in the leak; None: the place is missing
    seen: str | None  # the leak's own characters in that span


@dataclass(frozen=True, slots=True)
class Suspect:
    """A copy and how well it fits the leak."""

    number: int  # of the copy
    matches: int  # readable sites where the leak shows what this copy says
    readable: int  # sites where the leak shows one of the pair
    p_value: float  # chance that a given innocent copy fits this well
    family_p_value: float  # chance that any innocent copy does


@dataclass(frozen=True, slots=True)
class Finding:
    """What tracing can say about a leak, and on what grounds."""

    verdict: Verdict
    accused: tuple[Suspect, ...]  # those whose family-wise chance lies within the bound, most certain first
    ranking: tuple[Suspect, ...]  # the best of all copies, accused or not
    observations: tuple[Observation, ...]  # one for each site, in order
    readable: int  # sites where the leak shows one of the pair
    compared: int  # copies
    covered_share: float  # of the master's words, how many have a place in the leak
    edited_share: float  # of the words in that part, about how many were changed, dropped or added beyond the marks
    error_bound: float
    code: Code
