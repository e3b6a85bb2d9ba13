"""Files of every format: what cannot be written is refused before the work, and no file is ever half written."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import stat
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from lexprint.cli import console
from lexprint.cli.console import OutputClosed
from lexprint.errors import FormatError, InputError, LexprintError

try:
    import fcntl
except ImportError:  # not on this system: what a killed command leaves is then the user's care
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from lexprint.formats.encodings import EncodedText
    from lexprint.formats.source import Source
    from lexprint.text.editing import Edit
    from lexprint.text.span import Span

PIPE = "-"  # standard input or output
DOCUMENT = "A Word document, HTML, Markdown or plain text, or - for standard input."
READABLE = "A Word document, HTML, Markdown, plain text, a PDF, mail or an image; or - for standard input."

_TEMPORARY = ".lexprint-"

# Names that promise a format which no other content has; what else a file is, its content says.
_PROMISES = {".docx": "Word document", ".pdf": "PDF"} | dict.fromkeys(
    (".png", ".jpg", ".jpeg", ".tif", ".tiff"), "image"
)


@dataclass(frozen=True)
class OpenedFile:
    """A document, and what is needed to write it again."""

    source: Source = field(repr=False)
    content: bytes = field(repr=False)
    name: str
    mode: int | None  # permissions; None: it came through a pipe

    @property
    def text(self) -> str:
        return self.source.text

    @property
    def protected(self) -> tuple[Span, ...]:
        return self.source.protected

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.content).hexdigest()

    def require_writable(self, target: str) -> None:
        """Refuse before the work what could not be read after it: a format that is only read, or a name that misleads."""
        if not self.source.is_writable:
            self.source.with_edits(())  # says in the format's own words what to start from
        promised = _PROMISES.get(Path(target).suffix.lower(), self.source.kind)
        if promised != self.source.kind:
            raise _misnamed(target, as_kind=promised, kind=self.source.kind)
        self._require_same(self.content, self.source.text, self.protected, target=target)

    def with_edits(self, edits: Sequence[Edit], *, target: str) -> bytes:
        """The file with the edits made, which a reader will see as the same text with the edits made."""
        from lexprint.text.editing import OffsetMap, apply_edits

        try:
            content = self.source.with_edits(edits)
        except ValueError as error:  # a record of something that was marked as plain text
            raise InputError(
                f"{self.name} has parts that must not change, and the record changes them",
                needed="the record that was written with this copy",
            ) from error
        protected = tuple(map(OffsetMap(edits).new_span, self.protected))
        self._require_same(content, apply_edits(self.text, edits), protected, target=target)
        return content

    def _require_same(self, content: bytes, text: str, protected: Sequence[Span], *, target: str) -> None:
        from lexprint.formats.source import open_source

        is_file = target != PIPE and (Path(target).is_file() or not Path(target).exists())
        name = Path(target).name if is_file else self.name  # the name tells Markdown from plain text
        seen = open_source(content, name=name)
        if (seen.text, seen.protected) == (text, tuple(protected)):
            return
        if seen.kind != self.source.kind:
            raise _misnamed(target, as_kind=seen.kind, kind=self.source.kind)
        raise LexprintError(
            f"{self.name}, {self.source.kind}, would not read back as it was written; please report this"
        )


def _misnamed(target: str, *, as_kind: str, kind: str) -> InputError:
    return InputError(f"{target} would be taken for {as_kind}, and it is {kind}", needed=f"a name that fits {kind}")


def open_file(name: str) -> OpenedFile:
    """A document of any format: a file, or standard input for `-`."""
    from lexprint.formats.source import open_source

    path = Path(name)
    content = read_standard_input() if name == PIPE else read_bytes(path)
    shown = "standard input" if name == PIPE else path.name
    mode = None if name == PIPE else stat.S_IMODE(path.stat().st_mode)
    return OpenedFile(open_source(content, name=shown), content, shown, mode)


def read_text_file(name: str) -> EncodedText:
    """A list or a table, in any encoding: a file, or standard input for `-`."""
    from lexprint.formats.encodings import decode_text

    if name == PIPE:
        return decode_text(read_standard_input(), name="standard input")
    return decode_text(read_bytes(Path(name)), name=Path(name).name)


def is_folder(name: str) -> bool:
    return name != PIPE and Path(name).is_dir()


@dataclass(frozen=True)
class Outcome:
    """What a command says of one file among many."""

    line: str
    value: dict[str, object]  # the same for machines
    exit_code: int = 0


def print_each(folder: str, look_at: Callable[[str], Outcome], *, as_json: bool) -> int:
    """A line, or an entry of a list, for every file below a folder, in order; gives the worst exit code.

    A file that cannot be read does not stop the rest. Hidden files and folders are left out.
    """
    entries: list[dict[str, object]] = []
    exit_code = 0
    for name in _names_below(Path(folder)):
        try:
            outcome = look_at(str(Path(folder) / name))
        except LexprintError as error:
            console.say(f"lexprint: {console.printable(name)}: {error}")
            entries.append({"file": name, "error": str(error)})
            exit_code = max(exit_code, error.exit_code)
            continue
        exit_code = max(exit_code, outcome.exit_code)
        entries.append({"file": name, **outcome.value})
        if not as_json:
            console.print_line(f"{console.printable(name)}: {outcome.line}")
    if as_json:
        console.print_json(entries)
    return exit_code


def _names_below(folder: Path) -> list[str]:
    names = []
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        inside = (Path(place, name) for name in files if not name.startswith("."))
        names += [path.relative_to(folder).as_posix() for path in inside if path.is_file()]
    if not names:
        raise FormatError(str(folder), found="a folder without files", needed="a file, or a folder with some")
    return sorted(names)


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
        value: object = json.loads(read_standard_input() if name == PIPE else read_bytes(path))
    except (ValueError, RecursionError) as error:
        raise FormatError(path.name, found="not JSON", needed="the JSON that lexprint embed wrote") from error
    return value


def read_standard_input() -> bytes:
    if sys.stdin is None:
        raise InputError("standard input is closed", needed="a document on standard input")
    return sys.stdin.buffer.read()


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
        raise OutputClosed from error
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
    _remove_abandoned(path.parent)
    file, temporary = _new_file(path.parent, wanted | stat.S_IWUSR)
    try:
        with file:
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


def _new_file(folder: Path, mode: int) -> tuple[BinaryIO, Path]:
    """An unfinished file, locked; made again if another command took it for abandoned before it was."""
    while True:
        path = folder / f"{_TEMPORARY}{secrets.token_hex(8)}.tmp"
        file = open(path, "xb", opener=lambda name, flags: os.open(name, flags, mode))  # noqa: SIM115 # the caller's
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        if path.exists():
            return file, path
        file.close()


def _remove_abandoned(folder: Path) -> None:
    """Unfinished files of killed commands: those of living ones are locked."""
    for leftover in folder.glob(f"{_TEMPORARY}*.tmp"):
        with suppress(OSError), leftover.open("rb") as file:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                leftover.unlink()


def _sync_folder(folder: Path) -> None:
    """Makes the new name last through a power cut, where the system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
