"""The profile `literal`: Algorithms 1 and 2 without any rule of ours."""

from random import Random

import pytest
from tests.fakes import FakeEngine
from tests.watermark.reference import LiteralReference, apply_sites

from lexprint.engine import Engine
from lexprint.models.protocols import Gap
from lexprint.settings import SubstitutionSettings, WatermarkSettings, find_profile
from lexprint.testing import FakeEntailment, FakeMaskedLM, fake_text
from lexprint.text.document import Document
from lexprint.text.segmentation import segment
from lexprint.watermark.embed import embed_unchecked
from lexprint.watermark.extract import extract
from lexprint.watermark.literal import LiteralSubstituter
from lexprint.watermark.scheme import paper_scheme

FEW = SubstitutionSettings(proposals=8, guard_band=0.0)


@pytest.mark.parametrize("gap", [1, 2])
def test_sites_are_those_of_the_algorithm(gap: int) -> None:
    """The walk and a word-for-word transcription that shares no rule with it find the same sites and leave the same text."""
    document = segment(fake_text(words=220, seed=5))
    bits = Random(1).choices((0, 1), k=200)
    substituter = LiteralSubstituter(FakeMaskedLM(), FakeEntailment(), FEW)
    settings = WatermarkSettings(gap=gap, risk_set="literal")
    marked = embed_unchecked(document, bits, paper_scheme(substituter, fingerprint="fakes", settings=settings))
    expected = LiteralReference(FakeMaskedLM(), FakeEntailment(), FEW, f=gap).embed(document, bits)
    assert expected
    assert [(site.sentence, site.position) for site in marked.sites] == [
        (one.sentence, one.position) for one in expected
    ]
    assert marked.text == apply_sites(document, expected)


def test_names_forms_and_capitals_are_candidates() -> None:
    """What our rules exclude is proposed; stop words, pieces and punctuation are not."""

    class Cased(FakeMaskedLM):
        def __init__(self) -> None:
            super().__init__()
            self.vocabulary = (*self.vocabulary[:-6], "Munich", "Bavaria", "houses", "##s", "the", "three")

    substituter = LiteralSubstituter(Cased(), FakeEntailment(), SubstitutionSettings(proposals=400, guard_band=0.0))
    (found,) = substituter.most_probable([Gap("They went to ", "Munich", " again today.")])
    words = [one.word for one in found]
    assert {"Munich", "Bavaria", "houses", "three"} <= set(words)
    assert len(words) == len(set(words))
    assert not {"##s", "the"} & set(words)
    assert substituter.may_be_replaced(Gap("They went to ", "Munich", " again today."))
    assert not substituter.may_be_replaced(Gap("They went to ", "the", " house again."))
    assert not substituter.may_be_replaced(Gap("They went to ", "Munich", "-based firms."))


def test_the_profile_asks_for_it() -> None:
    """The engine builds it for `literal` and for no other profile; fingerprints differ."""
    literal, paper = (FakeEngine(settings=find_profile(name)) for name in ("literal", "paper"))
    assert isinstance(literal.substituter, LiteralSubstituter)
    assert not isinstance(paper.substituter, LiteralSubstituter)
    assert literal.fingerprint != paper.fingerprint


@pytest.mark.slow
def test_with_the_shipped_models() -> None:
    """At K = 32 and a floor of 0.95 the transcription and the walk agree, and what is written is read."""
    text = "The committee postponed its decision until autumn. Our guests will arrive shortly after sunset in Munich."
    document: Document = segment(text)
    engine = Engine(settings=find_profile("literal"))
    bits = Random(2).choices((0, 1), k=40)
    scheme = paper_scheme(engine.substituter, fingerprint=engine.fingerprint, settings=engine.settings.watermark)
    marked = embed_unchecked(document, bits, scheme)
    settings = engine.settings.substitution
    expected = LiteralReference(engine.masked_lm, engine.entailment, settings, f=1).embed(document, bits)
    assert (settings.proposals, settings.entailment_floor) == (32, 0.95)
    assert marked.text == apply_sites(document, expected)
    assert extract(segment(marked.text), scheme).bits == marked.bits
