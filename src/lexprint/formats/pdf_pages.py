"""The pages of a PDF: their texts, and pictures of those that have none. Runs in a process of its own, see `child`."""

from __future__ import annotations

import io
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, pairwise
from math import sqrt
from typing import Any, NamedTuple

from pypdf import PageObject, PdfReader
from pypdf.generic import ContentStream, NameObject

from lexprint.errors import ExtraMissing, FormatError

MOST_PAGES = 2_000
MOST_PIXELS = 20_000_000  # of a page as it is drawn: A3 at 300 dots per inch
SKETCH_PIXELS = 250_000  # enough to see that nothing is on a page
RESOLUTION = 300  # dots per inch, which Tesseract is made for

_POINTS_PER_INCH = 72

_COLUMN_SHARE = 0.5  # of the lines of a page that must go on at one place for it to be the second column
_SAME_PLACE = 6.0  # points
_LETTER_WIDTH = 0.35  # of the font's size: narrow, so that a gap is not overlooked
_FEWEST_LINES = 6

_INVISIBLE = (3, 7)  # ways of drawing letters that leave no trace on the page (ISO 32000-1, table 106)
_SHOWING = (b"Tj", b"TJ", b"'", b'"')
_CONTENTS = NameObject("/Contents")


class PageText(NamedTuple):
    """What a page says."""

    text: str
    is_hidden: bool = False  # whether nobody who looks at the page sees it, as what a scanner laid under its picture


@dataclass(frozen=True, slots=True)
class _Fragment:
    left: float
    height: float
    size: float
    text: str

    @property
    def right(self) -> float:
        return self.left + _LETTER_WIDTH * self.size * len(self.text)


def read_pages(content: bytes, *, name: str) -> list[PageText]:
    """The text of each page: what is seen, and what is not only where there is nothing else."""
    try:
        return [_page(page) for page in open_pdf(content, name=name).pages]
    except (FormatError, MemoryError):
        raise
    except Exception as error:  # pypdf says what is wrong with a file in many ways
        raise FormatError(name, found="a damaged PDF", needed="one that a PDF reader opens") from error


def open_pdf(content: bytes, *, name: str) -> PdfReader:
    reader = PdfReader(io.BytesIO(content), strict=False)
    if reader.is_encrypted and not reader.decrypt(""):
        raise FormatError(name, found="an encrypted PDF", needed="one without a password")
    if len(reader.pages) > MOST_PAGES:
        raise FormatError(name, found="too long a PDF", needed=f"at most {MOST_PAGES:,} pages")
    return reader


def _page(page: PageObject) -> PageText:
    contents = page.get(_CONTENTS)
    if contents is None:
        return PageText("")
    drawn = ContentStream(contents.get_object(), page.pdf, "bytes")  # parsed once, for both
    operations = drawn.operations
    page[_CONTENTS] = drawn
    seen = _seen(operations)
    drawn.operations = seen
    text = page_text(page)
    if text.strip() or len(seen) == len(operations):
        return PageText(text)
    drawn.operations = operations
    return PageText(page_text(page), is_hidden=True)


def _seen(operations: list[tuple[Any, bytes]]) -> list[tuple[Any, bytes]]:
    """Without letters that are drawn so that nobody sees them."""
    seen: list[tuple[Any, bytes]] = []
    mode = 0
    outside: list[int] = []  # ways of drawing that a Q brings back
    for operands, operator in operations:
        if operator == b"q":
            outside.append(mode)
        elif operator == b"Q" and outside:
            mode = outside.pop()
        elif operator == b"Tr" and operands:
            mode = operands[0]
        if mode not in _INVISIBLE or operator not in _SHOWING:
            seen.append((operands, operator))
    return seen


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


def page_pictures(content: bytes, numbers: Iterable[int], *, name: str) -> Iterator[bytes]:
    """Pages as pictures, one at a time, as they are large; nothing for a page that is blank.

    Drawn by PDFium, else by Poppler; else the largest picture on a page, which is the page if it was scanned.
    """
    try:
        import pypdfium2
    except ImportError:
        yield from _without_pdfium(content, numbers, name=name)
        return
    try:
        document = pypdfium2.PdfDocument(content)
        for number in numbers:
            yield _drawn(document[number])
    except pypdfium2.PdfiumError as error:
        raise FormatError(name, found="a damaged PDF", needed="one that a PDF reader opens") from error


def _drawn(page: Any) -> bytes:
    """Shades of grey as a portable grey map, which needs no library; nothing if they are all the same."""
    area = max(page.get_width() * page.get_height(), 1.0)
    sketch = page.render(scale=sqrt(SKETCH_PIXELS / area), grayscale=True)
    if len(set(_rows(sketch))) == 1 and len(set(next(_rows(sketch)))) == 1:
        return b""
    whole = page.render(scale=min(RESOLUTION / _POINTS_PER_INCH, sqrt(MOST_PIXELS / area)), grayscale=True)
    return b"P5 %d %d 255\n" % (whole.width, whole.height) + b"".join(_rows(whole))


def _rows(bitmap: Any) -> Iterator[bytes]:
    """Without the bytes that fill each row up."""
    shades = memoryview(bitmap.buffer).cast("B")
    for start in range(0, bitmap.height * bitmap.stride, bitmap.stride):
        yield bytes(shades[start : start + bitmap.width])


def _without_pdfium(content: bytes, numbers: Iterable[int], *, name: str) -> Iterator[bytes]:
    if shutil.which("pdftoppm") is not None:
        for number in numbers:
            yield _drawn_by_poppler(content, number)
        return
    reader = open_pdf(content, name=name)
    for number in numbers:
        yield _largest_picture(reader.pages[number])


def _drawn_by_poppler(content: bytes, number: int) -> bytes:
    page = str(number + 1)
    options = ["-f", page, "-l", page, "-r", str(RESOLUTION), "-gray", "-png", "-singlefile", "-"]
    try:
        return subprocess.run(["pdftoppm", *options], input=content, capture_output=True, check=True).stdout
    except (subprocess.SubprocessError, OSError):
        return b""


def _largest_picture(page: PageObject) -> bytes:
    """Nothing if the page has none."""
    try:
        return max((image.data for image in page.images), key=len, default=b"")
    except ImportError as error:  # pypdf wants Pillow for pictures
        raise ExtraMissing("pypdfium2, which draws the pages of a scanned PDF,", extra="scans") from error
