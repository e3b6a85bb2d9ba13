"""Pictures of what acceptance predicts, as SVG."""

from __future__ import annotations

from lexprint_evaluation.acceptance import Figures
from lexprint_evaluation.plots import COLOURS, Figure, svg


def acceptance_plot(figures: Figures) -> bytes:
    """What was predicted beside what was said, and sites beside the verdicts on the words chosen for them."""
    figure = Figure(figsize=(10, 4.2), layout="constrained")
    reliability, sites = figure.subplots(1, 2)
    reliability.plot([0, 1], [0, 1], "--", color="black", linewidth=0.8)
    known = [
        (one.predicted, one.acceptable, one.candidates)
        for one in figures.bins
        if one.predicted is not None and one.acceptable is not None
    ]
    reliability.plot([one for one, *_ in known], [other for _, other, _ in known], "o-", color=COLOURS[0])
    for predicted, acceptable, candidates in known:
        reliability.annotate(
            f"{candidates:,}", (predicted, acceptable), fontsize=7, xytext=(4, -9), textcoords="offset points"
        )
    reliability.set_xlabel("acceptance")
    reliability.set_ylabel("share that was acceptable")
    reliability.set_title("reliability, with the number of candidates", fontsize=10)
    chosen = [one for one in figures.sites if one.sites]
    for name, colour, shares in (
        ("acceptable", COLOURS[0], [one.acceptable for one in chosen]),
        ("good", COLOURS[1], [one.good for one in chosen]),
    ):
        sites.plot([one.share for one in chosen], shares, "o-", color=colour, label=name)
        for one, share in zip(chosen, shares, strict=True):
            sites.annotate(f"{one.floor:g}", (one.share, share), fontsize=7, xytext=(3, 4), textcoords="offset points")
    sites.set_xlabel("share of the judged words that would be sites")
    sites.set_ylabel("of the words chosen")
    sites.set_title("by least acceptance", fontsize=10)
    if chosen:
        sites.legend(fontsize=8)
    for panel in (reliability, sites):
        panel.set_ylim(-0.03, 1.03)
        panel.grid(alpha=0.3)
    return svg(figure)
