"""What an analysis has found so far, as it goes over the wire: for a page that shows words while the rest is read."""

from __future__ import annotations

from collections.abc import Sequence

from lexprint.server.limits import OnPart
from lexprint.text.span import Span
from lexprint.watermark.sites import Site
from lexprint.workflows.parts import OnSites
from lexprint.workflows.results import Analysis, Paragraph, as_json

GROWTH = 1.1  # told again when there are so many times more, or all that is told in the end grows with the square


def growing(on_part: OnPart | None) -> OnSites | None:
    """Sites so far, whenever they are a tenth more than were told last."""
    if on_part is None:
        return None
    told = 0

    def on_sites(sites: Sequence[Site]) -> None:
        nonlocal told
        if len(sites) > told * GROWTH:
            told = len(sites)
            on_part(_so_far(sites))

    return on_sites


def _so_far(sites: Sequence[Site]) -> dict[str, object]:
    """In the same words as the result."""
    passage = Paragraph(Span(0, sites[-1].span.end), words=0, sites=tuple(sites))
    return {"sites": as_json(Analysis((passage,), fingerprint=""))["sites"]}
