"""What travels to workers and back: small values that can be pickled. A master key cannot, and does not travel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from lexprint.engine import Engine
from lexprint.errors import LexprintError


@dataclass(frozen=True, slots=True)
class Item:
    """A document: the bytes of a file, or a text that stands for itself."""

    name: str  # a path below the folder, or the number of a row
    content: bytes | str = field(repr=False)
    payload: str | None = field(default=None, repr=False)  # of this document alone


@dataclass(frozen=True, slots=True)
class Job:
    """Documents that one worker takes at once, and that are done or not done together."""

    name: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Product:
    """What a document became."""

    name: str
    content: object = field(repr=False)  # bytes for a file, a text for a text, or a result
    record: bytes | None = field(default=None, repr=False)  # what restoring needs
    words: int = 0


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a document became nothing; the message holds no text of it."""

    name: str
    kind: str  # class of the error
    message: str


@dataclass(frozen=True, slots=True)
class Warned:
    """What should be known of a document before its copies go out; the message holds no text of it."""

    name: str
    message: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """A job's products and failures, one for each of its documents, in order."""

    job: str
    results: tuple[Product | Failure, ...]


class Task(Protocol):
    """What is done with each document, the same in every worker."""

    def prepare(self, engine: Engine) -> None:
        """Load what will be needed: before processes part, so that they share it."""

    def perform(self, engine: Engine, item: Item) -> Product: ...


OnItems: TypeAlias = Callable[[int, int], None]  # documents done, documents in all


def perform(engine: Engine, task: Task, job: Job) -> Outcome:
    """All documents of a job; one that fails does not stop the rest."""
    return Outcome(job.name, tuple(_performed(engine, task, item) for item in job.items))


def _performed(engine: Engine, task: Task, item: Item) -> Product | Failure:
    try:
        return task.perform(engine, item)
    except LexprintError as error:
        return failure_of(item.name, error)
    except Exception as error:  # noqa: BLE001 # the edge of a worker: a bug fails its document; a message may quote text
        return Failure(
            item.name, type(error).__name__, "lexprint failed on this document; please report the kind of error"
        )


def failure_of(name: str, error: LexprintError) -> Failure:
    return Failure(name, type(error).__name__, str(error))


def lost(job: Job, *, times: int) -> Outcome:
    """A job whose worker died whenever it was tried."""
    message = f"the worker died {times} times on it; it may need more memory than there is"
    return Outcome(job.name, tuple(Failure(item.name, "WorkerDied", message) for item in job.items))
