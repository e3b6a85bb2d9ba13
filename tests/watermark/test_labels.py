"""Sites by label: what is written to a context is read there, wherever the context went."""

from collections.abc import Mapping, Sequence
from random import Random

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.properties.test_watermark_properties import Case, cases, texts

from lexprint.coding.payload_code import LabelledBit
from lexprint.models.protocols import Assessment, Choose, Columns, Floats, Gap
from lexprint.testing import FakeMaskedLM, fake_text
from lexprint.text.document import Document
from lexprint.text.pairs import Pair
from lexprint.text.segmentation import segment
from lexprint.watermark.embed import require_readable
from lexprint.watermark.extract import extract
from lexprint.watermark.labels import BitFor, embed_by_label, label_of, observe, weigh
from lexprint.watermark.scheme import Scheme
from lexprint.watermark.walk import Neighbours


def coin_for(label: bytes) -> int:
    return Random(label).getrandbits(1)


def zero_for(label: bytes) -> int:
    return 0


def read(document: Document, scheme: Scheme) -> list[LabelledBit]:
    return observe(document, extract(document, scheme).sites)


@given(texts, cases, st.sampled_from([coin_for, zero_for]))
def test_what_a_label_asks_for_is_read_there(text: str, case: Case, bit_for: BitFor) -> None:
    """For any text and settings; labels are the same before and after marking."""
    document, scheme = segment(text), case.scheme()
    marked = embed_by_label(document, bit_for, scheme)
    require_readable(marked, scheme)
    found = read(segment(marked.text), scheme)
    assert [one.bit for one in found] == [bit_for(one.label) for one in found]
    assert [one.label for one in found] == [one.label for one in observe(document, marked.sites)]


@pytest.fixture(scope="session")
def sentences() -> list[str]:
    document = segment(fake_text(words=600, seed=21))
    return [sentence.span.of(document.text) for sentence in document.sentences]


def test_moving_and_cutting_sentences_costs_their_sites_only(scheme: Scheme, sentences: list[str]) -> None:
    """Shuffled, every site is still there; of a part, all of its own."""
    marked = segment(embed_by_label(segment(" ".join(sentences)), coin_for, scheme).text)
    pieces = [sentence.span.of(marked.text) for sentence in marked.sentences]
    every = read(marked, scheme)
    assert len(every) > 40
    random = Random(1)
    shuffled = read(segment(" ".join(random.sample(pieces, len(pieces)))), scheme)
    assert sorted(one.label for one in shuffled) == sorted(one.label for one in every)
    part = read(segment(" ".join(pieces[3:-5])), scheme)
    assert 0 < len(part) < len(every)
    for one in shuffled + part:
        assert one.bit == coin_for(one.label)


def test_losing_a_word_costs_one_sentence(scheme: Scheme, sentences: list[str]) -> None:
    """All other sentences read as before."""
    marked = segment(embed_by_label(segment(" ".join(sentences)), coin_for, scheme).text)
    before = extract(marked, scheme).sites
    hurt = before[len(before) // 2].sentence
    word = marked.sentences[hurt].words[1]
    after = extract(segment(marked.text[: word.span.start] + marked.text[word.span.end :]), scheme).sites
    kept = [(site.sentence, site.position, site.bit) for site in before if site.sentence != hurt]
    assert [(site.sentence, site.position, site.bit) for site in after if site.sentence != hurt] == kept


class Surprised:
    """A masked LM that holds every word alike likely but those it is told of."""

    fingerprint = "surprised"
    knows_readers = False

    def __init__(self, unlikely: Mapping[str, float], *, longest: int = 10_000) -> None:
        self.vocabulary = tuple(sorted({*fake_vocabulary(), *unlikely}))
        self._row = np.array([unlikely.get(word, -3.0) for word in self.vocabulary], np.float32)
        self._longest, self.asked = longest, 0

    def fits(self, gap: Gap) -> bool:
        return len(gap.text) <= self._longest

    def predict(self, gaps: Sequence[Gap]) -> Floats:
        raise AssertionError("words that are there say too much")

    def propose(self, gaps: Sequence[Gap]) -> Floats:
        return self.predict(gaps)

    def judge(self, questions: Sequence[tuple[Gap, Columns]]) -> list[Floats]:
        raise AssertionError("so do their readers")

    def judge_chosen(self, gaps: Sequence[Gap], choose: Choose) -> list[Floats]:
        raise AssertionError("so do their readers")

    def assess(self, questions: Sequence[tuple[Gap, Columns]]) -> list[Assessment]:
        raise AssertionError("so do their readers")

    def predict_blind(self, gaps: Sequence[Gap]) -> Floats:
        self.asked += len(gaps)
        return np.tile(self._row, (len(gaps), 1))


def fake_vocabulary() -> tuple[str, ...]:
    return FakeMaskedLM().vocabulary


def test_sites_weigh_what_their_surroundings_are_worth(scheme: Scheme, sentences: list[str]) -> None:
    """Less beside unlikely words, and where the author's own word stands; label and bit stay; few questions are asked."""
    document = segment(" ".join(sentences))
    sites = extract(document, scheme).sites
    calm = Surprised({})
    weighed = weigh(document, sites, calm)
    assert [(one.label, one.bit) for one in weighed] == [(one.label, one.bit) for one in read(document, scheme)]
    assert min(one.weight for one in weighed) > 1
    assert calm.asked <= 3 * len(sites)
    site, weight = sites[4], weighed[4].weight
    words = document.sentences[site.sentence].words
    other = site.pair.other(site.word)
    for unlikely in (
        {words[site.position - 1].text.lower(): -20.0},
        {words[site.position + 1].text.lower(): -20.0},
        {site.word: -15.0, other: -15.0},
        {other: -9.0},
    ):
        assert weigh(document, sites, Surprised(unlikely))[4].weight < weight, unlikely
    assert weigh(document, sites, Surprised({other: -1.0}))[4].weight > weight


def test_what_the_masked_model_cannot_read_weighs_something(scheme: Scheme, sentences: list[str]) -> None:
    """Sentences that are too long for it are not asked about."""
    document = segment(" ".join(sentences))
    sites = extract(document, scheme).sites
    silent = Surprised({}, longest=0)
    weighed = weigh(document, sites, silent)
    assert silent.asked == 0
    assert {one.weight > 0 for one in weighed} == {True}
    assert weigh(document, (), silent) == []


def test_labels_tell_contexts_apart() -> None:
    """By each neighbour and the pair, not by capitals, and not by how words run together."""
    pair = Pair("big", "large")
    labels = {
        label_of(pair, Neighbours("a", "house")),
        label_of(pair, Neighbours("the", "house")),
        label_of(pair, Neighbours("a", "dog")),
        label_of(Pair("big", "great"), Neighbours("a", "house")),
        label_of(pair, Neighbours("ab", "ig")),
    }
    assert len(labels) == 5
    assert label_of(pair, Neighbours("A", "House")) in labels
