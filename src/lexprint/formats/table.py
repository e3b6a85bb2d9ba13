"""Every format, a row each: what it is called, how it is recognised, and what reads it.

Help, messages and the reading process follow from here, so a new format is one file and one row. Rows are tried from the top.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath

from lexprint.errors import FormatError


@dataclass(frozen=True)
class UnknownFile:
    """A file whose format is yet to be found out."""

    content: bytes
    name: str

    @cached_property
    def text(self) -> str:
        from lexprint.formats.encodings import decode_text  # help is printed without what reads files

        try:
            return decode_text(self.content, name=self.name).text
        except FormatError as error:
            raise FormatError(self.name, found=error.found, needed=ACCEPTED) from error

    @property
    def ending(self) -> str:
        return PurePath(self.name).suffix.lower()


@dataclass(frozen=True, kw_only=True)
class Format:
    """One format. `reader` is a function of `lexprint.formats`, loaded when it is needed."""

    kind: str  # as people call it
    shown: str  # the same in a list of formats
    endings: tuple[str, ...]
    sniff: Callable[[UnknownFile], bool]  # in time linear in the file's length, for nothing is known of it yet
    reader: str  # module:function, of the content and, by keyword, the name
    classes: dict[str, set[str]]  # module: classes, of which the reading process may make its answer
    is_written: bool = True
    is_promised: bool = False  # whether no other content may bear these endings


@dataclass(frozen=True, kw_only=True)
class Refused:
    """A format that is known and not read."""

    found: str
    advice: str
    sniff: Callable[[UnknownFile], bool]


_MARKDOWN_ENDINGS = (".md", ".markdown", ".mdown", ".mkd")
_ENOUGH_SIGNS = 2  # kinds of marks that make a text Markdown
_ZIP = (b"PK\3\4", b"PK\5\6")
_ZIP_NAME = slice(30, 100)  # where the first member's name begins; OpenDocument puts its type there, uncompressed
_OPEN_DOCUMENT = b"mimetypeapplication/vnd.oasis.opendocument."
_COMPOUND_FILE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # Word before 2007, and any Office file with a password
_IMAGES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"II*\0", b"MM\0*")
_PDF = re.compile(rb"%PDF-\d")
_PDF_PRESCAN = 1024  # bytes in which readers look for the mark
_XML = re.compile(r"\s*+<(?:\?xml\s|svg[\s>])")


def _is_open_document(file: UnknownFile) -> bool:
    return file.content.startswith(_ZIP) and file.content[_ZIP_NAME].startswith(_OPEN_DOCUMENT)


def _is_mail(file: UnknownFile) -> bool:
    from lexprint.formats.eml_text import is_mail

    return is_mail(file.content)


def _is_html(file: UnknownFile) -> bool:
    from lexprint.formats.html_text import is_fragment, is_page

    return is_page(file.text) or (is_fragment(file.text) and file.ending not in _MARKDOWN_ENDINGS)


def _is_markdown(file: UnknownFile) -> bool:
    from lexprint.formats.markdown_signs import count_signs

    return file.ending in _MARKDOWN_ENDINGS or count_signs(file.text) >= _ENOUGH_SIGNS


ROWS: tuple[Format | Refused, ...] = (
    Format(
        kind="Word document",
        shown="a Word document (.docx)",
        endings=(".docx",),
        sniff=lambda file: file.content.startswith(_ZIP) and not _is_open_document(file),
        reader="docx_text:open_docx",
        classes={
            "docx_text": {"DocxText", "_Mirror", "_Part"},
            "word_markup": {"Element"},
            "zip_package": {"Package"},
        },
        is_promised=True,
    ),
    Format(
        kind="OpenDocument text",
        shown="an OpenDocument text (.odt)",
        endings=(".odt",),
        sniff=_is_open_document,
        reader="odt_text:open_odt",
        classes={"odt_text": {"OdtText"}, "zip_package": {"Package"}},
        is_promised=True,
    ),
    Format(
        kind="PDF",
        shown="a PDF",
        endings=(".pdf",),
        sniff=lambda file: _PDF.search(file.content[:_PDF_PRESCAN]) is not None,
        reader="pdf_text:read_pdf",
        classes={"pdf_text": {"PdfText"}},
        is_written=False,
        is_promised=True,
    ),
    Format(
        kind="image",
        shown="an image",
        endings=(".png", ".jpg", ".jpeg", ".tif", ".tiff"),
        sniff=lambda file: file.content.startswith(_IMAGES),
        reader="ocr:read_image",
        classes={"ocr": {"ImageText"}},
        is_written=False,
        is_promised=True,
    ),
    Refused(
        found="an encrypted or very old Office file",
        advice=", without a password",
        sniff=lambda file: file.content.startswith(_COMPOUND_FILE),
    ),
    Refused(found="rich text", advice="; save it as .docx", sniff=lambda file: file.content.startswith(b"{\\rtf")),
    Format(
        kind="mail",
        shown="mail (.eml)",
        endings=(".eml",),
        sniff=_is_mail,
        reader="reading:read_message",
        classes={
            "eml_text": {"MailText", "_Body", "_Twin"},
            "html_text": {"HtmlText"},
            "plain_text": {"PlainText"},
        },
    ),
    Format(
        kind="HTML",
        shown="HTML",
        endings=(".html", ".htm"),
        sniff=_is_html,
        reader="html_text:read_html",
        classes={"html_text": {"HtmlText"}},
    ),
    Refused(found="XML", advice="", sniff=lambda file: _XML.match(file.text) is not None),
    Format(
        kind="Markdown",
        shown="Markdown",
        endings=_MARKDOWN_ENDINGS,
        sniff=_is_markdown,
        reader="markdown_text:read_markdown",
        classes={"markdown_text": {"MarkdownText"}},
    ),
    Format(
        kind="plain text",
        shown="plain text",
        endings=(".txt",),
        sniff=lambda file: True,
        reader="plain_text:read_plain_text",
        classes={},
    ),
)

FORMATS = {row.kind: row for row in ROWS if isinstance(row, Format)}
PROMISED = {ending: row.kind for row in FORMATS.values() if row.is_promised for ending in row.endings}


def _listed(*formats: Format) -> str:
    *most, last = (row.shown for row in formats)
    return f"{', '.join(most)} or {last}"


_WRITTEN = [row for row in FORMATS.values() if row.is_written]
_ONLY_READ = [row for row in FORMATS.values() if not row.is_written]
WRITABLE = _listed(*_WRITTEN)  # formats that copies can be made in
ACCEPTED = _listed(*_WRITTEN, *_ONLY_READ)  # formats that leaks may have
