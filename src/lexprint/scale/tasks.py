"""What workers do: mark a document, or analyse it for copies. Everything is decided by the task and the document alone."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from lexprint.coding.keys import MasterKey, load_keyring
from lexprint.engine import Engine
from lexprint.errors import InputError, LexprintError, SecretError
from lexprint.formats.projection import whole_projection
from lexprint.formats.source import Source, open_source
from lexprint.scale.jobs import Item, Product
from lexprint.text.editing import Edit, OffsetMap, apply_edits
from lexprint.text.languages import require_english_only
from lexprint.text.protection import PROTECTIONS, Protection
from lexprint.text.span import Span
from lexprint.workflows import Embedded, EmbeddedPayload, as_json, embed, embed_message, embed_payload
from lexprint.workflows.analysing import analyse_document

if TYPE_CHECKING:
    from lexprint.workflows import Analysis


@dataclass(frozen=True)
class KeyPlace:
    """Where a worker finds the key, which itself is never sent anywhere."""

    path: Path | None = field(repr=False)  # None: the environment, or the working folder
    key_id: str

    def load(self) -> MasterKey:
        return _loaded(self.path, self.key_id)


@cache
def _loaded(path: Path | None, key_id: str) -> MasterKey:
    keyring = load_keyring(path, environment=os.environ)
    if keyring.newest.id != key_id:
        raise SecretError(
            f"the key on this machine is {keyring.newest.id}, the one that was asked for is {key_id}",
            needed="the same key file on every machine",
        )
    return keyring.newest


@dataclass(frozen=True, kw_only=True)
class Embedding:
    """Write the same to every document, or to each its own payload; exactly one of the first three, or `key` alone."""

    bits: tuple[int, ...] | None = None
    message: str | None = None
    payload: str | None = None  # None with a key: every document brings its own
    key: KeyPlace | None = None
    payload_bits: int | None = None
    false_positive: float = 1e-6
    with_records: bool = field(default=False)
    any_language: bool = field(default=False)  # else what is not English is refused

    def prepare(self, engine: Engine) -> None:
        if self.key is not None:
            self.key.load()
        _ = engine.substituter

    def perform(self, engine: Engine, item: Item) -> Product:
        if isinstance(item.content, str):
            protected = whole_projection(item.content).protected  # as in a plain text file
            marked = self._marked(engine, item.content, protected, item.payload)
            return Product(item.name, marked.text, self._record(marked), marked.record.words)
        source = open_source(item.content, name=Path(item.name).name)
        if not source.is_writable:
            source.with_edits(())  # says in the format's own words what to start from
        marked = self._marked(engine, source.text, source.protected, item.payload)
        content = with_edits(source, marked.record.edits, name=Path(item.name).name)
        return Product(item.name, content, self._record(marked), marked.record.words)

    def _marked(
        self, engine: Engine, text: str, protected: Iterable[Span], own: str | None
    ) -> Embedded | EmbeddedPayload:
        if not self.any_language:
            require_english_only(text)
        if self.bits is not None:
            return embed(engine, text, self.bits, protected=protected)
        if self.message is not None:
            return embed_message(engine, text, self.message, protected=protected)
        payload = self.payload if own is None else own
        if self.key is None or payload is None:
            raise InputError("the document has no payload", needed="one for all, or one for each")
        return embed_payload(
            engine,
            text,
            payload if self.payload_bits is None else as_number(payload),
            key=self.key.load(),
            bits=self.payload_bits,
            protected=protected,
            false_positive=self.false_positive,
        )

    def _record(self, marked: Embedded | EmbeddedPayload) -> bytes | None:
        return json_bytes(as_json(marked)) if self.with_records else None


@dataclass(frozen=True, kw_only=True)
class Analysing:
    """Find where copies of each document may differ."""

    protected_phrases: tuple[str, ...] = ()
    protections: tuple[Protection, ...] = tuple(sorted(PROTECTIONS))  # in order, so that equal tasks look equal

    def prepare(self, engine: Engine) -> None:
        _ = engine.substituter, engine.sentence_encoder

    def perform(self, engine: Engine, item: Item) -> Product:
        if isinstance(item.content, str):
            found = self._analysis(engine, item.content, whole_projection(item.content).protected)
        else:
            source = open_source(item.content, name=Path(item.name).name)
            found = self._analysis(engine, source.text, source.protected)
        return Product(item.name, found, words=found.words)

    def _analysis(self, engine: Engine, text: str, protected: Iterable[Span]) -> Analysis:
        return analyse_document(
            engine,
            text,
            protected=protected,
            protected_phrases=self.protected_phrases,
            protections=self.protections,
        )


def with_edits(source: Source, edits: tuple[Edit, ...], *, name: str) -> bytes:
    """The file with the edits made, which a reader sees as the same text with the edits made."""
    content = source.with_edits(edits)
    seen = open_source(content, name=name)
    protected = tuple(map(OffsetMap(edits).new_span, source.protected))
    if (seen.text, seen.protected, seen.kind) != (apply_edits(source.text, edits), protected, source.kind):
        raise LexprintError(f"{name}, {source.kind}, would not read back as it was written; please report this")
    return content


def as_number(payload: str) -> int:
    if not (payload.isascii() and payload.isdigit() and len(payload) <= 40):
        raise InputError("a payload is no number, though it is to take a number of bits", needed="a whole number")
    return int(payload)


def json_bytes(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "surrogatepass")
