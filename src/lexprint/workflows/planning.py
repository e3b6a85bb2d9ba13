"""Which copies a document is to have: who has one already, who gets the next number, and whether there is room for all.

Nothing is written before its plan is in the registry. Numbers belong to whoever records first; others plan again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from math import ceil
from pathlib import Path, PurePath
from typing import Self

import numpy as np

from lexprint.coding.codewords import codewords, new_salt
from lexprint.coding.keys import Keyring
from lexprint.errors import InputError, RegistryConflict, RegistryError, TooFewSites, UnknownDocument
from lexprint.formats.hidden_contents import hidden_warnings
from lexprint.formats.source import Source, open_source
from lexprint.registry.packing import person
from lexprint.registry.protocol import Registry
from lexprint.registry.records import DocumentRecord, IssuedCopy
from lexprint.settings import Settings, has_denser_profile
from lexprint.tracing.significance import sites_needed
from lexprint.tracing.trace_turns import share_of_turn
from lexprint.tracing.verdict import ERROR_BOUND
from lexprint.workflows.copy_files import copy_file_name, digest_of_file, extension_of, safe_part
from lexprint.workflows.marking import segmented

USUAL_SITES_PER_WORD = 0.08  # in running text; for texts without any site
MAX_RETRIES = 100  # of others who record copies of the same document between planning and recording
CODEWORDS = "codewords"  # purpose of the derived key


@dataclass(frozen=True)
class Master:
    """What copies are made of."""

    source: Source = field(repr=False)
    name: str  # as its owner calls it
    digest: str  # SHA-256 of the file
    extension: str  # of the names of its copies
    warnings: tuple[str, ...] = ()  # for whoever gives copies away

    @classmethod
    def of(
        cls,
        content: bytes,
        source: Source | None = None,
        *,
        file_name: str,
        name: str | None = None,
    ) -> Self:
        """The document in a file; it is called like the file, unless a name is given."""
        return cls(
            source=open_source(content, name=file_name) if source is None else source,
            name=PurePath(file_name).stem if name is None else name,
            digest=sha256(content).hexdigest(),
            extension=extension_of(file_name),
            warnings=hidden_warnings(content),
        )

    @property
    def text(self) -> str:
        return self.source.text


@dataclass(frozen=True)
class Plan:
    """Copies for some recipients; nothing of it is recorded yet."""

    record: DocumentRecord
    copies: tuple[IssuedCopy, ...]
    unrecorded: tuple[IssuedCopy, ...]  # those that the registry does not know
    missing: tuple[IssuedCopy, ...]  # those whose files are yet to be written
    compared: int  # copies of the document in all

    @property
    def is_new(self) -> bool:
        """Whether the registry does not know the document."""
        return self.compared == len(self.unrecorded)


@dataclass(frozen=True)
class Planner:
    """Plans copies of a document, again and again if need be; nobody's salt changes by that."""

    record: DocumentRecord
    recipients: Sequence[str]
    master: Master
    keyring: Keyring = field(repr=False)
    registry: Registry
    folder: Path
    settings: Settings  # with which the sites were found
    _salts: dict[str, bytes] = field(default_factory=dict, init=False, repr=False)  # drawn by now, by person

    def plan(self) -> Plan:
        """A copy for everyone who has none; whatever must be refused is refused here."""
        record, folder = self.record, self.folder
        known = _known_copies(self.registry, record.id)
        by_person = {person(copy.recipient): copy for copy in known}
        newcomers = [recipient for recipient in self.recipients if person(recipient) not in by_person]
        compared = len(known) + len(newcomers)
        if record.issuing == "registered":
            _require_sites(record, compared, self.settings)
        planned = self._new_copies(newcomers, after=max((copy.number for copy in known), default=0))
        for copy in planned:
            if digest_of_file(folder / copy.file_name) is not None:
                raise foreign_file(folder / copy.file_name)
        _require_own_manifest(record, folder)
        by_person |= {person(copy.recipient): copy for copy in planned}
        copies = sorted((by_person[person(recipient)] for recipient in self.recipients), key=lambda copy: copy.number)
        missing = [copy for copy in copies if not _is_there(copy, folder)]
        return Plan(record, tuple(copies), tuple(planned), tuple(missing), compared)

    def _new_copies(self, recipients: Sequence[str], *, after: int) -> list[IssuedCopy]:
        if not recipients:
            return []
        record = self.record
        salts = [self._salts.setdefault(person(recipient), new_salt()) for recipient in recipients]
        symbols: Iterable[tuple[int, ...]] = [()] * len(recipients)
        if record.issuing == "registered":
            secret = self.keyring.find(record.key_id).derive(CODEWORDS, document=record.id)
            drawn = codewords(secret, salts, np.array(record.biases), choices=record.choices)
            symbols = map(tuple, drawn.tolist())
        return [
            IssuedCopy(
                document_id=record.id,
                number=number,
                recipient=recipient,
                codeword=codeword,
                salt=salt,
                file_name=copy_file_name(record.name, number, recipient, extension=self.master.extension),
            )
            for number, (recipient, codeword, salt) in enumerate(
                zip(recipients, symbols, salts, strict=True), start=after + 1
            )
        ]


def record_plan(planned: Callable[[], Plan], registry: Registry) -> Plan:
    """A plan that is in the registry, before any file appears; made again where others issue the document meanwhile.

    Of several at once one is recorded each time, so as many may come between as there are others.
    """
    for _ in range(MAX_RETRIES):
        plan = planned()
        try:
            _record(plan, registry)
        except RegistryConflict:
            continue
        return plan
    raise RegistryError("others keep issuing this document at the same time; run it again when they are done")


def _record(plan: Plan, registry: Registry) -> None:
    """In one transaction."""
    if plan.is_new:
        registry.add_document(plan.record, plan.unrecorded)
    elif plan.unrecorded:
        registry.plan_copies(plan.record.id, plan.unrecorded)


def _known_copies(registry: Registry, document_id: str) -> list[IssuedCopy]:
    """None if the document is not registered; one that is has copies."""
    try:
        return registry.copies(document_id)
    except UnknownDocument:
        return []


def fewest_sites(recipients: int, *, error_bound: float = ERROR_BOUND, wrong: float = 0.0) -> int:
    """Sites with which the first leak that is traced names its copy, if this share of them reads wrong."""
    return sites_needed(recipients, wrong=wrong, error_bound=error_bound * share_of_turn(1))


def _require_sites(record: DocumentRecord, recipients: int, settings: Settings) -> None:
    needed, found = fewest_sites(recipients, error_bound=record.error_bound), len(record.sites)
    if found < needed:
        words = segmented(record.text).word_count
        per_word = found / words if found else USUAL_SITES_PER_WORD
        missing = ceil((needed - found) / per_word)
        denser = ", or the profile dense" if has_denser_profile(settings) else ""
        raise TooFewSites(needed=needed, found=found, recipients=recipients, words_missing=missing, or_else=denser)


def _is_there(copy: IssuedCopy, folder: Path) -> bool:
    """Whether the file of an issued copy is in the folder; somebody else's file of that name is never overwritten."""
    found = digest_of_file(folder / copy.file_name)
    if found is None or copy.digest is None:
        return False
    if found != copy.digest:
        raise foreign_file(folder / copy.file_name)
    return True


def foreign_file(path: Path) -> InputError:
    return InputError(f"{path} exists with different content", needed="an empty folder, or to move that file away")


def manifest_name(record: DocumentRecord) -> str:
    return f"{safe_part(record.name)}-manifest.json"


def _require_own_manifest(record: DocumentRecord, folder: Path) -> None:
    """The folder of another document, or of another version of this one, keeps its manifest."""
    path = folder / manifest_name(record)
    if digest_of_file(path) is None:
        return
    with suppress(OSError, ValueError, KeyError, TypeError):
        if json.loads(path.read_bytes())["document"]["id"] == record.id:
            return
    raise foreign_file(path)
