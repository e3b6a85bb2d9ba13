"""Both schemes of synonyms: what they write they read."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from tiny_wordnet import MEANINGS, write_wordnet

from lexprint.text.editing import apply_edits
from lexprint_evaluation.rivals.hao import HaoCode
from lexprint_evaluation.rivals.synonym_code import SynonymScheme
from lexprint_evaluation.rivals.topkara import TopkaraCode
from lexprint_evaluation.schemes import MarkingScheme, hao, topkara
from lexprint_evaluation.synonyms import Thesaurus, thesaurus

WORDS = sorted({word.partition(":")[0] for _, words in MEANINGS for word in words.split()})
FORMS = ["walked", "children", "Movies", "movies", "largest", "kids", "strolled", "began", "etc.", "Mr.", "it’s", "3rd"]

texts = st.lists(st.sampled_from([*WORDS, *FORMS, "the", "a", ".", ",", "\n\n", "\u00ad", "?"]), max_size=60).map(
    " ".join
)
messages = st.lists(st.integers(0, 1), max_size=60)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Thesaurus:
    return thesaurus(write_wordnet(tmp_path_factory.mktemp("wordnet")))


@pytest.fixture(scope="module", params=["topkara", "hao"])
def scheme(request: pytest.FixtureRequest, tiny: Thesaurus) -> SynonymScheme:
    if request.param == "hao":
        return SynonymScheme("hao", HaoCode(tiny, frequency=len))
    return SynonymScheme("topkara", TopkaraCode(tiny))


@given(text=texts | st.text(), bits=messages)
def test_every_bit_is_read(scheme: SynonymScheme, text: str, bits: list[int]) -> None:
    """No bit is lost in any text, and no site appears or goes."""
    before = scheme.extract(text)
    marked = scheme.embed(text, bits)
    assert apply_edits(text, marked.edits) == marked.text
    assert marked.bits == tuple(bits[: len(before)])
    assert scheme.extract(marked.text) == marked.bits + before[len(marked.bits) :]


def test_only_wrong_bits_cost_a_word(scheme: SynonymScheme) -> None:
    """What a text says already is written without an edit."""
    text = "The children think that the movie is quickly bought by large kids."
    said = scheme.extract(text)
    assert len(said) >= 4
    assert scheme.embed(text, said).edits == ()
    assert len(scheme.embed(text, [1 - bit for bit in said]).edits) == len(said)


@pytest.mark.slow
@pytest.mark.parametrize("make", [topkara, hao])
def test_the_real_dictionary(make: Callable[[], MarkingScheme], letter: str, tale: str) -> None:
    """With all of WordNet too, and as many bits as the texts hold."""
    scheme = make()
    for text in (letter, tale):
        said = scheme.extract(text)
        marked = scheme.embed(text, [1 - bit for bit in said])
        assert said
        assert scheme.extract(marked.text) == marked.bits


def test_folders_are_read_once(tmp_path: Path) -> None:
    """The second question for a folder is answered from memory."""
    folder = write_wordnet(tmp_path)
    assert thesaurus(folder) is thesaurus(folder)
