"""Pictures of what was measured, as SVG; the only importer of matplotlib (extra: evaluation)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from itertools import zip_longest

from lexprint.errors import ExtraMissing
from lexprint.evaluation.quality import COLUMNS, QualityRow, shown
from lexprint.evaluation.robustness import Figure as RobustnessFigure, RobustnessRow, figure_of
from lexprint.evaluation.tracing import AttackRow, CollusionRow

try:
    import matplotlib
    from matplotlib.figure import Figure
except ImportError as error:
    raise ExtraMissing("matplotlib", extra="evaluation") from error

RIGHT, UNDECIDED, WRONG = "#2f6f5e", "#c9c4b8", "#b3412f"
SCHEME_COLOURS = ("#2f6f5e", "#4b5d8a", "#b3412f", "#b8872b", "#7a4b86", "#5b5b5b")  # apart for the colour-blind too


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
    return _svg(figure)


def quality_plot(rows: Sequence[QualityRow]) -> bytes:
    """A panel for each judge; for each set the schemes side by side, with their confidence intervals."""
    judges = [name for name in COLUMNS if name in rows[0].of_all]
    titles = list(dict.fromkeys(row.title for row in rows))
    schemes = list(dict.fromkeys(row.scheme for row in rows))
    figure = Figure(figsize=(3.2 * len(judges), 1.2 + 0.28 * len(schemes) * len(titles)), layout="constrained")
    panels = figure.subplots(1, len(judges), sharey=True, squeeze=False)[0]
    for panel, judge in zip(panels, judges, strict=True):
        for number, scheme in enumerate(schemes):
            shift = 0.8 * ((number + 0.5) / len(schemes) - 0.5)
            drawn = [(titles.index(row.title) + shift, shown(row, judge)) for row in rows if row.scheme == scheme]
            known = [(height, found) for height, found in drawn if found is not None]
            panel.errorbar(
                [found.mean for _, found in known],
                [height for height, _ in known],
                xerr=[
                    [found.mean - found.low for _, found in known],
                    [found.high - found.mean for _, found in known],
                ],
                fmt="o",
                markersize=4,
                color=SCHEME_COLOURS[number % len(SCHEME_COLOURS)],
                label=scheme,
            )
        panel.set_title(COLUMNS[judge][0], fontsize=10)
        panel.grid(axis="x", alpha=0.3)
        panel.set_axisbelow(True)
    panels[0].set_yticks(range(len(titles)), titles)
    panels[0].invert_yaxis()
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(schemes), frameon=False)
    return _svg(figure)


def robustness_plot(rows: Sequence[RobustnessRow]) -> bytes:
    """Attacks down, schemes across: share of leaks traced, and bit error rate, as shades with their figures."""
    schemes = list(dict.fromkeys(row.scheme for row in rows))
    cases = list(dict.fromkeys((row.attack, row.strength) for row in rows))
    known = {(row.scheme, row.attack, row.strength): row for row in rows}
    figure = Figure(figsize=(4 + 1.3 * len(schemes), 1 + 0.26 * len(cases)), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    panel_figures: tuple[tuple[str, RobustnessFigure, str], ...] = (
        ("traced to the right copy", "right", "Greens"),
        ("bit error rate", "bit_error_rate", "Reds"),
    )
    for panel, (title, name, colours) in zip(panels, panel_figures, strict=True):
        values = [[figure_of(known[scheme, *case], name) for scheme in schemes] for case in cases]
        shades = [[float("nan") if value is None else value for value in line] for line in values]
        panel.imshow(shades, cmap=colours, vmin=0, vmax=1, aspect="auto")
        for row, line in enumerate(values):
            for column, value in enumerate(line):
                text = "–" if value is None else f"{value:.0%}" if name == "right" else f"{value:.2f}"
                dark = value is not None and value > 0.6
                panel.text(column, row, text, ha="center", va="center", fontsize=8, color="white" if dark else "black")
        panel.set_title(title, fontsize=10)
        panel.set_xticks(range(len(schemes)), schemes, rotation=30, ha="right", fontsize=9)
    panels[0].set_yticks(range(len(cases)), [" ".join(case).strip() for case in cases], fontsize=8)
    return _svg(figure)


def history_plot(entries: Sequence[Mapping[str, object]]) -> bytes:
    """Each figure of the benchmarks from run to run, a panel each, since their units differ."""
    runs = [entry["figures"] for entry in entries]
    known: list[Mapping[str, float]] = [figures for figures in runs if isinstance(figures, Mapping)]
    names = sorted({name for figures in known for name in figures})
    columns = 4
    rows = max(1, -(-len(names) // columns))
    figure = Figure(figsize=(3 * columns, 1.9 * rows), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False)
    for panel, name in zip_longest(panels.flat, names):
        if name is None:
            panel.set_axis_off()
            continue
        measured = [(number, figures[name]) for number, figures in enumerate(known, start=1) if name in figures]
        panel.plot([number for number, _ in measured], [value for _, value in measured], color=RIGHT, marker="o")
        panel.set_title(name.replace("_", " "), fontsize=8)
        panel.set_xlim(0.5, len(known) + 0.5)
        panel.set_ylim(0, 1.15 * max(value for _, value in measured) or 1)
        panel.tick_params(labelsize=7)
    return _svg(figure)


def _svg(figure: Figure) -> bytes:
    """The same bytes for the same figures."""
    with matplotlib.rc_context({"svg.hashsalt": "lexprint", "svg.fonttype": "none"}):
        content = BytesIO()
        figure.savefig(content, format="svg", metadata={"Date": None})
    return content.getvalue()
