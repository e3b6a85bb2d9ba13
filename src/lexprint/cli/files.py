"""Files of every format: what cannot be written is refused before the work, and no file is ever half written."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from lexprint.cli import console
from lexprint.cli.console import OutputClosed
from lexprint.errors import FormatError, InputError, LexprintError
from lexprint.formats.folders import names_below
from lexprint.formats.table import ACCEPTED, PROMISED, WRITABLE
from lexprint.whole_files import write_whole

if TYPE_CHECKING:
    from lexprint.formats.encodings import EncodedText
    from lexprint.formats.source import Source
    from lexprint.text.editing import Edit
    from lexprint.text.span import Span

PIPE = "-"  # standard input or output
DOCUMENT = f"{WRITABLE[0].upper()}{WRITABLE[1:]}; or - for standard input."
READABLE = f"{ACCEPTED[0].upper()}{ACCEPTED[1:]}; or - for standard input."


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
        promised = PROMISED.get(Path(target).suffix.lower(), self.source.kind)
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
class FileAnswer:
    """What a command says of one file among many."""

    line: str
    value: dict[str, object]  # the same for machines
    exit_code: int = 0


def print_each(folder: str, look_at: Callable[[str], FileAnswer], *, as_json: bool) -> int:
    """A line, or an entry of a list, for every file below a folder, in order; gives the worst exit code.

    A file that cannot be read does not stop the rest. Hidden files and folders are left out.
    """
    entries: list[dict[str, object]] = []
    exit_code = 0
    for name in names_below(Path(folder)):
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
            write_whole(Path(name), content, mode=mode)
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
