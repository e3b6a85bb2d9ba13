"""PDF: read, for leaks, and never written, as its words are shapes at places that nothing could move along."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from lexprint.errors import ExtraMissing, FormatError
from lexprint.formats.ocr import INSTALL, is_installed, recognise
from lexprint.formats.projection import whole_projection
from lexprint.text.editing import Edit
from lexprint.text.span import Span

LARGEST = 200_000_000  # bytes
TIMEOUT_SECONDS = 120.0
MOST_SCANNED_PAGES = 200
RESOLUTION = 300  # dots per inch, as in pdf_pages
ENCRYPTED, TOO_LONG, NO_PICTURES = 3, 4, 5  # as pdf_pages exits
MAGIC = re.compile(rb"%PDF-\d")
_PRESCAN = 1024  # bytes in which readers look for the magic

_LETTER = r"[^\W\d_]"
# A word is tried from its first letter alone, and given up at once: from each of its letters would be quadratic.
_HYPHEN = re.compile(rf"(?<!{_LETTER})({_LETTER}++)[-‐\u00ad][^\S\n]*+\n\s*+({_LETTER}++)")
_COMPOUND = re.compile(rf"(?<!{_LETTER}){_LETTER}++-{_LETTER}++")
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})


@dataclass(frozen=True)
class PdfText:
    """A PDF, with text of its own or scanned."""

    text: str = field(repr=False)
    name: str = field(repr=False)

    kind: ClassVar[str] = "PDF"
    is_writable: ClassVar[bool] = False

    @cached_property
    def protected(self) -> tuple[Span, ...]:
        return whole_projection(self.text).protected

    def with_edits(self, edits: Sequence[Edit], *, stamp: str | None = None) -> bytes:
        raise FormatError(
            self.name,
            found="a PDF",
            needed="the document it was made from (Word, HTML, Markdown or text), to mark that",
        )


def is_pdf(content: bytes) -> bool:
    return MAGIC.search(content[:_PRESCAN]) is not None


def read_pdf(content: bytes, *, name: str) -> PdfText:
    if len(content) > LARGEST:
        raise FormatError(name, found="too large a PDF", needed=f"at most {LARGEST:,} bytes")
    pages = _pages(content, name)
    blank = [number for number, text in enumerate(pages) if not text.strip()]
    if blank and (len(blank) == len(pages) or is_installed()):
        for number, text in zip(blank, _scanned(content, blank, name=name), strict=False):
            pages[number] = text
    return PdfText(as_running_text("\n\n".join(pages)), name)


def as_running_text(text: str) -> str:
    """Without ligatures, and with the words that line breaks cut in two made whole.

    A hyphen stays if the document writes the same word with one elsewhere.

    >>> as_running_text("a well-\\nknown exam-\\nple of a well-known ofﬁce")
    'a well-known example of a well-known office'
    """
    plain = text.translate(_LIGATURES).encode("utf-8", "replace").decode()
    compounds = set(_COMPOUND.findall(plain.lower()))

    def whole(match: re.Match[str]) -> str:
        hyphenated = f"{match[1]}-{match[2]}"
        return hyphenated if hyphenated.lower() in compounds or match[2][0].isupper() else match[1] + match[2]

    return _HYPHEN.sub(whole, plain)


def _scanned(content: bytes, numbers: list[int], *, name: str) -> list[str]:
    """What Tesseract reads on pages that have no text."""
    if not is_installed():
        raise FormatError(name, found="a scanned PDF", needed=INSTALL)
    if len(numbers) > MOST_SCANNED_PAGES:
        raise FormatError(
            name, found=f"a PDF of {len(numbers):,} scanned pages", needed=f"at most {MOST_SCANNED_PAGES}"
        )
    pictures = (_picture(content, number, name=name) for number in numbers)
    return [recognise(picture, name=name) if picture else "" for picture in pictures]


def _picture(content: bytes, number: int, *, name: str) -> bytes:
    """A page as a picture; nothing if there is nothing on it. A page each time, as pictures are large."""
    try:
        return _run(content, name, "picture", str(number))
    except ExtraMissing:
        if shutil.which("pdftoppm") is None:
            raise
    return _drawn_by_poppler(content, number)


def _drawn_by_poppler(content: bytes, number: int) -> bytes:
    page = str(number + 1)
    options = ["-f", page, "-l", page, "-r", str(RESOLUTION), "-gray", "-png", "-singlefile", "-"]
    try:
        finished = subprocess.run(
            ["pdftoppm", *options], input=content, capture_output=True, timeout=TIMEOUT_SECONDS, check=True
        )
    except (subprocess.SubprocessError, OSError):
        return b""
    return finished.stdout


def _pages(content: bytes, name: str) -> list[str]:
    try:
        pages: list[str] = json.loads(_run(content, name, "text"))
    except ValueError as error:
        raise FormatError(name, found="a PDF that could not be read", needed="one that a PDF reader opens") from error
    return pages


def _run(content: bytes, name: str, *arguments: str) -> bytes:
    """What the page reader says; -P keeps it from importing what lies in the working folder."""
    command = [sys.executable, "-P", "-m", "lexprint.formats.pdf_pages", *arguments]
    try:
        return subprocess.run(command, input=content, capture_output=True, timeout=TIMEOUT_SECONDS, check=True).stdout
    except subprocess.TimeoutExpired as error:
        needed = f"one that can be read in {TIMEOUT_SECONDS:.0f} seconds"
        raise FormatError(name, found="too complex a PDF", needed=needed) from error
    except subprocess.CalledProcessError as error:
        if error.returncode == ENCRYPTED:
            raise FormatError(name, found="an encrypted PDF", needed="one without a password") from error
        if error.returncode == TOO_LONG:
            raise FormatError(name, found="too long a PDF", needed="at most 2,000 pages") from error
        if error.returncode == NO_PICTURES:
            raise ExtraMissing("pypdfium2, which draws the pages of a scanned PDF,", extra="scans") from error
        raise FormatError(name, found="a damaged PDF", needed="one that a PDF reader opens") from error
    except OSError as error:
        raise FormatError(name, found="a PDF that could not be read", needed="one that a PDF reader opens") from error
