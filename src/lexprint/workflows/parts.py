"""A text read part by part, so that its first words are known while the rest is still read.

What stands in for a word follows from its own sentence, so the parts together say what the whole would.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from lexprint.copies.analysis import analyse
from lexprint.settings import CopySettings
from lexprint.substitution.substituter import Substituter
from lexprint.text.document import Document
from lexprint.text.span import Span
from lexprint.watermark.sites import Site
from lexprint.watermark.walk import OnWords

FIRST_WORDS = 40  # of the first part: a paragraph, which is to be seen soon
PART_WORDS = 120  # of each other part: a second or two, and batches that are nearly full

OnSites: TypeAlias = Callable[[Sequence[Site]], None]  # told all sites so far, in order


def analyse_parts(
    document: Document,
    substituter: Substituter,
    settings: CopySettings,
    *,
    protected: Sequence[Span] = (),
    on_words: OnWords | None = None,
    on_sites: OnSites | None = None,
) -> tuple[Site, ...]:
    """The sites that `analyse` finds, told as they are found."""
    found: list[Site] = []
    for numbers in _parts(document):
        part = replace(document, sentences=document.sentences[numbers.start : numbers.stop])
        sites = analyse(part, substituter, settings, protected=protected, on_words=on_words)
        found += [replace(site, sentence=site.sentence + numbers.start) for site in sites]
        if on_sites is not None and sites:
            on_sites(found)
    return tuple(found)


def _parts(document: Document) -> Iterator[range]:
    """Numbers of the sentences of each part, none of which is empty."""
    first = words = 0
    for number, sentence in enumerate(document.sentences):
        words += len(sentence)
        if words >= (PART_WORDS if first else FIRST_WORDS):
            yield range(first, number + 1)
            first, words = number + 1, 0
    if first < len(document.sentences):
        yield range(first, len(document.sentences))
