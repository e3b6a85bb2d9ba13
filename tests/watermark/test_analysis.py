"""The registered scheme on fakes: sites that copies may differ at."""

from collections import Counter
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from lexprint.models.protocols import Entailment, Gap
from lexprint.settings import SubstitutionSettings, find_profile
from lexprint.substitution.lexicon import is_form_of_same_word
from lexprint.substitution.substituter import Substituter
from lexprint.testing import FakeEntailment, FakeMaskedLM, FakeSentenceEncoder, fake_families, fake_text
from lexprint.text.document import Document
from lexprint.text.editing import Edit, apply_edits
from lexprint.text.segmentation import segment
from lexprint.text.span import Span
from lexprint.watermark import analysis
from lexprint.watermark.analysis import DENSE, USUAL, Floors, Judges, Requirements, analyse, requirements
from lexprint.watermark.false_friends import are_false_friends
from lexprint.watermark.sites import Site

REQUIREMENTS = Requirements(
    alone=Floors(0.88, loss=5.0, similarity=0.5),
    together=Floors(0.88, loss=7.0, similarity=0.3),
    fluency=-50.0,
    further_fluency=-50.0,
    probability=-50.0,
    likelihood=-50.0,
)


class PatientEntailment(FakeEntailment):
    """Bears several exchanges at once: the product of what it thinks of each pair of words."""

    def _entails(self, premise: str, hypothesis: str) -> float:
        one, other = premise.split(" "), hypothesis.split(" ")
        changed = [pair for pair in zip(one, other, strict=False) if pair[0] != pair[1]]
        if len(one) != len(other):
            return 0.1
        opinion = super()._entails
        return float(np.prod([opinion(*pair) for pair in changed])) if changed else 0.99


def judges_with(entailment: Entailment, *, requirements: Requirements = REQUIREMENTS) -> Judges:
    masked_lm = FakeMaskedLM()
    substituter = Substituter(masked_lm, entailment, SubstitutionSettings(proposals=8))
    return Judges(substituter, masked_lm, FakeSentenceEncoder(), requirements)


@pytest.fixture(scope="module")
def document() -> Document:
    """Some three hundred words that the fakes know."""
    return segment(fake_text(words=300, seed=11))


@pytest.fixture(scope="module")
def judges() -> Judges:
    return judges_with(PatientEntailment())


@pytest.fixture(scope="module")
def sites(judges: Judges, document: Document) -> tuple[Site, ...]:
    return analyse(document, judges)


def swapped(document: Document, sites: tuple[Site, ...]) -> str:
    return apply_edits(document.text, [Edit(site.span, site.pair.other(site.word)) for site in sites])


def test_there_are_sites(sites: tuple[Site, ...], document: Document) -> None:
    """The fakes leave enough to test on, several in a sentence among them."""
    assert len(sites) > 20
    assert any(one.sentence == other.sentence for one, other in pairwise(sites))


def test_a_site_points_at_its_word(sites: tuple[Site, ...], document: Document) -> None:
    """In order, each once, never the first word of a sentence; span, word and pair belong together."""
    assert all(one.span.end <= other.span.start for one, other in pairwise(sites))
    for site in sites:
        word = document.sentences[site.sentence].words[site.position]
        assert site.position >= 1
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
    copy = segment(swapped(document, tuple(sites[index] for index in chosen)))
    expected = {(sites[i].sentence, sites[i].position): sites[i].pair.other(sites[i].word) for i in chosen}
    assert len(copy.sentences) == len(document.sentences)
    for number, (one, other) in enumerate(zip(document.sentences, copy.sentences, strict=True)):
        words = [expected.get((number, position), word.text) for position, word in enumerate(one.words)]
        assert [word.text for word in other.words] == words


def test_every_site_passes_both_ways(sites: tuple[Site, ...], document: Document, judges: Judges) -> None:
    """SR is that of the whole sentence, the weaker of both directions, and above the floor."""
    for site in sites:
        sentence = document.sentences[site.sentence]
        other = sentence.excerpt_with(site.position, site.pair.other(site.word))
        both = PatientEntailment().entails([(sentence.view, other), (other, sentence.view)])
        assert site.entailment == pytest.approx(float(min(both)))
        assert site.entailment > REQUIREMENTS.alone.entailment
        assert site.clearance == pytest.approx(site.entailment - REQUIREMENTS.alone.entailment)


@pytest.mark.parametrize("direction", ["forward", "symmetric"])
def test_settings_of_the_direction_do_not_matter(document: Document, direction: str) -> None:
    """Both ways are asked for whether or not the profile does."""
    found = []
    for chosen in ("symmetric", direction):
        masked_lm = FakeMaskedLM()
        options = SubstitutionSettings(proposals=8, entailment_direction=chosen)  # type: ignore[arg-type] # either of two
        substituter = Substituter(masked_lm, PatientEntailment(), options)
        found.append(analyse(document, Judges(substituter, masked_lm, FakeSentenceEncoder(), REQUIREMENTS)))
    assert found[0] == found[1]


def test_sites_of_a_sentence_hold_together(sites: tuple[Site, ...], document: Document) -> None:
    """With all of them exchanged a sentence passes both ways, in SR and SS."""
    copy = segment(swapped(document, sites))
    marked = {site.sentence for site in sites}
    encoder = FakeSentenceEncoder()
    for number in marked:
        one, other = document.sentences[number].view, copy.sentences[number].view
        assert min(PatientEntailment().entails([(one, other), (other, one)])) > REQUIREMENTS.together.entailment
        first, second = encoder.encode([one, other])
        assert REQUIREMENTS.together.allow(similarity=float(first @ second), words=len(one.split()))


def test_further_words_pass_what_the_pair_passed(sites: tuple[Site, ...], document: Document) -> None:
    """Each alone, both ways; the last of all sites of a sentence at once; and no two of a site are forms of one word."""
    encoder = FakeSentenceEncoder()
    assert any(site.further for site in sites)
    assert max(len(site.further) for site in sites) <= analysis.MOST_FURTHER
    for site in sites:
        sentence = document.sentences[site.sentence]
        others = [site.pair.other(site.word), *site.further]
        assert not any(is_form_of_same_word(one, other) for one, other in combinations([site.word, *others], 2))
        for other in site.further:
            changed = sentence.excerpt_with(site.position, other)
            both = PatientEntailment().entails([(sentence.view, changed), (changed, sentence.view)])
            assert float(min(both)) > REQUIREMENTS.alone.entailment
    last = [Edit(site.span, (site.pair.other(site.word), *site.further)[-1]) for site in sites]
    copy = segment(apply_edits(document.text, last))
    for number in {site.sentence for site in sites if site.further}:
        one, other = document.sentences[number].view, copy.sentences[number].view
        assert min(PatientEntailment().entails([(one, other), (other, one)])) > REQUIREMENTS.together.entailment
        first, second = encoder.encode([one, other])
        assert REQUIREMENTS.together.allow(similarity=float(first @ second), words=len(one.split()))


def test_lures_are_what_edits_lead_to(sites: tuple[Site, ...], document: Document, judges: Judges) -> None:
    """Of the words of a site, those that the masked LM finds likeliest in place of another one, asked again one by one."""
    for site in sites:
        sentence = document.sentences[site.sentence]
        span = sentence.words[site.position].view_span
        words = (site.word, site.pair.other(site.word), *site.further)
        led = set()
        for word in words:
            gap = Gap(sentence.view[: span.start], word, sentence.view[span.end :])
            (candidates,) = judges.substituter.most_probable([gap])
            led.add(next(one.word for one in candidates if one.word != word))
        assert site.lures == tuple(word for word in words if word in led)
    assert any(site.lures for site in sites)
    assert any(set(site.lures) < set(site.pair) for site in sites)


def test_no_sentence_is_crowded(sites: tuple[Site, ...], document: Document) -> None:
    """One site, and one more for every six words."""
    counts = Counter(site.sentence for site in sites)
    room = {number: 1 + len(document.sentences[number]) // analysis.WORDS_PER_SITE for number in counts}
    assert all(counts[number] <= room[number] for number in counts)
    assert any(counts[number] == room[number] for number in counts)  # else nothing was cut


def test_a_word_weighs_more_in_a_short_sentence() -> None:
    floors = Floors(0.9, loss=0.8, similarity=0.86)
    assert floors.allow(similarity=0.93, words=10)
    assert not floors.allow(similarity=0.93, words=16)
    assert not floors.allow(similarity=0.85, words=3)


def test_who_asks_less_of_pairs_gets_more_sites() -> None:
    """Which requirements the profiles stand for."""
    assert requirements(find_profile("lexprint").substitution) == USUAL == Requirements()
    assert requirements(find_profile("paper").substitution) == USUAL
    assert requirements(find_profile("dense").substitution) == DENSE


def test_a_sentence_that_bears_one_exchange_keeps_the_best(document: Document) -> None:
    """Where no two go together, each sentence has one site at most, and none loses its only one."""
    strict = judges_with(FakeEntailment())  # never content with more than one change
    counts: dict[int, int] = {}
    for site in analyse(document, strict):
        counts[site.sentence] = counts.get(site.sentence, 0) + 1
    assert counts
    assert set(counts.values()) == {1}


def test_no_word_is_echoed(sites: tuple[Site, ...], document: Document) -> None:
    """The other word of a site neither stands in its sentence nor comes with another site of it."""
    for number in {site.sentence for site in sites}:
        here = [site for site in sites if site.sentence == number]
        words = [word.text for word in document.sentences[number].words]
        others = [site.pair.other(site.word) for site in here]
        for index, other in enumerate(others):
            assert not any(is_form_of_same_word(other, word) for word in words)
            assert not any(is_form_of_same_word(other, another) for another in others[:index])
            assert not are_false_friends(here[index].word, other)


spans = st.tuples(st.integers(0, 900), st.integers(1, 60)).map(lambda pair: Span(pair[0], pair[0] + pair[1]))


@settings(max_examples=12)
@given(st.lists(spans, max_size=6))
def test_protected_spans_hold_no_site(judges: Judges, drawn: list[Span]) -> None:
    """Whatever is protected; and words far from it are judged as before."""
    document = segment(fake_text(words=120, seed=3))
    protected = [
        span for index, span in enumerate(sorted(drawn)) if not any(span.overlaps(o) for o in sorted(drawn)[:index])
    ]
    found = analyse(document, judges, protected=protected)
    assert not any(site.span.overlaps(span) for site in found for span in protected)
    touched = {
        number
        for number, sentence in enumerate(document.sentences)
        if any(sentence.span.overlaps(span) for span in protected)
    }
    everywhere = analyse(document, judges)
    assert [site for site in found if site.sentence not in touched] == [
        site for site in everywhere if site.sentence not in touched
    ]


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_the_size_of_blocks_changes_nothing(
    document: Document, sites: tuple[Site, ...], size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many words are judged at once."""
    monkeypatch.setattr(analysis, "BLOCK", size)
    assert analyse(document, judges_with(PatientEntailment())) == sites


def test_sentences_do_not_influence_each_other(judges: Judges) -> None:
    """The sites of a sentence are the same wherever it stands."""
    parts = [fake_text(words=40, seed=seed) for seed in range(6)]

    def found(order: list[int]) -> dict[int, list[tuple[str, str]]]:
        text = "\n\n".join(parts[index] for index in order)
        document, cursor, by_part = segment(text), 0, {}
        sites = analyse(document, judges)
        for index in order:
            end = cursor + len(parts[index])
            by_part[index] = [
                (site.word, site.pair.other(site.word)) for site in sites if cursor <= site.span.start < end
            ]
            cursor = end + 2
        return by_part

    assert found(list(range(6))) == found([3, 1, 5, 0, 4, 2])
    assert any(found([0, 1, 2]).values())


def test_progress_adds_up(document: Document, judges: Judges) -> None:
    """All words are reported, none twice."""
    reports: list[int] = []
    analyse(document, judges, on_words=reports.append)
    assert sum(reports) == document.word_count
    assert min(reports) >= 0


def test_questions_come_in_batches(document: Document) -> None:
    """The number of calls to a model does not grow with the number of words."""
    entailment = PatientEntailment()
    judges = judges_with(entailment)
    analyse(document, judges)
    assert entailment.inputs > 500
    assert entailment.calls < 60


@pytest.mark.parametrize("text", ["", "One.", "The of in and to was.", "\n\n"])
def test_texts_without_room_have_no_sites(judges: Judges, text: str) -> None:
    """Empty and short texts are an answer too."""
    assert analyse(segment(text), judges) == ()


class AgreeableEntailment(FakeEntailment):
    def _entails(self, premise: str, hypothesis: str) -> float:
        return 0.98


class BroaderMaskedLM(FakeMaskedLM):
    """Knows some function words too."""

    def __init__(self) -> None:
        super().__init__()
        self.vocabulary = (*self.vocabulary, "about", "around", "almost", "nearly", "though", "although", "thirty")
        self._families = np.append(self._families, [-1] * 7)
        self._index = {word: index for index, word in enumerate(self.vocabulary)}


def test_twins_are_sites_where_they_say_the_same() -> None:
    """Function words that are always free; some before numbers alone, none where nothing follows."""
    masked_lm = BroaderMaskedLM()
    substituter = Substituter(masked_lm, AgreeableEntailment(), SubstitutionSettings(proposals=8))
    judges = Judges(substituter, masked_lm, FakeSentenceEncoder(), REQUIREMENTS)
    word = fake_families()[0][0]
    document = segment(f"The {word} was almost of about thirty and about the 3, though.")
    twins = [site for site in analyse(document, judges) if site.word != word]
    assert [(site.word, site.pair.other(site.word)) for site in twins] == [("almost", "nearly"), ("about", "around")]
    assert twins[1].span.start == document.text.index("about thirty")
