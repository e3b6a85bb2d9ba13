"""Sites of copies, on fakes: what readers accept, alone and together, and nothing else changes."""

import re
from collections import Counter
from dataclasses import replace
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings, strategies as st

from lexprint.copies.analysis import analyse
from lexprint.copies.phrases import phrase_sites
from lexprint.copies.places import _may_begin, places
from lexprint.errors import SettingsError
from lexprint.models.protocols import gap_at
from lexprint.settings import CopySettings, SubstitutionSettings
from lexprint.substitution.acceptance import share_of
from lexprint.substitution.lexicon import agree, grammar_of, is_form_of_same_word
from lexprint.substitution.substituter import Substituter
from lexprint.testing import FakeEntailment, FakeMaskedLM, fake_families, fake_text
from lexprint.text.document import Document
from lexprint.text.editing import Edit, apply_edits
from lexprint.text.segmentation import segment
from lexprint.watermark.sites import Site

FLOOR = 0.6
COPIES = CopySettings()


def substituter_with(*, floor: float = FLOOR) -> Substituter:
    options = SubstitutionSettings(proposals=8, acceptance_floor=floor)
    return Substituter(FakeMaskedLM(), FakeEntailment(), options)


@pytest.fixture(scope="module")
def document() -> Document:
    """Some three hundred words that the fakes know."""
    return segment(fake_text(words=300, seed=11))


@pytest.fixture(scope="module")
def substituter() -> Substituter:
    return substituter_with()


@pytest.fixture(scope="module")
def sites(substituter: Substituter, document: Document) -> tuple[Site, ...]:
    return analyse(document, substituter, COPIES)


def test_there_are_sites(sites: tuple[Site, ...]) -> None:
    """The fakes leave enough to test on, several in a sentence and several words at a site among them."""
    assert len(sites) > 20
    assert any(one.sentence == other.sentence for one, other in pairwise(sites))
    assert any(site.further for site in sites)
    assert any(site.position == 0 for site in sites)


def test_a_site_points_at_its_word(sites: tuple[Site, ...], document: Document) -> None:
    """In order, each once; span, word and pair belong together, and a word that begins a sentence gives way to one with a capital."""
    assert all(one.span.end <= other.span.start for one, other in pairwise(sites))
    for site in sites:
        word = document.sentences[site.sentence].words[site.position]
        assert all(one.istitle() == (site.position == 0) for one in (*site.pair, *site.further, *site.likely_edits))
        assert (word.span, word.text) == (site.span, site.word)
        assert site.word in site.pair
        assert site.span.of(document.text) == site.found == site.word


@settings(max_examples=20)
@given(st.data())
def test_exchanging_any_sites_changes_nothing_else(
    sites: tuple[Site, ...], document: Document, data: st.DataObject
) -> None:
    """Boundaries stay, and so does every other word."""
    chosen = data.draw(st.sets(st.sampled_from(range(len(sites)))))
    edits = [Edit(sites[index].span, sites[index].pair.other(sites[index].word)) for index in chosen]
    copy = segment(apply_edits(document.text, edits))
    assert len(copy.sentences) == len(document.sentences)
    expected = [[word.text for word in sentence.words] for sentence in document.sentences]
    backwards = sorted((sites[index] for index in chosen), key=lambda site: -site.position)  # phrases move what follows
    for site in backwards:
        behind = site.position + len(site.word.split())
        expected[site.sentence][site.position : behind] = site.pair.other(site.word).split()
    assert [[word.text for word in sentence.words] for sentence in copy.sentences] == expected


def test_every_word_of_a_site_is_accepted(sites: tuple[Site, ...], document: Document) -> None:
    """By at least as many readers as were asked for, with the figures of the best of them; what stands in the list of phrases apart."""
    judge = substituter_with()
    listed = {site.span for site in phrase_sites(document, judge, (), most_words=3)}
    chosen = [site for site in sites if site.span not in listed]
    assert len(chosen) > len(listed)
    for site in chosen:
        gap = gap_at(document.sentences[site.sentence], site.position).with_word(site.word.lower())
        candidates = {one.word: one for one in judge.most_probable([gap])[0]}
        others = [word.lower() for word in (site.pair.other(site.word), *site.further)]
        exchanges = [(gap, candidates[word]) for word in others]
        weighed = judge.weigh_back(exchanges, judge.look_back(exchanges))
        shares = [share_of(one.acceptance) for one in weighed if one is not None]
        assert len(shares) == len(others)
        assert min(shares) > FLOOR
        assert shares == sorted(shares, reverse=True)
        assert site.acceptance == shares[0]


def test_words_of_a_site_and_of_a_sentence_differ(sites: tuple[Site, ...]) -> None:
    """No two are forms of one word, and there are no more than copies can use."""
    assert max(1 + len(site.further) for site in sites) <= COPIES.most_words
    brought: dict[int, list[str]] = {}
    for site in sites:
        words = [site.word, site.pair.other(site.word), *site.further]
        assert not any(is_form_of_same_word(one, other) for one, other in combinations(words, 2))
        brought.setdefault(site.sentence, []).extend(words[1:])
    assert all(len(words) == len(set(words)) for words in brought.values())


def test_a_sentence_keeps_most_of_its_words(sites: tuple[Site, ...], document: Document) -> None:
    """One site in so many words, and one."""
    for number, count in Counter(site.sentence for site in sites).items():
        assert count <= 1 + len(document.sentences[number]) // COPIES.words_per_site


def test_who_asks_more_of_readers_gets_fewer_sites(sites: tuple[Site, ...], document: Document) -> None:
    """One scale for all profiles."""
    strict = analyse(document, substituter_with(floor=0.95), COPIES)
    assert 0 < len(strict) < len(sites)


def test_protected_spans_hold_no_site(sites: tuple[Site, ...], document: Document, substituter: Substituter) -> None:
    """And leave the others where they were, but for those of the same sentence."""
    first = sites[0]
    kept = analyse(document, substituter, COPIES, protected=(first.span,))
    assert first.span not in {site.span for site in kept}
    assert [site for site in kept if site.sentence != first.sentence] == [
        site for site in sites if site.sentence != first.sentence
    ]


def test_likely_edits_are_words_of_the_site(sites: tuple[Site, ...]) -> None:
    """What the masked LM would write in place of another word of the same site, and only that."""
    assert any(site.likely_edits for site in sites)
    assert all({*site.likely_edits} <= {*site.pair, *site.further} for site in sites)


def test_every_word_has_figures_of_its_own(sites: tuple[Site, ...]) -> None:
    """The best first, and the first are those of the site."""
    assert any(len(set(site.figures)) > 1 for site in sites)
    for site in sites:
        accepted = [one.acceptance for one in site.figures]
        assert len(site.figures) == 1 + len(site.further)
        assert (site.figures[0].entailment, accepted[0]) == (site.entailment, site.acceptance)
        assert accepted == sorted(accepted, reverse=True)  # type: ignore[type-var] # all are known


def test_progress_counts_every_word_once(document: Document, substituter: Substituter) -> None:
    """In steps that are never negative."""
    steps: list[int] = []
    analyse(document, substituter, COPIES, on_words=steps.append)
    assert sum(steps) == document.word_count
    assert min(steps) >= 0


def test_sentences_do_not_depend_on_each_other(sites: tuple[Site, ...], document: Document) -> None:
    """A sentence alone has the sites that it has in the text."""
    number = sites[-1].sentence
    alone = analyse(segment(document.sentences[number].view), substituter_with(), COPIES)
    there = [site for site in sites if site.sentence == number]
    assert [(site.position, site.pair, site.further) for site in alone] == [
        (site.position, site.pair, site.further) for site in there
    ]
    assert [replace(site, sentence=0) for site in there]  # there are some


def test_readers_must_be_asked(document: Document) -> None:
    """A profile without a floor of acceptance would let any word stand for any other."""
    with pytest.raises(SettingsError, match="careful, lexprint, dense"):
        analyse(document, substituter_with(floor=0.0), COPIES)


def test_words_of_several_pieces_may_give_way(document: Document) -> None:
    """The masked LM does not know them as words, so blind marks leave them alone; a copy may have another word there."""
    asked = substituter_with(floor=0.05)
    text = document.text
    for family in fake_families():
        for word in family:
            text = text.replace(f" {word} ", " courteous ") if agree(word, "courteous") else text
    sites = [site for site in analyse(segment(text), asked, COPIES) if site.word == "courteous"]
    assert sites
    for site in sites:
        gap = gap_at(segment(text).sentences[site.sentence], site.position)
        assert asked.may_give_way(gap)
        assert not asked.may_be_replaced(gap)
        assert all(agree(word, "courteous") for word in (site.pair.other("courteous"), *site.further))


@pytest.mark.parametrize("first", ["Young", "Banks", "Frank", "HOWEVER", "however", "Courteous"])
def test_what_may_be_a_name_never_gives_way(substituter: Substituter, first: str) -> None:
    """At the beginning of a sentence only words that are nothing but adverbs or function words do."""
    text = f"{first} the house was with the water in the garden."
    assert not [place for place in places(segment(text), substituter, ()) if place.position == 0]


@pytest.mark.parametrize(
    "text", ["{} Was the house with the water in the garden.", "{}: the house with water.", "{} to it."]
)
def test_headings_labels_and_names_keep_their_first_word(substituter: Substituter, text: str) -> None:
    """A capital or a colon behind it, or a line of few words, says that it may be more than a word."""
    adverb = next(word for family in fake_families() for word in family if grammar_of(word).tags == {"RB"})  # type: ignore[union-attr]
    whole = segment(f"{adverb.capitalize()} the house was with the water in the garden.")
    assert [place.position for place in places(whole, substituter, ())][:1] == [0]
    assert not [
        place for place in places(segment(text.format(adverb.capitalize())), substituter, ()) if not place.position
    ]


def test_titles_hold_no_site(document: Document, substituter: Substituter) -> None:
    """Where most words have a capital, those that have none are a part of the title."""
    sentence = next(one for one in document.sentences if len(list(places(segment(one.view), substituter, ()))) > 2)
    title = re.sub(r"\b\w{4,}", lambda found: found.group().capitalize(), sentence.view, count=len(sentence) - 3)
    assert not list(places(segment(title), substituter, ()))


def test_headings_hold_no_site(document: Document, substituter: Substituter) -> None:
    """A few words without a mark at their end are a name for what follows; with a mark they are a sentence."""
    long = [one.excerpt(0, 8).rstrip(",;:!?. ") for one in document.sentences if len(one) > 8]
    words = next(one for one in long if list(places(segment(f"{one}."), substituter, ())))
    assert not list(places(segment(words), substituter, ()))


@pytest.mark.parametrize(("word", "may"), [("That", False), ("Which", False), ("Although", True)])
def test_a_sentence_begins_with_no_relative(word: str, may: bool) -> None:
    """There it points at something, or asks: "which" would not do for "that"."""
    assert _may_begin(segment(f"{word} the house was with the water in the garden.").sentences[0]) is may
