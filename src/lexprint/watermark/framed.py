"""Sites known by the words beside them, for payloads that must survive cutting and moving.

The neighbours of a site carry no bits and are the same for writer and reader, so a label needs nothing but the copy itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from lexprint.coding.framed import Observation
from lexprint.text.document import Document
from lexprint.watermark.embed import marked_by
from lexprint.watermark.inquiry import WINDOW, Inquiry
from lexprint.watermark.scheme import Scheme
from lexprint.watermark.sites import Marked, Pair, Site
from lexprint.watermark.walk import Neighbours, OnWords, walk

BitFor: TypeAlias = Callable[[bytes], int]  # what a site says, by its label


def embed_by_label(
    document: Document, bit_for: BitFor, scheme: Scheme, *, window: int = WINDOW, on_words: OnWords | None = None
) -> Marked:
    """Write to every site what its label asks for; not yet read back.

    No site needs to know what came before it, so sentences do not wait for each other.
    """

    def write(pair: Pair, word: str, neighbours: Neighbours) -> Inquiry[str]:
        yield from ()
        return pair.word(bit_for(label_of(pair, neighbours)))

    visits = walk(document, scheme, write, window=window, on_words=on_words)
    bits = tuple(visit.site.pair.bit(visit.word) for visit in visits)
    return marked_by(visits, document, scheme, bits=bits)


def observe(document: Document, sites: tuple[Site, ...]) -> list[Observation]:
    """What the sites of a text say, each with its label."""
    return [Observation(_label_at(document, site), site.bit) for site in sites]


def label_of(pair: Pair, neighbours: Neighbours) -> bytes:
    """The word before, the pair, the word after; capitals come and go with headings and sentences joined or split."""
    parts = (neighbours.before.lower(), pair.first, pair.second, neighbours.after.lower())
    return "\0".join(parts).encode("utf-8", "surrogatepass")


def _label_at(document: Document, site: Site) -> bytes:
    words = document.sentences[site.sentence].words
    return label_of(site.pair, Neighbours(words[site.position - 1].text, words[site.position + 1].text))
