"""Dictionary forms, as SWORDS compares words, and the way back to inflected ones; the sole importer of lemminflect."""

from __future__ import annotations

from functools import cache

from lemminflect import getAllInflections, getLemma


@cache
def lemma(word: str, part_of_speech: str) -> str:
    """The dictionary form of a word as NOUN, VERB, ADJ or ADV; a word that is in no dictionary stays as it is."""
    found: tuple[str, ...] = getLemma(word, upos=part_of_speech, lemmatize_oov=False)
    return found[0].lower() if found else word


def inflections(word: str, part_of_speech: str) -> dict[str, str]:
    """The usual form for each Penn Treebank tag; none for a word that the dictionary does not know.

    >>> inflections("walk", "VERB")["VBN"]
    'walked'
    """
    found: dict[str, tuple[str, ...]] = getAllInflections(word, upos=part_of_speech)
    forms = {tag: spellings[0] for tag, spellings in found.items()}
    if "VBD" in forms:
        forms.setdefault("VBN", forms["VBD"])  # listed only where it differs
    return forms
