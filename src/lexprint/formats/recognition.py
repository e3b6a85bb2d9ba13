"""Which format a file is in, by its content; in time linear in its length, for nothing is known of it yet."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Literal, TypeAlias

from lexprint.errors import FormatError
from lexprint.formats.eml_text import is_mail
from lexprint.formats.encodings import decode_text
from lexprint.formats.html_text import is_fragment, is_page
from lexprint.formats.markdown_signs import count_signs

Kind: TypeAlias = Literal["ZIP", "PDF", "image", "HTML", "Markdown", "mail", "plain text"]

LARGEST = 300_000_000  # bytes
ENOUGH_SIGNS = 2  # kinds of marks that make a text Markdown
MARKDOWN_NAMES = (".md", ".markdown", ".mdown", ".mkd")
ACCEPTED = "a Word document (.docx), HTML, Markdown, plain text, a PDF, mail or an image"

_ZIP = (b"PK\3\4", b"PK\5\6")
_COMPOUND_FILE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # Word before 2007, and any Office file with a password
_RICH_TEXT = b"{\\rtf"
_IMAGES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"II*\0", b"MM\0*")
_PDF = re.compile(rb"%PDF-\d")
_PDF_PRESCAN = 1024  # bytes in which readers look for the mark
_XML = re.compile(r"\s*+<(?:\?xml\s|svg[\s>])")


def recognise(content: bytes, *, name: str) -> Kind:
    """The format of a file; the name is for messages, and decides between Markdown and plain text."""
    if len(content) > LARGEST:
        raise FormatError(name, found="too large", needed=f"at most {LARGEST:,} bytes")
    if content.startswith(_ZIP):
        return "ZIP"
    if _PDF.search(content[:_PDF_PRESCAN]):
        return "PDF"
    if content.startswith(_IMAGES):
        return "image"
    if content.startswith(_COMPOUND_FILE):
        raise FormatError(name, found="an encrypted or very old Office file", needed=f"{ACCEPTED}, without a password")
    if content.startswith(_RICH_TEXT):
        raise FormatError(name, found="rich text", needed=f"{ACCEPTED}; save it as .docx")
    if is_mail(content):
        return "mail"
    return _recognise_text(content, name)


def _recognise_text(content: bytes, name: str) -> Kind:
    text = decode_text(content, name=name).text
    has_markdown_name = PurePath(name).suffix.lower() in MARKDOWN_NAMES
    if is_page(text) or (is_fragment(text) and not has_markdown_name):
        return "HTML"
    if _XML.match(text):
        raise FormatError(name, found="XML", needed=ACCEPTED)
    return "Markdown" if has_markdown_name or count_signs(text) >= ENOUGH_SIGNS else "plain text"
