"""The plot of the benchmarks' history."""

from lexprint_evaluation.plots import history_plot

RUNS = [{"figures": {"a_seconds": 1.0}}, {"figures": {"a_seconds": 2.0, "b_megabytes": 0.0}}]


def test_every_figure_has_a_panel() -> None:
    """Under its name, also if some runs lack it or it is zero; the same bytes each time."""
    plot = history_plot(RUNS)
    assert b"a seconds" in plot
    assert b"b megabytes" in plot
    assert history_plot(RUNS) == plot
    assert history_plot(RUNS[:1]) != plot
