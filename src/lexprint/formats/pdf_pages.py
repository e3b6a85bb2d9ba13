"""Reads or draws the pages of a PDF, as a program of its own: `python -m lexprint.formats.pdf_pages text < in > out.json`.

A hostile PDF can keep any reader busy for ever or eat all memory, and only a process can be stopped. Whatever goes
wrong here ends it with a traceback that nobody is shown.
"""

from __future__ import annotations

import io
import json
import logging
import sys
import warnings
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby, pairwise
from math import sqrt
from typing import Any

from pypdf import PageObject, PdfReader

MOST_PAGES = 2_000
MOST_MEMORY = 3 << 30  # bytes
MOST_PIXELS = 70_000_000  # of a page as it is drawn: A3 at 600 dots per inch
RESOLUTION = 300  # dots per inch, which Tesseract is made for
ENCRYPTED, TOO_LONG, NO_PICTURES = 3, 4, 5  # exit codes

_POINTS_PER_INCH = 72

_COLUMN_SHARE = 0.5  # of the lines of a page that must go on at one place for it to be the second column
_SAME_PLACE = 6.0  # points
_LETTER_WIDTH = 0.35  # of the font's size: narrow, so that a gap is not overlooked
_FEWEST_LINES = 6


@dataclass(frozen=True, slots=True)
class _Fragment:
    left: float
    height: float
    size: float
    text: str

    @property
    def right(self) -> float:
        return self.left + _LETTER_WIDTH * self.size * len(self.text)


def open_pdf(content: bytes) -> PdfReader:
    reader = PdfReader(io.BytesIO(content), strict=False)
    if reader.is_encrypted and not reader.decrypt(""):
        raise SystemExit(ENCRYPTED)
    if len(reader.pages) > MOST_PAGES:
        raise SystemExit(TOO_LONG)
    return reader


def page_text(page: PageObject) -> str:
    """The text of a page in reading order: that of the file, unless the file runs across two columns."""
    fragments: list[_Fragment] = []

    def note(text: str, matrix: Any, text_matrix: Any, font: Any, size: Any) -> None:
        if text.strip():
            left = text_matrix[4] * matrix[0] + text_matrix[5] * matrix[2] + matrix[4]
            height = text_matrix[4] * matrix[1] + text_matrix[5] * matrix[3] + matrix[5]
            scale = abs(text_matrix[0] or text_matrix[1] or 1.0) * abs(matrix[0] or matrix[1] or 1.0)
            fragments.append(_Fragment(float(left), float(height), abs(float(size)) * scale, text.strip()))

    text = page.extract_text(visitor_text=note)
    return two_columns(fragments) or text


def two_columns(fragments: list[_Fragment]) -> str | None:
    """The left column, then the right one, if most lines of the page run across both."""
    lines = [list(line) for _, line in groupby(fragments, key=lambda fragment: round(fragment.height))]
    gaps = Counter[int]()
    for line in lines:
        for one, other in pairwise(line):
            if other.left > one.right + other.size:
                gaps[round(other.left / _SAME_PLACE)] += 1
    if not gaps:
        return None
    place, count = gaps.most_common(1)[0]
    if count < _FEWEST_LINES or count < _COLUMN_SHARE * len(lines):
        return None
    gutter = (place - 1) * _SAME_PLACE
    columns: tuple[list[str], list[str]] = ([], [])
    for line in lines:
        for column, is_right in ((columns[0], False), (columns[1], True)):
            words = [fragment.text for fragment in line if (fragment.left >= gutter) is is_right]
            if words:
                column.append(" ".join(words))
    return "\n".join([*columns[0], *columns[1]])


def page_picture(content: bytes, number: int) -> bytes:
    """A page as a picture: drawn by PDFium, else the largest picture on it, which is the page if it was scanned."""
    drawn = _drawn(content, number)
    return _largest_picture(open_pdf(content).pages[number]) if drawn is None else drawn


def _drawn(content: bytes, number: int) -> bytes | None:
    """Shades of grey as a portable grey map, which needs no library; None if PDFium is not there or cannot."""
    try:
        import pypdfium2
    except ImportError:
        return None
    try:
        page = pypdfium2.PdfDocument(content)[number]
        scale = min(RESOLUTION / _POINTS_PER_INCH, sqrt(MOST_PIXELS / max(page.get_width() * page.get_height(), 1.0)))
        shades = page.render(scale=scale, grayscale=True).to_numpy()  # (height, width, 1)
    except pypdfium2.PdfiumError:
        return None
    return b"P5 %d %d 255\n" % (shades.shape[1], shades.shape[0]) + bytes(shades.tobytes())


def _largest_picture(page: PageObject) -> bytes:
    """Nothing if the page has none."""
    try:
        return max((image.data for image in page.images), key=len, default=b"")
    except ImportError as error:  # pypdf wants Pillow for pictures
        raise SystemExit(NO_PICTURES) from error


def _limit_memory() -> None:
    with suppress(ImportError, ValueError, OSError):  # not every system has limits
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


def main() -> None:
    _limit_memory()
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    content = sys.stdin.buffer.read()
    if sys.argv[1] == "text":
        json.dump([page_text(page) for page in open_pdf(content).pages], sys.stdout)
    else:
        sys.stdout.buffer.write(page_picture(content, int(sys.argv[2])))


if __name__ == "__main__":
    main()
