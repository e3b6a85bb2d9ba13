"""Other kinds of processors, played by qemu, give the same bits."""

import shutil

import pytest

from benchmarks import drift

KINDS = ("Nehalem", "Haswell")
QUESTIONS = 3  # emulation is slow
needs_qemu = pytest.mark.skipif(
    shutil.which(drift.QEMU) is None,
    reason=f"{drift.QEMU} is not installed, so other processors were not compared; run: apt-get install qemu-user",
)


@needs_qemu
@pytest.mark.parametrize("kind", KINDS)
def test_another_processor_answers_alike(kind: str) -> None:
    """To the last bit of every probability, though its kernels are others."""
    file = drift.TEXT
    gaps = drift.questions(file.read_text("utf-8"))[:QUESTIONS]
    machine = drift.Machine(drift.Way(kind, processor=kind), None)
    assert machine.ask("answer", str(file), str(QUESTIONS)) == drift.answers(drift.USUAL, gaps).astype("<u4").tobytes()
