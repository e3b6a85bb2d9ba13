"""Results made of sites."""

from lexprint.text.pairs import Pair
from lexprint.text.span import Span
from lexprint.watermark.sites import Reading, Site


def site(word: str, *, clearance: float = 0.01) -> Site:
    return Site(0, 3, Span(10, 15), word, word, Pair("big", "large"), 0.97, clearance)


def test_a_reading_gives_the_bits_of_its_sites() -> None:
    """One for each site, in order."""
    reading = Reading((site("large"), site("big")), "fingerprint")
    assert reading.bits == (1, 0)
