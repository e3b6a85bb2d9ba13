"""A folder of short documents by one worker and by several, on this machine and under Ray, with workers killed on the way; and a
very long text in pieces.

    python -m benchmarks.scale [--documents 200] [--workers 2] [--stream-words 1000000] [--fakes]

Printed: seconds and how many times faster, memory of a worker, whether all outputs are the same bytes though one worker was ended
by `kill -9` in the middle; and time and peak memory of streams of growing length, with the fakes.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from itertools import cycle
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from tests.fakes import FakeEngine

from benchmarks.watermark import TEXT
from lexprint.engine import Engine
from lexprint.errors import ExtraMissing
from lexprint.scale.batch import run_folder
from lexprint.scale.pools import LocalPool, Pool
from lexprint.scale.streaming import embed_pieces
from lexprint.scale.tasks import Embedding
from lexprint.testing import fake_text
from lexprint.text.segmentation import segment

SENTENCES = 1  # of a document
PARAGRAPH = 150  # words of a stream's paragraph
TASK = Embedding(bits=())  # every site is sought and read back; which bit it says costs nothing


def main(arguments: Sequence[str] | None = None) -> dict[str, float]:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=200)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--stream-words", type=int, default=1_000_000)
    parser.add_argument("--fakes", action="store_true", help="fake models: to see that it works")
    options = parser.parse_args(arguments)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(Path.cwd()), os.environ.get("PYTHONPATH"))))
    figures = measure_streams(options.stream_words)  # first: a process keeps the memory of what it loaded
    engine = FakeEngine() if options.fakes else Engine(threads=1)
    with TemporaryDirectory() as folder:
        source = write_corpus(Path(folder) / "in", documents=options.documents)
        return figures | measure_pools(engine, source, Path(folder), workers=options.workers)


def write_corpus(folder: Path, *, documents: int) -> Path:
    """Short documents, in which no word stands in the same context twice: a worker that knew it would do it for nothing."""
    folder.mkdir()
    sentences = [" ".join(sentence.view.split()) for sentence in segment(TEXT.read_text("utf-8")).sentences]
    for number in range(documents):
        chosen = Random(number).sample(sentences, SENTENCES)
        told = " ".join(f"Note {number} says that {sentence[:1].lower()}{sentence[1:]}" for sentence in chosen)
        (folder / f"{number:05}.txt").write_text(f"{told}\n")
    return folder


@dataclass(frozen=True)
class Run:
    seconds: float  # all of it, loading the models and starting Ray included
    rate: float  # documents a second, after the first
    digest: str  # of all outputs
    documents: int
    private_megabytes: float  # of one worker, halfway


def measure_pools(engine: Engine, source: Path, folder: Path, *, workers: int) -> dict[str, float]:
    figures: dict[str, float] = {}
    alone = run(LocalPool(1), engine, source, folder / "alone", children=None)
    print(f"one process: {alone.documents} documents in {alone.seconds:.1f} s", flush=True)
    figures["alone_seconds"] = alone.seconds
    for name, pool_of, children in _pools():
        kept: dict[str, Run] = {}
        for label, count, is_killed in (("one", 1, False), ("several", workers, False), ("killed", workers, True)):
            if name == "local" and count == 1:
                kept[label] = alone
                continue
            target = folder / f"{name}-{label}"
            kept[label] = run(pool_of(count), engine, source, target, children=children, is_killed=is_killed)
            if kept[label].digest != alone.digest:
                raise SystemExit(f"{name}, {label}: other outputs than from one process")
        several, times = kept["several"], kept["several"].rate / kept["one"].rate
        print(
            f"{name}: one worker {kept['one'].seconds:.1f} s, {workers} workers {several.seconds:.1f} s; without starting "
            f"{kept['one'].rate:.2f} and {several.rate:.2f} documents/s, {times:.2f} times; "
            f"{several.private_megabytes:.0f} MB of its own per worker; with one killed {kept['killed'].seconds:.1f} s; "
            "all outputs the same bytes",
            flush=True,
        )
        figures |= {
            f"{name}_seconds": several.seconds,
            f"{name}_documents_per_second": several.rate,
            f"{name}_times": times,
            f"{name}_killed_seconds": kept["killed"].seconds,
            f"{name}_worker_megabytes": several.private_megabytes,
        }
    return figures


def _pools() -> Iterator[tuple[str, Callable[[int], Pool], Callable[[], list[int]]]]:
    yield "local", LocalPool, lambda: [child.pid for child in multiprocessing.active_children() if child.pid]
    try:
        from lexprint.scale.ray_pool import RayPool
    except ExtraMissing as error:
        print(f"ray left out: {error}")
    else:
        yield "ray", RayPool, ray_workers


def run(
    pool: Pool,
    engine: Engine,
    source: Path,
    target: Path,
    *,
    children: Callable[[], list[int]] | None,
    is_killed: bool = False,
) -> Run:
    """All documents; halfway a worker's memory is measured, and one may be killed."""
    megabytes = first = 0.0
    is_past = False

    def look(done: int, total: int) -> None:
        nonlocal megabytes, is_past, first
        first = first or time.perf_counter()
        if children is None or is_past or 2 * done < total:
            return
        is_past = True
        found = children()
        megabytes = max(map(private_megabytes, found))
        if is_killed:
            os.kill(found[0], signal.SIGKILL)

    start = time.perf_counter()
    # A new engine each time: one that was used before remembers answers.
    report = run_folder(pool, replace(engine), TASK, source, target, on_items=look)
    end = time.perf_counter()
    if report.failures:
        raise SystemExit(f"{len(report.failures)} documents failed: {report.failures[0].message}")
    files = sorted(path for path in target.iterdir() if path.is_file())
    digest = sha256(b"".join(path.name.encode() + b"\0" + path.read_bytes() for path in files)).hexdigest()
    return Run(end - start, (len(files) - 1) / (end - first), digest, len(files), megabytes)


def ray_workers() -> list[int]:
    """Processes of our own Ray that are actors."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            title = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if entry.name.isdigit() and title.startswith(b"ray::Worker") and os.getpid() in _ancestors(int(entry.name)):
            found.append(int(entry.name))
    return found


def _ancestors(pid: int) -> Iterator[int]:
    while pid > 1:
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        yield pid


def private_megabytes(pid: int) -> float:
    """Memory that the process shares with no other."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private")) * 1024 / 1e6


def measure_streams(words: int) -> dict[str, float]:
    """Time and memory of marking texts of growing length in pieces, each in a process of its own."""
    figures: dict[str, float] = {}
    for part in (100, 10, 1):
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
            found, processor, megabytes = pool.submit(partial(mark_stream, max(PARAGRAPH, words // part))).result()
        print(
            f"stream of {found:,} words: {1e6 * processor / found:.0f} microseconds/word, peak {megabytes:.0f} MB",
            flush=True,
        )
        figures |= {
            f"stream_{part}_microseconds_per_word": 1e6 * processor / found,
            f"stream_{part}_megabytes": megabytes,
        }
    return figures


def mark_stream(words: int) -> tuple[int, float, float]:
    """Words, seconds of processor time and peak memory of the process."""
    start = time.process_time()
    paragraphs = (f"{fake_text(words=PARAGRAPH, seed=seed)}\n\n" for seed in range(words // PARAGRAPH))
    found = sum(piece.words for piece in embed_pieces(FakeEngine(), paragraphs, cycle((0, 1, 1))))
    unit = 1 if sys.platform == "darwin" else 1024  # bytes there, kilobytes elsewhere
    return found, time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


if __name__ == "__main__":
    main()
