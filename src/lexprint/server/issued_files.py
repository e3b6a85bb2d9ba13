"""Files of issued copies, made again from the file of their document, byte for byte.

The same bytes say something else as another format, so a master is read as the one that gives the text that was registered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import sha256

from lexprint.errors import FormatError
from lexprint.formats.source import Source, open_source
from lexprint.registry.records import DocumentRecord, IssuedCopy
from lexprint.server.files import SERVICE, StoredFile, find_kept
from lexprint.server.problems import Refusal
from lexprint.server.service import Service
from lexprint.workflows.issuing import copy_edits


def copy_contents(
    service: Service, record: DocumentRecord, copies: Iterable[IssuedCopy]
) -> Iterator[tuple[IssuedCopy, bytes]]:
    """Files of issued copies, made again or as they were kept; without those whose master is not here."""
    master = None if record.issuing == "blind" else find_master(service, record)
    for copy in copies:
        if copy.digest is None:
            continue
        if master is not None:
            content = master[1].with_edits(copy_edits(record.sites, copy.codeword))
            if sha256(content).hexdigest() == copy.digest:
                yield copy, content
        elif kept := find_kept(service.registry, copy.digest):
            yield copy, kept[0].content


def find_master(service: Service, record: DocumentRecord) -> tuple[StoredFile, Source] | None:
    """The file of a document, read as the format that its text is of; None if it is not here."""
    found = find_kept(service.registry, record.digest)
    for kept in found:
        with suppress(FormatError):
            source = open_source(kept.content, name=kept.name, limits=service.reading)
            if source.text == record.text:
                return kept, source
    if found:
        raise Refusal(
            409,
            "the file that is kept of this document reads as another text than was issued; issue it again under its name",
            code="OtherText",
        )
    return None


def has_master(service: Service, digest: str) -> bool:
    """Whether bytes are kept of which copies of a document are made; one that was issued elsewhere has none.

    Should they have been sent as another format alone, which says something else, fetching one says so: reading them for a list takes too long.
    """
    with service.registry.reading() as statements:
        return bool(
            statements.rows(
                "SELECT 1 AS one FROM files WHERE digest = :digest AND owner = :owner", digest=digest, owner=SERVICE
            )
        )
