"""Pictures of what was measured, as SVG; the only importer of matplotlib (extra: evaluation)."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO

from lexprint.errors import ExtraMissing
from lexprint.evaluation.tracing import AttackRow, CollusionRow

try:
    import matplotlib
    from matplotlib.figure import Figure
except ImportError as error:
    raise ExtraMissing("matplotlib", extra="evaluation") from error

RIGHT, UNDECIDED, WRONG = "#2f6f5e", "#c9c4b8", "#b3412f"


def tracing_plot(attacks: Sequence[AttackRow], mixes: Sequence[CollusionRow]) -> bytes:
    """Outcomes of each attack as bars; share of colluders caught by number of sites as lines."""
    figure = Figure(figsize=(11, 4.2), layout="constrained")
    bars, lines = figure.subplots(1, 2, width_ratios=(3, 2))
    names = [row.attack for row in attacks]
    start = [0.0] * len(attacks)
    for label, colour, shares in (
        ("right copy", RIGHT, [row.right / row.trials for row in attacks]),
        ("inconclusive", UNDECIDED, [row.inconclusive / row.trials for row in attacks]),
        ("innocent accused", WRONG, [row.wrong / row.trials for row in attacks]),
    ):
        bars.barh(names, shares, left=start, color=colour, label=label)
        start = [one + other for one, other in zip(start, shares, strict=True)]
    bars.invert_yaxis()
    bars.set_xlim(0, 1)
    bars.set_xlabel("share of leaks")
    bars.legend(loc="lower right", frameon=True)
    for code, style in (("independent", "--"), ("tardos", "-")):
        for mix, colour in (("majority", "#2f6f5e"), ("minority", "#b3412f"), ("random", "#4b5d8a")):
            chosen = [row for row in mixes if (row.code, row.mix, row.colluders) == (code, mix, 3)]
            lines.plot(
                [row.sites for row in chosen],
                [row.caught / row.trials for row in chosen],
                style,
                color=colour,
                marker="o",
                label=f"{code}, {mix}",
            )
    lines.set_ylim(-0.03, 1.03)
    lines.set_xlabel("sites")
    lines.set_title("three colluders: at least one caught", fontsize=10)
    if mixes:
        lines.legend(fontsize=8)
    with matplotlib.rc_context({"svg.hashsalt": "lexprint", "svg.fonttype": "none"}):
        content = BytesIO()
        figure.savefig(content, format="svg", metadata={"Date": None})
    return content.getvalue()
