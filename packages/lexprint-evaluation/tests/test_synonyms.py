"""WordNet's synonyms, of a small WordNet."""

from pathlib import Path

import pytest
from tiny_wordnet import write_wordnet

from lexprint.errors import ExtraMissing, FormatError, InputError
from lexprint_evaluation import synonyms
from lexprint_evaluation.synonyms import Thesaurus, load_wordnet, thesaurus, wordnet_folder


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Thesaurus:
    return thesaurus(write_wordnet(tmp_path_factory.mktemp("wordnet")))


def of_first_sense(tiny: Thesaurus, word: str) -> set[str]:
    form = tiny.forms[word]
    return {other.word for other in tiny.synonyms(form, tiny.senses(form)[0])}


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("film", {"movie"}),
        ("children", {"kids", "youngsters"}),  # shavers are razors first, but are read as nouns all the same
        ("walked", {"strolled"}),
        ("began", set()),  # "started" may be a participle too
        ("bigger", {"larger"}),
        ("quickly", {"rapidly", "speedily"}),
    ],
)
def test_synonyms_have_the_same_inflection(tiny: Thesaurus, word: str, found: set[str]) -> None:
    """Number, tense and degree stay, and so does what a form may be."""
    assert of_first_sense(tiny, word) - {"shavers"} == found


def test_a_form_is_read_as_its_more_usual_part_of_speech(tiny: Thesaurus) -> None:
    """A walk is rarer than to walk."""
    assert tiny.forms["walk"].part_of_speech == "verb"


def test_some_words_have_no_synonyms(tiny: Thesaurus) -> None:
    """Function words are never exchanged, expressions of several words never put in."""
    assert "only" not in tiny.forms
    assert of_first_sense(tiny, "lonely") == set()


def test_ambiguity_counts_all_parts_of_speech(tiny: Thesaurus) -> None:
    """To walk, and a walk."""
    assert tiny.wordnet.sense_count("walk") == 2
    assert tiny.wordnet.sense_count("movie") == 1


def test_the_folder_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable comes first; without any WordNet one sentence says what to install."""
    monkeypatch.setenv(synonyms.ENVIRONMENT, str(write_wordnet(tmp_path)))
    assert wordnet_folder() == tmp_path
    monkeypatch.setenv(synonyms.ENVIRONMENT, str(tmp_path / "nowhere"))
    with pytest.raises(InputError, match=r"data\.noun"):
        wordnet_folder()
    monkeypatch.delenv(synonyms.ENVIRONMENT)
    monkeypatch.setattr(synonyms, "_PACKAGED", ())
    monkeypatch.setattr(synonyms, "_DEBIAN", tmp_path / "nowhere")
    with pytest.raises(ExtraMissing, match=r"lexprint\[evaluation\]"):
        wordnet_folder()


def test_other_files_are_refused(tmp_path: Path) -> None:
    """A damaged dictionary is named, not half read."""
    write_wordnet(tmp_path)
    (tmp_path / "data.verb").write_text("nonsense\n")
    with pytest.raises(FormatError, match="not WordNet"):
        load_wordnet(tmp_path)
