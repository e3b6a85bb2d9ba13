"""Bits into text."""

from random import Random

import pytest

from lexprint.errors import InputError
from lexprint.settings import SubstitutionSettings
from lexprint.substitution.substituter import Substituter
from lexprint.testing import FakeEntailment, FakeMaskedLM
from lexprint.text.document import Document
from lexprint.text.editing import apply_edits, inverse_edits
from lexprint.text.segmentation import segment
from lexprint.watermark.embed import MarkUnreadable, embed, embed_unchecked
from lexprint.watermark.extract import extract
from lexprint.watermark.scheme import Scheme, paper_scheme, without_synchronicity_test


def test_bits_that_run_out_leave_later_sites_alone(scheme: Scheme, document: Document) -> None:
    """The first sites carry the message, all sites are reported, and later words stay."""
    marked = embed(document, (1, 0, 1), scheme)
    assert marked.bits == (1, 0, 1)
    assert len(marked.sites) > 3
    assert all(edit.span <= marked.sites[2].span for edit in marked.edits)


def test_bits_that_do_not_fit_are_not_written(scheme: Scheme, document: Document) -> None:
    """A message longer than the text carries is cut to what was written."""
    message = Random(1).choices((0, 1), k=1000)
    marked = embed(document, message, scheme)
    assert list(marked.bits) == message[: len(marked.sites)]


def test_no_bits_change_nothing(scheme: Scheme, document: Document) -> None:
    """An empty message gives the text back, with its sites."""
    marked = embed(document, (), scheme)
    assert (marked.text, marked.edits, marked.bits) == (document.text, (), ())
    assert marked.sites == extract(document, scheme).sites


def test_nobody_waits_for_bits_that_are_gone(document: Document) -> None:
    """Without bits, or once they have run out, sentences go on side by side: a writer makes as few calls as a reader."""

    def calls(bits: tuple[int, ...]) -> int:
        masked_lm = FakeMaskedLM()
        substituter = Substituter(masked_lm, FakeEntailment(), SubstitutionSettings(proposals=8))
        embed_unchecked(document, bits, paper_scheme(substituter, fingerprint="fakes"))
        return masked_lm.calls

    masked_lm = FakeMaskedLM()
    substituter = Substituter(masked_lm, FakeEntailment(), SubstitutionSettings(proposals=8))
    extract(document, paper_scheme(substituter, fingerprint="fakes"), ahead=False)
    assert calls(()) == masked_lm.calls
    assert calls((1,)) < 0.75 * calls((1, 0) * 500)


def test_edits_lead_to_the_text_and_back(scheme: Scheme, document: Document) -> None:
    """Whoever applies the edits himself gets the same text, and can undo them."""
    marked = embed(document, Random(2).choices((0, 1), k=1000), scheme)
    assert apply_edits(document.text, marked.edits) == marked.text
    assert apply_edits(marked.text, inverse_edits(document.text, marked.edits)) == document.text


@pytest.mark.parametrize("bits", [(0, 2), (-1,), (1, 1, 7)])
def test_anything_but_bits_is_refused(scheme: Scheme, document: Document, bits: tuple[int, ...]) -> None:
    """Nothing is written before the message is known to be one."""
    with pytest.raises(InputError, match="0 or 1"):
        embed(document, bits, scheme)


def test_reading_back_asks_no_model(
    scheme: Scheme, document: Document, masked_lm: FakeMaskedLM, entailment: FakeEntailment
) -> None:
    """All that the reader needs to know was asked while writing."""
    marked = embed_unchecked(document, Random(3).choices((0, 1), k=1000), scheme)
    before = masked_lm.inputs, entailment.inputs
    assert extract(segment(marked.text), scheme, ahead=False).bits == marked.bits
    assert (masked_lm.inputs, entailment.inputs) == before


def test_copies_of_a_text_share_what_they_have_in_common(
    scheme: Scheme, document: Document, masked_lm: FakeMaskedLM
) -> None:
    """The tenth copy costs far less than the first, as most of its prefixes are known."""
    costs = []
    for recipient in range(10):
        before = masked_lm.inputs
        embed(document, Random(recipient).choices((0, 1), k=1000), scheme)
        costs.append(masked_lm.inputs - before)
    assert costs[-1] < costs[0] / 3


def test_a_text_that_does_not_read_back_is_not_handed_out(scheme: Scheme, document: Document) -> None:
    """A scheme that loses bits is caught before anyone gets the text."""
    with pytest.raises(MarkUnreadable) as caught:
        embed(document, Random(4).choices((0, 1), k=1000), without_synchronicity_test(scheme))
    assert document.text[:20] not in str(caught.value)
