"""What a Word document carries besides its text, and goes out with every copy: deleted passages, comments, names."""

from __future__ import annotations

import io
import re
import zipfile

MOST_READ = 50_000_000  # bytes of a part

_DELETED = re.compile(rb"<w:(?:del|moveFrom)[ >]")
_AUTHOR = re.compile(rb"<(?:dc:creator|cp:lastModifiedBy)>[^<\s][^<]*<")


def hidden_contents(content: bytes) -> tuple[str, ...]:
    """In words for a warning; none for files that are no Word documents.

    >>> hidden_contents(b"plain text")
    ()
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as package:
            names = set(package.namelist())
            main = _read(package, "word/document.xml", names)
            comments = _read(package, "word/comments.xml", names)
            core = _read(package, "docProps/core.xml", names)
    except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError, ValueError):
        return ()
    return tuple(
        found
        for found, is_there in (
            ("tracked deletions", _DELETED.search(main)),
            ("comments", b"<w:comment " in comments),
            ("the names of its authors", _AUTHOR.search(core)),
        )
        if is_there
    )


def _read(package: zipfile.ZipFile, name: str, names: set[str]) -> bytes:
    if name not in names:
        return b""
    with package.open(name) as part:
        return part.read(MOST_READ)
