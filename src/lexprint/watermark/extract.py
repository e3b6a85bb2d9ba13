"""Text to bits, each with its reliability."""

from __future__ import annotations

from lexprint.text.document import Document
from lexprint.watermark.inquiry import WINDOW
from lexprint.watermark.scheme import Scheme
from lexprint.watermark.sites import Reading
from lexprint.watermark.walk import OnWords, keep, walk


def extract(
    document: Document,
    scheme: Scheme,
    *,
    marked_with: str | None = None,
    window: int = WINDOW,
    on_words: OnWords | None = None,
) -> Reading:
    """Read every site of a text; `marked_with` is the fingerprint of the copy, if it is known, and must be ours."""
    if marked_with is not None:
        scheme.require_fingerprint(marked_with)
    visits = walk(document, scheme, keep, window=window, on_words=on_words)
    return Reading(tuple(visit.site for visit in visits), scheme.fingerprint)
