"""What was measured, when, with which version and on what: one entry a run, kept in docs/tables."""

from __future__ import annotations

import json
import os
import platform
from datetime import UTC, datetime
from pathlib import Path

from lexprint import __version__

TABLES = Path(__file__).parent.parent / "docs" / "tables"
HISTORY = TABLES / "bench-history.json"
PLOT = TABLES / "bench-history.svg"


def keep(figures: dict[str, float], *, path: Path = HISTORY) -> list[dict[str, object]]:
    """Append a run; gives all of them, oldest first."""
    entries = read(path)
    entries.append(
        {
            "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M"),
            "version": __version__,
            "machine": machine(),
            "figures": {name: float(f"{value:.4g}") for name, value in sorted(figures.items())},
        }
    )
    path.write_text(json.dumps(entries, indent=1) + "\n", "utf-8")
    return entries


def read(path: Path = HISTORY) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(path.read_text("utf-8")) if path.exists() else []
    return found


def machine() -> str:
    """Processor, cores, and how busy it was with other work."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [
            line.partition(":")[2].strip() for line in cpuinfo.read_text().splitlines() if line.startswith("model name")
        ]
        model = names[0] if names else model
    return f"{model}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
