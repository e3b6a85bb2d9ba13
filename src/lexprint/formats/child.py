"""Files of strangers are read by a process of their own, with limits on processor, memory and time.

A hostile file can keep any reader busy for ever or eat all memory, and only a process can be stopped. It is given the file and
nothing else: no key, no registry. What it answers is data, never code: the unpickler knows a few classes and no functions.
"""

from __future__ import annotations

import io
import json
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from lexprint.errors import FormatError, LexprintError, SettingsError
from lexprint.formats.image_size import is_coloured
from lexprint.formats.protocol import Source
from lexprint.formats.reading import SCANNED
from lexprint.formats.table import FORMATS

MEGABYTE = 1_000_000
SECONDS_PER_MEGABYTE = 3.0  # what a large file may take more than a small one
MEMORY_PER_BYTE = 30
USUAL_MEGABYTES = 320.0
# What was read, pickled: whoever asked needs some twenty times that in memory, and time to cut it into sentences.
LARGEST_ANSWER = 8 * MEGABYTE  # of a small file, with the usual memory
ANSWER_PER_BYTE = 20  # markup is packed ten to one, and a few times more than it says
SCAN_MEGABYTES = 60  # that Tesseract needs beyond what a reader does
# What a picture takes follows from its pixels, which are limited: bytes behind it buy neither memory nor time.
PICTURE_PER_BYTE = 1
COLOUR_MEGABYTES = (
    220  # that a photograph of 50 megapixels takes more than a scan in grey, if its file is one of a camera
)

_ENVIRONMENT = "LEXPRINT_"
_SECONDS, _MEGABYTES = f"{_ENVIRONMENT}READING_SECONDS", f"{_ENVIRONMENT}READING_MEGABYTES"
_NOUNS = {SCANNED: "PDF", "Markdown": "Markdown file"}


@dataclass(frozen=True, kw_only=True)
class ReadingLimits:
    """What it may take to read a file of a few pages; a large one may take more."""

    seconds: float = 5.0  # of a processor; whoever asked needs as much again for what was read
    scan_seconds: float = 120.0  # if Tesseract has to read pictures
    most_seconds: float = 600.0  # however large the file is; also by the clock, on however busy a machine
    megabytes: float = USUAL_MEGABYTES

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            if not 0.0 < getattr(self, name) <= 1e6:
                raise SettingsError(f"reading {name}", getattr(self, name), needed="a number above 0")


def default_limits(environment: Mapping[str, str] = os.environ) -> ReadingLimits:
    """The usual ones, unless `LEXPRINT_READING_SECONDS` or `LEXPRINT_READING_MEGABYTES` grants other ones.

    >>> default_limits({"LEXPRINT_READING_SECONDS": "600"})
    ReadingLimits(seconds=600.0, scan_seconds=600.0, most_seconds=600.0, megabytes=320.0)
    """
    values: dict[str, float] = {}
    for variable, names in ((_SECONDS, ("seconds", "scan_seconds", "most_seconds")), (_MEGABYTES, ("megabytes",))):
        if written := environment.get(variable):
            try:
                values |= dict.fromkeys(names, float(written))
            except ValueError as error:
                raise SettingsError(variable, written, needed="a number above 0") from error
    return ReadingLimits(**values)


def read_in_child(kind: str, content: bytes, *, name: str, limits: ReadingLimits | None = None) -> Source:
    """The file as the child has read it."""
    limits = limits or default_limits()
    found = _read(kind, content, name, limits)
    if found is None:  # a PDF with pages that have no text
        found = _read(SCANNED, content, name, limits)
    if found is None:
        raise damaged(kind, name)
    return found


def damaged(task: str, name: str) -> FormatError:
    noun = _NOUNS.get(task, task)
    article = "an" if noun[0] in "aeiO" else "a"
    return FormatError(
        name, found=f"{article} {noun} that cannot be read", needed=f"{article} {noun} that other programs open"
    )


def too_complex(task: str, name: str, *, seconds: float, megabytes: float) -> FormatError:
    return FormatError(
        name,
        found=f"too complex, as {_NOUNS.get(task, task)}",
        needed=f"a file that is read within {seconds:.0f} seconds and {megabytes:.0f} MB, "
        f"or more of either, if you trust it ({_SECONDS}, {_MEGABYTES})",
    )


def _read(task: str, content: bytes, name: str, limits: ReadingLimits) -> Source | None:
    is_scan = task in ("image", SCANNED)
    more = len(content) / MEGABYTE
    megabytes = limits.megabytes + more * MEMORY_PER_BYTE + (SCAN_MEGABYTES if is_scan else 0)
    seconds = (limits.scan_seconds if is_scan else limits.seconds) + more * SECONDS_PER_MEGABYTE
    if task == "image":
        megabytes = limits.megabytes + SCAN_MEGABYTES + more * PICTURE_PER_BYTE
        megabytes += min(more * MEMORY_PER_BYTE, COLOUR_MEGABYTES) if is_coloured(content) else 0
        seconds = limits.scan_seconds
    seconds = min(seconds, limits.most_seconds)
    request = {
        "task": task,
        "name": name,
        "seconds": seconds,
        "most_seconds": limits.most_seconds,
        "megabytes": megabytes,
        "answer_bytes": round(LARGEST_ANSWER * limits.megabytes / USUAL_MEGABYTES) + ANSWER_PER_BYTE * len(content),
    }
    answer, code = _ask(json.dumps(request).encode() + b"\n" + content, seconds=limits.most_seconds)
    if answer is None or code in _STOPPED:
        raise too_complex(task, name, seconds=seconds, megabytes=megabytes)
    try:
        found: Any = _Unpickler(io.BytesIO(answer)).load()
    except Exception as error:  # whatever a broken or hostile answer makes of it
        raise damaged(task, name) from error
    if isinstance(found, LexprintError):
        raise found
    source: Source | None = found
    return source


# How a process ends that has used up its time: processor, processor for good, and its own alarm.
_STOPPED = {-getattr(signal, name) for name in ("SIGXCPU", "SIGKILL", "SIGALRM") if hasattr(signal, name)}


def _ask(request: bytes, *, seconds: float) -> tuple[bytes | None, int]:
    """What the child says, None if its time is up, and its exit code; -P: nothing of the working folder is imported."""
    command = [sys.executable, "-P", "-m", "lexprint.formats.child_main"]
    environment = {variable: value for variable, value in os.environ.items() if not variable.startswith(_ENVIRONMENT)}
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        start_new_session=True,  # so that whatever it starts can be ended with it
    ) as process:
        try:
            answer, _ = process.communicate(request, timeout=seconds)
        except subprocess.TimeoutExpired:
            _end(process)
            return None, 0
        except BaseException:
            _end(process)
            raise
    return answer, process.returncode


def _end(process: subprocess.Popen[bytes]) -> None:
    """It and its own children; it has not been waited for, so its number is still its own."""
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


_KNOWN: dict[str, set[str]] = {
    "lexprint.errors": {"ExtraMissing", "FormatError", "_restore"},
    "lexprint.formats.encodings": {"EncodedText"},
    "lexprint.formats.projection": {"Piece", "Projection"},
    "lexprint.text.span": {"Span"},
    "zipfile": {"ZipInfo"},
}
for _row in FORMATS.values():
    for _module, _names in _row.classes.items():
        _KNOWN.setdefault(f"lexprint.formats.{_module}", set()).update(_names)


class _Unpickler(pickle.Unpickler):
    """For the answers of children, which know these classes and nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        if name not in _KNOWN.get(module, ()):
            raise pickle.UnpicklingError(f"{module}.{name} is no part of an answer")
        return super().find_class(module, name)
