"""Reads a file of a known format, in this process; `child_main` does it for files of strangers.

Each reader is loaded when it is needed: the process that reads a file is started for that file alone.
"""

from __future__ import annotations

from importlib import import_module

from lexprint.formats.protocol import Source
from lexprint.formats.recognition import recognise
from lexprint.formats.table import FORMATS

SCANNED = "scanned PDF"  # a task of its own: the pages are drawn and read by Tesseract
MOST_NESTED = 5  # mails that are files of mails


def read_as(task: str, content: bytes, *, name: str) -> Source | None:
    """The file as text; None for a PDF with pages that have to be scanned, which is a task of its own."""
    module, function = ("pdf_text:read_scanned_pdf" if task == SCANNED else FORMATS[task].reader).split(":")
    source: Source | None = getattr(import_module(f"lexprint.formats.{module}"), function)(content, name=name)
    return source


def read_message(content: bytes, *, name: str, depth: int = MOST_NESTED) -> Source:
    """Mail, with the files in it; mail in mail comes with its parts, unless it is attached as a file of any kind."""
    from lexprint.formats.eml_text import read_mail

    def read_file(content: bytes, name: str) -> Source | None:
        kind = recognise(content, name=name)
        if kind == "mail":
            return read_message(content, name=name, depth=depth - 1) if depth else None
        return read_as(kind, content, name=name)

    return read_mail(content, name=name, read_file=read_file)
