"""Whether the models answer with the same bits, however and wherever they run, and marks written on each machine are read on each.

    python -m benchmarks.drift [TEXT_FILE] [--questions 2000] [--emulated-questions 2000] [--arm FOLDER]

compares batch sizes, thread counts and levels of graph optimisation with what lexprint uses, on gaps and pairs of the text; and
other processors, where `qemu-x86_64` (Debian's qemu-user) is there to play them. `--arm` names a folder for ARM64: `root/` with
a Debian arm64 that has Python 3.11 and a `proc/cpuinfo` of such a processor (this one's puzzles ONNX Runtime), and `site/` with the aarch64 wheels of numpy, onnxruntime and tokenizers, unpacked.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from unittest import mock

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from lexprint.engine import Engine
from lexprint.models import onnx_backend
from lexprint.models.entailment import OnnxEntailment
from lexprint.models.masked_lm import OnnxMaskedLM
from lexprint.models.protocols import Floats, Gap
from lexprint.models.weights import shipped_model
from lexprint.substitution.exclusions import may_be_replaced
from lexprint.text.segmentation import segment
from lexprint.workflows.marking import embed, extract

LEVELS = {
    "all": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL,
    "basic": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC,
    "none": onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL,
}
HERE = Path(__file__).parent
TEXT = HERE / "paper.txt"
QEMU, QEMU_ARM = "qemu-x86_64", "qemu-aarch64"
WRITTEN = (1, 0, 1)  # bits of a mark
MARKED_SENTENCES = 5
BLOCK = 64  # questions asked at once
JUDGED = range(20_000, 20_004)  # columns of the vocabulary, any

Bits = NDArray[np.uint32]


@dataclass(frozen=True)
class Way:
    """A way of running the models, here or as an emulated processor."""

    name: str
    level: str = "basic"
    batch_size: int = 64
    threads: int = 2
    processor: str = ""  # as qemu calls it
    is_arm: bool = False


USUAL = Way("usual")
WAYS = (
    Way("batch size 1", batch_size=1),
    Way("batch size 8", batch_size=8),
    Way("one thread", threads=1),
    Way("graph optimisation: all", level="all"),
    Way("graph optimisation: none", level="none"),
)
PROCESSORS = (
    Way("x86, SSE4 (Nehalem)", processor="Nehalem"),
    Way("x86, SSE4 (Denverton)", processor="Denverton"),
    Way("x86, AVX2 (Haswell)", processor="Haswell"),
    Way("x86, AVX2 (Skylake-Server)", processor="Skylake-Server"),  # qemu has no AVX-512
    Way("x86, AVX2 (max)", processor="max"),
    Way("ARM64 (Cortex-A57)", processor="cortex-a57", is_arm=True),
    Way("ARM64 (Neoverse-N1)", processor="neoverse-n1", is_arm=True),
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


def answers(way: Way, gaps: Sequence[Gap]) -> Bits:
    """The bits of SR of another word in each gap, of all log-probabilities there, and of what probes say: (gaps, 3)."""
    usual = onnx_backend.session_options

    def options() -> onnxruntime.SessionOptions:
        made = usual()
        made.graph_optimization_level = LEVELS[way.level]
        return made

    with mock.patch.object(onnx_backend, "session_options", options):
        masked_lm = OnnxMaskedLM(shipped_model("masked_lm"), threads=way.threads, batch_size=way.batch_size)
        entailment = OnnxEntailment(shipped_model("entailment"), threads=way.threads, batch_size=way.batch_size)
    words = [other.word for other in (*gaps[1:], *gaps[:1])]  # any other word will do
    pairs = [(gap.text, gap.filled(word)) for gap, word in zip(gaps, words, strict=True)]
    found = []
    for at in range(0, len(gaps), BLOCK):
        entailments = entailment.entails(pairs[at : at + BLOCK]).view(np.uint32)
        predicted = [digest(row) for row in masked_lm.predict(gaps[at : at + BLOCK])]
        probed = [
            digest(said.log_probabilities, said.verdicts)
            for said in masked_lm.assess([(gap, JUDGED) for gap in gaps[at : at + BLOCK]])
        ]
        found.append(np.column_stack([entailments, predicted, probed]))
    return np.concatenate(found)


def digest(*rows: Floats) -> np.uint32:
    return np.uint32(int.from_bytes(sha256(b"".join(row.tobytes() for row in rows)).digest()[:4], "little"))


def command(way: Way, arm: Path | None) -> list[str] | None:
    """What runs this module on another processor; None if nothing here can."""
    if way.is_arm:
        if arm is None or not shutil.which(QEMU_ARM):
            return None
        path = os.pathsep.join(
            map(str, (arm / "site", HERE.parent / "src", HERE.parent, sysconfig.get_path("purelib")))
        )
        python = arm / "root" / "usr" / "bin" / "python3.11"
        return [QEMU_ARM, "-cpu", way.processor, "-L", str(arm / "root"), "-E", f"PYTHONPATH={path}", str(python)]
    return [QEMU, "-cpu", way.processor, sys.executable] if shutil.which(QEMU) else None


class Machine:
    """A processor that does what is asked of it: this one, or an emulated one."""

    def __init__(self, way: Way, arm: Path | None) -> None:
        self.name = way.name
        self._python = command(way, arm) if way.processor else [sys.executable]
        self.is_there = self._python is not None

    def ask(self, verb: str, *arguments: str) -> bytes:
        """What the verb prints, run in the folder of the benchmarks."""
        assert self._python is not None
        run = [*self._python, "-m", "benchmarks.drift", f"--{verb}", *arguments]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (HERE.parent / "src", HERE.parent)))}
        return subprocess.run(
            run, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
        ).stdout


def compare_answers(file: Path, *, most: int, most_emulated: int, machines: Sequence[Machine]) -> None:
    gaps = questions(file.read_text("utf-8"))[:most]
    expected = answers(USUAL, gaps)
    print(f"{len(gaps)} gaps, as many pairs; answers that differ from the usual way in any bit\n")
    print("| way | questions | SR | log P | probes |\n|---|---:|---:|---:|---:|", flush=True)

    def row(name: str, found: Bits) -> None:
        entailments, log_probabilities, probes = (found != expected[: len(found)]).sum(axis=0)
        print(f"| {name} | {len(found)} | {entailments} | {log_probabilities} | {probes} |", flush=True)

    for way in WAYS:
        row(way.name, answers(way, gaps))
    for machine in machines:
        if not machine.is_there:
            print(f"| {machine.name} | left out: its emulator is not installed | | | |", flush=True)
            continue
        # The last pair of a part takes its word from the first gap, so a part of all would end with another question.
        many = min(most_emulated, len(gaps))
        printed = machine.ask("answer", str(file), str(many))
        found = np.frombuffer(printed, dtype="<u4").reshape(-1, 3)
        row(machine.name, found[: many - 1] if many < len(gaps) else found)


def compare_marks(file: Path, machines: Sequence[Machine]) -> None:
    """Every machine marks a short text, and every machine reads all of them."""
    there = [machine for machine in machines if machine.is_there]
    with tempfile.TemporaryDirectory() as folder:
        marked = []
        for number, machine in enumerate(there):
            path = Path(folder) / f"{number}.txt"
            path.write_bytes(machine.ask("mark", str(file)))
            marked.append(str(path))
        read = [json.loads(machine.ask("read", *marked)) for machine in there]
    print("\nMarks written on each (rows) and read on each (columns): bits that are right\n")
    print(f"| | {' | '.join(machine.name for machine in there)} |\n|---|{'---:|' * len(there)}")
    for number, machine in enumerate(there):
        right = [sum(map(int.__eq__, columns[number], WRITTEN)) for columns in read]
        print(f"| {machine.name} | {' | '.join(f'{one} of {len(WRITTEN)}' for one in right)} |")


def mark(file: Path) -> str:
    """The first sentences of a text with a mark."""
    document = segment(file.read_text("utf-8"))
    end = document.sentences[MARKED_SENTENCES].span.start
    return embed(Engine(threads=1), document.text[:end], WRITTEN).text


def read(files: Sequence[str]) -> list[tuple[int, ...]]:
    engine = Engine(threads=1)
    return [extract(engine, Path(file).read_text("utf-8")).bits[: len(WRITTEN)] for file in files]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, default=TEXT)
    parser.add_argument("--questions", type=int, default=2_000)
    parser.add_argument("--emulated-questions", type=int, default=2_000)
    parser.add_argument("--arm", type=Path)
    for verb in ("answer", "mark", "read"):  # what an emulated processor is told to do
        parser.add_argument(f"--{verb}", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.answer:
        file, most = options.answer
        gaps = questions(Path(file).read_text("utf-8"))[: int(most)]
        sys.stdout.buffer.write(answers(Way("here", threads=1), gaps).astype("<u4").tobytes())
    elif options.mark:
        sys.stdout.write(mark(Path(options.mark[0])))
    elif options.read:
        sys.stdout.write(json.dumps(read(options.read)))
    else:
        others = [Machine(way, options.arm) for way in PROCESSORS]
        limits = {"most": options.questions, "most_emulated": options.emulated_questions}
        compare_answers(options.file, machines=others, **limits)
        compare_marks(options.file, [Machine(Way("this machine"), None), *others])


if __name__ == "__main__":
    main()
