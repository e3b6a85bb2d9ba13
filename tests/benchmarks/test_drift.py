"""Other kinds of processors, emulated with QEMU, give the same bits; and what differs would be told."""

import json
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from benchmarks.processors import HERE, QEMU, Machine
from benchmarks.questions import KINDS, Models, Way, ask, encoded, questions

from benchmarks import drift, older

NEHALEM, HASWELL = ("Nehalem", "SSE42"), ("Haswell", "SSE42 AVX2")  # and what ONNX Runtime may use of each
needs_qemu = pytest.mark.skipif(
    shutil.which(QEMU) is None,
    reason=f"{QEMU} is not installed, so other processors were not compared; run: apt-get install qemu-user",
)
SENTENCE = "The road was narrow."  # emulation is slow


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "text.txt").write_text(SENTENCE, "utf-8")
    return tmp_path / "text.txt"


def asked_side_by_side(file: Path, *ways: Way) -> list[dict[str, Any]]:
    with ThreadPoolExecutor() as pool:
        return list(pool.map(lambda way: next(Machine(way, None).ask("ask", encoded(HERE), str(file), "0")), ways))


@needs_qemu
@pytest.mark.parametrize(("kind", "instructions"), [NEHALEM, HASWELL])
def test_other_processors_answer_alike(kind: str, instructions: str, file: Path) -> None:
    """To the last bit of all that the three graphs put out, though their kernels are others."""
    (there,) = asked_side_by_side(file, Way(kind, processor=kind))
    (here,) = ask(HERE, file, [0])
    assert there["answers"] == here["answers"]
    assert there["runtime"]["instructions"] == instructions


@pytest.mark.skipif(not older.is_possible(), reason="instructions are hidden on Linux for x86, with cc and objdump")
def test_other_kernels_answer_alike(file: Path) -> None:
    """Those that ONNX Runtime takes where some instructions are missing, run at full speed."""
    there = asked_side_by_side(file, Way("no VNNI", hidden="vnni"), Way("no AVX-512", hidden="avx512"))
    (here,) = ask(HERE, file, [0])
    assert [one["answers"] for one in there] == [here["answers"]] * 2


def test_every_question_has_an_answer() -> None:
    """Of every kind, as many as are counted; the page of the benchmark has at least 2,000."""
    page = questions(drift.TEXT.read_text("utf-8"))
    answers = Models(HERE).answer(page[0])
    assert sorted(answers) == sorted(KINDS)
    assert all(answers.values())
    assert sum(map(len, answers.values())) == len(page[0])
    assert sum(map(len, page)) >= 2_000


class Faulty(Machine):
    """Answers all that it is asked, a little otherwise than others if it is at fault; notes what it was asked."""

    def __init__(self, name: str, *, fault: str = "", reads: str = "01") -> None:
        super().__init__(Way(name), None)
        self.fault, self.reads = fault, reads
        self.asked: list[tuple[str, ...]] = []
        self.most = 100  # sentences that it answers about before it breaks down

    def ask(self, verb: str, *arguments: str) -> Iterator[Any]:
        self.asked.append((verb, *arguments))
        if verb == "ask":
            for number in list(map(int, arguments[2:]))[: self.most]:
                answers = {kind: [f"{number}{self.fault if kind == 'pairs' else ''}"] for kind in KINDS}
                yield {"number": number, "answers": answers, "runtime": {"instructions": "SSE42"}}
        else:
            yield "marked" if verb == "mark" else [self.reads for _ in arguments]


@pytest.fixture
def page(file: Path) -> drift.Page:
    asked = questions(f"{SENTENCE} Nobody had seen another one.")
    return drift.Page(file, asked, SENTENCE, "01")


def interviewed(page: drift.Page, folder: Path, *machines: Machine) -> dict[str, Any]:
    interviews = [drift.Interview(machine, folder) for machine in machines]
    drift.interview([], interviews, page, jobs=2)
    results = [one.result for one in interviews]
    assert drift.as_markdown(results, results, page)
    content = drift.as_json(results, results, page, command="a command")
    json.dumps(content)
    return content


def test_the_same_bits_everywhere(page: drift.Page, tmp_path: Path) -> None:
    """Nothing differs, and every mark is read on each machine."""
    content = interviewed(page, tmp_path, Faulty("here"), Faulty("there"))
    assert drift.is_same(content)
    assert content["marks"] == {"here": {"here": 2, "there": 2}, "there": {"here": 2, "there": 2}}


@pytest.mark.parametrize("there", [{"fault": "!"}, {"reads": "00"}, {"reads": "011"}, {"reads": "0"}])
def test_what_differs_is_told(there: dict[str, str], page: drift.Page, tmp_path: Path) -> None:
    """A single other answer, a wrong bit, and bits too many or too few."""
    content = interviewed(page, tmp_path, Faulty("here"), Faulty("there", **there))
    assert not drift.is_same(content)


def test_a_run_that_was_ended_goes_on(page: drift.Page, tmp_path: Path) -> None:
    """What a machine has said is not asked again."""
    broken = Faulty("here")
    broken.most = 1
    with pytest.raises(SystemExit, match="left a question out"):
        interviewed(page, tmp_path, broken)
    again = Faulty("here")
    interviewed(page, tmp_path, again)
    assert again.asked[0][3:] == ("1",)
    last = Faulty("here")
    interviewed(page, tmp_path, last)
    assert not last.asked


def test_other_questions_are_asked_anew(page: drift.Page, tmp_path: Path) -> None:
    """An answer to one question is none to another."""
    interviewed(page, tmp_path, Faulty("here"))
    again = Faulty("here")
    interviewed(replace(page, bits="10"), tmp_path, again)
    assert [verb for verb, *_ in again.asked] == ["mark"]
