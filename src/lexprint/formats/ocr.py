"""Pictures of text, read by Tesseract if it is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from lexprint.errors import FormatError
from lexprint.formats.projection import whole_projection
from lexprint.text.editing import Edit
from lexprint.text.span import Span

TIMEOUT_SECONDS = 180.0
MOST_PIXELS = 250_000_000  # 600 dpi on A3 is 70 million

_MAGIC = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"II*\0", b"MM\0*")
INSTALL = "Tesseract to read pictures; install it, on Debian with: apt-get install tesseract-ocr"


@dataclass(frozen=True)
class ImageText:
    """A photographed or scanned page."""

    text: str = field(repr=False)
    name: str = field(repr=False)

    kind: ClassVar[str] = "image"
    is_writable: ClassVar[bool] = False

    @cached_property
    def protected(self) -> tuple[Span, ...]:
        return whole_projection(self.text).protected

    def with_edits(self, edits: Sequence[Edit], *, stamp: str | None = None) -> bytes:
        raise FormatError(self.name, found="an image", needed="the document it shows, as Word, HTML, Markdown or text")


def is_image(content: bytes) -> bool:
    """Whether bytes begin like a PNG, JPEG or TIFF file."""
    return content.startswith(_MAGIC)


def is_installed() -> bool:
    return shutil.which("tesseract") is not None


def read_image(content: bytes, *, name: str) -> ImageText:
    return ImageText(recognise(content, name=name), name)


def recognise(content: bytes, *, name: str) -> str:
    """The text of a picture, paragraphs apart by blank lines."""
    program = shutil.which("tesseract")
    if program is None:
        raise FormatError(name, found="a picture of text", needed=INSTALL)
    if _pixels(content) > MOST_PIXELS:
        raise FormatError(name, found="too large an image", needed=f"at most {MOST_PIXELS:,} pixels")
    try:
        finished = subprocess.run(
            [program, "stdin", "stdout", "-l", "eng"],
            input=content,
            capture_output=True,
            timeout=TIMEOUT_SECONDS,
            check=True,
            env={**os.environ, "OMP_THREAD_LIMIT": "1"},  # faster than its threads, and the same everywhere
        )
    except subprocess.TimeoutExpired as error:
        needed = f"one that Tesseract reads in {TIMEOUT_SECONDS:.0f} seconds"
        raise FormatError(name, found="too complex an image", needed=needed) from error
    except (subprocess.CalledProcessError, OSError) as error:
        raise FormatError(name, found="a damaged image", needed="a PNG, JPEG or TIFF file") from error
    if not finished.stdout.strip() and b"Error in pixRead" in finished.stderr:  # it ends well all the same
        raise FormatError(name, found="a damaged image", needed="a PNG, JPEG or TIFF file")
    return finished.stdout.decode("utf-8", "replace").replace("\f", "\n\n")


def _pixels(content: bytes) -> int:
    """As a PNG file says itself; the others are checked by Tesseract."""
    if not content.startswith(_MAGIC[0]):
        return 0
    return int.from_bytes(content[16:20], "big") * int.from_bytes(content[20:24], "big")
