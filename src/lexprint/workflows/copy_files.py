"""Files of copies: their names, and writing them so that none is ever half there.

A file gets its name only when its bytes are on disk, so whatever bears the name of a copy is that copy or somebody else's
file. The bytes of a group are sent to disk together, which costs one wait for most of them.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
import unicodedata
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from lexprint.errors import InputError
from lexprint.whole_files import sync_folder

try:
    import fcntl
except ImportError:  # not on this system: two writers at once are then the user's care
    fcntl = None  # type: ignore[assignment]

SYNCED_AT_ONCE = 16  # files
PRIVATE = 0o600  # permissions of copies and of what names recipients, whatever the master has: each is for one person
LONGEST_PART = 60  # bytes of UTF-8 for a name in a file name; systems allow 255 in all
USUAL_EXTENSION = ".txt"
_TEMPORARY = ".lexprint-copy-"
_OTHER_THAN_LETTERS = re.compile(r"[\W_]+")
_EXTENSION = re.compile(r"\.[A-Za-z0-9]{1,10}")


def copy_file_name(name: str, number: int, recipient: str, *, extension: str) -> str:
    """A name that no other copy of the document has, whatever the recipient is called.

    >>> copy_file_name("Q3 memo", 7, "../Zoë O'Neil <zoe@example.org>", extension=".docx")
    'Q3-memo-0007-Zoë-O-Neil-zoe-example-org.docx'
    """
    return f"{safe_part(name)}-{number:04}-{safe_part(recipient)}{extension}"


def safe_part(text: str) -> str:
    """Letters and digits of any script, and hyphens for all else: no folder, no hidden file, no device."""
    joined = _OTHER_THAN_LETTERS.sub("-", unicodedata.normalize("NFC", text)).strip("-")
    shortened = joined.encode("utf-8", "ignore")[:LONGEST_PART].decode("utf-8", "ignore").strip("-")
    return shortened or "copy"


def extension_of(file_name: str) -> str:
    suffix = Path(file_name).suffix
    return suffix if _EXTENSION.fullmatch(suffix) else USUAL_EXTENSION


@contextmanager
def sole_writer(folder: Path) -> Iterator[None]:
    """The folder, made if need be, for one process at a time; what a killed one left unfinished is removed."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "the name is no file name"
        raise InputError(f"{folder} cannot be a folder for copies ({reason})", needed="another folder") from error
    try:
        if not os.access(folder, os.W_OK | os.X_OK):
            raise InputError(f"nothing may be written to the folder {folder}", needed="another folder")
        if fcntl is not None:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # ends with the process, however that ends
            except BlockingIOError as error:
                raise InputError(
                    f"another process is writing copies to {folder}", needed="to wait for it, or another folder"
                ) from error
        for leftover in folder.glob(f"{_TEMPORARY}*"):
            leftover.unlink(missing_ok=True)
        yield
    finally:
        os.close(descriptor)


def digest_of_file(path: Path) -> str | None:
    """SHA-256 of a file; None if nothing of that name is there."""
    try:
        mode = path.lstat().st_mode
        if not stat.S_ISREG(mode):
            return "something else than a file"
        return sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror})", needed="a file that may be read") from error


def write_together(folder: Path, files: Mapping[str, bytes]) -> None:
    """Some files for nobody but their owner, each whole or not there; on return they outlast a power cut."""
    temporary = {name: folder / f"{_TEMPORARY}{secrets.token_hex(8)}" for name in files}
    try:
        for name, content in files.items():
            _write(temporary[name], content)
        with ThreadPoolExecutor(SYNCED_AT_ONCE) as threads:  # a disk that is asked for many at once does them in one go
            list(threads.map(_sync, temporary.values()))
        for name in files:
            temporary[name].replace(folder / name)
            del temporary[name]
    except OSError as error:
        raise InputError(
            f"copies could not be written to {folder} ({error.strerror})",
            needed="room and permission; then run it again",
        ) from error
    finally:
        for path in temporary.values():
            path.unlink(missing_ok=True)
    sync_folder(folder)


def _write(path: Path, content: bytes) -> None:
    with open(path, "xb", opener=lambda name, flags: os.open(name, flags, PRIVATE)) as file:
        file.write(content)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
