"""Sites known by the words beside them, for payloads that must survive cutting and moving.

The neighbours of a site carry no bits and are the same for writer and reader, so a label needs nothing but the copy itself.

After edits some sites are read that nobody wrote. Which ones is not known, but they stand beside words that nobody would
expect there, late in a sentence, and hold the author's own word, never the other one: so sites can be weighed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import exp, log
from typing import TypeAlias

from lexprint.coding.payload_code import LabelledBit
from lexprint.models.protocols import MaskedLM, gap_at
from lexprint.text.document import Document
from lexprint.text.pairs import Pair
from lexprint.watermark.embed import embed_each
from lexprint.watermark.scheme import Scheme
from lexprint.watermark.sites import Marked, Site
from lexprint.watermark.walk import Neighbours, OnWords

BATCH = 64  # gaps asked at once: a row of predictions is as wide as the vocabulary
STEPS = 2  # of weight for a log-odds of one
EVEN = 1.0  # log-odds that all sites have beside their own: a text may be unlike those that the regression has seen
FARTHEST = 25  # position in a sentence; it has seen few beyond that
LEAST_DOUBT, MOST_DOUBT = 0.01, 0.8  # that nobody wrote a site; beyond that the regression has seen too little
UNKNOWN = -6.0  # log-probability of what the masked LM does not know: that of a rare word

_Place: TypeAlias = tuple[int, int]  # sentence, position
BitFor: TypeAlias = Callable[[bytes], int]  # what a site says, by its label


def embed_by_label(document: Document, bit_for: BitFor, scheme: Scheme, *, on_words: OnWords | None = None) -> Marked:
    """Write to every site what its label asks for; not yet read back."""
    return embed_each(document, lambda pair, neighbours: bit_for(label_of(pair, neighbours)), scheme, on_words=on_words)


def observe(document: Document, sites: Sequence[Site]) -> list[LabelledBit]:
    """What the sites of a text say, each with its label."""
    return [LabelledBit(_label_at(document, site), site.bit) for site in sites]


def weigh(document: Document, sites: Sequence[Site], masked_lm: MaskedLM) -> list[LabelledBit]:
    """The same, each as heavy as it is likely to have been written: log-odds, in whole steps."""
    expected = _expected(document, sites, masked_lm)
    observations = []
    for site in sites:
        misread = _doubt(site, expected) / 2  # where nothing was written, one half agrees all the same
        log_odds = log((1 - misread) / misread)
        weight = round(STEPS * (EVEN + log_odds))
        observations.append(LabelledBit(_label_at(document, site), site.bit, weight))
    return observations


def label_of(pair: Pair, neighbours: Neighbours) -> bytes:
    """The word before, the pair, the word after; capitals come and go with headings and sentences joined or split."""
    parts = (neighbours.before.lower(), pair.first, pair.second, neighbours.after.lower())
    return "\0".join(parts).encode("utf-8", "surrogatepass")


def _label_at(document: Document, site: Site) -> bytes:
    words = document.sentences[site.sentence].words
    return label_of(site.pair, Neighbours(words[site.position - 1].text, words[site.position + 1].text))


def _doubt(site: Site, expected: Mapping[_Place, Sequence[float]]) -> float:
    """How likely it is that nobody wrote this site: a logistic regression on copies of which a twentieth was edited.

    1,113 sites of three texts of WikiText-2, marked with profile `dense`; 16 in 100 of them were not written.
    """
    members = expected[site.sentence, site.position]
    here, other = members[site.bit], members[1 - site.bit]
    (before,), (after,) = (expected[site.sentence, site.position + step] for step in (-1, 1))
    position = min(site.position, FARTHEST)
    log_odds = -5.3 + 0.052 * position + 0.37 * (here - other) - 0.11 * before - 0.14 * after - 0.33 * here
    return min(max(1 / (1 + exp(-log_odds)), LEAST_DOUBT), MOST_DOUBT)


def _expected(document: Document, sites: Sequence[Site], masked_lm: MaskedLM) -> Mapping[_Place, Sequence[float]]:
    """Log-probabilities of both words of each site, and of the word on either side, each masked in its whole sentence."""
    wanted: dict[_Place, tuple[str, ...]] = {}
    for site in sites:
        for position in (site.position - 1, site.position + 1):
            wanted[site.sentence, position] = (document.sentences[site.sentence].words[position].text,)
        wanted[site.sentence, site.position] = (site.pair.first, site.pair.second)
    columns = {word: column for column, word in enumerate(masked_lm.vocabulary)}
    gaps = {place: gap_at(document.sentences[place[0]], place[1]) for place in wanted}
    askable = [place for place, gap in gaps.items() if masked_lm.fits(gap)]
    expected: dict[_Place, Sequence[float]] = {place: [UNKNOWN] * len(words) for place, words in wanted.items()}
    for start in range(0, len(askable), BATCH):
        batch = askable[start : start + BATCH]
        for place, row in zip(batch, masked_lm.predict_blind([gaps[place] for place in batch]), strict=True):
            found = [columns.get(word, columns.get(word.lower())) for word in wanted[place]]
            expected[place] = [UNKNOWN if column is None else float(row[column]) for column in found]
    return expected
