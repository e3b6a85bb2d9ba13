"""Every word that may differ between copies of a text.

Nobody has to find these sites again from a copy, so each word is seen in its whole sentence, and as it stands. What is asked is
what readers would say: of each exchange alone, and of all exchanges of a sentence together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeAlias, TypeVar

from lexprint.copies.alternatives import Alternatives, find_alternatives
from lexprint.copies.joint import hold_together
from lexprint.copies.phrases import phrase_sites
from lexprint.copies.places import places
from lexprint.errors import SettingsError
from lexprint.settings import CopySettings
from lexprint.substitution.acceptance import share_of
from lexprint.substitution.substituter import Substituter
from lexprint.text.document import Document
from lexprint.text.pairs import Figures, Pair
from lexprint.text.span import Span
from lexprint.watermark.sites import Site

T = TypeVar("T")
OnWords: TypeAlias = Callable[[int], None]  # told how many more words are done

NEEDED = "a profile that asks readers (careful, lexprint, dense), or --blind for the paper's scheme"
BLOCK = 256  # words asked about at once: enough for full batches, and memory that does not grow with the text


def analyse(
    document: Document,
    substituter: Substituter,
    settings: CopySettings,
    *,
    protected: Sequence[Span] = (),
    on_words: OnWords | None = None,
) -> tuple[Site, ...]:
    """Sites in order; `protected` spans, in order and apart, hold none."""
    floor = substituter.settings.acceptance_floor
    if not floor:  # such profiles rank by SR, and copies go by what readers accept
        raise SettingsError("substitution.acceptance_floor", floor, needed=NEEDED)
    found: dict[int, list[Alternatives]] = {}
    done = 0
    for block in _blocks(places(document, substituter, protected), BLOCK):
        for alternatives in find_alternatives(block, substituter, settings):
            found.setdefault(alternatives.place.sentence, []).append(alternatives)
        if on_words is not None:
            on_words(block[-1].words_before - done)
            done = block[-1].words_before
    kept = tuple(hold_together(found, document, substituter, words_per_site=settings.words_per_site))
    if on_words is not None:
        on_words(document.word_count - done)
    words = [_site(document, alternatives, substituter.acceptance_floor) for alternatives in kept]
    phrases = phrase_sites(document, substituter, protected, most_words=settings.most_words)
    return tuple(_together(words, phrases, document, words_per_site=settings.words_per_site))


def _together(
    words: Iterable[Site], phrases: Iterable[Site], document: Document, *, words_per_site: int
) -> Iterator[Site]:
    """Words and phrases in order, the more acceptable where two are next to each other, and no more than a sentence bears."""
    found: dict[int, list[Site]] = {}
    for site in (*words, *phrases):
        found.setdefault(site.sentence, []).append(site)
    for number, sites in sorted(found.items()):
        kept: list[Site] = []
        for site in sorted(sites, key=lambda site: (-(site.acceptance or 0.0), site.position)):
            if all(_are_apart(site, other) for other in kept):
                kept.append(site)
        most = 1 + len(document.sentences[number]) // words_per_site
        yield from sorted(kept[:most], key=lambda site: site.position)


def _are_apart(one: Site, other: Site) -> bool:
    """Whether a word is between them; single words may be next to each other."""
    first, second = sorted((one, other), key=lambda site: site.position)
    behind = first.position + len(first.word.split())
    is_phrase = any(" " in word for word in (*first.words, *second.words))
    return second.position > behind if is_phrase else second.position >= behind


def _blocks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    remaining = iter(items)
    while block := list(islice(remaining, size)):
        yield block


def _site(document: Document, alternatives: Alternatives, floor: float) -> Site:
    place, best = alternatives.place, alternatives.best
    word = document.sentences[place.sentence].words[place.position]
    return Site(
        sentence=place.sentence,
        position=place.position,
        span=word.span,
        found=word.span.of(document.text),
        word=word.text,
        pair=Pair.of(word.text, place.written(best.word)),
        entailment=best.entailment,
        clearance=best.acceptance - floor,
        acceptance=share_of(best.acceptance),
        further=tuple(place.written(one.word) for one in alternatives.words[1:]),
        likely_edits=tuple(map(place.written, alternatives.likely_edits)),
        figures=tuple(Figures(one.entailment, share_of(one.acceptance)) for one in alternatives.words),
    )
