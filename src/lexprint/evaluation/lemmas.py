"""Dictionary forms, as SWORDS compares words; the sole importer of lemminflect."""

from __future__ import annotations

from functools import cache

from lexprint.errors import ExtraMissing

try:
    from lemminflect import getLemma
except ImportError as error:
    raise ExtraMissing("lemminflect", extra="evaluation") from error


@cache
def lemma(word: str, part_of_speech: str) -> str:
    """The dictionary form of a word as NOUN, VERB, ADJ or ADV."""
    found: tuple[str, ...] = getLemma(word, upos=part_of_speech)
    return found[0].lower() if found else word
