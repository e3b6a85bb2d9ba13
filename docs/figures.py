"""Measures every table and figure of the documentation: `make figures DATA=FOLDER`; some of them: `python docs/figures.py swords pan`.

As many at once as there are cores, each by a process of its own. What is there already, measured by the same command with the shipped
models, is kept; an interrupted run resumes. Each table says its fingerprint, date and command, and `make docs` refuses one that was
measured with other models than those that are shipped.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lexprint.cores import available_cores
from lexprint.engine import Engine
from lexprint.settings import PROFILES
from lexprint_evaluation.cli.table_processes import Finished, Processes, measure_side_by_side

HERE = Path(__file__).parent
TABLES = HERE / "tables"
WORK = HERE.parent / "build" / "figures"
ENDINGS = ("json", "md", "svg", "png")
HISTORY = "bench-history"  # of many versions, so of no single fingerprint

FORTY_LEAKS = tuple("attacks --schemes registered,registered-dense --leaks 10".split())  # of four documents each
FEWER = ("--sentences", "150")  # of each set
# Table -> what follows `lexprint evaluate`, in the order of measuring; sizes are those that the pages quote.
FIGURES: Mapping[str, tuple[str, ...]] = {
    "pan": ("pan", "--limit", "15"),
    "tracing": ("tracing", "--documents", "1", "--copies", "4"),
    "swords": ("swords",),
    "rivals": ("rivals", *FEWER),
    "twins": ("twins",),
    "quality": ("quality", *FEWER),
    "attacks": tuple("attacks --schemes registered,registered-dense,topkara,hao".split()),  # blind: hours
    "attacks-forty": (*FORTY_LEAKS, "--attacks", "synonyms by a masked LM"),
    "recoverability": ("recoverability", *FEWER),
    "ablations": ("ablations", *FEWER),
    "acceptance": ("acceptance",),
    "payload": tuple("payload --sets imdb --profile dense --documents 10 --marks 2".split()),
    "tracing-dense": tuple("tracing --documents 1 --copies 4 --mixes 0 --profile dense".split()),
    "watermark": ("watermark", "--gap", "1,2,3", "--disturb", "--examples", "20", *FEWER),
    "watermark-paper": tuple("watermark --profile paper --sentences 100".split()),  # 32 entailments for every word
    "watermark-literal": tuple("watermark --profile literal --sentences 100".split()),
}
# What one asked the models is known to the next, so no two of a line are measured at once.
AFTER = {"quality": "rivals", "recoverability": "quality", "ablations": "recoverability", "attacks-forty": "attacks"}
ASKING_ONCE = frozenset({"swords"})  # each of its questions is another one, and it has no such options
WITH_AWT = frozenset({"rivals", "quality", "attacks", "attacks-forty"})
# No commands of lexprint: one prints, scans and reads a page, the other asks other processors ($LEXPRINT_ARM: docs/architecture.md).
OF_BENCHMARKS = {
    "paper": ("-m", "benchmarks.paper", "--output", str(TABLES)),
    "drift": ("-m", "benchmarks.drift", "--output", str(TABLES)),
}


def shipped_fingerprints() -> dict[str, str]:
    """What a table may be measured with: the shipped models, under any profile."""
    engines = {name: Engine(settings=settings) for name, settings in PROFILES.items()}
    copies = {engine.copies_fingerprint: f"copies by {name}" for name, engine in engines.items()}
    return copies | {engine.fingerprint: name for name, engine in engines.items()}


def stale_tables(folder: Path = TABLES) -> dict[str, str]:
    """Tables that were measured with anything else, each with what it says of itself."""
    shipped, stale = shipped_fingerprints(), {}
    for path in sorted(folder.glob("*.json")):
        result = json.loads(path.read_bytes())
        if path.stem != HISTORY and not {result.get("fingerprint")} & shipped.keys():
            stale[path.stem] = (
                f"{result.get('fingerprint', 'none')}, measured {result.get('date', 'at an unknown time')}"
            )
    return stale


def complaint(stale: Mapping[str, str]) -> str:
    """One sentence for each table, and what to type."""
    lines = [f"docs/tables/{name}.json has the fingerprint {found}" for name, found in stale.items()]
    known = ", ".join(f"{fingerprint} ({name})" for fingerprint, name in shipped_fingerprints().items())
    return "\n".join([*lines, f"shipped are: {known}", "run: make figures DATA=FOLDER"])


def is_measured(name: str, command: Sequence[str], folder: Path = TABLES) -> bool:
    """Whether the table is there, by this command and with shipped models."""
    try:
        result: dict[str, Any] = json.loads((folder / f"{name}.json").read_bytes())
    except (OSError, ValueError):
        return False
    wanted = {*"lexprint evaluate --data FOLDER".split(), *(Path(part).name for part in command)}
    said = set(shlex.split(str(result.get("command", ""))))
    return result.get("fingerprint") in shipped_fingerprints() and said == wanted


def arguments(name: str, command: Sequence[str], *, data: Path) -> list[object]:
    """The command with a folder of its own, and answers that all tables share."""
    shared = () if command[0] in ASKING_ONCE else ("--cache", WORK / "answers", "--threads", 1)
    return [*command[1:], "--data", data, "--output", WORK / name, *shared]


def put_in_place(name: str, command: Sequence[str]) -> None:
    """What was written, among the tables."""
    for ending in ENDINGS:
        if (written := WORK / name / f"{command[0]}.{ending}").exists():
            shutil.move(written, TABLES / f"{name}.{ending}")


def measure(wanted: Mapping[str, Sequence[str]], *, data: Path) -> list[str]:
    """Run the commands side by side; those that failed."""
    failed: list[str] = []
    processes = Processes()

    def finish(finished: Finished) -> None:
        if finished.failure is None:
            put_in_place(finished.name, wanted[finished.name])
        else:
            failed.append(finished.name)
        print(f"{finished.name}: {finished.failure or 'done'} ({finished.seconds:.0f} s)", flush=True)

    def run(name: str, given: Sequence[object]) -> Finished:
        (WORK / name).mkdir(parents=True, exist_ok=True)
        return replace(processes.run(wanted[name][0], given), name=name)

    try:
        measure_side_by_side(
            {name: arguments(name, command, data=data) for name, command in wanted.items()},
            workers=available_cores(),
            after=AFTER,
            on_begin=lambda name: print(f"{name}: lexprint evaluate {' '.join(wanted[name])}", flush=True),
            on_finish=finish,
            run=run,
        )
    finally:
        processes.close()
    return failed


def main(*names: str) -> None:
    data = os.environ.get("DATA") or os.environ.get("LEXPRINT_DATA")
    if not data:
        sys.exit("no data folder was given; needed: make figures DATA=FOLDER, laid out as in docs/evaluation.md")
    if unknown := sorted({*names} - {*FIGURES, *OF_BENCHMARKS}):
        sys.exit(f"no table {', '.join(unknown)}; needed: some of {', '.join((*FIGURES, *OF_BENCHMARKS))}")
    awt = os.environ.get("AWT")
    commands = {
        name: (*command, "--awt", awt) if awt and name in WITH_AWT else command
        for name, command in FIGURES.items()
        if not names or name in names
    }
    failed = measure(
        {name: command for name, command in commands.items() if not is_measured(name, command)}, data=Path(data)
    )
    for name, command in OF_BENCHMARKS.items():
        asked = name in names if names else name in stale_tables() or not (TABLES / f"{name}.json").exists()
        if asked and subprocess.run([sys.executable, *command], cwd=HERE.parent, check=False).returncode:
            failed.append(name)
    if failed:
        sys.exit(f"not measured: {', '.join(failed)}; the same command resumes")


if __name__ == "__main__":
    main(*sys.argv[1:])
