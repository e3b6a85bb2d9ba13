"""What may happen to a copy on its way to being a leak: seeded, and free to be put one after another.

An attack sees the text alone, as whoever leaks it does: not the sites, not the key.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, reduce
from random import Random
from string import ascii_lowercase
from types import MappingProxyType
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np

from lexprint.models.protocols import MaskedLM, gap_at
from lexprint.substitution.exclusions import may_be_replaced
from lexprint.substitution.lexicon import agree, is_form_of_same_word, lexicon
from lexprint.text.editing import Edit, apply_edits
from lexprint.text.segmentation import segment
from lexprint.text.span import Span
from lexprint_evaluation.disturbances import decomposed, reflowed, typographic, with_hard_spaces
from lexprint_evaluation.marked_text import MarkingScheme
from lexprint_evaluation.synonyms import Form, Thesaurus

Attack: TypeAlias = Callable[[str, Random], str]
Preference: TypeAlias = Callable[[Counter[str]], Sequence[str]]  # of those who mix copies, where they differ

_Item = TypeVar("_Item")
_PROPOSALS = 40  # of the masked LM, among which one that agrees is looked for

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


def swap_synonyms(text: str, chooser: Random, *, share: float, thesaurus: Thesaurus) -> str:
    """`share` of the words give way to synonyms of their most usual meaning, in the same inflection (WordNet)."""
    document = segment(text)
    choices = []
    for word in document.words:
        form = thesaurus.forms.get(word.text)
        others = list(_usual_synonyms(form, thesaurus)) if form else []
        if others:
            choices.append(Edit(word.span, chooser.choice(others)))
    return apply_edits(text, _some(choices, chooser, count=round(share * len(_WORD.findall(text)))))


def _usual_synonyms(form: Form, thesaurus: Thesaurus) -> Iterator[str]:
    for sense in thesaurus.senses(form):
        found = [other.word for other in thesaurus.synonyms(form, sense)]
        if found:
            yield from found
            return


def swap_by_model(text: str, chooser: Random, *, share: float, masked_lm: MaskedLM) -> str:
    """`share` of the words give way to what a masked LM, having read the sentence, finds likeliest beside them."""
    document = segment(text)
    places = [
        (word, gap)
        for sentence in document.sentences
        for position, word in enumerate(sentence.words)
        if may_be_replaced(word.text) and masked_lm.fits(gap := gap_at(sentence, position))
    ]
    chosen = _some(places, chooser, count=round(share * len(_WORD.findall(text))))
    edits = []
    for (word, _), likelihoods in zip(chosen, masked_lm.predict([gap for _, gap in chosen]), strict=True):
        for index in np.argsort(-likelihoods)[:_PROPOSALS]:
            other = masked_lm.vocabulary[index]
            if may_be_replaced(other) and agree(other, word.text) and not is_form_of_same_word(other, word.text):
                edits.append(Edit(word.span, other))
                break
    return apply_edits(text, edits)


def remark(text: str, chooser: Random, *, scheme: MarkingScheme) -> str:
    """A second mark over the first, with random bits: whoever leaks may have the same software."""
    return scheme.embed(text, chooser.choices((0, 1), k=len(text))).text


def mix_copies(copies: Sequence[str], chooser: Random, *, prefer: Preference) -> str:
    """One text of several copies, place by place where they differ: colluders hold no other words."""
    first = list(_TOKEN.finditer(copies[0]))
    others = [_beside(first, copy) for copy in copies[1:]]
    edits = []
    for start, end in _differing(others, len(first)):
        span = Span(first[start].start(), first[end - 1].end())
        held = Counter([span.of(copies[0]), *(other.between(start, end) for other in others)])
        edits.append(Edit(span, chooser.choice(prefer(held))))
    return apply_edits(copies[0], edits)


class _Block(NamedTuple):
    """Words of the first copy, and what another one has in their place: the same word, or other words, more or fewer."""

    start: int
    end: int
    first: int
    last: int
    is_same: bool


@dataclass(frozen=True)
class _Beside:
    """A copy beside the first one."""

    text: str
    words: Sequence[re.Match[str]]
    blocks: Sequence[_Block]

    def between(self, start: int, end: int) -> str:
        """What it has for these words of the first copy."""
        words = self.words[self._at(start) : self._at(end)]
        return self.text[words[0].start() : words[-1].end()] if words else ""

    def _at(self, position: int) -> int:
        return next((block.first for block in self.blocks if block.start == position), len(self.words))


def _beside(first: Sequence[re.Match[str]], copy: str) -> _Beside:
    words = list(_TOKEN.finditer(copy))
    matcher = SequenceMatcher(None, [one[0] for one in first], [one[0] for one in words], autojunk=False)
    blocks: list[_Block] = []
    for tag, start, end, begin, stop in matcher.get_opcodes():
        if tag == "equal":
            shift = begin - start
            blocks += [_Block(one, one + 1, one + shift, one + shift + 1, is_same=True) for one in range(start, end)]
        else:
            blocks.append(_Block(start, end, begin, stop, is_same=False))
    return _Beside(copy, words, blocks)


def _differing(others: Sequence[_Beside], count: int) -> Iterator[tuple[int, int]]:
    """Runs of words of the first copy in which any other differs; where one of both has nothing, with a neighbour."""
    runs = []
    for block in (block for other in others for block in other.blocks if not block.is_same):
        start, end = block.start, block.end
        if start == end or block.first == block.last:
            start, end = (start, end + 1) if end < count else (start - 1, end)
        runs.append((start, end))
    start, end = 0, 0
    for run in sorted(runs):
        if run[0] < end:
            end = max(end, run[1])
            continue
        if end:
            yield start, end
        start, end = run
    if end:
        yield start, end


def any_held(held: Counter[str]) -> Sequence[str]:
    """A word of a colluder drawn by lot."""
    return sorted(held.elements())


def most_held(held: Counter[str]) -> Sequence[str]:
    most = max(held.values())
    return sorted(word for word, count in held.items() if count == most)


def least_held(held: Counter[str]) -> Sequence[str]:
    least = min(held.values())
    return sorted(word for word, count in held.items() if count == least)


def _some(items: Sequence[_Item], chooser: Random, *, count: int) -> list[_Item]:
    """So many at random, or all, in their order."""
    drawn = chooser.sample(range(len(items)), min(count, len(items)))
    return [items[index] for index in sorted(drawn)]


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


def bury(text: str, chooser: Random, *, other: str) -> str:
    """The text in the middle of another one."""
    words = list(_TOKEN.finditer(other))
    place = words[chooser.randrange(len(words))].end() if words else 0
    return f"{other[:place]}\n\n{text}\n\n{other[place:]}"


def lose_case_and_punctuation(text: str, chooser: Random) -> str:
    return " ".join(match[0].replace("'", "").replace("’", "").lower() for match in _WORD.finditer(text))


def lose_case(text: str, chooser: Random) -> str:
    return text.lower()


def lose_punctuation(text: str, chooser: Random) -> str:
    """Letters, digits and white space stay."""
    return re.sub(r"[^\w\s]", "", text)


def change_spaces(text: str, chooser: Random) -> str:
    """Lines broken elsewhere; spaces doubled, or such that no line may break there."""
    broken = reflowed(text)
    return re.sub(" ", lambda match: chooser.choice((" ", "  ", with_hard_spaces(" "))), broken)


def change_unicode(text: str, chooser: Random) -> str:
    """Other quotes and dashes, letters taken apart, look-alikes, characters without width."""
    typeset = decomposed(typographic(text))
    return sprinkle_zero_width(swap_homoglyphs(typeset, chooser, share=0.1), chooser, share=0.05)


def noise_characters(text: str, chooser: Random, *, share: float) -> str:
    """Letters are lost, doubled by others, or turned into others."""

    def typed(character: str) -> str:
        if not character.isalpha() or chooser.random() >= share:
            return character
        other = chooser.choice(ascii_lowercase)
        return chooser.choice(("", f"{character}{other}", other))

    return "".join(map(typed, text))


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
