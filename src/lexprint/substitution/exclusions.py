"""What is never a site and never proposed: words whose exchange would break grammar, facts or the walk itself.

Each rule looks at a word alone or at its fixed neighbour, so it says the same of the text before and after marking.
"""

from __future__ import annotations

from lexprint.models.protocols import Gap
from lexprint.substitution.lexicon import lexicon
from lexprint.text.segmentation import may_be_swapped

FUNCTION_WORDS = frozenset(
    """
    a an the this that these those each every either neither both all any some such no none not nor only own same other
    another others many much more most few fewer fewest less least enough little lot lots bit
    i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
    herself it its itself they them their theirs themselves one ones oneself who whom whose which what whatever whoever
    whichever someone somebody something anyone anybody anything everyone everybody everything nobody nothing
    and or but if then else because as until while although though unless whereas whether since once than so yet for
    of at by with about against between into through during before after above below to from up down in out on off over
    under again further along among amongst around across behind beside besides beneath beyond despite except inside
    near outside past per regarding throughout toward towards underneath unlike upon via within without onto amid
    am is are was were be been being have has had having do does did doing done will would shall should can could may
    might must ought need dare let used cannot ain don didn doesn isn wasn weren haven hasn hadn won wouldn shouldn
    couldn ll ve re
    here there where when why how now just too very also even ever never always still yes oh ah well please
    apart away back forth ago
    """.split()
)
# Facts, not style: no other word says the same.
QUANTITIES = frozenset(
    """
    zero two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
    nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands million millions
    billion billions trillion dozen dozens half third thirds quarter quarters fourth fifth sixth seventh eighth ninth
    tenth first second last next double triple twice thrice single
    today tomorrow yesterday tonight morning afternoon noon midnight monday tuesday wednesday thursday friday saturday
    sunday january february march april june july august september october november december spring summer autumn winter
    second seconds minute minutes hour hours day days week weeks month months year years decade decades century
    centuries inch inches foot feet yard yards mile miles acre acres pound pounds ounce ounces ton tons gallon gallons
    metre metres meter meters kilometre kilometres kilometer kilometers centimetres gram grams kilogram percent percentage
    degree degrees dollar dollars cent cents euro euros
    north south east west northern southern eastern western northeast northwest southeast southwest left right
    red orange yellow green blue purple pink brown black white grey gray golden silver
    mother father mom dad mum sister brother daughter son aunt uncle cousin niece nephew grandmother grandfather wife
    husband man men woman women boy boys girl girls mr mrs ms dr sir lord lady king queen prince princess duke duchess
    male female north am pm
    """.split()
)

# What the word before says of the next one's part of speech; "help" after "cannot" is no noun.
MODALS = frozenset("will would shall should can could cannot may might must didn't don't doesn't won't can't".split())
SUBJECTS = frozenset("i you he she we they who".split())
DETERMINERS = frozenset("a an the this these those my your his her its our their every each some any no".split())
AFTER_MODAL = frozenset({"VB", "RB"})
AFTER_SUBJECT = frozenset({"VBP", "VBD", "VBZ", "VB", "RB"})
# "They have grown", "it was grown", but never "grew".
AUXILIARIES = frozenset("have has had having be is are was were am been being i've we've they've you've".split())
AFTER_AUXILIARY = frozenset(
    {"VBN", "VBG", "NN", "NNS", "NNP", "JJ", "JJR", "JJS", "RB", "RBR", "RBS", "IN", "DT", "CD", "PRP", "MD"}
)
AFTER_DETERMINER = frozenset({"NN", "NNS", "JJ", "JJR", "JJS", "RB", "RBS", "VBG", "VBN"})

# Spelling and sound part ways in these.
SILENT_H = ("hour", "honest", "honor", "honour", "heir")
YOU_SOUND = ("uni", "use", "usu", "uti", "eu", "ew", "unan", "ubiq", "uter", "one", "once", "ura")
STILL_VOWEL = ("unim", "unin", "unid", "unill")  # unimportant, unintended, unidentified


def may_be_replaced(word: str) -> bool:
    """Whether the word could ever be a site or stand in one: lower-case, whole, with a grammar, and not a fact."""
    return may_be_swapped(word) and word in lexicon() and word not in FUNCTION_WORDS and word not in QUANTITIES


def stands_free(gap: Gap) -> bool:
    """Whether the word is cut off by space or punctuation on both sides, so that it is a token of its own."""
    before, after = gap.left[-1:], gap.right[:1]
    return not (before.isalnum() or after.isalnum() or before in ("'", "-", "_") or after in ("'", "-", "_"))


def begins_with_vowel_sound(word: str) -> bool:
    """Whether it takes "an".

    >>> [word for word in ("hour", "house", "union", "unimportant", "old") if begins_with_vowel_sound(word)]
    ['hour', 'unimportant', 'old']
    """
    if word.startswith(SILENT_H) or word.startswith(STILL_VOWEL):
        return True
    return word[:1] in "aeiou" and not word.startswith(YOU_SOUND)


def follows_article(gap: Gap) -> bool:
    """Whether "a" or "an" stands right before the word: a substitute must then keep the sound class."""
    return _word_before(gap.left) in ("a", "an")


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
