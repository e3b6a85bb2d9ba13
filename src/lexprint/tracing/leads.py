"""What an inconclusive leak is worth: which copy leads, how often an innocent one would, and how much more would settle it.

It is for those who hold the registry, and no evidence against anybody: of many innocent copies one always agrees best, and who
sees this for texts of their own can write one that leads to any copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lexprint.tracing.significance import further_sites
from lexprint.tracing.verdict import Finding, Shown

LEAST_LIKELY = 0.1  # with a greater chance that some innocent copy agrees as well, no copy leads
SURELY = 0.9  # with which so many more sites would settle it, if the copy is the right one


@dataclass(frozen=True, slots=True)
class Lead:
    """The copy that agrees best with a leak; whoever it is, it is not proved."""

    number: int | None  # of the copy; None: innocent copies agree as well too often to call one a lead
    chance: float  # that some innocent copy agrees as well with this leak
    compared: int  # copies
    is_enough: bool = False  # whether a trace names a copy
    further: int | None = None  # readable sites that would settle it; None: it is settled, or cannot be told
    unread: int | None = None  # sites of the document that this leak does not show


def lead_of(finding: Finding, shown: Shown | None, codeword: Sequence[int], *, error_bound: float) -> Lead:
    """`codeword` is that of the best copy, empty where it is not stored; the bound is that of the next trace."""
    best = next(iter(finding.ranking), None)
    if best is None or shown is None or (best.family_p_value > LEAST_LIKELY and not finding.accused):
        return Lead(None, 1.0 if best is None else best.family_p_value, finding.compared)
    if finding.accused:
        return Lead(best.number, best.family_p_value, finding.compared, is_enough=True)
    lead = Lead(best.number, best.family_p_value, finding.compared)
    if not codeword or shown.code == "tardos":
        return lead
    weights, chances = shown.weights_alone
    fits = np.array(codeword, dtype=np.uint8)[shown.sites] == shown.symbols
    further = further_sites(
        weights,
        chances,
        score=int(weights[fits].sum()),
        wrong=(best.readable - best.matches + 1) / (best.readable + 2),  # Laplace: the best of many was lucky too
        bound=shown.bound_alone(copies=finding.compared, error_bound=error_bound),
        power=SURELY,
    )
    return Lead(lead.number, lead.chance, lead.compared, further=further, unread=len(codeword) - len(shown.sites))
