"""Marked text back to the original: the most probable one by the masked LM, or the exact one where sites are known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from lexprint.errors import InputError
from lexprint.models.protocols import Gap, MaskedLM
from lexprint.text.document import Document
from lexprint.text.editing import Edit, apply_edits
from lexprint.text.span import Span
from lexprint.watermark.sites import Site

BATCH = 64  # gaps asked at once: a row of predictions is as wide as the vocabulary


@dataclass(frozen=True, slots=True)
class Guess:
    """The most probable original; `edits` lead to it from the marked text."""

    text: str = field(repr=False)
    edits: tuple[Edit, ...]
    words: tuple[str, ...]  # what stands at each site now


def recover(document: Document, sites: Sequence[Site], masked_lm: MaskedLM) -> Guess:
    """Put the member of each pair that the masked LM expects, having seen all of the sentence but that word.

    `sites` are those of a reading of the same document (section "Text Recoverability").
    """
    columns = {word: column for column, word in enumerate(masked_lm.vocabulary)}
    words: list[str] = []
    remaining = iter(sites)
    while batch := list(islice(remaining, BATCH)):
        rows = masked_lm.predict_blind([_masked(document, site, masked_lm) for site in batch])
        for site, row in zip(batch, rows, strict=True):
            other = site.pair.other(site.word)
            words.append(other if row[columns[other]] > row[columns[site.word]] else site.word)
    edits = tuple(Edit(site.span, word) for site, word in zip(sites, words, strict=True) if word != site.word)
    return Guess(apply_edits(document.text, edits), edits, tuple(words))


def restore_exactly(marked_text: str, sites: Sequence[Site]) -> str:
    """The original, to the last character; `sites` are those of `Marked`, and nothing else may have changed."""
    return apply_edits(marked_text, _restoring(marked_text, sites))


def _restoring(marked_text: str, sites: Sequence[Site]) -> Iterator[Edit]:
    shift = 0
    for number, site in enumerate(sites):
        start = site.span.start + shift
        choices = (choice for choice in (site.found, *site.pair) if _stands_at(marked_text, start, choice))
        standing = max(choices, key=len, default=None)
        if standing is None:
            raise InputError(f"site {number + 1} holds neither word of its pair", needed="the marked text, unchanged")
        shift += len(standing) - len(site.span)
        yield Edit(Span(start, start + len(standing)), site.found)


def _stands_at(text: str, start: int, word: str) -> bool:
    return text.startswith(word, start) and not text[start + len(word) : start + len(word) + 1].isalnum()


def _masked(document: Document, site: Site, masked_lm: MaskedLM) -> Gap:
    """The whole sentence around the site, or what precedes the next word where the sentence is too long."""
    sentence = document.sentences[site.sentence]
    span = sentence.words[site.position].view_span
    whole = Gap(sentence.view[: span.start], site.word, sentence.view[span.end :])
    if masked_lm.fits(whole):
        return whole
    following = sentence.words[site.position + 1].view_span.end
    return Gap(whole.left, site.word, sentence.view[span.end : following])
