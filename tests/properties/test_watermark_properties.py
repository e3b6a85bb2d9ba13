"""What holds for every text, every message and all settings: reading finds what writing left."""

import textwrap
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import pytest
from hypothesis import given, strategies as st
from tests.watermark.reference import Reference

from lexprint.settings import EntailmentDirection, Ranking, RiskSet, SubstitutionSettings, WatermarkSettings
from lexprint.substitution.substituter import Substituter
from lexprint.testing import FUNCTION_WORDS, FakeEntailment, FakeMaskedLM, fake_families, fake_text
from lexprint.text.document import Document
from lexprint.text.protection import protected_spans
from lexprint.text.segmentation import segment
from lexprint.text.span import Span
from lexprint.watermark.embed import embed, embed_unchecked
from lexprint.watermark.extract import extract
from lexprint.watermark.recover import restore_exactly
from lexprint.watermark.scheme import (
    Scheme,
    paper_scheme,
    without_substitutability_test,
    without_synchronicity_test,
)
from lexprint.watermark.sites import Marked

CONTENT_WORDS = [word for family in fake_families() for word in family]
OTHER_TOKENS = [
    "Dr.",
    "etc.",
    "well-known",
    "don't",
    "3.5",
    "“",
    "”",
    "—",
    "café",
    "cafe\u0301",
    "(",
    ")",
    ";",
    "…",
    "U.S.",
]
SPACES = [" ", " ", " ", " ", "  ", "\n", "\u00a0", "\t", ". ", "! ", "\n\n", ", ", ""]
KEYS = ["", "one", "two"]


@dataclass(frozen=True)
class Case:
    """Settings of both models and the walk."""

    key: str
    grain: float
    proposals: int
    floor: float
    guard_band: float
    direction: EntailmentDirection
    f: int
    acceptance_floor: float = 0.5
    ranking: Ranking = "entailment"
    risk_set: RiskSet = "paper"

    @property
    def watermark(self) -> WatermarkSettings:
        return WatermarkSettings(gap=self.f, ranking=self.ranking, risk_set=self.risk_set)

    def scheme(self) -> Scheme:
        settings = SubstitutionSettings(
            proposals=self.proposals,
            entailment_floor=self.floor,
            guard_band=self.guard_band,
            entailment_direction=self.direction,
            acceptance_floor=self.acceptance_floor,
        )
        substituter = Substituter(FakeMaskedLM(key=self.key), FakeEntailment(key=self.key, grain=self.grain), settings)
        return paper_scheme(substituter, fingerprint="fakes", settings=self.watermark)


FLOORS = [0.3, 0.6, 0.9]
rankings: list[Ranking] = ["entailment", "acceptance"]
risk_sets: list[RiskSet] = ["paper", "careful"]
directions: list[EntailmentDirection] = ["forward", "symmetric"]
cases = st.builds(
    Case,
    key=st.sampled_from(KEYS),
    grain=st.sampled_from([1 / 4096, 1 / 512, 1 / 128]),
    proposals=st.integers(2, 12),
    floor=st.sampled_from([0.6, 0.9, 0.95]),
    guard_band=st.sampled_from([0.0, 1e-4, 1e-3, 1e-2]),
    direction=st.sampled_from(directions),
    f=st.integers(1, 3),
    acceptance_floor=st.sampled_from(FLOORS),
    ranking=st.sampled_from(rankings),
    risk_set=st.sampled_from(risk_sets),
)
messages = st.lists(st.integers(0, 1), max_size=40)
tokens = st.sampled_from(CONTENT_WORDS) | st.sampled_from(FUNCTION_WORDS) | st.sampled_from(OTHER_TOKENS)
texts = st.lists(st.tuples(tokens, st.sampled_from(SPACES)), max_size=70).map(
    lambda pieces: "".join(token + space for token, space in pieces)
)


protections = st.lists(st.tuples(st.integers(0, 400), st.integers(1, 12)), max_size=8).map(
    lambda places: protected_spans("", spans=[Span(start, start + length) for start, length in places])
)


def random_case(random: Random) -> Case:
    return Case(
        key=random.choice(KEYS),
        grain=random.choice([1 / 4096, 1 / 512, 1 / 128]),
        proposals=random.randint(2, 9),
        floor=random.choice([0.6, 0.9, 0.95]),
        guard_band=random.choice([0.0, 1e-4, 1e-3, 1e-2]),
        direction=random.choice(directions),
        f=random.randint(1, 3),
        acceptance_floor=random.choice(FLOORS),
        ranking=random.choice(rankings),
        risk_set=random.choice(risk_sets),
    )


def random_text(random: Random) -> str:
    pieces: list[str] = []
    for _ in range(random.randint(5, 24)):
        some = random.choices((CONTENT_WORDS, FUNCTION_WORDS, OTHER_TOKENS), (10, 8, 1))[0]
        pieces += (random.choice(some), random.choices(SPACES, [30] * 4 + [1] * (len(SPACES) - 4))[0])
    return "".join(pieces)


def assert_equals_reference(document: Document, message: list[int], case: Case, *, window: int) -> Marked:
    scheme = case.scheme()
    marked = embed(document, message, scheme, window=window)
    reference = Reference(scheme.substituter, f=case.f, settings=case.watermark).embed(document, message)
    words = [site.pair.word(bit) for site, bit in zip(marked.sites, marked.bits, strict=False)]
    words += [site.word for site in marked.sites[len(marked.bits) :]]
    found = [
        (site.sentence, site.position, tuple(site.pair), site.word, word)
        for site, word in zip(marked.sites, words, strict=True)
    ]
    assert found == [(one.sentence, one.position, one.pair, one.word, one.left_there) for one in reference]
    return marked


@pytest.mark.parametrize("texts", [500, pytest.param(4000, marks=pytest.mark.slow)])
def test_sites_pairs_and_bits_equal_the_reference_on_thousands_of_texts(texts: int) -> None:
    """The fast walk and the literal algorithm agree in everything, and often have something to agree on."""
    random = Random(texts)
    sites = 0
    for _ in range(texts):
        message = random.choices((0, 1), k=random.randint(0, 12))
        document, case, window = segment(random_text(random)), random_case(random), random.randint(1, 5)
        sites += len(assert_equals_reference(document, message, case, window=window).sites)
    assert sites > texts // 2


@given(texts, messages, cases, st.integers(1, 5), protections)
def test_sites_pairs_and_bits_equal_the_reference(
    text: str, message: list[int], case: Case, window: int, protected: tuple[Span, ...]
) -> None:
    """The same for texts, settings and protected parts that someone looks for."""
    assert_equals_reference(segment(text, protected=protected), message, case, window=window)


@given(texts, messages, cases)
def test_reading_gives_back_what_was_written(text: str, message: list[int], case: Case) -> None:
    """A reader who starts from nothing but the marked text finds the message, then the words as they were."""
    marked = embed(segment(text), message, case.scheme())
    bits = extract(segment(marked.text), case.scheme()).bits
    assert bits == marked.bits + tuple(site.bit for site in marked.sites[len(marked.bits) :])


def test_protected_words_carry_nothing_and_reader_and_writer_agree() -> None:
    """Whatever is protected: a reader who knows it finds the message, nothing in it changes, and the rest still carries."""
    random = Random(11)
    bits = changed_without = 0
    for seed in range(150):
        text, case = fake_text(words=60, seed=seed), random_case(random)
        starts = random.sample(range(len(text)), k=random.randint(1, 12))
        protected = protected_spans("", spans=[Span(start, start + random.randint(1, 15)) for start in starts])
        message = random.choices((0, 1), k=40)
        marked = embed(segment(text, protected=protected), message, case.scheme())
        assert not any(site.span.overlaps(span) for site in marked.sites for span in protected)
        there = [span.of(marked.text) for span in marked.protected]
        assert there == [span.of(text) for span in protected]
        found = extract(segment(marked.text, protected=marked.protected), case.scheme()).bits
        assert found == marked.bits + tuple(site.bit for site in marked.sites[len(marked.bits) :])
        bits += len(marked.bits)
        changed_without += extract(segment(marked.text), case.scheme()).bits != found
    assert bits > 400
    assert changed_without > 20, "the reader need not know what is protected: the test tests nothing"


@given(st.text() | texts, messages)
def test_nothing_changes_outside_the_sites(text: str, message: list[int]) -> None:
    """All characters but those of exchanged words are where they were, in any Unicode text, and can be restored."""
    case = Case(key="", grain=1 / 4096, proposals=4, floor=0.9, guard_band=0.0, direction="forward", f=1)
    marked = embed(segment(text), message, case.scheme())
    cursor = new_cursor = 0
    for edit in marked.edits:
        kept = text[cursor : edit.span.start]
        assert marked.text[new_cursor : new_cursor + len(kept) + len(edit.replacement)] == kept + edit.replacement
        cursor, new_cursor = edit.span.end, new_cursor + len(kept) + len(edit.replacement)
    assert marked.text[new_cursor:] == text[cursor:]
    assert {edit.span for edit in marked.edits} <= {site.span for site in marked.sites}
    assert restore_exactly(marked.text, marked.sites) == text


def reflow(text: str) -> str:
    return textwrap.fill(text, 50, break_long_words=False, break_on_hyphens=False)


def turn_typographic(text: str) -> str:
    return text.replace("'", "’").replace('"', "“").replace("...", "…")


def turn_plain(text: str) -> str:
    return text.replace("’", "'").replace("“", '"').replace("”", '"').replace("…", "...").replace("—", "--")


def decompose(text: str) -> str:
    return unicodedata.normalize("NFD", text)


def bind_spaces(text: str) -> str:
    return text.replace(" ", "\u00a0")


@pytest.mark.parametrize("handle", [reflow, turn_typographic, turn_plain, decompose, bind_spaces])
def test_a_copy_that_was_handled_reads_the_same(handle: Callable[[str], str]) -> None:
    """Line breaks, quotes, dashes, spaces and composition of letters may change on the way."""
    paragraph = fake_text(words=300, seed=3)
    quoted = paragraph.replace(", ", ', "', 6).replace(". ", "...\" - don't café ", 4)
    scheme = Case(key="", grain=1 / 4096, proposals=8, floor=0.95, guard_band=1e-4, direction="forward", f=1).scheme()
    for text in (quoted, turn_typographic(quoted)):
        marked = embed(segment(text), Random(5).choices((0, 1), k=200), scheme)
        assert len(marked.bits) > 15
        handled = handle(marked.text)
        assert extract(segment(handled), scheme).bits == marked.bits


@given(texts, messages, st.integers(1, 7))
def test_the_window_changes_nothing(text: str, message: list[int], window: int) -> None:
    """However many sentences are walked at once, the same words carry the same bits."""
    case = Case(key="", grain=1 / 512, proposals=6, floor=0.9, guard_band=1e-4, direction="forward", f=1)
    document = segment(text)
    marked = embed(document, message, case.scheme(), window=window)
    assert marked == embed(document, message, case.scheme())
    assert extract(document, case.scheme(), window=window) == extract(document, case.scheme())


@given(texts, cases)
def test_capacity_is_what_can_be_written(text: str, case: Case) -> None:
    """Writing what the text says already fills all it can carry, and leaves it as it is."""
    document, scheme = segment(text), case.scheme()
    found = extract(document, scheme)
    marked = embed(document, found.bits, scheme)
    assert (marked.bits, marked.sites, marked.text) == (found.bits, found.sites, text)


@pytest.mark.parametrize("f", [1, 2, 3])
def test_each_test_of_the_paper_is_needed(f: int) -> None:
    """Without either test some text is misread; with both none is."""
    case = Case(key="", grain=1 / 4096, proposals=8, floor=0.95, guard_band=1e-4, direction="forward", f=f)
    scheme = case.scheme()
    variants = [scheme, without_synchronicity_test(scheme), without_substitutability_test(scheme)]
    misread = [0, 0, 0]
    for seed in range(40):
        document = segment(fake_text(words=60, seed=seed))
        message = Random(seed).choices((0, 1), k=60)
        for number, variant in enumerate(variants):
            marked = embed_unchecked(document, message, variant)
            misread[number] += extract(segment(marked.text), variant).bits != marked.bits
    assert misread[0] == 0
    assert misread[1] > misread[2] > 0
