"""What is finished, and files that appear whole: by these a second run does only what is left.

One process at a time writes to a target. A file is made in the state folder and renamed into place, so whatever has a name is
whole; a line of the manifest follows. If the process dies between the two, the file is made again, byte for byte the same.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from lexprint.errors import InputError
from lexprint.workflows.copy_files import digest_of_file, sole_writer

STATE = ".lexprint"  # folder below the target; hidden, so that no command reads it as documents
MANIFEST = "manifest.jsonl"
_TEMPORARY = "unfinished-"


@dataclass(frozen=True)
class Finished:
    """A job that was done: of which input and with which options, and what came of it."""

    key: str
    outputs: Mapping[str, str]  # file below the target, and its SHA-256


@dataclass(frozen=True)
class State:
    """Of one target folder, held by one process."""

    target: Path
    folder: Path
    finished: dict[str, Finished] = field(default_factory=dict, repr=False)

    def is_current(self, job: str, key: str) -> bool:
        """Whether the job was done with the same input and options, and nobody changed its files since."""
        known = self.finished.get(job)
        return (
            known is not None
            and known.key == key
            and all(digest_of_file(self.target / name) == digest for name, digest in known.outputs.items())
        )

    def finish(self, job: str, key: str, outputs: Mapping[str, bytes], *, mode: int | None = None) -> None:
        """Put the files of a job into place and remember it; `mode` is their permissions, if not the usual ones."""
        digests = {name: hashlib.sha256(content).hexdigest() for name, content in outputs.items()}
        for name, digest in digests.items():
            self.require_own(job, name, digest)
        for name, content in outputs.items():
            with self.placing(name, mode=mode) as temporary:
                temporary.write_bytes(content)
        self.remember(job, key, digests)

    def require_own(self, job: str, name: str, digest: str | None = None) -> None:
        """Refuse to overwrite a file that no earlier run of the job made, unless it is just what is to be written."""
        found = digest_of_file(self.target / name)
        known = self.finished.get(job)
        if found not in (None, digest) and (known is None or known.outputs.get(name) != found):
            raise InputError(
                f"{self.target / name} exists with different content",
                needed="another place, or to move that file away",
            )

    def remember(self, job: str, key: str, digests: Mapping[str, str]) -> None:
        self.finished[job] = Finished(key, digests)
        line = json.dumps({"job": job, "key": key, "outputs": dict(digests)})
        with self._writing(), (self.folder / MANIFEST).open("a", encoding="ascii") as file:
            file.write(line + "\n")

    @contextmanager
    def placing(self, name: str, *, mode: int | None = None) -> Iterator[Path]:
        """Where to write a file that takes its name, below the target, once it is whole."""
        temporary = self.folder / f"{_TEMPORARY}{secrets.token_hex(8)}"
        with self._writing():
            try:
                if mode is not None:
                    temporary.touch(mode | 0o200)
                yield temporary
                with temporary.open("rb") as file:
                    os.fsync(file.fileno())
                (self.target / name).parent.mkdir(parents=True, exist_ok=True)
                temporary.replace(self.target / name)
            finally:
                temporary.unlink(missing_ok=True)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise InputError(
                f"{self.target} could not be written ({error.strerror})",
                needed="room and permission; then run it again",
            ) from error


@contextmanager
def state_of(target: Path, *, folder: Path | None = None) -> Iterator[State]:
    """The state of a target folder, made if need be, for one process at a time."""
    with sole_writer(folder := folder or target / STATE):
        for leftover in folder.glob(f"{_TEMPORARY}*"):
            leftover.unlink(missing_ok=True)
        yield State(target, folder, _read(folder / MANIFEST))


def _read(path: Path) -> dict[str, Finished]:
    """The last line of each job counts; a line that was cut short by a crash does not."""
    finished: dict[str, Finished] = {}
    with suppress(FileNotFoundError), path.open(encoding="ascii", errors="replace") as lines:
        for line in lines:
            with suppress(ValueError, KeyError, TypeError, AttributeError):
                entry = json.loads(line)
                finished[entry["job"]] = Finished(entry["key"], dict(entry["outputs"]))
    return finished


def key_of(*parts: str | bytes) -> str:
    """One name for an input and the options it was done with."""
    digest = hashlib.sha256()
    for part in parts:
        content = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(len(content).to_bytes(8))
        digest.update(content)
    return digest.hexdigest()
