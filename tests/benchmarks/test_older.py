"""Instructions are hidden from a command at full speed, and growing texts repeat nothing."""

import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.growth import long_text

from benchmarks import older

MACHINE_CODE = b"\x0f\xa2\xc3\xb8\x0f\xa2\x00\x00\xc3"  # cpuid; ret; mov eax, 0xa20f; ret


@pytest.mark.skipif(not older.is_possible(), reason="for Linux on x86, with cc and objdump")
def test_only_instructions_are_found(tmp_path: Path) -> None:
    """The same two bytes inside a number are left alone."""
    (tmp_path / "code.s").write_text(f".text\n.byte {','.join(map(str, MACHINE_CODE))}\n", "utf-8")
    library = tmp_path / "code.so"
    subprocess.run(["cc", "-shared", "-nostdlib", "-o", str(library), str(tmp_path / "code.s")], check=True)
    found = library.read_bytes().index(MACHINE_CODE)
    assert older.places_of_cpuid(library) == [found]


def test_what_can_be_hidden_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    """Anything else is refused before anything is made."""
    with pytest.raises(SystemExit, match="none,vnni,avx512"):
        older.main(["sse", sys.executable])


def test_long_texts_are_as_long_as_wanted_and_never_repeat() -> None:
    """A sentence twice would be answered from memory the second time."""
    text = long_text(2_000)
    sentences = text.replace("\n\n", " ").split("Note ")
    assert 2_000 <= len(text.split()) < 2_100
    assert len(set(sentences)) == len(sentences)
