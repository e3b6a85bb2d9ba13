"""What is never a site and never proposed: words whose exchange would break grammar, facts or the walk itself.

Each rule looks at a word alone or at its fixed neighbour, so it says the same of the text before and after marking.
"""

from __future__ import annotations

from lexprint.models.protocols import Gap
from lexprint.substitution.lexicon import grammar_of, lexicon
from lexprint.substitution.lists import GRAMMAR, words_of
from lexprint.text.segmentation import may_be_swapped

FUNCTION_WORDS = words_of(GRAMMAR, "function words")
RELATIVES = words_of(GRAMMAR, "relatives")  # at the beginning of a sentence they are other words: "That is so"
# Facts, not style: no other word says the same.
QUANTITIES = words_of(GRAMMAR, "quantities")

BINDING = words_of(GRAMMAR, "bind what follows")  # "even though", "as many"

# What the word before says of the next one's part of speech; "help" after "cannot" is no noun.
MODALS = words_of(GRAMMAR, "modals")
SUBJECTS = words_of(GRAMMAR, "subjects")
DETERMINERS = words_of(GRAMMAR, "determiners")
AFTER_MODAL = words_of(GRAMMAR, "after modals")
AFTER_SUBJECT = words_of(GRAMMAR, "after subjects")
# "They have grown", "it was grown", but never "grew".
AUXILIARIES = words_of(GRAMMAR, "auxiliaries")
AFTER_AUXILIARY = words_of(GRAMMAR, "after auxiliaries")
AFTER_DETERMINER = words_of(GRAMMAR, "after determiners")

ARTICLES = ("a", "an")
# Spelling and sound part ways in words that begin so.
YOU_SOUND = tuple(words_of(GRAMMAR, "you sound"))
VOWEL_SOUND = tuple(words_of(GRAMMAR, "silent h", "vowel after all"))


def may_be_replaced(word: str) -> bool:
    """Whether the word could ever be a site or stand in one: lower-case, whole, with a grammar, and not a fact."""
    return may_be_swapped(word) and word in lexicon() and word not in FUNCTION_WORDS and word not in QUANTITIES


def may_give_way(word: str) -> bool:
    """Whether copies may replace it: all of these, and words of several pieces, which stand for no other themselves."""
    is_known = grammar_of(word) is not None
    return is_known and may_be_swapped(word) and word not in FUNCTION_WORDS and word not in QUANTITIES


def stands_free(gap: Gap) -> bool:
    """Whether the word is cut off by space or punctuation on both sides, so that it is a token of its own."""
    before, after = gap.left[-1:], gap.right[:1]
    return not (before.isalnum() or after.isalnum() or before in ("'", "-", "_") or after in ("'", "-", "_"))


def begins_with_vowel_sound(word: str) -> bool:
    """Whether it takes "an".

    >>> [word for word in ("hour", "house", "union", "unimportant", "old") if begins_with_vowel_sound(word)]
    ['hour', 'unimportant', 'old']
    """
    return word.startswith(VOWEL_SOUND) or (word[:1] in "aeiou" and not word.startswith(YOU_SOUND))


def follows_article(gap: Gap) -> bool:
    """Whether "a" or "an" stands right before the word: a substitute must then keep the sound class."""
    return _word_before(gap.left) in ARTICLES


def is_bound(gap: Gap) -> bool:
    """Whether the word before leaves a function word no choice: "even though", never "even although"."""
    return _word_before(gap.left) in BINDING


def tags_after(left: str) -> frozenset[str] | None:
    """Tags that a word may bear there, as far as the word before it tells."""
    before = _word_before(left)
    if before in MODALS:
        return AFTER_MODAL
    if before in SUBJECTS:
        return AFTER_SUBJECT
    if before in AUXILIARIES:
        return AFTER_AUXILIARY
    return AFTER_DETERMINER if before in DETERMINERS else None


def _word_before(left: str) -> str:
    return left.rstrip().rpartition(" ")[2].lower().lstrip("\"'(")
