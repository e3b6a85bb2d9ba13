"""Pictures made to take all memory or time of Tesseract, read by the program itself where it is installed."""

import shutil
import struct
import zlib
from pathlib import Path

import pytest
from tests.adversaries.test_hostile_files import opened
from tests.formats.test_ocr import SENTENCE, needs_tesseract, picture

from lexprint.formats.source import open_source

SIDE = 7_000  # pixels; 49 million are still read


def png(rows: list[bytes], *, width: int) -> bytes:
    """Black and white, eight pixels in a byte."""
    parts = {
        b"IHDR": struct.pack(">LL5B", width, len(rows), 1, 0, 0, 0, 0),
        b"IDAT": zlib.compress(b"".join(b"\0" + row for row in rows), 9),
        b"IEND": b"",
    }
    chunks = [
        struct.pack(">L", len(data)) + name + data + struct.pack(">L", zlib.crc32(name + data))
        for name, data in parts.items()
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def dots() -> bytes:
    """20 KB with three million dots, each of which Tesseract takes for a letter until it knows better."""
    white, dotted = b"\xff" * (SIDE // 8), b"\x33" * (SIDE // 8)
    return png([dotted, dotted, white, white] * (SIDE // 4), width=SIDE)


def with_tesseract(folder: Path) -> None:
    """Where `opened` looks for programs, which is nowhere else."""
    program = shutil.which("tesseract")
    assert program is not None
    (folder / "tesseract").symlink_to(program)


@needs_tesseract
@pytest.mark.parametrize("padding", [0, 20_000_000], ids=["small", "padded"])
def test_a_picture_that_takes_all_memory_is_refused(padding: int, tmp_path: Path) -> None:
    """Soon and in one sentence; bytes behind the picture, which nobody reads, buy it no more memory."""
    with_tesseract(tmp_path)
    (tmp_path / "leak.png").write_bytes(dots() + b"\0" * padding)
    refusal = "refused leak.png is too complex an image; needed: one that Tesseract reads in less time and memory"
    assert opened(tmp_path / "leak.png") == refusal


@needs_tesseract
def test_a_small_scan_is_read_within_the_same_limits(tmp_path: Path) -> None:
    """An honest line of print, with the same program and the same limits."""
    with_tesseract(tmp_path)
    (tmp_path / "leak.png").write_bytes(picture("PNG"))
    assert opened(tmp_path / "leak.png") == f"read {len(SENTENCE.replace('.', ' .').split())}"


@needs_tesseract
@pytest.mark.parametrize("padding", [0, 12_000_000], ids=["small", "as large as a photograph"])
def test_a_photograph_is_not_called_damaged(padding: int, tmp_path: Path) -> None:
    """48 megapixels in colour take it 523 MB: read if the file is one of a camera; refused for what it is if it is a few KB."""
    image_module = pytest.importorskip("PIL.Image", reason="Pillow draws the picture")
    with_tesseract(tmp_path)
    image_module.new("RGB", (8_000, 6_000), "white").save(tmp_path / "leak.png")
    content = (tmp_path / "leak.png").read_bytes()
    if padding:
        assert open_source(content + bytes(padding), name="leak.png").text == ""
        return
    assert "with 48,000,000 pixels takes too much memory; needed: a smaller image" in opened(tmp_path / "leak.png")
