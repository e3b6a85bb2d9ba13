"""What a document carries besides its text, and goes out with every copy.

Deleted passages, comments, names, text that is not seen; the small picture of the first page that LibreOffice puts into what it saves, which shows
the words of the master; of mail, those who got it and are not to be seen.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from email.parser import BytesHeaderParser

from lexprint.formats.eml_text import HEADERS_READ, is_mail
from lexprint.formats.faint_text import FAINT

MOST_READ = 50_000_000  # bytes of a part

_MAIN = ("word/document.xml", "content.xml")
_ZIP = b"PK"
_PICTURES = ("thumbnails/", "docprops/thumbnail")  # how their names begin, in lower case

_READ = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # as word processors pack them

_DELETED = re.compile(rb"<w:(?:del|moveFrom)[ >]|<text:deletion[ >]")
_COMMENT = re.compile(rb"<w:comment |<office:annotation[ >]")
_AUTHOR = re.compile(rb"<(?:dc:creator|cp:lastModifiedBy|meta:initial-creator)>[^<\s][^<]*<")


def hidden_contents(content: bytes) -> tuple[str, ...]:
    """Their kinds, in words for a warning, which holds nothing of them; none for web pages and plain text.

    >>> hidden_contents(b"plain text")
    ()
    """
    if not content.startswith(_ZIP):
        return ("the addresses of hidden recipients",) if is_mail(content) and _has_hidden_recipients(content) else ()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as package:
            return tuple(_hidden_in(package))
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError, RuntimeError, ValueError):
        return ()


def hidden_warnings(content: bytes) -> tuple[str, ...]:
    """What to tell whoever is about to give copies of a document away; the same wherever they do.

    >>> hidden_warnings(b"From: a@x\\nBcc: b@x\\nMessage-ID: <1@x>\\n\\nHello")
    ('every copy carries what the document carries: the addresses of hidden recipients; remove them first if need be',)
    """
    hidden = hidden_contents(content)
    if not hidden:
        return ()
    return (f"every copy carries what the document carries: {', '.join(hidden)}; remove them first if need be",)


def _has_hidden_recipients(content: bytes) -> bool:
    headers = BytesHeaderParser().parsebytes(content[:HEADERS_READ])
    return any(str(headers[name] or "").strip() for name in ("Bcc", "Resent-Bcc"))


def _hidden_in(package: zipfile.ZipFile) -> Iterator[str]:
    """One part at a time: however large they are, no two are in memory."""
    if any(_holds(package, name, _DELETED) for name in _MAIN):
        yield "tracked deletions"
    if any(_holds(package, name, FAINT) for name in _MAIN):
        yield "text in white or in tiny letters"
    if any(_holds(package, name, _COMMENT) for name in (*_MAIN, "word/comments.xml")):
        yield "comments"
    if any(_holds(package, name, _AUTHOR) for name in ("docProps/core.xml", "meta.xml")):
        yield "the names of its authors"
    if any(name.lower().startswith(_PICTURES) for name in package.namelist()):
        yield "a picture of its first page"


def _holds(package: zipfile.ZipFile, name: str, pattern: re.Pattern[bytes]) -> bool:
    if name not in package.NameToInfo or package.getinfo(name).compress_type not in _READ:
        return False
    with package.open(name) as part:
        return pattern.search(part.read(MOST_READ)) is not None
