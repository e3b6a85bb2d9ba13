"""Blind copies of a text: marked by the paper's scheme, each with coins of its own at every site that it has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import ceil

from lexprint.coding.copy_marks import PURPOSE, mark_writer
from lexprint.coding.keys import MasterKey
from lexprint.engine import Engine
from lexprint.errors import TooFewSites
from lexprint.registry.records import DocumentRecord
from lexprint.text.editing import Edit
from lexprint.text.span import Span
from lexprint.watermark.embed import require_readable
from lexprint.watermark.labels import embed_by_label, observe
from lexprint.workflows.marking import scheme_of, segmented
from lexprint.workflows.payloads import USUAL_WORDS_PER_SITE


def document_secret(key: MasterKey, record: DocumentRecord) -> bytes:
    """What the marks of all copies of a document follow from; its id is one registry's own."""
    return key.derive(PURPOSE, document=record.id)


def mark_copies(
    engine: Engine,
    text: str,
    salts: Iterable[bytes],
    *,
    secret: bytes,
    needed: int,
    recipients: int,
    protected: Iterable[Span] = (),
) -> Iterator[tuple[Edit, ...]]:
    """From the text to each copy; models are asked only about what no earlier copy has asked.

    A copy with fewer than `needed` sites that differ is refused: nobody could be told from so many recipients by it.
    """
    document, scheme = segmented(text, protected), scheme_of(engine)
    for salt in salts:
        marked = embed_by_label(document, mark_writer(secret, salt), scheme)
        labels = {observation.label for observation in observe(document, marked.sites)}
        if len(labels) < needed:
            words_per_site = document.word_count / len(labels) if labels else USUAL_WORDS_PER_SITE
            missing = max(1, ceil((needed - len(labels)) * words_per_site))
            raise TooFewSites(needed=needed, found=len(labels), recipients=recipients, words_missing=missing)
        require_readable(marked, scheme)
        yield marked.edits
