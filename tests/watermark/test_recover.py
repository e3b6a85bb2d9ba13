"""Marked text back to the original."""

from collections.abc import Sequence
from random import Random

import pytest

from lexprint.errors import InputError
from lexprint.models.protocols import Floats, Gap
from lexprint.testing import FakeMaskedLM
from lexprint.text.document import Document
from lexprint.text.pairs import Pair
from lexprint.text.segmentation import segment
from lexprint.text.span import Span
from lexprint.watermark.embed import embed
from lexprint.watermark.extract import extract
from lexprint.watermark.recover import recover, restore_exactly
from lexprint.watermark.scheme import Scheme
from lexprint.watermark.sites import Marked, Site


@pytest.fixture
def marked(scheme: Scheme, document: Document) -> Marked:
    return embed(document, Random(1).choices((0, 1), k=1000), scheme)


def test_known_sites_restore_every_character(document: Document, marked: Marked) -> None:
    """The original comes back whole."""
    assert marked.text != document.text
    assert restore_exactly(marked.text, marked.sites) == document.text


def test_characters_that_models_do_not_see_are_restored(scheme: Scheme, document: Document) -> None:
    """A soft hyphen inside an exchanged word comes back with it."""
    sites = extract(document, scheme).sites
    site = sites[0]
    hyphenated = f"{document.text[: site.span.start + 1]}\u00ad{document.text[site.span.start + 1 :]}"
    marked = embed(segment(hyphenated), [1 - site.bit], scheme)
    assert marked.edits
    assert restore_exactly(marked.text, marked.sites) == hyphenated


def test_a_word_that_begins_like_its_partner_is_told_from_it() -> None:
    """The longer of two words that fit is the one that stands there."""
    pair = Pair("art", "artistry")
    site = Site(0, 1, Span(4, 7), "art", "art", pair, 0.97, 0.01)
    for standing in pair:
        assert restore_exactly(f"the {standing}, and", [site]) == "the art, and"


def test_a_text_that_was_changed_elsewhere_is_refused(marked: Marked) -> None:
    """Sites that hold neither word are not overwritten."""
    with pytest.raises(InputError, match="site 1 "):
        restore_exactly(f"Now {marked.text}", marked.sites)


def test_recovery_puts_what_the_masked_lm_expects(scheme: Scheme, marked: Marked, masked_lm: FakeMaskedLM) -> None:
    """At each site stands the member that is more probable with the rest of its sentence around it."""
    document = segment(marked.text)
    reading = extract(document, scheme)
    recovered = recover(document, reading.sites, masked_lm)
    index = masked_lm.vocabulary.index
    for site, word in zip(reading.sites, recovered.words, strict=True):
        sentence = document.sentences[site.sentence]
        span = sentence.words[site.position].view_span
        (row,) = masked_lm.predict_blind([Gap(sentence.view[: span.start], "", sentence.view[span.end :])])
        assert row[index(word)] >= row[index(site.pair.other(word))]
    assert len(recovered.edits) == sum(
        site.word != word for site, word in zip(reading.sites, recovered.words, strict=True)
    )


def test_recovery_undoes_what_was_unexpected(scheme: Scheme, document: Document, masked_lm: FakeMaskedLM) -> None:
    """If every site held the expected word, the original comes back from any single exchange."""
    site = extract(document, scheme).sites[0]
    (expected,) = recover(document, [site], masked_lm).words
    start, end = site.span.start, site.span.end
    original = segment(f"{document.text[:start]}{expected}{document.text[end:]}")
    for bit in (0, 1):
        marked = segment(embed(original, [bit], scheme).text)
        first = extract(marked, scheme).sites[0]
        assert first.bit == bit
        assert recover(marked, [first], masked_lm).text == original.text


def test_long_sentences_are_recovered_from_the_local_context(scheme: Scheme, document: Document) -> None:
    """Where the whole sentence does not fit the model, what precedes the next word does."""
    asked: list[Gap] = []

    class Short(FakeMaskedLM):
        def fits(self, gap: Gap) -> bool:
            return False

        def predict_blind(self, gaps: Sequence[Gap]) -> Floats:
            asked.extend(gaps)
            return super().predict_blind(gaps)

    sites = extract(document, scheme).sites
    recover(document, sites, Short())
    assert [gap.text for gap in asked] == [
        document.sentences[site.sentence].excerpt(0, site.position + 2) for site in sites
    ]
