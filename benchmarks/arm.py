"""Makes the folder that `benchmarks.drift --arm` wants: a Debian for ARM64 with Python, and wheels for it.

    python -m benchmarks.arm FOLDER

In it, `root/` is what debootstrap fetches, only unpacked: nothing is installed or run. `site/` has the aarch64 wheels of the same
versions of lexprint's compiled requirements as here; all others are taken from here. Needs root, `debootstrap` and the package
index; takes some minutes and 400 MB.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from zipfile import ZipFile

RELEASE = "bookworm"
PYTHON = "3.11"  # what the release has
PACKAGES = (f"python{PYTHON}", "libstdc++6", "libsqlite3-0", "libssl3", "libffi8")
COMPILED = (
    "cffi",
    "cryptography",
    "markupsafe",
    "msgspec",
    "numpy",
    "onnxruntime",
    "rapidfuzz",
    "sqlalchemy",
    "tokenizers",
)
PLATFORMS = ("manylinux_2_28_aarch64", "manylinux_2_27_aarch64", "manylinux_2_17_aarch64", "manylinux2014_aarch64")
# ONNX Runtime looks here for the kind of processor, and that of the machine beneath puzzles it.
CPUINFO = """processor\t: 0
Features\t: fp asimd evtstrm aes pmull sha1 sha2 crc32 cpuid
CPU implementer\t: 0x41
CPU architecture: 8
CPU variant\t: 0x1
CPU part\t: 0xd07
CPU revision\t: 0
"""


def make_root(folder: Path) -> None:
    fetch = ["--foreign", "--arch=arm64", "--variant=minbase", f"--include={','.join(PACKAGES)}"]
    subprocess.run(["debootstrap", *fetch, RELEASE, str(folder)], check=True)
    for package in sorted((folder / "var" / "cache" / "apt" / "archives").glob("*.deb")):
        subprocess.run(["dpkg-deb", "--extract", str(package), str(folder)], check=True)
    (folder / "proc" / "cpuinfo").write_text(CPUINFO, "utf-8")


def make_site(folder: Path, wheels: Path) -> None:
    wanted = [f"{name}=={version(name)}" for name in COMPILED]
    platforms = [option for name in PLATFORMS for option in ("--platform", name)]
    fetch = ["--no-deps", "--only-binary=:all:", "--python-version", PYTHON, *platforms, "--dest", str(wheels)]
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", *fetch, *wanted], check=True)
    for wheel in wheels.glob("*.whl"):
        with ZipFile(wheel) as content:
            content.extractall(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    if not (folder / "root" / "proc" / "cpuinfo").exists():  # what is written last
        shutil.rmtree(folder / "root", ignore_errors=True)
        make_root(folder / "root")
    shutil.rmtree(folder / "site", ignore_errors=True)
    make_site(folder / "site", folder / "wheels")


if __name__ == "__main__":
    main()
