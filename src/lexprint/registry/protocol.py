"""What a registry can do, and how one is opened: by the name of an SQLite file or the URL of a PostgreSQL database.

Every write is one transaction that also appends to the audit log, so a process killed at any moment leaves all of it or
nothing, and many processes may write at once.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, Self

from lexprint.registry.records import (
    AuditEntry,
    BrokenEntry,
    Code,
    Codewords,
    DocumentRecord,
    DocumentSummary,
    IssuedCopy,
    Issuing,
    LikelyDocument,
    RecipientSummary,
    ReportSummary,
    StoredReport,
)
from lexprint.registry.statements import Statements

if TYPE_CHECKING:
    from lexprint.coding.keys import Keyring


class Registry(Protocol):
    """Documents, the copies made of them, reports, and a log of what was done.

    Times have a zone and come back in UTC. Names with NUL characters or lone surrogates are refused. Names of recipients that
    differ in case or Unicode form only are one person, who is called as at first.
    """

    @property
    def id(self) -> str:
        """Drawn at random when the registry was made: no other has it but its own backups."""

    def add_document(self, record: DocumentRecord, copies: Sequence[IssuedCopy]) -> None:
        """Register a document and plan its first copies; an id that is taken is a `RegistryConflict`."""

    def plan_copies(self, document_id: str, copies: Sequence[IssuedCopy]) -> None:
        """More copies of a known document; a number or recipient that has one already is a `RegistryConflict`."""

    def mark_issued(self, document_id: str, copies: Sequence[tuple[int, str]], at: datetime) -> None:
        """Say that the files of planned copies exist: number and SHA-256 of each.

        Saying it again changes nothing; saying it with another digest is refused.
        """

    def document(self, document_id: str) -> DocumentRecord: ...

    def documents(self) -> list[DocumentSummary]:
        """All of them, oldest first."""

    def versions(self, name: str) -> list[DocumentSummary]:
        """The documents of that name, oldest first."""

    def find_document(
        self,
        *,
        digest: str,
        issuing: Issuing,
        fingerprint: str,
        name: str | None = None,
        code: Code | None = None,
        text: str | None = None,
    ) -> DocumentRecord | None:
        """The newest document made in just this way, so that an interrupted issue can go on; `text` is what it says."""

    def copies(self, document_id: str, *, numbers: Collection[int] | None = None) -> list[IssuedCopy]:
        """Copies in order of their numbers: all, or those asked for that exist."""

    def codewords(self, document_id: str) -> tuple[list[int], Codewords]:
        """Numbers of all copies, planned ones too, and their codewords, row by row."""

    def recipients(self) -> list[RecipientSummary]:
        """Everyone who was to be given a copy, by name."""

    def likely_documents(self, shingles: Sequence[int], *, limit: int) -> list[LikelyDocument]:
        """Documents that share wording with a text, the likeliest first; wording that few documents have counts more.

        Documents that have the same words count as one to the limit, and all of them are there. `shingles` are all of the text's, from `lexprint.text.shingles.shingles`.
        """

    def save_report(self, report_id: str, document_id: str | None, text: str, at: datetime) -> None:
        """Keep a report, as JSON text; refuses an id that is taken."""

    def report(self, report_id: str) -> StoredReport: ...

    def reports(self) -> list[ReportSummary]:
        """All of them, oldest first."""

    def record_event(self, event: str, details: Mapping[str, object]) -> AuditEntry:
        """Log what no other method does, such as a trace or the rotation of a key; neither text nor keys."""

    def secret(self, purpose: str) -> bytes:
        """What only the owner's newest key gives, for one purpose; empty where the registry was opened without keys."""

    def audit(self) -> list[AuditEntry]:
        """The log from its beginning."""

    def verify_audit(self, *, expected: str | None = None) -> BrokenEntry | None:
        """The first entry that was changed, removed, or no longer fits the documents and copies it speaks of.

        With keys, also one that their owner did not write; `expected` is the hash of an entry, noted down earlier.
        Without either, a log that was rebuilt as a whole is taken for the old one.
        """

    def verify_document(self, document_id: str | None) -> BrokenEntry | None:
        """The same, but of what is stored only this document, its copies and its counted traces are compared; None: nothing."""

    def writing(self) -> AbstractContextManager[Statements]:
        """All of it or nothing, one writer at a time."""

    def reading(self) -> AbstractContextManager[Statements]:
        """One moment's state; nothing may be written."""

    def close(self) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *exception: object) -> None: ...


def open_registry(location: str, *, keys: Keyring | None = None) -> Registry:
    """The registry at a file name or URL, made on first use; with keys, the audit log is sealed with the newest."""
    from lexprint.registry.sql_registry import SqlRegistry  # SQLAlchemy takes its time to load

    return SqlRegistry.opened(location, keys=keys)


def open_existing_registry(location: str, *, keys: Keyring | None = None) -> Registry:
    """The same for those who only want to look: refuses where there is none."""
    from lexprint.registry.sql_registry import SqlRegistry

    return SqlRegistry.found(location, keys=keys)
