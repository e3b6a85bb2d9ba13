"""The profile `literal`: Algorithms 1 and 2, and sentences that stay whole."""

import itertools
from random import Random

import pytest
from tests.fakes import FakeEngine
from tests.watermark.reference import LiteralReference, apply_sites

from lexprint.engine import Engine
from lexprint.models.protocols import Gap
from lexprint.settings import SubstitutionSettings, WatermarkSettings, find_profile
from lexprint.testing import FakeEntailment, FakeMaskedLM, fake_text
from lexprint.text.document import Document
from lexprint.text.editing import Edit, apply_edits
from lexprint.text.segmentation import may_be_swapped, segment
from lexprint.watermark.embed import embed_unchecked
from lexprint.watermark.extract import extract
from lexprint.watermark.literal import LiteralSubstituter, LiteralVocabulary, is_whole_word, may_tell_an_end
from lexprint.watermark.scheme import paper_scheme

FEW = SubstitutionSettings(proposals=8, guard_band=0.0)


@pytest.mark.parametrize("gap", [1, 2])
def test_sites_are_those_of_the_algorithm(gap: int) -> None:
    """The walk and a word-for-word transcription that shares no rule with it find the same sites and leave the same text."""
    document = segment(fake_text(words=220, seed=5))
    bits = Random(1).choices((0, 1), k=200)
    substituter = LiteralSubstituter(FakeMaskedLM(), FakeEntailment(), FEW)
    settings = WatermarkSettings(gap=gap, risk_set="boundaries")
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


@pytest.mark.parametrize(
    "text",
    [
        "Mr. Dean saw it. No. 5 was theirs, etc. and so on! they said... Munich fell? The end (Sen. Hart left.) came. So what.",
        "“Go!” she said. He lives in the U.S. Now, Dr. Wu, of St. Ives, waits . . . and Prof. Li goes to Inc. Magazine vs. Time.",
        "Ah! how kind. The school , in York , was built . It stands . Fig. 3 shows the plan ; see page 4 . 1. One thing. 2. Other things.",
        "It is over, i.e. gone. Was it? asked Lee. Yahoo! in 1995 was small… but grew. Nov. 3 came.and went. She saw Gen. Grant Jr. again.",
    ],
)
def test_no_exchange_moves_a_sentence(text: str) -> None:
    """Whatever is allowed, sentences begin and end where they did."""
    words = "Munich mister Mister Mr No no etc St He he the a A I go Dr Inc Jan vs Now house Small big e U and then Vol Fig Nov may"
    vocabulary = LiteralVocabulary(tuple(words.split()))
    document = segment(text)
    lengths = [len(one.words) for one in document.sentences]
    exchanged = 0
    for sentence in document.sentences:
        for word, following in itertools.zip_longest(sentence.words, sentence.words[1:]):
            left, end = text[sentence.span.start : word.span.start], (following or word).span.end
            gap = Gap(left, word.text, text[word.span.end : end])
            if not (is_whole_word(word.text) and (may_be_swapped(word.text) or not may_tell_an_end(gap))):
                continue
            for candidate in itertools.compress(vocabulary.words, vocabulary.fitting(gap)):
                other = segment(apply_edits(text, [Edit(word.span, candidate)]))
                assert [len(one.words) for one in other.sentences] == lengths, (gap, candidate)
                exchanged += 1
    assert exchanged > 20
