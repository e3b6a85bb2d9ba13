"""Answers of the models kept in a file, across documents and runs: the same results, and fewer questions.

A question is known only by a keyed hash of itself, and its answer is covered by a pad that only the question gives. So the file
shows neither text nor words of it; whoever has it can tell no more than whether a sentence that they know word by word, with
the models' fingerprint, was asked about. It is SQLite by hand since the answers are plain bytes: a general cache would pickle
them, and run what somebody wrote into the file.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b, shake_256
from itertools import islice
from pathlib import Path
from threading import Lock
from zlib import crc32

from lexprint.errors import SettingsError
from lexprint.models.protocols import Gap
from lexprint.substitution.candidates import Candidate

DEFAULT_MEGABYTES = 512
LEAST_MEGABYTES = 1
FORMAT = b"2"  # raised when what is stored changes its form
ASKED_AT_ONCE = 500  # keys in one statement; old SQLite takes no more than 999
WAIT_SECONDS = 10.0  # for other processes that write
CHECKED_EVERY = 2_000  # answers kept, between two looks at the size
REMOVED_SHARE = 4  # one in so many goes when the file is full, the longest unused first

_SCHEMA = """
CREATE TABLE IF NOT EXISTS secret (value BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS runs (number INTEGER PRIMARY KEY);
CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, value BLOB NOT NULL, run INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS answers_by_run ON answers (run);
"""


class AnswerFile:
    """What the models of one fingerprint have answered; may be used by many processes and threads at once.

    It never fails the work: if the disk is full or somebody else holds the file for long, models are asked as if it were empty.
    """

    def __init__(self, path: Path, *, fingerprint: str, megabytes: int = DEFAULT_MEGABYTES) -> None:
        if megabytes < LEAST_MEGABYTES:
            raise SettingsError("cache size", megabytes, needed=f"at least {LEAST_MEGABYTES} megabyte")
        self._path, self._limit = path, megabytes * 1_000_000
        self._fingerprint = fingerprint.encode()
        self._lock = Lock()
        self._process = self._kept = 0
        self._used: list[bytes] = []
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
            with self._connected() as connection:  # a process that forks must not hold it open
                connection.close()
                self._process = 0
        except (OSError, ValueError, sqlite3.Error) as error:
            raise SettingsError(
                "cache", str(path), needed="a file that can be written, or a name for a new one"
            ) from error

    def proposals(self, gaps: Sequence[Gap]) -> dict[Gap, tuple[Candidate, ...]]:
        """Those that are known."""
        asked = {self._question(b"proposals", gap.left, gap.word, gap.right): gap for gap in gaps}
        found = self._look_up(list(asked))
        return {asked[question]: _read_candidates(answer) for question, answer in found.items()}

    def keep_proposals(self, found: Mapping[Gap, tuple[Candidate, ...]]) -> None:
        self._keep(
            (self._question(b"proposals", gap.left, gap.word, gap.right), _candidate_bytes(candidates))
            for gap, candidates in found.items()
        )

    def entailments(self, pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], float]:
        """Those that are known."""
        asked = {self._question(b"entailment", *pair): pair for pair in pairs}
        return {
            asked[question]: struct.unpack("<d", answer)[0] for question, answer in self._look_up(list(asked)).items()
        }

    def keep_entailments(self, found: Mapping[tuple[str, str], float]) -> None:
        self._keep((self._question(b"entailment", *pair), struct.pack("<d", value)) for pair, value in found.items())

    def _question(self, kind: bytes, *parts: str) -> bytes:
        encoded = (FORMAT, self._fingerprint, kind, *(part.encode("utf-8", "surrogatepass") for part in parts))
        return b"".join(len(part).to_bytes(4) + part for part in encoded)

    def _look_up(self, questions: Sequence[bytes]) -> dict[bytes, bytes]:
        found: dict[bytes, bytes] = {}
        with suppress(sqlite3.Error), self._connected() as connection:
            named = {self._name(question): question for question in questions}
            names = iter(named)
            while some := list(islice(names, ASKED_AT_ONCE)):
                marks = ",".join("?" * len(some))
                rows = connection.execute(
                    f"SELECT key, value, run FROM answers WHERE key IN ({marks})",
                    [name.key for name in some],
                ).fetchall()
                by_key = {name.key: name for name in some}
                for key, value, run in rows:
                    name = by_key.get(key)  # damaged pages may give what nobody asked for
                    answer = None if name is None else name.uncover(value)
                    if name is not None and answer is not None:
                        found[named[name]] = answer
                        if run < self._run:
                            self._used.append(key)
            if len(self._used) >= ASKED_AT_ONCE:
                with connection:
                    self._tell_used(connection)
        return found

    def _keep(self, answers: Iterable[tuple[bytes, bytes]]) -> None:
        with suppress(sqlite3.Error), self._connected() as connection:
            named = ((self._name(question), answer) for question, answer in answers)
            rows = [(name.key, name.cover(answer), self._run) for name, answer in named]
            if not rows:
                return
            with connection:
                connection.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", rows)
                self._tell_used(connection)
            self._kept += len(rows)
            if self._kept >= CHECKED_EVERY:
                self._kept = 0
                self._make_room(connection)

    def _tell_used(self, connection: sqlite3.Connection) -> None:
        connection.executemany("UPDATE answers SET run = ? WHERE key = ?", [(self._run, key) for key in self._used])
        self._used.clear()

    def _make_room(self, connection: sqlite3.Connection) -> None:
        (used,) = connection.execute(
            "SELECT (page_count - freelist_count) * page_size "
            "FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
        ).fetchone()
        if used < 0.9 * self._limit:
            return
        with connection:
            connection.execute(
                "DELETE FROM answers WHERE key IN (SELECT key FROM answers ORDER BY run "
                f"LIMIT (SELECT count(*) / {REMOVED_SHARE} FROM answers))"
            )

    def _name(self, question: bytes) -> _Name:
        digest = blake2b(question, digest_size=48, key=self._secret).digest()
        return _Name(digest)

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        """One thread at a time; a forked process opens the file anew."""
        with self._lock:
            if self._process != os.getpid():
                self._open()
            yield self._connection

    def _open(self) -> None:
        connection = sqlite3.connect(self._path, timeout=WAIT_SECONDS, check_same_thread=False)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = OFF")  # what a power cut takes is asked again; damage is noticed
        connection.executescript(_SCHEMA)
        with connection:
            connection.execute(
                "INSERT INTO secret SELECT ? WHERE NOT EXISTS (SELECT 1 FROM secret)", [secrets.token_bytes(32)]
            )
            (self._secret,) = connection.execute("SELECT value FROM secret").fetchone()
            run = connection.execute("INSERT INTO runs DEFAULT VALUES").lastrowid
        self._run = run or 0
        self._used, self._kept = [], 0
        self._connection, self._process = connection, os.getpid()


@dataclass(frozen=True, slots=True)
class _Name:
    """What a question is known by, and the pad that covers its answer; neither leads to the other."""

    digest: bytes

    @property
    def key(self) -> bytes:
        return self.digest[:16]

    def cover(self, answer: bytes) -> bytes:
        return self._with_pad(answer + crc32(answer).to_bytes(4))

    def uncover(self, value: bytes) -> bytes | None:
        """The answer, or None if it is damaged."""
        plain = self._with_pad(value)
        answer, check = plain[:-4], plain[-4:]
        return answer if crc32(answer).to_bytes(4) == check else None

    def _with_pad(self, content: bytes) -> bytes:
        pad = shake_256(self.digest[16:]).digest(len(content))
        return (int.from_bytes(content) ^ int.from_bytes(pad)).to_bytes(len(content))


_CANDIDATE = struct.Struct("<d?dd")


def _candidate_bytes(candidates: Sequence[Candidate]) -> bytes:
    numbers = b"".join(
        _CANDIDATE.pack(one.log_probability, one.is_certain, one.acceptable, one.good) for one in candidates
    )
    words = "\0".join(one.word for one in candidates).encode("utf-8", "surrogatepass")
    return struct.pack("<I", len(candidates)) + numbers + words


def _read_candidates(answer: bytes) -> tuple[Candidate, ...]:
    (count,) = struct.unpack_from("<I", answer)
    end = 4 + _CANDIDATE.size * count
    words = answer[end:].decode("utf-8", "surrogatepass").split("\0") if count else []
    numbers = _CANDIDATE.iter_unpack(answer[4:end])
    return tuple(Candidate(word, *row) for word, row in zip(words, numbers, strict=True))
