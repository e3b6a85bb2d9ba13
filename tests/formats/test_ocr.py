"""Pictures of text."""

import io
import os
import shutil
import struct
import zlib

import pytest

from lexprint.errors import FormatError
from lexprint.formats import ocr
from lexprint.formats.child import ReadingLimits
from lexprint.formats.ocr import ImageText, read_image, recognise
from lexprint.formats.pdf_text import read_scanned_pdf
from lexprint.formats.source import open_source

needs_tesseract = pytest.mark.skipif(shutil.which("tesseract") is None, reason="Tesseract is not installed")
SENTENCE = "The large house near the river is almost ready."


def picture(kind: str, *, lines: int = 1) -> bytes:
    """Lines of black letters on white."""
    image_module = pytest.importorskip("PIL.Image", reason="Pillow draws the picture")
    draw_module = pytest.importorskip("PIL.ImageDraw")
    font_module = pytest.importorskip("PIL.ImageFont")
    image = image_module.new("L", (1500 if lines == 1 else 2600, 80 + 60 * lines), 255)
    text = "\n".join([" ".join([SENTENCE] * min(lines, 2))] * lines)
    draw_module.Draw(image).text((40, 40), text, fill=0, font=font_module.load_default(48))
    target = io.BytesIO()
    image.save(target, kind, resolution=150.0) if kind == "PDF" else image.save(target, kind)
    return target.getvalue()


@needs_tesseract
@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF"])
def test_pictures_are_read(kind: str) -> None:
    """A clean line of print is read without error, whatever the format."""
    content = picture(kind)
    source = read_image(content, name="leak")
    assert source.text.split() == SENTENCE.split()
    with pytest.raises(FormatError, match="leak is an image; needed: the document"):
        source.with_edits([])


@needs_tesseract
def test_scanned_pages_are_read() -> None:
    """A PDF whose page is a picture goes the same way."""
    assert read_scanned_pdf(picture("PDF"), name="leak.pdf").text.split() == SENTENCE.split()


@needs_tesseract
@pytest.mark.parametrize("content", [b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0 no picture", b"II*\0\xff\xff\xff\xff"])
def test_damaged_pictures_are_refused(content: bytes) -> None:
    """A broken image gives one clear sentence."""
    with pytest.raises(FormatError, match="damaged image"):
        read_image(content, name="leak.png")


def table(*words: tuple[int, int, int, str]) -> str:
    """As Tesseract writes it, of words with block, line and confidence."""
    head = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext"
    rows = [
        f"5\t1\t{block}\t1\t{line}\t1\t0\t0\t9\t9\t{confidence}.5\t{word}" for block, line, confidence, word in words
    ]
    return "\n".join([head, "1\t1\t0\t0\t0\t0\t0\t0\t9\t9\t-1\t", *rows]) + "\n"


@pytest.mark.parametrize("better", ["0", "2"])
def test_the_better_of_two_readings_counts(monkeypatch: pytest.MonkeyPatch, better: str) -> None:
    """The one with more words that Tesseract is sure of, in lines and paragraphs as they stand."""
    good = table((1, 1, 96, "The"), (1, 1, 90, "large"), (1, 2, 91, "house"), (2, 1, 88, "near"))
    poor = table((1, 1, 96, "The"), (1, 1, 12, "|arqe"), (1, 2, 20, "~~"), (1, 2, 20, "'"), (1, 2, 20, "h"))
    monkeypatch.setattr(ocr, "_run", lambda program, content, threshold, name: good if threshold == better else poor)
    monkeypatch.setattr(shutil, "which", lambda program: "tesseract")
    assert recognise(b"", name="leak.png") == "The large\nhouse\n\nnear"


def test_addresses_are_protected() -> None:
    """As in every other format, so that a copy and a picture of it are read alike."""
    source = ImageText("Write to large@example.com about it.", "leak.png")
    assert [span.of(source.text) for span in source.protected] == ["large@example.com"]


def test_without_tesseract_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next command is in the sentence."""
    monkeypatch.setattr(shutil, "which", lambda program: None)
    with pytest.raises(FormatError, match=r"leak\.png is a picture of text; needed: Tesseract.*tesseract-ocr"):
        recognise(b"", name="leak.png")


def test_huge_pictures_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few bytes may claim a picture that no memory holds."""
    monkeypatch.setattr(shutil, "which", lambda program: "tesseract")
    header = struct.pack(">LL5B", 100_000, 100_000, 8, 0, 0, 0, 0)
    chunk = struct.pack(">L", 13) + b"IHDR" + header + struct.pack(">L", zlib.crc32(b"IHDR" + header))
    with pytest.raises(FormatError, match="an image of 10,000,000,000 pixels"):
        read_image(b"\x89PNG\r\n\x1a\n" + chunk, name="leak.png")


@needs_tesseract
def test_a_scanned_page_is_read_within_the_limits() -> None:
    """By the program itself, started by the process that reads files of strangers."""
    assert open_source(picture("PDF"), name="leak.pdf").text.split() == SENTENCE.split()


@needs_tesseract
def test_the_program_has_the_limits_of_its_reader() -> None:
    """A page full of small print takes it many seconds; it is ended after those it has, and the page refused."""
    content = picture("PNG", lines=90)
    before = os.times()
    with pytest.raises(FormatError, match="too complex"):
        open_source(content, name="leak.png", limits=ReadingLimits(scan_seconds=1.0))
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    assert used < 6.0  # of three processes at most, each with a second and what is left of another
