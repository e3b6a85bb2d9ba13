"""How many bits a text can carry, where, and at what price in meaning; nothing is changed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from lexprint.text.document import Document
from lexprint.watermark.extract import extract
from lexprint.watermark.inquiry import WINDOW
from lexprint.watermark.scheme import Scheme
from lexprint.watermark.sites import Site
from lexprint.watermark.walk import OnWords


@dataclass(frozen=True, slots=True)
class Capacity:
    """Sites of a text as it stands.

    Exchanged words are context to the words after them, so a marked copy may have a few sites more or fewer.
    """

    sites: tuple[Site, ...]
    sites_per_sentence: tuple[int, ...]
    words: int

    @property
    def bits(self) -> int:
        return len(self.sites)

    @property
    def bits_per_word(self) -> float:
        return self.bits / self.words if self.words else 0.0

    @property
    def entailments(self) -> tuple[float, ...]:
        """SR of exchanging the word at each site, in its local context."""
        return tuple(site.entailment for site in self.sites)


def capacity(document: Document, scheme: Scheme, *, window: int = WINDOW, on_words: OnWords | None = None) -> Capacity:
    """Find every site without writing."""
    sites = extract(document, scheme, window=window, on_words=on_words).sites
    counts = Counter(site.sentence for site in sites)
    return Capacity(sites, tuple(counts[index] for index in range(len(document.sentences))), document.word_count)
