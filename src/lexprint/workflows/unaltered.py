"""Before anybody is named, or copies are made, by what the registry says: it must be what the audit log says, and the log the owner's."""

from __future__ import annotations

from lexprint.errors import RegistryError
from lexprint.registry.protocol import Registry


def require_unaltered(registry: Registry, document_id: str | None) -> None:
    """Refuse records of a document that somebody else wrote, and such a log; without a document, the log alone."""
    broken = registry.verify_document(document_id)
    if broken is not None:
        raise RegistryError(
            f"this registry is not as its owner left it: entry {broken.sequence} of the audit log does not hold "
            f"({broken.reason}); run: lexprint registry verify, and compare with a backup"
        )
