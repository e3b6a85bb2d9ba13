"""Text into bits."""

from random import Random

import pytest

from lexprint.errors import FingerprintMismatch
from lexprint.text.document import Document
from lexprint.text.segmentation import segment
from lexprint.watermark.embed import embed
from lexprint.watermark.extract import extract
from lexprint.watermark.scheme import Scheme


def test_bits_come_back_with_their_reliabilities(scheme: Scheme, document: Document) -> None:
    """What was written is read, each bit clear of the guard band, and as reliable as when it was written."""
    marked = embed(document, Random(1).choices((0, 1), k=1000), scheme)
    reading = extract(segment(marked.text), scheme)
    assert reading.bits == marked.bits
    assert reading.reliabilities == tuple(site.clearance for site in marked.sites)
    assert min(reading.reliabilities) > scheme.substituter.settings.guard_band


def test_another_fingerprint_is_refused(scheme: Scheme, document: Document) -> None:
    """A copy that says who marked it is read by no one else."""
    marked = embed(document, (1, 0), scheme)
    assert extract(segment(marked.text), scheme, marked_with=marked.fingerprint).fingerprint == "fakes"
    with pytest.raises(FingerprintMismatch):
        extract(segment(marked.text), scheme, marked_with="others")
