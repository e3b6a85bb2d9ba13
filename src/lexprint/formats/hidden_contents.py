"""What a document of a word processor carries besides its text, and goes out with every copy.

Deleted passages, comments, names; and the small picture of the first page that LibreOffice puts into what it saves, which shows
the words of the master.
"""

from __future__ import annotations

import io
import re
import zipfile

MOST_READ = 50_000_000  # bytes of a part

_MAIN = ("word/document.xml", "content.xml")
_PICTURES = ("thumbnails/", "docprops/thumbnail")  # how their names begin, in lower case

_DELETED = re.compile(rb"<w:(?:del|moveFrom)[ >]|<text:deletion[ >]")
_COMMENT = re.compile(rb"<w:comment |<office:annotation[ >]")
_AUTHOR = re.compile(rb"<(?:dc:creator|cp:lastModifiedBy|meta:initial-creator)>[^<\s][^<]*<")


def hidden_contents(content: bytes) -> tuple[str, ...]:
    """In words for a warning; none for files that are neither Word nor OpenDocument.

    >>> hidden_contents(b"plain text")
    ()
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as package:
            names = set(package.namelist())
            parts = {
                name: _read(package, name, names)
                for name in (*_MAIN, "word/comments.xml", "docProps/core.xml", "meta.xml")
            }
    except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError, ValueError):
        return ()
    return tuple(
        found
        for found, is_there in (
            ("tracked deletions", any(_DELETED.search(parts[name]) for name in _MAIN)),
            ("comments", any(map(_COMMENT.search, parts.values()))),
            (
                "the names of its authors",
                any(_AUTHOR.search(parts[name]) for name in ("docProps/core.xml", "meta.xml")),
            ),
            ("a picture of its first page", any(name.lower().startswith(_PICTURES) for name in names)),
        )
        if is_there
    )


def _read(package: zipfile.ZipFile, name: str, names: set[str]) -> bytes:
    if name not in names:
        return b""
    with package.open(name) as part:
        return part.read(MOST_READ)
