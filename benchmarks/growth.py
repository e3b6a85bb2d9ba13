"""Time and memory of marking, reading and analysing longer and longer texts with the shipped models.

    python -m benchmarks.growth [--words 2000,20000,100000] [--verbs mark,read,analyse] [--threads 0]

Each runs in a process of its own, which tells its peak memory and the processor time of the work without loading models. The texts
are sentences of `paper.txt` drawn at random, each with a beginning of its own: nothing that was asked before is asked again.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from random import Random

from benchmarks.watermark import TEXT, peak_megabytes
from lexprint.engine import Engine
from lexprint.text.segmentation import segment
from lexprint.workflows.analysing import analyse_document
from lexprint.workflows.marking import embed, extract

PARAGRAPH = 8  # sentences
SEED = 1


@dataclass(frozen=True)
class Cost:
    """Of one text."""

    words: int
    seconds: float
    processor_seconds: float
    megabytes: float  # peak
    loaded_megabytes: float  # before the work, models and all


def mark(engine: Engine, text: str) -> None:
    embed(engine, text, ())  # every site is sought and read back; which bit it says costs nothing


def read(engine: Engine, text: str) -> None:
    extract(engine, text)


def analyse(engine: Engine, text: str) -> None:
    analyse_document(engine, text)


VERBS: Mapping[str, Callable[[Engine, str], None]] = {"mark": mark, "read": read, "analyse": analyse}


def long_text(words: int) -> str:
    """So many words or a few more."""
    sentences = [" ".join(sentence.view.split()) for sentence in segment(TEXT.read_text("utf-8")).sentences]
    chooser = Random(SEED)
    paragraphs: list[list[str]] = [[]]
    count = 0
    while count < words:
        if len(paragraphs[-1]) == PARAGRAPH:
            paragraphs.append([])
        chosen = chooser.choice(sentences)
        told = f"Note {sum(map(len, paragraphs)) + 1} says that {chosen[:1].lower()}{chosen[1:].rstrip('.')}."
        count += len(told.split())
        paragraphs[-1].append(told)
    return "\n\n".join(" ".join(paragraph) for paragraph in paragraphs) + "\n"


def cost(verb: str, words: int, threads: int) -> Cost:
    engine, text = Engine(threads=threads), long_text(words)
    VERBS[verb](engine, long_text(1))  # models are loaded when they are first asked
    loaded = peak_megabytes()
    start, processor = time.perf_counter(), time.process_time()
    VERBS[verb](engine, text)
    seconds, used = time.perf_counter() - start, time.process_time() - processor
    return Cost(len(text.split()), seconds, used, peak_megabytes(), loaded)


def main(arguments: Sequence[str] | None = None) -> list[tuple[str, Cost]]:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", default="2000,20000,100000")
    parser.add_argument("--verbs", default=",".join(VERBS))
    parser.add_argument("--threads", type=int, default=0, help="0: as many as there are cores")
    options = parser.parse_args(arguments)
    print("| | words | words/s | ms of processor a word | MB loaded | MB at the peak |\n|---|---:|---:|---:|---:|---:|")
    found = []
    for verb in options.verbs.split(","):
        for words in map(int, options.words.split(",")):
            with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
                one = pool.submit(cost, verb, words, options.threads).result()
            rate, each = one.words / one.seconds, 1e3 * one.processor_seconds / one.words
            row = (verb, f"{one.words:,}", f"{rate:.1f}", f"{each:.2f}")
            print(f"| {' | '.join(row)} | {one.loaded_megabytes:.0f} | {one.megabytes:.0f} |", flush=True)
            found.append((verb, one))
    return found


if __name__ == "__main__":
    main()
