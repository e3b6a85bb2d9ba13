"""Processors of several kinds: this one, the same with instructions hidden, and those emulated with QEMU.

An emulated processor offers the instructions of its kind, so ONNX Runtime and numpy choose the kernels that they would choose
there. It can't tell how fast they would be.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from benchmarks import older
from benchmarks.questions import Way

QEMU, QEMU_ARM = "qemu-x86_64", "qemu-aarch64"
HERE = Way("this machine")
WAYS = (
    Way("batch size 1", batch_size=1),
    Way("batch size 8", batch_size=8),
    Way("two threads", threads=2),
    Way("graph optimisation: all", level="all"),
    Way("graph optimisation: none", level="none"),
)
PROCESSORS = (
    Way("x86, Nehalem", processor="Nehalem"),
    Way("x86, Denverton", processor="Denverton"),
    Way("x86, Haswell", processor="Haswell"),
    Way("x86, Skylake-Server", processor="Skylake-Server"),  # without AVX-512, which qemu does not know
    Way("x86, max", processor="max"),
    Way("x86, here without VNNI", hidden="vnni"),
    Way("x86, here without AVX-512", hidden="avx512"),
    Way("ARM64, Cortex-A57", processor="cortex-a57", is_arm=True),
    Way("ARM64, Neoverse-N1", processor="neoverse-n1", is_arm=True),
)
ROOT = Path(__file__).parent.parent
BY_HAND = "OPENBLAS_CORETYPE"  # asks for kernels whatever the processor is, so an emulated one could not choose its own
SHRUG = "warning: TCG doesn't support requested feature"  # qemu says so of every kind, at every start


class Machine:
    """A processor that does what is asked of it."""

    def __init__(self, way: Way, arm: Path | None) -> None:
        self.way, self.name = way, way.name
        self._python = python_on(way, arm)

    @property
    def is_there(self) -> bool:
        return self._python is not None

    def ask(self, verb: str, *arguments: str) -> Iterator[Any]:
        """What the verb of `benchmarks.questions` prints, line by line as it comes."""
        if self._python is None:
            raise SystemExit(f"{self.name}: it cannot be emulated here")
        sources = os.pathsep.join(map(str, (ROOT / "src", ROOT)))
        variables = older.environment(self.way.hidden, sources) if self.way.hidden else {"PYTHONPATH": sources}
        command = [*self._python, "-m", "benchmarks.questions", verb, *arguments]
        with (
            TemporaryFile("w+") as errors,
            subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=errors, env=_unforced() | variables, text=True
            ) as child,
        ):
            try:
                assert child.stdout is not None
                yield from map(json.loads, child.stdout)
                if child.wait():
                    raise SystemExit(f"{self.name}: {verb} ended with {child.returncode}: {_last_line(errors)}")
            finally:
                child.kill()  # if nobody wants the rest


def _unforced() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != BY_HAND}


def python_on(way: Way, arm: Path | None) -> list[str] | None:
    """What runs Python on this kind of processor; None if nothing here can."""
    if way.is_arm:
        if arm is None or not shutil.which(QEMU_ARM):
            return None
        arm = arm.resolve()
        path = os.pathsep.join(map(str, (arm / "site", ROOT / "src", ROOT, sysconfig.get_path("purelib"))))
        root = arm / "root"
        python = root / "usr" / "bin" / "python3.11"
        return [QEMU_ARM, "-cpu", way.processor, "-L", str(root), "-E", f"PYTHONPATH={path}", str(python)]
    if way.hidden and not older.is_possible():
        return None
    if not way.processor:
        return [sys.executable]
    return [QEMU, "-cpu", way.processor, sys.executable] if shutil.which(QEMU) else None


def _last_line(errors: IO[str]) -> str:
    errors.seek(0)
    return next((line.strip() for line in reversed(errors.readlines()) if line.strip() and SHRUG not in line), "")
