"""What may stand in for a word of a text."""

from __future__ import annotations

from lexprint.engine import Engine
from lexprint.errors import InputError
from lexprint.models.protocols import Gap, gap_at
from lexprint.substitution.exclusions import FUNCTION_WORDS, QUANTITIES
from lexprint.substitution.facts import is_fixed, may_be_exchanged
from lexprint.text.segmentation import segment
from lexprint.workflows.results import Substitutes


def find_substitutes(engine: Engine, text: str, *, word: str, occurrence: int = 1) -> Substitutes:
    """Rank what may stand in for the given occurrence of a word (Algorithm 1), in the context of its sentence.

    Where the profile asks readers, words that could change a fact are left out, as they are in marks and copies.

    >>> from lexprint import Engine
    >>> found = find_substitutes(Engine(), "He gave a brief answer and left.", word="brief")
    >>> found.word, "short" in [one.word for one in found.substitutes]
    ('brief', True)
    """
    if not text.strip():
        raise InputError("the text is empty", needed="a sentence")
    if not word.strip():
        raise InputError("no word was given", needed="one word of the text")
    found = [
        (sentence, position)
        for sentence in segment(text).sentences
        for position, candidate in enumerate(sentence.words)
        if candidate.text == word
    ]
    if not found:
        raise InputError("the word does not stand in the text", needed="a word of the text, spelled as it is there")
    if not 1 <= occurrence <= len(found):
        times = "once" if len(found) == 1 else f"{len(found)} times"
        raise InputError(f"the word stands {times} in the text", needed=f"an occurrence from 1 to {len(found)}")
    sentence, position = found[occurrence - 1]
    gap = gap_at(sentence, position)
    facts_stay = engine.settings.substitution.acceptance_floor > 0  # the paper's scheme knows no facts
    if not engine.substituter.may_be_replaced(gap) or (facts_stay and is_fixed(word)):
        raise InputError(
            _why_never(engine, gap), needed="a whole lower-case word of the vocabulary that carries meaning"
        )
    ranked = engine.substituter.substitutes([gap])[0]
    itself = next(one for one in ranked if one.word == word)
    others = tuple(one for one in ranked if one.word != word and (may_be_exchanged(word, one.word) or not facts_stay))
    return Substitutes(sentence.view, word, itself, others, engine.fingerprint)


def _why_never(engine: Engine, gap: Gap) -> str:
    if gap.word in FUNCTION_WORDS:
        return "the word is a function word, which is never replaced"
    if gap.word in QUANTITIES or is_fixed(gap.word):
        return "the word states a fact (a number, a time, a direction, a kinship), which is never replaced"
    if not gap.word.islower():
        return "the word is not written in lower case: it may be a name"
    if gap.word not in engine.masked_lm.vocabulary:
        return "the word is not in the model's vocabulary"
    return "the word is part of a compound, or its sentence is too long for the model, or its grammar is unknown"
