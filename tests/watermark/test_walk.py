"""The walk against the paper's algorithm."""

from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest
from tests.watermark.reference import Forgetful, Reference, apply_sites

from lexprint.engine import Engine
from lexprint.settings import SubstitutionSettings, WatermarkSettings, find_profile
from lexprint.substitution.substituter import Substituter
from lexprint.testing import FakeEntailment, FakeMaskedLM, fake_text
from lexprint.text.document import Document
from lexprint.text.segmentation import segment
from lexprint.watermark.embed import embed, embed_unchecked
from lexprint.watermark.scheme import Scheme, paper_scheme
from lexprint.watermark.walk import keep, walk


@pytest.mark.parametrize("gap", [1, 2, 3])
def test_sites_keep_their_distance(scheme: Scheme, document: Document, gap: int) -> None:
    """Sites of a sentence are more than f words apart, none is its first word or among its last f + 1."""
    visits = walk(document, replace(scheme, settings=WatermarkSettings(gap=gap)), keep)
    assert visits
    for one, other in pairwise(visits):
        if one.site.sentence == other.site.sentence:
            assert other.site.position - one.site.position > gap
    for visit in visits:
        assert 1 <= visit.site.position < len(document.sentences[visit.site.sentence]) - gap - 1


def test_site_points_at_its_word(scheme: Scheme, document: Document) -> None:
    """Span, found characters, word and pair belong together."""
    for visit in walk(document, scheme, keep):
        site = visit.site
        assert site.span.of(document.text) == site.found == site.word == visit.word
        assert site.word in site.pair
        assert document.sentences[site.sentence].words[site.position].span == site.span


@pytest.mark.parametrize("text", ["", "One.", "Two words", "It was so.", "\n\n", "the of in and to was."])
def test_texts_without_room_have_no_sites(scheme: Scheme, text: str) -> None:
    """Empty and short texts are walked without a question."""
    assert walk(segment(text), scheme, keep) == ()


def test_costs_stay_below_the_reference(document: Document) -> None:
    """With K = 32 a marked and checked text takes a quarter of the entailments and half of the masked LM of Algorithm 2."""
    settings = SubstitutionSettings()
    bits = Random(1).choices((0, 1), k=len(document.text))
    literal_lm, literal_entailment = FakeMaskedLM(), FakeEntailment()
    literal = Reference(Forgetful(literal_lm, literal_entailment, settings), f=1)
    literal.embed(segment(apply_sites(document, literal.embed(document, bits))), [])
    masked_lm, entailment = FakeMaskedLM(), FakeEntailment()
    embed(document, bits, paper_scheme(Substituter(masked_lm, entailment, settings), fingerprint="fakes"))
    assert entailment.inputs <= literal_entailment.inputs / 4
    assert masked_lm.inputs <= literal_lm.inputs / 2


def test_line_1_read_literally_loses_bits_for_larger_f() -> None:
    """With 0 at line 1, word f + 1 escapes the substitutability test though word f was examined; 1 - f repairs it."""
    settings = SubstitutionSettings(proposals=8)
    substituter = Substituter(FakeMaskedLM(), FakeEntailment(), settings)
    document = segment(fake_text(words=2500, seed=4))
    lost = {}
    for line_1 in (0, -1):
        reference = Reference(substituter, f=2, line_1=line_1)
        written = reference.embed(document, Random(2).choices((0, 1), k=2500))
        read = reference.embed(segment(apply_sites(document, written)), [])
        places = [[(site.sentence, site.position) for site in sites] for sites in (written, read)]
        lost[line_1] = places[0] != places[1]
    assert lost == {0: True, -1: False}


@pytest.mark.parametrize("gap", [1, 2, 3])
def test_marking_in_place_equals_the_reference(document: Document, gap: int) -> None:
    """Same sites, pairs and words left there, with the paper's own numbers."""
    settings = SubstitutionSettings()
    substituter = Substituter(FakeMaskedLM(), FakeEntailment(), settings)
    bits = Random(gap).choices((0, 1), k=30)
    scheme = paper_scheme(substituter, fingerprint="fakes", settings=WatermarkSettings(gap=gap))
    marked = embed_unchecked(document, bits, scheme)
    reference = Reference(substituter, f=gap).embed(document, bits)
    assert [(site.sentence, site.position, tuple(site.pair), site.word) for site in marked.sites] == [
        (site.sentence, site.position, site.pair, site.word) for site in reference
    ]


@pytest.mark.slow
@pytest.mark.parametrize("gap", [1, 2])
@pytest.mark.parametrize("profile", ["paper", "dense"])
def test_the_shipped_models_equal_the_reference(letter: str, tale: str, profile: str, gap: int) -> None:
    """The same on real sentences with real models, whatever those think of them."""
    engine, watermark = Engine(), find_profile(profile).watermark
    settings = replace(find_profile(profile).substitution, proposals=8, entailment_floor=0.6)
    substituter = Substituter(engine.masked_lm, engine.entailment, settings)
    scheme = paper_scheme(substituter, fingerprint=engine.fingerprint, settings=replace(watermark, gap=gap))
    document, bits = segment(f"{letter}\n\n{tale}"), Random(gap).choices((0, 1), k=30)
    marked = embed(document, bits, scheme)
    reference = Reference(substituter, f=gap, settings=watermark).embed(document, bits)
    assert [(site.sentence, site.position, tuple(site.pair), site.word) for site in marked.sites] == [
        (site.sentence, site.position, site.pair, site.word) for site in reference
    ]
    assert marked.text == apply_sites(document, reference)
