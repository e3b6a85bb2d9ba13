"""Text into bits."""

from dataclasses import replace
from random import Random

import pytest

from lexprint.settings import find_profile
from lexprint.substitution.substituter import Substituter
from lexprint.testing import FakeEntailment, FakeMaskedLM
from lexprint.text.document import Document
from lexprint.text.segmentation import segment
from lexprint.watermark.embed import embed
from lexprint.watermark.extract import SHORT, extract
from lexprint.watermark.scheme import Scheme, paper_scheme


def test_bits_come_back_as_clear_as_they_were(scheme: Scheme, document: Document) -> None:
    """What was written is read, each bit clear of the guard band, and as far from it as when it was written."""
    marked = embed(document, Random(1).choices((0, 1), k=1000), scheme)
    reading = extract(segment(marked.text), scheme)
    assert reading.bits == marked.bits
    assert [site.clearance for site in reading.sites] == [site.clearance for site in marked.sites]
    assert min(site.clearance for site in reading.sites) > scheme.substituter.settings.guard_band


def test_bits_that_the_text_says_already_change_nothing(scheme: Scheme, document: Document) -> None:
    """They fill every site of the text as it stands; each site has an SR above the floor."""
    reading = extract(document, scheme)
    marked = embed(document, reading.bits, scheme)
    assert len(reading.bits) == len(marked.bits) == len(marked.sites)
    assert marked.text == document.text
    assert min(site.entailment for site in reading.sites) > scheme.substituter.settings.entailment_floor


def test_an_empty_text_says_nothing(scheme: Scheme) -> None:
    """No sentence, no site."""
    assert extract(segment(""), scheme).sites == ()


@pytest.mark.parametrize("profile", ["paper", "lexprint"])
def test_asking_ahead_changes_nothing(document: Document, profile: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same sites with the same figures, and the walk after it asks nothing new."""
    settings = find_profile(profile)

    def fresh() -> Scheme:
        substituter = Substituter(FakeMaskedLM(), FakeEntailment(), settings.substitution)
        return paper_scheme(substituter, fingerprint="fakes", settings=settings.watermark)

    protected = replace(document, protected=(document.sentences[1].words[3].span,))
    for text in (document, protected):
        scheme = fresh()
        assert len(text.sentences) <= SHORT
        found = extract(text, scheme)
        assert found == extract(text, fresh(), ahead=False)
        monkeypatch.setattr(scheme.substituter, "most_probable", None)  # whoever asked for more would fail
        assert extract(text, scheme, ahead=False) == found
