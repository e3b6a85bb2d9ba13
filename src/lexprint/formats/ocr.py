"""Pictures of text, read by Tesseract if it is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import ClassVar, NamedTuple

from lexprint.errors import FormatError
from lexprint.formats.image_size import count_pixels
from lexprint.formats.projection import whole_projection
from lexprint.text.editing import Edit
from lexprint.text.span import Span

TIMEOUT_SECONDS = 600.0  # by the clock, on however busy a machine; its processor time is limited by the reader
MOST_PIXELS = 51_000_000  # a photograph of 50 megapixels; 600 dpi on A4 is 35. Tesseract takes six bytes for each, eleven in colour
MOST_FOR_SURE = 25_000_000  # that it can make room for, also in colour
CONFIDENT = 60  # percent; below it, words are as often wrong as right

_THRESHOLDS = ("0", "2")  # Otsu's and Sauvola's; Tesseract before 5 knows the first alone and says so
_COLUMNS, _WORD_LEVEL = 12, "5"  # of its table
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

    def with_edits(self, edits: Sequence[Edit]) -> bytes:
        raise FormatError(self.name, found="an image", needed="the document it shows, as Word, HTML, Markdown or text")


def is_installed() -> bool:
    return shutil.which("tesseract") is not None


def read_image(content: bytes, *, name: str) -> ImageText:
    if count_pixels(content) is None:
        raise _damaged(name)
    return ImageText(recognise(content, name=name), name)


def recognise(content: bytes, *, name: str) -> str:
    """The text of a picture, paragraphs apart by blank lines.

    It is read twice, with one threshold of black for the whole picture and with one for each place: now and then either
    loses whole paragraphs of a page that is askew or badly lit. Whichever found more words is what it says.
    """
    program = shutil.which("tesseract")
    if program is None:
        raise FormatError(name, found="a picture of text", needed=INSTALL)
    pixels = count_pixels(content) or 0
    if pixels > MOST_PIXELS:
        raise FormatError(
            name, found=f"an image of {pixels:,} pixels", needed=f"at most {MOST_PIXELS:,}; make it smaller"
        )
    readings = [_words(_run(program, content, threshold, name=name)) for threshold in _THRESHOLDS]
    return _joined(max(readings, key=_confident))


def _run(program: str, content: bytes, threshold: str, *, name: str) -> str:
    """Tesseract's table of what it found."""
    command = [program, "stdin", "stdout", "-l", "eng", "-c", f"thresholding_method={threshold}", "tsv"]
    try:
        finished = subprocess.run(
            command,
            input=content,
            capture_output=True,
            timeout=TIMEOUT_SECONDS,
            check=True,
            env={**os.environ, "OMP_THREAD_LIMIT": "1"},  # faster than its threads, and the same everywhere
        )
    except subprocess.TimeoutExpired as error:
        needed = f"one that Tesseract reads in {TIMEOUT_SECONDS:.0f} seconds"
        raise FormatError(name, found="too complex an image", needed=needed) from error
    except subprocess.CalledProcessError as error:
        if error.returncode < 0:  # a signal ended it, as one does whose limits are reached
            needed = "one that Tesseract reads in less time and memory"
            raise FormatError(name, found="too complex an image", needed=needed) from error
        raise _unread(content, name) from error
    except OSError as error:
        raise _damaged(name) from error
    if b"Error in pixRead" in finished.stderr and b"\n5\t" not in finished.stdout:  # it ends well all the same
        raise _unread(content, name)
    return finished.stdout.decode("utf-8", "replace")


def _unread(content: bytes, name: str) -> FormatError:
    """Tesseract does not say why: it may have found no room for a large picture."""
    pixels = count_pixels(content) or 0
    if pixels <= MOST_FOR_SURE:
        return _damaged(name)
    found = f"damaged, or with {pixels:,} pixels takes too much memory"
    return FormatError(name, found=found, needed="a smaller image, or one in shades of grey")


def _damaged(name: str) -> FormatError:
    return FormatError(name, found="a damaged image", needed="a PNG, JPEG or TIFF file")


class _Word(NamedTuple):
    paragraph: tuple[str, ...]  # page, block and paragraph
    line: str
    confidence: float  # percent
    text: str


def _words(table: str) -> list[_Word]:
    """The words of a table, in reading order."""
    rows = (line.split("\t") for line in table.split("\n"))
    return [
        _Word((row[1], row[2], row[3]), row[4], float(row[10]), row[11])
        for row in rows
        if len(row) == _COLUMNS and row[0] == _WORD_LEVEL and row[11].strip()
    ]


def _confident(words: Sequence[_Word]) -> int:
    return sum(word.confidence >= CONFIDENT for word in words)


def _joined(words: Sequence[_Word]) -> str:
    return "\n\n".join(
        "\n".join(" ".join(word.text for word in line) for _, line in groupby(paragraph, key=lambda word: word.line))
        for _, paragraph in groupby(words, key=lambda word: word.paragraph)
    )
