"""Phrases that stand for each other: the list is sound, conditions hold, and only whole phrases on one line are exchanged."""

import re
from dataclasses import replace
from itertools import pairwise

import pytest

from lexprint.copies.analysis import _together, analyse
from lexprint.copies.phrases import NOTHING, PHRASES, phrase_sites
from lexprint.engine import Engine
from lexprint.settings import CopySettings, SubstitutionSettings
from lexprint.substitution.facts import may_be_exchanged
from lexprint.substitution.substituter import Substituter
from lexprint.testing import FakeEntailment, FakeMaskedLM
from lexprint.text.editing import Edit, apply_edits
from lexprint.text.pairs import Pair
from lexprint.text.segmentation import segment
from lexprint.text.span import Span
from lexprint.watermark.sites import Site

TEXT = "The old bridge was closed again on Friday because of the flood. In spite of that, they all helped each other at last."


def substituter_with(*, floor: float = 0.5) -> Substituter:
    return Substituter(FakeMaskedLM(), FakeEntailment(), SubstitutionSettings(proposals=8, acceptance_floor=floor))


def phrases_in(text: str, *, floor: float = 0.5, protected: tuple[Span, ...] = ()) -> list[Site]:
    return list(phrase_sites(segment(text), substituter_with(floor=floor), protected, most_words=3))


def rows() -> list[list[str]]:
    lines = PHRASES.read_text("utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith(("#", "{"))]


def test_the_list_is_sound() -> None:
    """Every row has two different phrases of small letters, conditions, and a share; no word for a word that changes a fact."""
    assert len({tuple(row) for row in rows()}) == len(rows()) > 100
    for phrase, other, before, after, share in rows():
        assert phrase != other
        assert " " in phrase or not other.isalpha() or may_be_exchanged(phrase, other)
        for one in (phrase, *([] if other == NOTHING else [other])):
            assert re.fullmatch(r"[a-zA-Z]+(?: [a-zA-Z]+)*", one), one
            assert one == one.lower() or re.search(r"\b(?:I|TV|World War)\b", one)
        assert all((before, after))
        assert 0.5 < float(share) < 1.0


def test_no_row_changes_a_fact() -> None:
    """What states modality stands in both phrases or in neither; what states polarity too, but where both deny the same."""
    modal = set("may might must shall should can cannot could would will ought".split())
    polar = set("no not never none nor neither without nobody nothing nowhere cannot".split())
    pairs = [(set(phrase.split()), set(other.split()), phrase, other) for phrase, other, *_ in rows()]
    assert not [(phrase, other) for one, two, phrase, other in pairs if one & modal != two & modal]
    assert {frozenset((phrase, other)) for one, two, phrase, other in pairs if one & polar != two & polar} <= BOTH_DENY


BOTH_DENY = {
    frozenset(pair.split(" / "))
    for pair in (
        "nobody / no one",
        "could do nothing / could not do anything",
        "could see nothing / could not see anything",
        "heard nothing / did not hear anything",
        "said nothing / did not say anything",
        "saw nothing / did not see anything",
        "made no answer / did not answer",
        "made no reply / did not reply",
        "unable to / not able to",
        "does not have / lacks",
        "does not have any / has no",
        "is unable to / is not able to",
        "are unable to / are not able to",
        "was unable to / was not able to",
        "were unable to / were not able to",
        "is not clear / is unclear",
        "has not yet been / has yet to be",
        # The same in other words, which deny nothing.
        "doubtless / no doubt",
        "however / no matter how",
        "whatever / no matter what",
        "whoever / no matter who",
        "whether or not / whether",
        "not long after / shortly after",
        "not long before / shortly before",
        "not to mention / to say nothing of",
        "almost no / hardly any",
        "are not aware / are unaware",
        "free of charge / without charge",
        "is not likely / is unlikely",
        "no one else / nobody else",
        "with no / without a",
        "with no / without any",
        "is impossible / is not possible",
        "is not known / is unknown",
        "no later than / not later than",
        "no less than / not less than",
        "no more than / not more than",
        "not long after / soon after",
        "at least / not less than",
        "at no charge / free of charge",
        "almost never / hardly ever",
        "at most / no more than",
        "did not have a / had no",
        "did not have any / had no",
        "do not have a / have no",
        "does not have a / has no",
        "not clear / unclear",
        "not known / unknown",
    )
}


def test_phrases_are_found() -> None:
    """With capitals where they begin a sentence, and without what both phrases share at their ends."""
    found = {site.word: site for site in phrases_in(TEXT)}
    assert {"because of", "In spite of", "each other"} <= found.keys()
    assert all(site.span.of(TEXT) == site.word == site.found for site in found.values())
    assert "Despite" in found["In spite of"].pair
    assert all(site.acceptance is not None and site.acceptance > 0.5 for site in found.values())


@pytest.mark.parametrize(
    "text",
    [
        "The old bridge was closed again on Friday because\nof the flood.",
        "The old bridge was closed again on Friday because  of the flood.",
        "The old bridge was closed again on Friday because\u00ad of the flood.",
        "The old bridge was closed again on Friday Because Of the flood.",
        "Bridge closed because of flood",
    ],
)
def test_only_plain_phrases_are_exchanged(text: str) -> None:
    """Not across lines or wide spaces, not with unseen characters, capitals or in headings."""
    assert not phrases_in(text)


def test_protected_phrases_stay() -> None:
    """A protected span that touches a phrase anywhere keeps all of it."""
    at = TEXT.index("of the flood")
    assert "because of" not in {site.word for site in phrases_in(TEXT, protected=(Span(at, at + 2),))}


def test_words_are_exchanged_in_their_company() -> None:
    """A single word too, where its neighbours are as readers saw them; each of them is what a careless editor may write for the other."""
    (site,) = phrases_in("She began to sing in the kitchen.")
    assert (site.words, site.likely_edits) == (("began", "started"), ("began", "started"))
    assert not phrases_in("The song began late in the night.")


def test_articles_stay_right() -> None:
    """No word after "a" or "an" gives way to one that asks for the other."""
    said = [site.words for site in phrases_in("By noon nearly complete darkness fell on the town.")]
    assert ("nearly", "almost") in said
    assert not phrases_in("It was a nearly complete ruin of the town.")


def test_stricter_settings_have_fewer_phrases() -> None:
    """The share of readers is held against the same floor as that of words."""
    few, many = (len(phrases_in(TEXT, floor=floor)) for floor in (0.999, 0.5))
    assert few == 0 < many


def test_words_and_phrases_stay_apart() -> None:
    """No two sites overlap, and a word stands between a phrase and its neighbours."""
    document = segment(TEXT)
    sites = analyse(document, substituter_with(), CopySettings())
    assert any(" " in site.word for site in sites)
    for one, other in pairwise(sites):
        between = TEXT[one.span.end : other.span.start]
        several = any(" " in word for site in (one, other) for word in site.pair)
        assert between.strip() or not several


def test_exchanged_phrases_leave_the_rest() -> None:
    """Outside the sites not one character changes."""
    document = segment(TEXT)
    sites = analyse(document, substituter_with(), CopySettings())
    changed = apply_edits(TEXT, [Edit(site.span, site.pair.other(site.word)) for site in sites])
    pattern = "(.+)".join(re.escape(part) for part in _parts(TEXT, [site.span for site in sites]))
    assert re.fullmatch(pattern, changed)


def _parts(text: str, spans: list[Span]) -> list[str]:
    edges = [0, *(edge for span in spans for edge in (span.start, span.end)), len(text)]
    return [text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]


def test_one_place_is_one_site() -> None:
    """Where a word may be exchanged and a phrase that differs in this word alone, the more acceptable stays."""
    text = "They went on with regard to the plan, as they had done before."
    (phrase,) = (site for site in phrases_in(text) if site.word == "regard")
    word = replace(phrase, pair=Pair.of("regard", "view"), further=(), figures=(), acceptance=0.999)
    assert list(_together([word], [phrase], segment(text), words_per_site=1)) == [word]


def test_sites_never_overlap() -> None:
    """With the shipped models, on text in which many phrases stand."""
    engine = Engine()
    document = segment(
        "With regard to the plan, we compared it to the other one. In the first place, it consists of two parts, each of the "
        "same size as the other, and they agreed with each other at once that they had better go on with it as soon as possible. "
        "A great many of the people in the town took part in the march because of the weather, and in spite of the long way most of them "
        "came back to the square by the end of the day. As a result of that, the board decided to put off the vote on it until later."
    )
    sites = analyse(document, engine.substituter, engine.settings.copies)
    assert len(sites) > 5
    assert all(one.span.end <= other.span.start for one, other in pairwise(sites))
