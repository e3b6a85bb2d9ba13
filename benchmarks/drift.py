"""Whether the models answer with the same bits, however and wherever they run, and marks written on each machine are read on each.

    python -m benchmarks.drift [--questions 2000] [--only NAME,...] [--arm FOLDER] [--jobs 2] [--output docs/tables]

asks every graph about the page in `paper.txt` (masks and candidates beside a sentence, pairs of a sentence and the same masked,
entailment, vectors) in other ways and on other kinds of processors, emulated with QEMU (Debian's qemu-user), and compares
digests of all that graphs put out. Then each processor writes a mark and reads those of all. What was answered is kept under
`build/drift`, a file for each: interrupted runs resume. `--arm` names a folder that `python -m benchmarks.arm`
made, or $LEXPRINT_ARM does. It fails if any bit differs.
"""

from __future__ import annotations

import argparse
import json
import os
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from inspect import getfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, get_args

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from benchmarks.history import machine as this_machine
from benchmarks.processors import HERE, PROCESSORS, ROOT, WAYS, Machine
from benchmarks.questions import KINDS, Digests, Questions, encoded, questions, read, runtime
from lexprint.engine import Engine, Role
from lexprint.models.weights import shipped_model
from lexprint.text.segmentation import segment
from lexprint_evaluation.checkpoint import Checkpoint
from lexprint_evaluation.tables import markdown_table

TEXT = Path(__file__).parent / "paper.txt"
BEFORE = 5  # sentences of the page before those that are marked: headings and two long ones, which cost QEMU minutes
KEPT = ROOT / "build" / "drift"

OnStep = Callable[[], None]


@dataclass(frozen=True)
class Page:
    """What is asked of every machine."""

    file: Path
    asked: Sequence[Questions]
    passage: str  # that is marked
    bits: str

    @property
    def size(self) -> int:
        return sum(map(len, self.asked))


@dataclass
class Result:
    """What one machine said; empty if it cannot be emulated here."""

    name: str
    answers: list[Digests] = field(default_factory=list)
    runtime: dict[str, str] = field(default_factory=dict)
    marked: str = ""
    read: dict[str, str] = field(default_factory=dict)  # bits, by the text

    def differing(self, expected: Sequence[Digests]) -> dict[str, int]:
        """Answers of each kind that are not, to the last bit, as expected."""
        return {
            kind: sum(
                one != other
                for mine, theirs in zip(self.answers, expected, strict=True)
                for one, other in zip(mine[kind], theirs[kind], strict=True)
            )
            for kind in KINDS
        }


class Interview:
    """One machine and what it has said so far, in this run or in one before."""

    def __init__(self, machine: Machine, folder: Path) -> None:
        self.machine, self.result = machine, Result(machine.name)
        folder.mkdir(parents=True, exist_ok=True)
        self._said = Checkpoint(folder / f"{re.sub('[^a-z0-9]+', '-', machine.name.lower())}.jsonl")
        # Other libraries or ways of asking, other weights, and for marks other rules: nothing said before counts.
        asking = sha256(Path(getfile(questions)).read_bytes()).hexdigest()
        libraries = f"{runtime()['onnxruntime']} {runtime()['numpy']} {asking}"
        networks = " ".join(shipped_model(role).fingerprint for role in get_args(Role))
        self._about = {"ask": f"{networks} {libraries}", "mark": f"{Engine().fingerprint} {libraries}"}

    def ask(self, page: Page, step: OnStep) -> None:
        """All questions, a sentence at a time."""
        keys = [self._key("ask", repr(one)) for one in page.asked]
        missing = [number for number, key in enumerate(keys) if key not in self._said]
        if missing:
            numbers = map(str, missing)
            for line in self.machine.ask("ask", encoded(self.machine.way), str(page.file), *numbers):
                self._said.once(keys[line["number"]], partial(dict, line))
                step()
        lines = [self._said.once(key, _never) for key in keys]
        self.result.answers = [line["answers"] for line in lines]
        self.result.runtime = lines[0]["runtime"]

    def mark(self, page: Page) -> None:
        self.result.marked = self._of_texts("mark", [page.passage], page.bits)

    def read(self, texts: Sequence[str]) -> None:
        """Every text once: the same bytes, written twice, are read alike."""
        self.result.read = dict(zip(texts, self._of_texts("read", texts), strict=True))

    def _of_texts(self, verb: str, texts: Sequence[str], *arguments: str) -> Any:
        def ask() -> Any:
            with TemporaryDirectory() as folder:
                files = [Path(folder) / f"{number}.txt" for number in range(len(texts))]
                for file, text in zip(files, texts, strict=True):
                    file.write_text(text, "utf-8")
                (only,) = self.machine.ask(verb, *map(str, files), *arguments)
            return only

        return self._said.once(self._key(verb, *texts, *arguments), ask)

    def _key(self, *asked: str) -> str:
        about = self._about["ask" if asked[0] == "ask" else "mark"]
        return sha256(json.dumps([about, *asked]).encode()).hexdigest()


def _never() -> Any:
    raise SystemExit("a machine left a question out")


def interview(ways: Sequence[Interview], processors: Sequence[Interview], page: Page, *, jobs: int) -> None:
    """Ask all; then each processor marks, and when all have, reads."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    with Progress(*columns, TimeRemainingColumn(), console=console) as bar, ThreadPoolExecutor(jobs) as pool:

        def do(label: str, work: Callable[[Interview, OnStep], None], who: Sequence[Interview], steps: int) -> None:
            task = bar.add_task(label, total=steps * len(who))

            def one(who: Interview) -> None:
                work(who, lambda: bar.advance(task))
                if not console.is_terminal:
                    console.print(f"{datetime.now(UTC):%H:%M:%S} {label}: {who.machine.name}")

            list(pool.map(one, who))
            bar.update(task, completed=steps * len(who))

        do("answers", lambda who, step: who.ask(page, step), [*ways, *processors], len(page.asked))

        def mark(who: Interview, step: OnStep) -> None:
            who.mark(page)
            step()

        do("marks written", mark, processors, 1)
        texts = sorted({who.result.marked for who in processors})

        def read_all(who: Interview, step: OnStep) -> None:
            who.read(texts)
            step()

        do("marks read", read_all, processors, 1)


def answers_table(results: Sequence[Result], expected: Sequence[Digests]) -> str:
    rows = []
    for result in results:
        differing = [str(result.differing(expected)[kind]) for kind in KINDS]
        count = sum(len(said[kind]) for said in result.answers for kind in KINDS)
        rows.append([result.name, result.runtime["instructions"], str(count), *differing])
    return markdown_table(("way or processor", "instructions", "questions", *KINDS), rows)


def right_bits(writer: Result, reader: Result, bits: str) -> int:
    """How many of the writer's bits the reader found; none if it found more or fewer than were written."""
    found = reader.read[writer.marked]
    return sum(map(str.__eq__, found, bits)) if len(found) == len(bits) else 0


def marks_table(results: Sequence[Result], bits: str) -> str:
    rows = [
        [writer.name, *(f"{right_bits(writer, reader, bits)} of {len(bits)}" for reader in results)]
        for writer in results
    ]
    return markdown_table(("written on, read on", *(result.name for result in results)), rows)


def as_markdown(results: Sequence[Result], processors: Sequence[Result], page: Page) -> str:
    expected = results[0].answers
    counts = {kind: sum(len(said[kind]) for said in expected) for kind in KINDS}
    asked = ", ".join(f"{count:,} {kind}" for kind, count in counts.items())
    texts = len({result.marked for result in processors})
    return (
        f"{answers_table(results, expected)}\n"
        f"Answers that differ from the first row's in any bit, of {page.size:,}: {asked}.\n\n"
        f"{marks_table(processors, page.bits)}\n"
        f"Bits that are right. The {len(processors)} marked texts are {texts} different one{'s' * (texts > 1)}.\n"
    )


def as_json(results: Sequence[Result], processors: Sequence[Result], page: Page, *, command: str) -> dict[str, Any]:
    return {
        "experiment": "drift",
        "sentences": len(page.asked),
        "questions": {kind: sum(len(said[kind]) for said in results[0].answers) for kind in KINDS},
        "bits": len(page.bits),
        "fingerprint": Engine().fingerprint,
        "machine": this_machine(),
        "date": datetime.now(UTC).date().isoformat(),
        "command": command,
        "rows": [
            {"way": result.name, **result.runtime, "differing": result.differing(results[0].answers)}
            for result in results
        ],
        "marks": {
            writer.name: {reader.name: right_bits(writer, reader, page.bits) for reader in processors}
            for writer in processors
        },
    }


def is_same(content: dict[str, Any]) -> bool:
    differing = sum(sum(row["differing"].values()) for row in content["rows"])
    return not differing and all(
        right == content["bits"] for read_on in content["marks"].values() for right in read_on.values()
    )


def page_of(file: Path, most: int, marked: int) -> Page:
    """The first sentences with as many questions; a mark that says the contrary of what its passage says unmarked."""
    text = file.read_text("utf-8")
    asked: list[Questions] = []
    for one in questions(text):
        if sum(map(len, asked)) < most:
            asked.append(one)
    sentences = segment(text).sentences[BEFORE:][:marked]
    passage = text[sentences[0].span.start : sentences[-1].span.end]
    (said,) = read([passage])
    return Page(file, asked, passage, said.translate(str.maketrans("01", "10")))


def command_of(parser: argparse.ArgumentParser, options: argparse.Namespace) -> str:
    """What to type to measure the same again."""
    sizes = ("questions", "marked", "only")
    chosen = {name: getattr(options, name) for name in sizes if getattr(options, name) != parser.get_default(name)}
    said = [] if options.file == TEXT else [options.file.name]
    said += [f"--{name} {value}" for name, value in chosen.items()]
    said += ["--arm FOLDER"] if options.arm else []
    return " ".join(["python -m benchmarks.drift", *said, "--output docs/tables"])


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, default=TEXT)
    parser.add_argument("--questions", type=int, default=2_000)
    parser.add_argument("--marked", type=int, default=4, help="sentences")
    parser.add_argument("--only", help="processors as qemu calls them, or what is hidden: vnni, avx512")
    parser.add_argument("--arm", type=Path, default=os.environ.get("LEXPRINT_ARM"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--kept", type=Path, default=KEPT)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args(arguments)
    chosen = {*options.only.split(",")} if options.only else None
    wanted = [way for way in PROCESSORS if chosen is None or {way.processor, way.hidden} & chosen]
    machines = [Machine(way, options.arm) for way in wanted]
    left_out = [machine.name for machine in machines if not machine.is_there]
    processors = [Interview(machine, options.kept) for machine in (Machine(HERE, None), *machines) if machine.is_there]
    ways = [] if chosen else [Interview(Machine(way, None), options.kept) for way in WAYS]
    page = page_of(options.file, options.questions, options.marked)
    interview(ways, processors, page, jobs=options.jobs)
    emulated = [one.result for one in processors]
    results = [emulated[0], *(one.result for one in ways), *emulated[1:]]
    said = as_markdown(results, emulated, page)
    if left_out:
        said += f"\nLeft out, since they cannot be emulated here: {'; '.join(left_out)}.\n"
    print(said)
    content = as_json(results, emulated, page, command=command_of(parser, options))
    if options.output is not None:
        options.output.mkdir(parents=True, exist_ok=True)
        (options.output / "drift.md").write_text(said, "utf-8")
        (options.output / "drift.json").write_text(json.dumps(content, indent=2) + "\n", "utf-8")
    if not is_same(content):
        raise SystemExit("some bits differ")


if __name__ == "__main__":
    main()
