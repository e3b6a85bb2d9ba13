"""How long it takes until something happens: help, a trace, the models.

    python -m benchmarks.startup

Each is run several times in processes of its own and the best counts. Beside the clock stands processor time, which other work on
the machine does not lengthen.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.fakes import FakeEngine

from lexprint.coding.keys import Keyring, MasterKey
from lexprint.formats.source import open_source
from lexprint.registry.protocol import open_registry
from lexprint.testing import fake_text
from lexprint.workflows.issuing import Master, issue

RUNS = 5
LOADING = "from lexprint.engine import Engine; engine = Engine(threads=1); engine.substituter"


def main() -> dict[str, float]:
    figures: dict[str, float] = {}
    with TemporaryDirectory() as folder:
        registry, leak = _issued(Path(folder))
        cli = [sys.executable, "-m", "lexprint"]
        commands = {
            "import": [sys.executable, "-c", "import lexprint"],
            "help": [*cli, "--help"],
            "trace": [*cli, "trace", str(leak), "--registry", str(registry)],
            "models": [sys.executable, "-c", LOADING],
            "models_and_encoder": [sys.executable, "-c", f"{LOADING}; engine.sentence_encoder"],
        }
        for name, command in commands.items():
            clock, processor = best_of(command, cwd=Path(folder))
            print(f"{name:<20} {clock:6.2f} s, {processor:6.2f} s of processor time", flush=True)
            figures |= {f"start_{name}_seconds": clock, f"start_{name}_cpu_seconds": processor}
    return figures


def best_of(command: Sequence[str], *, cwd: Path, runs: int = RUNS) -> tuple[float, float]:
    """Least seconds on the clock, and of processor time."""
    clocks, processors = [], []
    for _ in range(runs):
        start = time.perf_counter()
        with subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            _, status, usage = os.wait4(process.pid, 0)
            clocks.append(time.perf_counter() - start)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{' '.join(command)} failed with {process.returncode}")
        processors.append(usage.ru_utime + usage.ru_stime)
    return min(clocks), min(processors)


def _issued(folder: Path) -> tuple[Path, Path]:
    """A registry with one document, and a leak of it."""
    content = fake_text(words=900, seed=1).encode()
    master = Master(open_source(content, name="memo.txt"), "memo", hashlib.sha256(content).hexdigest(), ".txt")
    path = folder / "registry.db"
    with open_registry(str(path)) as registry:
        keyring = Keyring((MasterKey.generate(),))
        issued = issue(
            FakeEngine(), master, ["Ada", "Bo"], keyring=keyring, registry=registry, folder=folder / "copies"
        )
    return path, folder / "copies" / issued.copies[0].file_name


if __name__ == "__main__":
    main()
