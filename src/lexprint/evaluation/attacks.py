"""What may happen to a copy on its way to being a leak: seeded, and free to be put one after another.

An attack sees the text alone, as whoever leaks it does: not the sites, not the key.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial, reduce
from random import Random
from types import MappingProxyType
from typing import TypeAlias

from lexprint.substitution.lexicon import agree, lexicon
from lexprint.text.segmentation import segment

Attack: TypeAlias = Callable[[str, Random], str]

_WORD = re.compile(r"\w+(?:['’]\w+)*")
_TOKEN = re.compile(r"\S+")

# What looks alike in most typefaces: Latin, and Cyrillic or Greek for it.
HOMOGLYPHS = MappingProxyType(dict(zip("aceiopsxyjABEHIKMNOPTXZ", "асеіорѕхујАВЕНІКМΝОРТХΖ", strict=True)))
ZERO_WIDTH = "\u200b\u200c\u200d\u2060\ufeff"

# What readers of scanned pages mistake for each other.
CONFUSIONS: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        "l": ("1", "i", "I"),
        "i": ("l", "1", "j"),
        "o": ("0", "c", "e"),
        "e": ("c", "o"),
        "c": ("e", "o"),
        "m": ("rn", "nn"),
        "n": ("ri", "u", "h"),
        "u": ("n", "ii"),
        "h": ("b", "li"),
        "b": ("h", "6"),
        "a": ("o", "s"),
        "s": ("5", "a"),
        "t": ("f", "r", "l"),
        "f": ("t",),
        "r": ("t", "n"),
        "g": ("q", "9"),
        "d": ("cl",),
        "w": ("vv",),
        "v": ("y",),
        "y": ("v",),
    }
)


def in_turn(*attacks: Attack) -> Attack:
    """One attack after another."""
    return lambda text, chooser: reduce(lambda changed, attack: attack(changed, chooser), attacks, text)


def delete_words(text: str, chooser: Random, *, share: float) -> str:
    """Words vanish, each with its space."""
    return re.sub(r"\w+(?:['’]\w+)* ?", lambda match: "" if chooser.random() < share else match[0], text)


def insert_words(text: str, chooser: Random, *, share: float) -> str:
    """Words of everyday English appear anywhere."""
    pool = _everyday()
    return _WORD.sub(lambda match: f"{match[0]} {chooser.choice(pool)}" if chooser.random() < share else match[0], text)


def substitute_words(text: str, chooser: Random, *, share: float) -> str:
    """Words give way to others of the same inflection, or to any other where the grammar is unknown."""
    return _WORD.sub(lambda match: _other_word(match[0], chooser) if chooser.random() < share else match[0], text)


def edit_words(text: str, chooser: Random, *, share: float) -> str:
    """Deletions, insertions and substitutions in equal parts, `share` of the words in all."""
    kinds = (
        lambda word: "",
        lambda word: f"{word} {chooser.choice(_everyday())}",
        lambda word: _other_word(word, chooser),
    )
    return _WORD.sub(lambda match: chooser.choice(kinds)(match[0]) if chooser.random() < share else match[0], text)


def crop(text: str, chooser: Random, *, kept: float) -> str:
    """One run of words is kept, the rest is cut."""
    words = list(_TOKEN.finditer(text))
    return _excerpt(text, words, chooser, count=round(len(words) * kept))


def excerpt(text: str, chooser: Random, *, words: int) -> str:
    """So many words in a row."""
    return _excerpt(text, list(_TOKEN.finditer(text)), chooser, count=words)


def shuffle_sentences(text: str, chooser: Random) -> str:
    sentences = [sentence.span.of(text) for sentence in segment(text).sentences]
    return " ".join(chooser.sample(sentences, len(sentences)))


def drop_sentences(text: str, chooser: Random, *, share: float) -> str:
    sentences = [sentence.span.of(text) for sentence in segment(text).sentences]
    kept = sorted(chooser.sample(range(len(sentences)), round(len(sentences) * (1 - share))))
    return " ".join(sentences[index] for index in kept)


def bury(text: str, chooser: Random, *, other: str) -> str:
    """The text in the middle of another one."""
    words = list(_TOKEN.finditer(other))
    place = words[chooser.randrange(len(words))].end() if words else 0
    return f"{other[:place]}\n\n{text}\n\n{other[place:]}"


def lose_case_and_punctuation(text: str, chooser: Random) -> str:
    return " ".join(match[0].replace("'", "").replace("’", "").lower() for match in _WORD.finditer(text))


def misread_characters(text: str, chooser: Random, *, share: float) -> str:
    """What a reader of scanned pages gets wrong: confusions, and now and then a letter or a space lost."""

    def read(character: str) -> str:
        if chooser.random() >= share or not (character.isalpha() or character == " "):
            return character
        if character == " " or chooser.random() < 0.15:
            return ""
        return chooser.choice(CONFUSIONS.get(character, (character.swapcase(),)))

    return "".join(map(read, text))


def mistype(text: str, chooser: Random, *, every: int) -> str:
    """A typing error in one of so many words: two letters change places, or one is doubled or lost."""

    def typed(match: re.Match[str]) -> str:
        word = match[0]
        if len(word) < 3 or chooser.randrange(every):
            return word
        at = chooser.randrange(1, len(word) - 1)
        swapped = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        return chooser.choice((swapped, word[:at] + word[at] + word[at:], word[:at] + word[at + 1 :]))

    return _WORD.sub(typed, text)


def swap_homoglyphs(text: str, chooser: Random, *, share: float) -> str:
    return "".join(HOMOGLYPHS.get(c, c) if chooser.random() < share else c for c in text)


def sprinkle_zero_width(text: str, chooser: Random, *, share: float) -> str:
    return "".join(c + (chooser.choice(ZERO_WIDTH) if chooser.random() < share else "") for c in text)


def _other_word(word: str, chooser: Random) -> str:
    pool = _everyday()
    for _ in range(60):
        other = chooser.choice(pool)
        if other != word and agree(other, word):
            return other
    return chooser.choice(pool)


@cache
def _everyday() -> Sequence[str]:
    return sorted(lexicon())


def _excerpt(text: str, words: Sequence[re.Match[str]], chooser: Random, *, count: int) -> str:
    if not words or count <= 0:
        return ""
    first = chooser.randint(0, max(0, len(words) - count))
    return text[words[first].start() : words[min(first + count, len(words)) - 1].end()]


# What the tables of tracing measure; one row each.
ATTACKS: Mapping[str, Attack] = MappingProxyType(
    {
        "untouched": lambda text, chooser: text,
        "10 % of words edited": partial(edit_words, share=0.10),
        "half cut": partial(crop, kept=0.5),
        "sentences shuffled": shuffle_sentences,
        "case and punctuation lost": lose_case_and_punctuation,
        "2 % of characters misread": partial(misread_characters, share=0.02),
        "homoglyphs and zero-width": in_turn(
            partial(swap_homoglyphs, share=0.3), partial(sprinkle_zero_width, share=0.1)
        ),
        "300 words": partial(excerpt, words=300),
    }
)
