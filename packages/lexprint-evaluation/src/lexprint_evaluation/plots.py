"""Pictures of what was measured, as SVG; the only importer of matplotlib (extra: evaluation)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import zip_longest
from typing import Any, Generic, TypeAlias, TypeVar

import matplotlib
from matplotlib.figure import Figure as Figure  # also for the pictures of other files
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from lexprint_evaluation import ablations, comparison, swords, watermark
from lexprint_evaluation.metrics import share
from lexprint_evaluation.quality import COLUMNS, QualityRow, shown
from lexprint_evaluation.robustness import Figure as RobustnessFigure, RobustnessRow, figure_of
from lexprint_evaluation.tracing import AttackRow, CollusionRow

RIGHT, UNDECIDED, UNSURE, WRONG = "#2f6f5e", "#c9c4b8", "#d9a441", "#b3412f"
HOLLOW: Mapping[str, Any] = {"color": "black", "fillstyle": "none"}  # figures that others published
COLOURS = ("#2f6f5e", "#4b5d8a", "#b3412f", "#b8872b", "#7a4b86", "#5b5b5b")  # apart for the colour-blind too
# The same scheme looks the same in all pictures.
SCHEME_COLOURS: Mapping[str, str] = {
    "lexprint": COLOURS[0],
    "paper": COLOURS[1],
    "topkara": COLOURS[2],
    "hao": COLOURS[3],
    "awt": COLOURS[4],
    comparison.AWT_OUTPUT: COLOURS[5],
    "registered": "#58b09c",
    "blind": "#9bbf3b",
}
PALE = "#aab4cf"  # bars on which marks must be seen


RowType = TypeVar("RowType")
# By title: what was measured, and what the paper says of the same.
Panels: TypeAlias = Mapping[str, tuple[Callable[[RowType], float | None], Callable[[RowType], float | None]]]


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
    return svg(figure)


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
                color=_colour(schemes, scheme),
                label=scheme,
            )
        panel.set_title(COLUMNS[judge][0], fontsize=10)
        panel.grid(axis="x", alpha=0.3)
        panel.set_axisbelow(True)
    panels[0].set_yticks(range(len(titles)), titles)
    panels[0].invert_yaxis()
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(schemes), frameon=False)
    return svg(figure)


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
    return svg(figure)


def watermark_plot(rows: Sequence[watermark.Row]) -> bytes:
    """Payload, SR, SS and recovered words of each set and of all, by f, and the paper's figures as hollow marks."""
    rows = [*rows, *watermark.means(rows)]
    titles = list(dict.fromkeys(row.title for row in rows))
    gaps = [f"f = {gap}" for gap in sorted({row.gap for row in rows})]
    dots = _dots({(row.title, f"f = {row.gap}"): row for row in rows}, titles, gaps)
    panels: Panels[watermark.Row] = {
        "bits per word": (lambda row: row.bits_per_word, lambda row: watermark.published(row).bits_per_word),
        "SR": (lambda row: row.entailment.changed, lambda row: watermark.published(row).entailment),
        "SS": (lambda row: row.similarity.changed, lambda row: watermark.published(row).similarity),
        "words recovered": (
            lambda row: share(row.recovered, row.substituted),
            lambda row: watermark.published(row).recovered,
        ),
    }
    return svg(_dot_figure(titles, gaps, dots, panels))


def rivals_plot(rows: Sequence[comparison.MethodRow], thinned: Sequence[comparison.MethodRow] = ()) -> bytes:
    """SR and SS by method and set with the paper's figures hollow; below, quality against payload, rivals thinned too."""
    titles = list(dict.fromkeys(row.title for row in rows))
    methods = list(dict.fromkeys(row.method for row in rows))
    dots = _dots({(row.title, row.method): row for row in rows}, titles, methods)
    panels: Panels[comparison.MethodRow] = {
        "SR of changed sentences": (lambda row: row.entailment.changed, _published_entailment),
        "SS of changed sentences": (lambda row: row.similarity.changed, _published_similarity),
    }
    height = 1.3 + 0.2 * len(methods) * len(titles)
    figure = Figure(figsize=(11, height + 3.8), layout="constrained")
    grid = figure.subplots(2, 2, height_ratios=(height, 3.5))
    _draw_dots(grid[0], titles, methods, dots, panels)
    by_payload: Mapping[str, Callable[[comparison.MethodRow], float | None]] = {
        "SR of all sentences, by payload": lambda row: row.entailment.all,
        "SS of all sentences, by payload": lambda row: row.similarity.all,
    }
    for panel, (title, figure_of_row) in zip(grid[1], by_payload.items(), strict=True):
        for method in methods:
            colour = _colour(methods, method)
            own = [row for row in rows if row.method == method]
            panel.plot([row.bits_per_word for row in own], [figure_of_row(row) for row in own], "o", color=colour)
            for less in (row for row in thinned if row.method == method):
                full = _first(row for row in own if row.title == less.title)
                if full is not None:
                    both = (full, less)
                    panel.plot(
                        [row.bits_per_word for row in both],
                        [figure_of_row(row) for row in both],
                        "-",
                        color=colour,
                        alpha=0.4,
                    )
                panel.plot([less.bits_per_word], [figure_of_row(less)], "s", color=colour, fillstyle="none")
        panel.set_xlim(left=0)
        panel.set_xlabel("bits per word" + ("; squares: as many bits as ours" if thinned else ""))
        panel.set_title(title, fontsize=10)
        panel.grid(alpha=0.3)
    _legend(figure, methods)
    return svg(figure)


def _published_entailment(row: comparison.MethodRow) -> float | None:
    found = comparison.PUBLISHED.get(row.method, {}).get(row.title)
    return None if found is None else found.entailment


def _published_similarity(row: comparison.MethodRow) -> float | None:
    found = comparison.PUBLISHED.get(row.method, {}).get(row.title)
    return None if found is None else found.similarity


def ablations_plot(rows: Sequence[ablations.AblationRow]) -> bytes:
    """Bit error rates of each set, and what became of the words over all sets."""
    titles = list(dict.fromkeys(row.title for row in rows))
    methods = list(dict.fromkeys(row.method for row in rows))
    whole = ablations.pooled(rows) or list(rows)
    figure = Figure(figsize=(12, 1.6 + 0.42 * len(methods)), layout="constrained")
    rates, words = figure.subplots(1, 2, sharey=True, width_ratios=(1, 1))
    for place, method in enumerate(methods):
        for row in (row for row in rows if row.method == method):
            rates.plot([row.bit_error_rate], [place], "o", markersize=5, color=_colour(titles, row.title), alpha=0.8)
        total = _first(row for row in whole if row.method == method)
        if total is None:
            continue
        rates.plot([total.bit_error_rate], [place], "|", markersize=16, markeredgewidth=2, color="black")
        start = 0.0
        located, written = total.located, max(1, total.located.written)
        for count, colour in (
            (located.right, RIGHT),
            (located.other_pair, UNSURE),
            (located.missed, WRONG),
            (located.surplus, UNDECIDED),
        ):
            words.barh([place], [count / written], left=[start], color=colour)
            start += count / written
        failed = located.other_pair + located.missed
        words.text(start + 0.01, place, f"{failed} of {written} lost", va="center", fontsize=8)
    rates.set_yticks(range(len(methods)), methods)
    rates.invert_yaxis()
    rates.set_xlim(left=-0.002)
    rates.set_title("bit error rate; bar: all sets", fontsize=10)
    rates.grid(axis="x", alpha=0.3)
    handles = [Line2D([], [], color=_colour(titles, title), marker="o", linestyle="", label=title) for title in titles]
    rates.legend(handles=handles, fontsize=8, loc="best")
    words.set_xlim(0, 1.35)
    words.set_title("words as a reader finds them, share of those written", fontsize=10)
    labels = {"with their pair": RIGHT, "with another pair": UNSURE, "missed": WRONG, "surplus": UNDECIDED}
    patches = [Patch(color=colour, label=label) for label, colour in labels.items()]
    figure.legend(handles=patches, loc="outside lower right", ncols=len(patches), frameon=False, fontsize=9)
    return svg(figure)


def recoverability_plot(rows: Sequence[ablations.AblationRow]) -> bytes:
    """Share of the exchanged words that come back, with the paper's as hollow marks."""
    titles = list(dict.fromkeys(row.title for row in rows))
    methods = list(dict.fromkeys(row.method for row in rows))
    dots = _dots({(row.title, row.method): row for row in rows}, titles, methods)

    def published(row: ablations.AblationRow) -> float | None:
        found = watermark.PUBLISHED.get(row.title)
        return None if found is None else found.recovered

    panels: Panels[ablations.AblationRow] = {
        "share of exchanged words that come back": (lambda row: share(row.recovered, row.substituted), published)
    }
    figure = _dot_figure(titles, methods, dots, panels)
    figure.axes[0].set_xlim(0, 1)
    return svg(figure)


def swords_plot(rows: Sequence[swords.Row]) -> bytes:
    """F at ten for acceptable and conceivable substitutes, lenient and strict; hollow what is published."""
    names = [row.method for row in rows]
    figures = {
        "strict, acceptable": ([row.strict.f for row in rows], 2),
        "strict, conceivable": ([row.strict_conceivable.f for row in rows], 3),
        "lenient, acceptable": ([row.lenient.f for row in rows], 0),
        "lenient, conceivable": ([row.lenient_conceivable.f for row in rows], 1),
    }
    figure = Figure(figsize=(12, 1.6 + 0.32 * len(rows)), layout="constrained")
    panels = figure.subplots(1, len(figures), sharey=True)
    for panel, (title, (values, column)) in zip(panels, figures.items(), strict=True):
        panel.barh(names, values, color=PALE, height=0.6)
        quoted = [(place, swords.PUBLISHED[name][column]) for place, name in enumerate(names)]
        known = [(value, place) for place, value in quoted if value is not None]
        panel.plot([value for value, _ in known], [place for _, place in known], "D", **HOLLOW)
        panel.set_title(title, fontsize=10)
        panel.set_xlabel("F10")
        panel.grid(axis="x", alpha=0.3)
        panel.set_axisbelow(True)
    panels[0].invert_yaxis()
    figure.legend(
        handles=[Line2D([], [], linestyle="", marker="D", label="published, test split", **HOLLOW)],
        loc="outside lower center",
        frameon=False,
    )
    return svg(figure)


@dataclass(frozen=True)
class _Dot(Generic[RowType]):
    """One row's place in a dot plot."""

    title: str
    series: str
    row: RowType | None


def _dots(rows: Mapping[tuple[str, str], RowType], titles: Sequence[str], series: Sequence[str]) -> list[_Dot[RowType]]:
    """A dot for each title and series, whether or not there is a row for it."""
    return [_Dot(title, name, rows.get((title, name))) for title in titles for name in series]


def _dot_figure(
    titles: Sequence[str],
    series: Sequence[str],
    dots: Sequence[_Dot[RowType]],
    panels: Panels[RowType],
) -> Figure:
    """A panel for each figure: sets down, series side by side, ours filled and the paper's hollow."""
    height = 1.3 + 0.22 * len(titles) * max(2, len(series))
    figure = Figure(figsize=(max(6.5, 3.1 * len(panels)), height), layout="constrained")
    _draw_dots(figure.subplots(1, len(panels), sharey=True, squeeze=False)[0], titles, series, dots, panels)
    _legend(figure, series)
    return figure


def _draw_dots(
    axes: Any,
    titles: Sequence[str],
    series: Sequence[str],
    dots: Sequence[_Dot[RowType]],
    panels: Panels[RowType],
) -> None:
    for panel, (title, (measured, published)) in zip(axes, panels.items(), strict=True):
        for dot in dots:
            if dot.row is None:
                continue
            place = titles.index(dot.title) + 0.8 * ((series.index(dot.series) + 0.5) / len(series) - 0.5)
            colour = _colour(series, dot.series)
            for value, look in ((published(dot.row), "D"), (measured(dot.row), "o")):
                if value is not None:
                    style = "none" if look == "D" else "full"
                    panel.plot([value], [place], look, color=colour, fillstyle=style, markersize=5)
        for between in range(1, len(titles)):
            panel.axhline(between - 0.5, color="#dddddd", linewidth=0.8)
        panel.set_yticks(range(len(titles)), titles)
        panel.set_ylim(len(titles) - 0.5, -0.5)
        panel.set_title(title, fontsize=10)
        panel.grid(axis="x", alpha=0.3)
    for panel in axes[1:]:
        panel.tick_params(labelleft=False)


def _legend(figure: Figure, series: Sequence[str]) -> None:
    """What colours and marks stand for."""
    handles = [Line2D([], [], linestyle="", marker="o", color=_colour(series, name), label=name) for name in series]
    handles.append(Line2D([], [], linestyle="", marker="D", label="the paper's", **HOLLOW))
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False, fontsize=9)


def _colour(names: Sequence[str], name: str) -> str:
    return SCHEME_COLOURS.get(name, COLOURS[names.index(name) % len(COLOURS)])


def _first(rows: Iterable[RowType]) -> RowType | None:
    return next(iter(rows), None)


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
        panel.xaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))  # runs are counted
        panel.set_ylim(0, 1.15 * max(value for _, value in measured) or 1)
        panel.tick_params(labelsize=7)
    return svg(figure)


def svg(figure: Figure) -> bytes:
    """The same bytes for the same figures."""
    with matplotlib.rc_context({"svg.hashsalt": "lexprint", "svg.fonttype": "none"}):
        content = BytesIO()
        figure.savefig(content, format="svg", metadata={"Date": None})
    return content.getvalue()
