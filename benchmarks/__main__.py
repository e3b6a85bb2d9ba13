"""`python -m benchmarks` runs them all, prints their tables, and keeps the figures in docs/tables/bench-history.json.

    python -m benchmarks [watermark] [kernels] [scale] [registry] [startup] [--small]

Without names, all of them; it takes about an hour, and `--small` some minutes. Other work on the machine spoils the figures.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

from benchmarks import history, kernels, registry, scale, startup, watermark
from lexprint.errors import ExtraMissing

SMALL = {
    "scale": ["--documents", "20", "--stream-words", "20000"],
    "registry": ["--documents", "200", "--recipients", "100", "--issued", "1000"],
}


def main() -> None:
    benchmarks: dict[str, Callable[[list[str]], dict[str, float] | None]] = {
        "watermark": lambda arguments: watermark.main(),
        "kernels": lambda arguments: kernels.main(),
        "scale": scale.main,
        "registry": registry.main,
        "startup": lambda arguments: startup.main(),
    }
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(benchmarks))
    parser.add_argument("--small", action="store_true", help="few documents: to see that it works; nothing is kept")
    options = parser.parse_args()
    if unknown := set(options.names) - set(benchmarks):
        parser.error(f"there is no benchmark {', '.join(sorted(unknown))}")
    figures: dict[str, float] = {}
    for name in options.names or benchmarks:
        print(f"\n{name}\n{'-' * len(name)}", flush=True)
        figures |= benchmarks[name](SMALL.get(name, []) if options.small else []) or {}
    if options.small or not figures:
        return
    entries = history.keep(figures)
    try:
        from lexprint_evaluation.plots import history_plot
    except ExtraMissing as error:
        print(f"no plot: {error}")
    else:
        history.PLOT.write_bytes(history_plot(entries))


if __name__ == "__main__":
    main()
