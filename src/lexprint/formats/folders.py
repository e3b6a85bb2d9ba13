"""Documents in a folder."""

import os
from pathlib import Path

from lexprint.errors import FormatError


def names_below(folder: Path) -> list[str]:
    """Files below a folder, in order; hidden ones are left out."""
    names = []
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        inside = (Path(place, name) for name in files if not name.startswith("."))
        names += [path.relative_to(folder).as_posix() for path in inside if path.is_file()]
    if not names:
        found = "a folder without files" if folder.is_dir() else "not there"
        raise FormatError(str(folder), found=found, needed="a folder with documents, or a table")
    return sorted(names)
