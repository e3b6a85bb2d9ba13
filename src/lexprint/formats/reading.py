"""Reads a file of a known format, in this process; `child_main` does it for files of strangers.

Each reader is loaded when it is needed: the process that reads a file is started for that file alone.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from lexprint.errors import FormatError
from lexprint.formats.protocol import Source
from lexprint.formats.recognition import ACCEPTED, Kind, recognise

Task: TypeAlias = Kind | Literal["scanned PDF"]


def read_as(task: Task, content: bytes, *, name: str) -> Source | None:
    """The file as text; None for a PDF with pages that have to be scanned, which is a task of its own."""
    match task:
        case "ZIP":
            return _read_zip(content, name)
        case "PDF":
            from lexprint.formats.pdf_text import read_pdf

            return read_pdf(content, name=name)
        case "scanned PDF":
            from lexprint.formats.pdf_text import read_scanned_pdf

            return read_scanned_pdf(content, name=name)
        case "image":
            from lexprint.formats.ocr import read_image

            return read_image(content, name=name)
        case "HTML":
            from lexprint.formats.html_text import read_html

            return read_html(content, name=name)
        case "Markdown":
            from lexprint.formats.markdown_text import read_markdown

            return read_markdown(content, name=name)
        case "mail":
            from lexprint.formats.eml_text import read_mail

            return read_mail(content, name=name, read_file=_read_attachment)
        case "plain text":
            from lexprint.formats.plain_text import read_plain_text

            return read_plain_text(content, name=name)


def _read_attachment(content: bytes, name: str) -> Source | None:
    """Files in mail; mail in mail comes with its parts, so there is no end of it here."""
    kind = recognise(content, name=name)
    return None if kind == "mail" else read_as(kind, content, name=name)


def _read_zip(content: bytes, name: str) -> Source:
    from lexprint.formats.docx_text import is_docx, read_docx
    from lexprint.formats.zip_package import open_package

    package = open_package(content, name=name)
    if not is_docx(package):
        raise FormatError(name, found="a ZIP file or an Office file that is no Word document", needed=ACCEPTED)
    return read_docx(package)
