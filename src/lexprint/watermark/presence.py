"""Bits that depend on nothing but the pair of words at a site."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lexprint.text.document import Document
from lexprint.text.pairs import Pair
from lexprint.watermark.embed import embed_each
from lexprint.watermark.scheme import Scheme
from lexprint.watermark.sites import Marked, Site


def embed_by_pair(document: Document, bit_for: Callable[[bytes], int], scheme: Scheme) -> Marked:
    """Write to every site what its pair asks for; not read back, since some lost votes do no harm."""
    return embed_each(document, lambda pair, _: bit_for(pair_bytes(pair)), scheme)


def votes_of(sites: Sequence[Site]) -> list[tuple[bytes, int]]:
    """The pair and the bit of each site."""
    return [(pair_bytes(site.pair), site.bit) for site in sites]


def pair_bytes(pair: Pair) -> bytes:
    return f"{pair.first}\0{pair.second}".encode("utf-8", "surrogatepass")
