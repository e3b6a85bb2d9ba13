"""How far the models' answers move between ways of running them: the guard band must be wider.

`python -m benchmarks.drift [TEXT_FILE]` compares batch sizes, thread counts and levels of graph optimisation with what lexprint
uses, on gaps and pairs of the text; and other processors, where `qemu-x86_64` (Debian's qemu-user) is there to play them.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import numpy as np
import onnxruntime

from benchmarks.watermark import TEXT
from lexprint.models import onnx_backend
from lexprint.models.entailment import OnnxEntailment
from lexprint.models.masked_lm import OnnxMaskedLM
from lexprint.models.protocols import Floats, Gap
from lexprint.models.weights import shipped_model
from lexprint.substitution.exclusions import may_be_replaced
from lexprint.text.segmentation import segment

LEVELS = {
    "all": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL,
    "basic": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC,
    "none": onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL,
}
QEMU = "qemu-x86_64"
LIKELY = 40  # words of a gap whose probability could matter


@dataclass(frozen=True)
class Way:
    """A way of running the models."""

    name: str
    level: str = "all"
    batch_size: int = 64
    threads: int = 2
    processor: str = ""  # as qemu calls it
    most: int = 300  # questions; emulation is slow


USUAL = Way("usual")
WAYS = (
    Way("batch size 1", batch_size=1),
    Way("batch size 8", batch_size=8),
    Way("one thread", threads=1),
    Way("graph optimisation: basic", level="basic"),
    Way("graph optimisation: none", level="none"),
    Way("AVX2 without VNNI (Haswell)", processor="Haswell", most=40),
    Way("SSE4 (Nehalem)", processor="Nehalem", most=40),
)


def questions(text: str) -> list[Gap]:
    """Local contexts as the walk sees them."""
    found = []
    for sentence in segment(text).sentences:
        for position, word in enumerate(sentence.words[:-1]):
            if position and may_be_replaced(word.text):
                following = sentence.words[position + 1].view_span.end
                span = word.view_span
                found.append(Gap(sentence.view[: span.start], word.text, sentence.view[span.end : following]))
    return found


def answers(way: Way, gaps: list[Gap], words: list[str]) -> tuple[Floats, Floats]:
    """SR of each word in its gap, and log-probabilities of all words at the gaps."""
    usual = onnxruntime.SessionOptions

    def options() -> onnxruntime.SessionOptions:
        made = usual()
        made.graph_optimization_level = LEVELS[way.level]
        return made

    with mock.patch.object(onnx_backend.onnxruntime, "SessionOptions", options):
        masked_lm = OnnxMaskedLM(shipped_model("masked_lm"), threads=way.threads, batch_size=way.batch_size)
        entailment = OnnxEntailment(shipped_model("entailment"), threads=way.threads, batch_size=way.batch_size)
    pairs = [(gap.text, gap.filled(word)) for gap, word in zip(gaps, words, strict=True)]
    return entailment.entails(pairs), masked_lm.predict(gaps)


def answers_of_processor(way: Way, file: Path) -> tuple[Floats, Floats]:
    """The same on another processor, which runs this module."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "answers.npz"
        command = [QEMU, "-cpu", way.processor, sys.executable, "-m", "benchmarks.drift", str(file), str(target)]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        with np.load(target) as found:
            return found["entailments"], found["log_probabilities"]


def compare(file: Path) -> None:
    gaps = questions(file.read_text("utf-8"))[: USUAL.most]
    words = [other.word for other in (*gaps[1:], *gaps[:1])]  # any other word will do
    entailments, log_probabilities = answers(USUAL, gaps, words)
    floor = np.sort(log_probabilities, axis=1)[:, -LIKELY][:, None]
    print(f"{len(gaps)} gaps, as many pairs; largest difference to the usual way\n")
    print("| way | questions | SR | log P of likely words |")
    print("|---|---:|---:|---:|")
    for way in WAYS:
        if way.processor and not shutil.which(QEMU):
            print(f"| {way.name} | left out: {QEMU} is not installed | | |")
            continue
        many = min(way.most, len(gaps))
        found = answers_of_processor(way, file) if way.processor else answers(way, gaps[:many], words[:many])
        difference = np.abs(found[0] - entailments[:many])
        likely = np.where(log_probabilities[:many] >= floor[:many], np.abs(found[1] - log_probabilities[:many]), 0.0)
        print(f"| {way.name} | {many} | {difference.max():.1e} | {likely.max():.1e} |", flush=True)


def main() -> None:
    if len(sys.argv) == 3:  # this is the other processor
        way = next(way for way in WAYS if way.processor)
        every = questions(Path(sys.argv[1]).read_text("utf-8"))[: USUAL.most]
        words = [other.word for other in (*every[1:], *every[:1])]
        found = answers(Way("here", threads=1), every[: way.most], words[: way.most])
        np.savez(sys.argv[2], entailments=found[0], log_probabilities=found[1])
        return
    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder) / "text.txt"
        own.write_text(TEXT.read_text("utf-8"), "utf-8")
        compare(Path(sys.argv[1]) if len(sys.argv) > 1 else own)


if __name__ == "__main__":
    main()
