"""Text files, byte for byte: any common encoding and line ending comes back as it was, and no file is ever half written."""

from __future__ import annotations

import codecs
import json
import os
import secrets
import stat
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from lexprint.cli.console import ReaderGone
from lexprint.errors import FormatError, InputError

PIPE = "-"  # standard input or output

# Longest first: the mark of UTF-32 begins with that of UTF-16.
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_WITHOUT_MARK = ("utf-8", "cp1252", "latin-1")  # the last one fits any bytes


@dataclass(frozen=True)
class TextFile:
    """A text and how it was written, so that it can be written so again."""

    text: str = field(repr=False)
    encoding: str
    mark: bytes  # byte order mark
    mode: int | None  # permissions; None: it came through a pipe

    def encoded(self, text: str) -> bytes:
        return self.mark + text.encode(self.encoding)


def read_text_file(name: str) -> TextFile:
    """A file, or standard input for `-`."""
    if name == PIPE:
        return _decoded("standard input", _standard_input(), mode=None)
    path = Path(name)
    content = read_bytes(path)
    return _decoded(path.name, content, mode=stat.S_IMODE(path.stat().st_mode))


def read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise FormatError(str(path), found="not there", needed="a file that exists") from error
    except IsADirectoryError as error:
        raise FormatError(str(path), found="a folder", needed="a file") from error
    except (OSError, ValueError) as error:  # a name with a NUL character is a ValueError
        raise FormatError(str(path), found="not readable", needed="a file that may be read") from error


def read_json_file(name: str) -> object:
    path = Path(name)
    try:
        value: object = json.loads(_standard_input() if name == PIPE else read_bytes(path))
    except (ValueError, RecursionError) as error:
        raise FormatError(path.name, found="not JSON", needed="the JSON that lexprint embed wrote") from error
    return value


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise InputError("standard input is closed", needed="a text on standard input")
    return sys.stdin.buffer.read()


def _decoded(name: str, content: bytes, *, mode: int | None) -> TextFile:
    for mark, encoding in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            try:
                return TextFile(content[len(mark) :].decode(encoding), encoding, mark, mode)
            except UnicodeDecodeError as error:
                raise FormatError(name, found=f"damaged {encoding.upper()}", needed="a text file") from error
    if b"\0" in content:
        raise FormatError(name, found="not text", needed="a text file; UTF-16 needs its byte order mark")
    for encoding in _WITHOUT_MARK:
        with suppress(UnicodeDecodeError):
            return TextFile(content.decode(encoding), encoding, b"", mode)
    raise AssertionError("Latin-1 fits any bytes")


def require_writable(name: str, *others: str) -> None:
    """Refuse before the work what could not be written after it; `others` are files that must not be overwritten."""
    if name == PIPE:
        return
    path = Path(name)
    if path.is_dir():
        raise InputError(f"{path} is a folder", needed="the name of a file to write")
    if path.exists() and not path.is_file():
        return  # a device or a named pipe
    if not path.parent.is_dir():
        raise InputError(f"the folder {path.parent} does not exist", needed="a folder that exists")
    if not os.access(path.parent, os.W_OK):
        raise InputError(f"nothing may be written to the folder {path.parent}", needed="another folder")
    for other in others:
        if other != PIPE and _are_same(path, Path(other)):
            raise InputError(f"{path} would be overwritten", needed="another file for every input and output")


def _are_same(one: Path, other: Path) -> bool:
    if one.exists() and other.exists():
        return one.samefile(other)
    return one.resolve() == other.resolve()


def write_bytes(name: str, content: bytes, *, mode: int | None = None) -> None:
    """All of it or nothing: a failure leaves what was there before; `mode` is for files that are new."""
    try:
        if name == PIPE:
            _write_standard_output(content)
        elif Path(name).exists() and not Path(name).is_file():
            Path(name).write_bytes(content)  # a device or a named pipe: nothing to replace
        else:
            _replace(Path(name).resolve(), content, mode)
    except BrokenPipeError as error:
        raise ReaderGone from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "the name is no file name"
        raise InputError(f"{name} could not be written ({reason})", needed="a place that can be written") from error


def _write_standard_output(content: bytes) -> None:
    if sys.stdout is None:
        raise InputError("standard output is closed", needed="a file or an open pipe")
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def _replace(path: Path, content: bytes, mode: int | None) -> None:
    kept = stat.S_IMODE(path.stat().st_mode) if path.exists() else None
    wanted = 0o666 if mode is None else mode  # less what the user's mask forbids
    temporary = path.with_name(f".lexprint-{secrets.token_hex(8)}.tmp")
    try:
        with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, wanted | stat.S_IWUSR)) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if kept is not None:
            temporary.chmod(kept)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Makes the new name last through a power cut, where the system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
