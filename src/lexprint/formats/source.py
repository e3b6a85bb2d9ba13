"""One opener for every format, by content; the format that read a file is the one that writes it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath
from typing import Protocol

from lexprint.errors import FormatError
from lexprint.formats.docx_text import is_docx, read_docx
from lexprint.formats.encodings import decode_text
from lexprint.formats.html_text import is_fragment, is_page, read_html
from lexprint.formats.markdown_text import MarkdownText, count_signs
from lexprint.formats.ocr import is_image, read_image
from lexprint.formats.pdf_text import is_pdf, read_pdf
from lexprint.formats.plain_text import PlainText
from lexprint.formats.zip_package import open_package
from lexprint.text.editing import Edit
from lexprint.text.span import Span

LARGEST = 300_000_000  # bytes
ENOUGH_SIGNS = 2  # kinds of marks that make a text Markdown
MARKDOWN_NAMES = (".md", ".markdown", ".mdown", ".mkd")

_ZIP = (b"PK\3\4", b"PK\5\6")
_COMPOUND_FILE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # Word before 2007, and any Office file with a password
_RICH_TEXT = b"{\\rtf"
_XML = re.compile(r"\s*<(?:\?xml\s|svg[\s>])")
_ACCEPTED = "a Word document (.docx), HTML, Markdown, plain text, a PDF or an image"


class Source(Protocol):
    """A file as text, and the way back."""

    @property
    def text(self) -> str:
        """What is marked or traced: prose, paragraphs apart by blank lines; plain text is all text."""

    @property
    def protected(self) -> tuple[Span, ...]:
        """Parts of the text that must not change; sorted, apart from each other."""

    @property
    def kind(self) -> str:
        """The format, as people call it."""

    @property
    def is_writable(self) -> bool:
        """Whether edits can be made; a PDF or an image is only read."""

    def with_edits(self, edits: Sequence[Edit], *, stamp: str | None = None) -> bytes:
        """The file with edits at offsets of the text made, and all else byte for byte; a stamp is a visible first line."""


def open_source(content: bytes, *, name: str) -> Source:
    """Recognise a file by its content; the name is for messages, and decides between Markdown and plain text.

    >>> source = open_source(b"<p>A large&nbsp;house</p>", name="house.html")
    >>> source.kind, source.text
    ('HTML', 'A large\\xa0house')
    >>> source.with_edits([Edit(Span(2, 7), "big")])
    b'<p>A big&nbsp;house</p>'
    """
    if len(content) > LARGEST:
        raise FormatError(name, found="too large", needed=f"at most {LARGEST:,} bytes")
    if content.startswith(_ZIP):
        return _open_zip(content, name)
    if is_pdf(content):
        return read_pdf(content, name=name)
    if is_image(content):
        return read_image(content, name=name)
    if content.startswith(_COMPOUND_FILE):
        raise FormatError(name, found="an encrypted or very old Office file", needed=f"{_ACCEPTED}, without a password")
    if content.startswith(_RICH_TEXT):
        raise FormatError(name, found="rich text", needed=f"{_ACCEPTED}; save it as .docx")
    return _open_text(content, name)


def _open_zip(content: bytes, name: str) -> Source:
    package = open_package(content, name=name)
    if not is_docx(package):
        raise FormatError(name, found="a ZIP file or an Office file that is no Word document", needed=_ACCEPTED)
    return read_docx(package)


def _open_text(content: bytes, name: str) -> Source:
    encoded = decode_text(content, name=name)
    has_markdown_name = PurePath(name).suffix.lower() in MARKDOWN_NAMES
    if is_page(encoded.text) or (is_fragment(encoded.text) and not has_markdown_name):
        return read_html(content, name=name)
    if _XML.match(encoded.text):
        raise FormatError(name, found="XML", needed=_ACCEPTED)
    is_markdown = has_markdown_name or count_signs(encoded.text) >= ENOUGH_SIGNS
    return MarkdownText(encoded, name) if is_markdown else PlainText(encoded, name)
