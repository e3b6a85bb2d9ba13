"""PDF: read, for leaks, and never written, as its words are shapes at places that nothing could move along."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from lexprint.errors import FormatError
from lexprint.formats.ocr import INSTALL, is_installed, recognise
from lexprint.formats.pdf_pages import PageText, page_pictures, read_pages
from lexprint.formats.projection import whole_projection
from lexprint.text.editing import Edit
from lexprint.text.span import Span

MOST_SCANNED_PAGES = 200

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
    hidden_pages: int = 0  # whose text nobody sees who looks at them

    kind: ClassVar[str] = "PDF"
    is_writable: ClassVar[bool] = False

    @cached_property
    def protected(self) -> tuple[Span, ...]:
        return whole_projection(self.text).protected

    @property
    def remarks(self) -> tuple[str, ...]:
        if not self.hidden_pages:
            return ()
        pages = "1 page" if self.hidden_pages == 1 else f"{self.hidden_pages:,} pages"
        remark = (
            f"On {pages} of the leaked PDF the text that was read is not what is seen, but a hidden layer, as scanners lay it "
            "under a picture; whoever made the file can have written anything there. Compare it with what the pages show, or "
            "trace pictures of them."
        )
        return (remark,)

    def with_edits(self, edits: Sequence[Edit]) -> bytes:
        raise FormatError(
            self.name,
            found="a PDF",
            needed="the document it was made from (Word, HTML, Markdown or text), to mark that",
        )


def read_pdf(content: bytes, *, name: str) -> PdfText | None:
    """A PDF that says its words; None if there are pages that have to be scanned."""
    pages = read_pages(content, name=name)
    blank = _blank(pages)
    if blank and (len(blank) == len(pages) or is_installed()):
        return None
    return _joined(pages, name)


def read_scanned_pdf(content: bytes, *, name: str) -> PdfText:
    """The same with what Tesseract reads on the pages that have no text."""
    pages = read_pages(content, name=name)
    blank = _blank(pages)
    if not is_installed():
        raise FormatError(name, found="a scanned PDF", needed=INSTALL)
    if len(blank) > MOST_SCANNED_PAGES:
        raise FormatError(name, found=f"a PDF of {len(blank):,} scanned pages", needed=f"at most {MOST_SCANNED_PAGES}")
    for number, picture in zip(blank, page_pictures(content, blank, name=name), strict=True):
        pages[number] = PageText(recognise(picture, name=name) if picture else "")
    return _joined(pages, name)


def _blank(pages: Sequence[PageText]) -> list[int]:
    return [number for number, page in enumerate(pages) if not page.text.strip()]


def _joined(pages: Sequence[PageText], name: str) -> PdfText:
    text = as_running_text("\n\n".join(page.text for page in pages))
    return PdfText(text, name, sum(page.is_hidden for page in pages))


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
