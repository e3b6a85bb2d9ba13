"""Measures every table and figure of the documentation: `make figures DATA=FOLDER`.

What is there already, measured by the same command with the shipped models, is kept; an interrupted run resumes. Each table says
its fingerprint, date and command, and `make docs` refuses one that was measured with other models than those that are shipped.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lexprint.engine import Engine
from lexprint.settings import PROFILES

HERE = Path(__file__).parent
TABLES = HERE / "tables"
WORK = HERE.parent / "build" / "figures"
ENDINGS = ("json", "md", "svg", "png")
HISTORY = "bench-history"  # of many versions, so of no single fingerprint

FORTY_LEAKS = tuple("attacks --schemes registered,registered-dense --leaks 10".split())  # of four documents each
# Table -> what follows `lexprint evaluate`; sizes are those that the pages quote.
FIGURES: Mapping[str, tuple[str, ...]] = {
    "swords": ("swords",),
    "acceptance": ("acceptance",),
    "rivals": ("rivals",),
    "quality": ("quality",),
    "ablations": ("ablations",),
    "recoverability": ("recoverability",),
    "watermark": ("watermark", "--gap", "1,2,3", "--disturb", "--examples", "20"),
    "watermark-paper": ("watermark", "--profile", "paper"),
    "watermark-literal": ("watermark", "--profile", "literal"),
    "payload": tuple("payload --sets imdb --profile dense --documents 40 --only-first 23 --marks 3".split()),
    "tracing": ("tracing", "--documents", "1"),
    "tracing-dense": tuple("tracing --documents 1 --mixes 0 --profile dense".split()),
    "tracing-eight": tuple("tracing --profile dense --trials 80 --copies 8 --mixes 0 --never-issued 1000".split()),
    "attacks": tuple("attacks --schemes registered,registered-dense,blind,lexprint,topkara,hao".split()),
    "attacks-forty": (*FORTY_LEAKS, "--attacks", "synonyms by a masked LM"),
    "pan": ("pan", "--limit", "15"),
    "twins": ("twins",),
}
WITH_AWT = frozenset({"rivals", "quality", "attacks", "attacks-forty"})
# No commands of lexprint: one prints, scans and reads a page, the other asks other processors ($LEXPRINT_ARM: docs/architecture.md).
OF_BENCHMARKS = {
    "paper": ("-m", "benchmarks.paper", "--output", str(TABLES)),
    "drift": ("-m", "benchmarks.drift", "--output", str(TABLES)),
}


def shipped_fingerprints() -> dict[str, str]:
    """What a table may be measured with: the shipped models, under any profile."""
    return {Engine(settings=settings).fingerprint: name for name, settings in PROFILES.items()}


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


def measure(name: str, command: Sequence[str], *, data: Path) -> bool:
    """Run one command in a folder of its own, and put what it wrote among the tables."""
    folder = WORK / name
    folder.mkdir(parents=True, exist_ok=True)
    places = ["--data", str(data), "--output", str(folder), "--cache", str(WORK / "answers")]
    if command[0] == "swords":
        del places[-2:]  # it asks every question once
    finished = subprocess.run([sys.executable, "-m", "lexprint", "evaluate", *command, *places], check=False)
    if finished.returncode:
        return False
    for ending in ENDINGS:
        if (written := folder / f"{command[0]}.{ending}").exists():
            shutil.move(written, TABLES / f"{name}.{ending}")
    return True


def main() -> None:
    data = os.environ.get("DATA") or os.environ.get("LEXPRINT_DATA")
    if not data:
        sys.exit("no data folder was given; needed: make figures DATA=FOLDER, laid out as in docs/evaluation.md")
    awt = os.environ.get("AWT")
    failed = []
    for number, (name, usual) in enumerate(FIGURES.items(), start=1):
        command = (*usual, "--awt", awt) if awt and name in WITH_AWT else usual
        label = f"{number}/{len(FIGURES)} {name}"
        if is_measured(name, command):
            print(f"{label}: measured already", flush=True)
        else:
            print(f"{label}: lexprint evaluate {' '.join(command)}", flush=True)
            if not measure(name, command, data=Path(data)):
                failed.append(name)
    for name, arguments in OF_BENCHMARKS.items():
        if name in stale_tables() or not (TABLES / f"{name}.json").exists():
            finished = subprocess.run([sys.executable, *arguments], cwd=HERE.parent, check=False)
            failed += [name] if finished.returncode else []
    if failed:
        sys.exit(f"not measured: {', '.join(failed)}; the same command resumes")


if __name__ == "__main__":
    main()
