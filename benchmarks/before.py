"""How many times as fast analysis, marking and reading are as in another checkout, with and without some instructions.

    python -m benchmarks.before TREE [FILE] [--hidden none,vnni,avx512] [--verbs analyse,mark,read] [--profiles lexprint,paper]

Both checkouts do the same page with models and rules of their own, in a new process each time, by turns; loading models does not
count. The least time of each is compared, of the processor and on the clock: other work on the machine makes times longer, never
shorter. What is hidden is told by `benchmarks.older`. Profile `paper` marks and reads only, since it makes no registered copies.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from benchmarks import older

TEXT = Path(__file__).with_name("paper.txt")
WARM_UP = "The old road was narrow, and nobody had seen another one for a long time."
VERBS = {"lexprint": ("analyse", "mark", "read"), "paper": ("mark", "read")}
COLUMNS = ("hidden", "profile", "", "processor before", "now", "times as fast", "clock before", "now", "times as fast")


class Seconds(NamedTuple):
    """That a piece of work took."""

    processor: float
    clock: float


class Compared(NamedTuple):
    """A piece of work, there and here."""

    hidden: str
    profile: str
    verb: str
    before: Seconds
    now: Seconds

    @property
    def row(self) -> str:
        times = (
            (f"{before:.2f} s", f"{now:.2f} s", f"{before / now:.2f}")
            for before, now in zip(self.before, self.now, strict=True)
        )
        return f"| {' | '.join([self.hidden, self.profile, self.verb, *(cell for three in times for cell in three)])} |"


def main(arguments: Sequence[str] | None = None) -> list[Compared]:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path, help="another checkout")
    parser.add_argument("file", nargs="?", type=Path, default=TEXT)
    parser.add_argument("--hidden", default=",".join(older.HIDDEN))
    parser.add_argument("--profiles", default=",".join(VERBS))
    parser.add_argument("--verbs", default="analyse,mark,read")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=0, help="0: as many as there are cores")
    options = parser.parse_args(arguments)
    print(f"| {' | '.join(COLUMNS)} |\n|---|---|---|{'---:|' * (len(COLUMNS) - 3)}", flush=True)
    found = []
    for hidden in options.hidden.split(","):
        for profile in options.profiles.split(","):
            for verb in [verb for verb in VERBS[profile] if verb in options.verbs.split(",")]:
                work = (verb, profile, str(options.file.resolve()), str(options.threads))
                before, now = least((options.tree, older.ROOT), hidden, work, rounds=options.rounds)
                found.append(Compared(hidden, profile, verb, before, now))
                print(found[-1].row, flush=True)
    return found


def least(trees: Sequence[Path], hidden: str, work: Sequence[str], *, rounds: int) -> list[Seconds]:
    """Of each checkout, which take turns."""
    taken = [[timed_in(tree, hidden, work) for tree in trees] for _ in range(rounds)]
    return [Seconds(*map(min, zip(*of_tree, strict=True))) for of_tree in zip(*taken, strict=True)]


def timed_in(tree: Path, hidden: str, work: Sequence[str]) -> Seconds:
    sources = os.pathsep.join(map(str, (tree.resolve() / "src", older.ROOT)))
    variables = {name: value for name, value in os.environ.items() if not name.startswith("LEXPRINT_")}
    variables |= {"PYTHONPATH": sources} if hidden == "none" else older.environment(hidden, sources)
    command = [sys.executable, "-m", "benchmarks.before", "--time", *work]
    done = subprocess.run(command, env=variables, stdout=subprocess.PIPE, text=True, check=True)
    return Seconds(*json.loads(done.stdout))


def timed(verb: str, profile: str, file: str, threads: str) -> Seconds:
    """With whatever lexprint this process finds, which may be older than this file."""
    from lexprint.engine import Engine
    from lexprint.settings import find_profile
    from lexprint.workflows.marking import embed, extract

    place = "lexprint.workflows.analysing"
    analyse = import_module(place if find_spec(place) else "lexprint.workflows.issuing").analyse_document
    verbs = {"analyse": analyse, "mark": lambda engine, text: embed(engine, text, ()), "read": extract}
    engine = Engine(settings=find_profile(profile), threads=int(threads))
    verbs[verb](engine, WARM_UP)  # models are loaded when they are first asked
    text = Path(file).read_text("utf-8")
    processor, clock = time.process_time(), time.perf_counter()
    verbs[verb](engine, text)
    return Seconds(time.process_time() - processor, time.perf_counter() - clock)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--time"]:
        print(json.dumps(timed(*sys.argv[2:])))
    else:
        main()
