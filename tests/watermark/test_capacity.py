"""What a text can carry."""

import pytest

from lexprint.text.document import Document
from lexprint.text.segmentation import segment
from lexprint.watermark.capacity import capacity
from lexprint.watermark.embed import embed
from lexprint.watermark.extract import extract
from lexprint.watermark.scheme import Scheme


def test_capacity_is_what_the_text_as_it_stands_says(scheme: Scheme, document: Document) -> None:
    """Writing the bits that the text already says fills every site and changes nothing."""
    found = capacity(document, scheme)
    own_bits = extract(document, scheme).bits
    marked = embed(document, own_bits, scheme)
    assert found.bits == len(own_bits) == len(marked.bits) == sum(found.sites_per_sentence)
    assert len(marked.bits) == len(marked.sites)
    assert marked.text == document.text


def test_capacity_knows_where_and_at_what_price(scheme: Scheme, document: Document) -> None:
    """Sites are counted per sentence, and each has an SR above the floor."""
    found = capacity(document, scheme)
    assert len(found.sites_per_sentence) == len(document.sentences)
    assert all(found.sites_per_sentence[site.sentence] for site in found.sites)
    assert min(found.entailments) > scheme.substituter.settings.entailment_floor
    assert found.bits_per_word == pytest.approx(found.bits / document.word_count)


def test_an_empty_text_carries_nothing(scheme: Scheme) -> None:
    """No division by the number of its words."""
    found = capacity(segment(""), scheme)
    assert (found.bits, found.bits_per_word, found.sites_per_sentence) == (0, 0.0, ())
