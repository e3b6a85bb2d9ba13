"""Reads the pages of a PDF, as a program of its own: `python -m lexprint.formats.pdf_pages text < in > out.json`.

A hostile PDF can keep any reader busy for ever or eat all memory, and only a process can be stopped. Whatever goes
wrong here ends it with a traceback that nobody is shown.
"""

from __future__ import annotations

import base64
import io
import json
import logging
import sys
import warnings
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

from pypdf import PageObject, PdfReader

MOST_PAGES = 2_000
MOST_MEMORY = 3 << 30  # bytes
MOST_IMAGE_BYTES = 200_000_000
ENCRYPTED, TOO_LONG, NO_PICTURES = 3, 4, 5  # exit codes

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


def page_images(page: PageObject) -> list[bytes]:
    """The pictures on a page, largest first: a scanned page is one."""
    try:
        return sorted((image.data for image in page.images), key=len, reverse=True)
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
    reader = open_pdf(sys.stdin.buffer.read())
    if sys.argv[1] == "text":
        found: list[Any] = [page_text(page) for page in reader.pages]
    else:
        found, total = [], 0
        for number in map(int, sys.argv[2:]):
            images = page_images(reader.pages[number])[:1]
            total += sum(map(len, images))
            if total > MOST_IMAGE_BYTES:
                raise SystemExit(TOO_LONG)
            found.append([base64.b64encode(image).decode("ascii") for image in images])
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
