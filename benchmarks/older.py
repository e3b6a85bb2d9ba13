"""Runs a command as on a processor with fewer instructions, at its full speed: which an emulator cannot tell.

    python -m benchmarks.older vnni python -m benchmarks watermark      AVX-512 without VNNI
    python -m benchmarks.older avx512 python -m benchmarks watermark    AVX2, as most laptops have

ONNX Runtime asks the processor itself (CPUID) which kernels to take, and no setting overrules it. So the command is given a copy
of it, under `build/older`, in which every such question is an instruction that no processor has; a small library
(`older.c`) answers it in the processor's name and hides some bits. Nothing else is changed: the kernels are those that ONNX
Runtime takes on such a processor. For Linux on x86, with `cc` and `objdump`.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from threading import Lock

ROOT = Path(__file__).parent.parent
COPY = ROOT / "build" / "older"
SOURCE = Path(__file__).with_suffix(".c")
MAKING = Lock()  # of what several may want at once
CPUID, UD2 = b"\x0f\xa2", b"\x0f\x0b"

# leaf:subleaf:register:mask, as older.c reads them.
VNNI = ("7:0:2:800", "7:1:0:10")  # avx512_vnni; avx_vnni
AVX512 = (
    "7:0:1:d0230000",
    "7:0:2:5842",
    "7:1:0:30",
)  # f, dq, ifma, cd, bw, vl; vbmi, vbmi2, vnni, bitalg, vpopcntdq; bf16
HIDDEN: Mapping[str, Sequence[str]] = {"none": (), "vnni": VNNI, "avx512": AVX512}


def is_possible() -> bool:
    is_x86 = sys.platform == "linux" and platform.machine() == "x86_64"
    return is_x86 and all(map(shutil.which, ("cc", "objdump")))


def copy_of_onnxruntime(folder: Path = COPY) -> Path:
    """A folder for PYTHONPATH; made once for each version."""
    release = version("onnxruntime")
    made = folder / release
    if not made.exists():
        found = find_spec("onnxruntime")
        assert found is not None
        assert found.origin is not None
        partial = folder / f"{release}.partial"
        shutil.rmtree(partial, ignore_errors=True)
        shutil.copytree(Path(found.origin).parent, partial / "onnxruntime")
        (library,) = (partial / "onnxruntime" / "capi").glob("onnxruntime_pybind11_state*.so")
        content = bytearray(library.read_bytes())
        for offset in places_of_cpuid(library):
            if content[offset : offset + 2] != CPUID:
                raise SystemExit(f"{library.name} lies otherwise in memory than in its file")
            content[offset : offset + 2] = UD2
        library.write_bytes(content)
        partial.rename(made)
    return made


def places_of_cpuid(library: Path) -> list[int]:
    """Where the instruction is in the file; its bytes alone may be a part of others."""
    command = ["objdump", "--disassemble", "--section=.text", "--no-show-raw-insn", str(library)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as disassembly:
        assert disassembly.stdout is not None
        places = [int(line.split(":")[0], 16) for line in disassembly.stdout if line.rstrip().endswith("\tcpuid")]
    if disassembly.returncode or not places:
        raise SystemExit(f"objdump found no CPUID in {library.name}")
    return places


def answering_library(folder: Path = COPY) -> Path:
    made = folder / f"older-{sha256(SOURCE.read_bytes()).hexdigest()[:16]}.so"
    if not made.exists():  # another process may have it loaded
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cc", "-O1", "-Wall", "-shared", "-fPIC", "-o", str(made), str(SOURCE)], check=True)
    return made


def environment(hidden: str, sources: str) -> dict[str, str]:
    """What makes a Python process see a processor without these instructions."""
    dispatched = import_module("numpy._core._multiarray_umath").__cpu_dispatch__
    newer = [name for name in dispatched if re.match("AVX512|X86_V4", name)]
    numpy = {"NPY_DISABLE_CPU_FEATURES": " ".join(newer)} if hidden == "avx512" else {}
    with MAKING:
        copy, library = copy_of_onnxruntime(), answering_library()
    return {
        "PYTHONPATH": os.pathsep.join((str(copy), sources)),
        "LD_PRELOAD": str(library),
        "LEXPRINT_HIDDEN": " ".join(HIDDEN[hidden]),
        **numpy,
    }


def main(arguments: Sequence[str]) -> None:
    if len(arguments) < 2 or arguments[0] not in HIDDEN:
        raise SystemExit(f"usage: python -m benchmarks.older {{{','.join(HIDDEN)}}} COMMAND...")
    hidden, program, *rest = arguments
    command = [sys.executable if program == "python" else program, *rest]
    sources = os.environ.get("PYTHONPATH") or os.pathsep.join(
        map(str, (ROOT / "src", ROOT))
    )  # perhaps another version's
    raise SystemExit(subprocess.run(command, env=os.environ | environment(hidden, sources), check=False).returncode)


if __name__ == "__main__":
    main(sys.argv[1:])
