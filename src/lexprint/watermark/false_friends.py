"""Pairs that models take for synonyms and readers do not; a registered site never has one.

The lists grew from reading marked texts. They name lemmas: what is said of "tell" holds for "told".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from lexprint.models.protocols import Gap
from lexprint.substitution.exclusions import DETERMINERS
from lexprint.substitution.lexicon import lexicon

Sides: TypeAlias = Mapping[
    str, tuple[tuple[int, int], ...]
]  # rows and sides of a lemma: one side never pairs with the other

# Near in meaning, but one side cannot take the place of the other: it wants another object, or turns the deed around.
_APART = (
    ("say speak talk state express utter mention announce declare remark", "tell inform notify advise assure"),
    ("see", "watch view look seem"),
    ("watch view meet visit", "look gaze stare glance peer seem"),
    ("hear", "listen talk speak say"),
    ("look watch gaze", "seem appear sound feel become"),
    ("give provide offer send supply hand grant lend", "receive get obtain accept take gain earn acquire"),
    ("sell", "buy purchase"),
    ("teach", "learn study"),
    ("earn win", "pay cost spend"),
    ("enter reach visit leave", "arrive come go depart travel journey"),
    ("find discover", "seek search look want"),
    ("expect", "hope wish fear"),
    ("raise lift", "rise arise"),
    ("keep hold", "continue stay remain"),
    ("ask request", "give offer provide answer"),
    ("bring take", "come go"),
    ("cause", "effect affect impact"),
    ("remember recall", "remind forget"),
    ("let allow", "leave quit"),
    ("work serve", "employ use hire"),
    ("similar alike comparable same", "different various distinct unlike"),
    ("gradual slow gentle", "drastic sudden rapid sharp abrupt quick"),
    ("long short", "wide narrow broad large small"),
    ("old", "former ancient"),
    ("sometimes occasionally", "often frequently usually always regularly"),
    ("success", "outcome result end"),
    ("feel", "sense think"),
    ("lose", "fall drop decrease"),
    ("say", "speak talk"),
    ("come follow", "result"),
    ("buyer customer client", "sale purchase product"),
    ("department office bureau", "agency organization organisation company headquarters"),
    ("fear anxiety", "horror danger"),
    ("train training", "learn learning"),
    ("spend", "take make invest"),
    ("want wish desire", "need require"),
    ("offer propose", "give"),
    ("work", "operate"),
    ("number", "amount"),
    ("length", "duration"),
    ("recommend", "suggest"),
    ("objection", "argument"),
    ("go come", "move"),
    ("fall", "drop"),
    ("friend", "acquaintance"),
    ("doubtful", "unlikely"),
    ("several", "numerous"),
    ("soon", "shortly quickly"),
    ("feel", "seem appear"),
    ("young", "youth youthful"),
    ("endure", "last"),
    ("way", "manner"),
    ("impossible", "unlikely"),
    ("eye", "eyelid"),
    ("ankle", "leg"),
    ("room", "hall"),
    ("remove", "eliminate"),
    ("different", "separate"),
    ("length width height depth", "width height depth length"),
    ("like", "love"),
    ("people", "person"),
    ("help", "assist"),
    ("see", "perceive"),
    ("know", "recognise recognize"),
    ("possible", "potential"),
    ("time", "moment period"),
    ("small", "minor"),
    ("remove", "delete"),
    ("wine", "champagne liquor"),
    ("weapon", "gun"),
    ("upper lower", "middle"),
    ("industry", "factory"),
    ("god", "deity"),
    ("wind", "breeze"),
    ("assure", "ensure guarantee"),
    ("mention", "refer"),
    ("ask", "request"),
    ("bad", "evil"),
    ("seat", "sit"),
    ("consider", "regard"),
    ("flame", "fire"),
    ("country", "nation"),
    ("animal", "mammal"),
    ("cooking cook", "baking bake"),
    ("family", "household parent"),
    ("tooth", "jaw"),
    ("consist", "comprise"),
    ("angry", "furious"),
    ("choice", "decision"),
    ("similar", "alike"),
    ("instruction", "education"),
    ("quite", "fairly"),
    ("strike", "hit"),
    ("amount", "sum"),
    ("property", "estate"),
    ("wherever whenever whatever", "anywhere anytime anything somewhere everywhere elsewhere nowhere"),
)
# The two sides of a deed or a bond, and the ages of life: to models they mean nearly the same, in a contract the opposite. Only
# copies heed this list yet; with the blind scheme it would change what earlier texts say.
_OPPOSITE_ROLES = (
    ("landlord lessor owner", "tenant lessee occupant"),
    ("lender creditor", "borrower debtor"),
    ("buyer purchaser customer", "seller vendor dealer supplier"),
    ("employer", "employee worker"),
    ("plaintiff claimant prosecutor accuser", "defendant accused suspect"),
    ("attacker offender", "victim"),
    ("winner", "loser"),
    ("master", "servant"),
    ("host", "guest visitor"),
    ("teacher", "pupil student"),
    ("doctor physician nurse", "patient"),
    ("author writer", "reader"),
    ("sender", "recipient receiver"),
    ("donor giver", "recipient receiver"),
    ("licensor", "licensee"),
    ("husband son brother father uncle", "wife daughter sister mother aunt"),
    ("parent mother father", "child son daughter baby infant"),
    ("adult grown", "child childhood infant youth young teenage teenager"),
)
# Verbs that mean little alone: their object decides what may stand for them, "make no answer", "give way", "catch her eye".
LIGHT_VERBS = frozenset("make take give get put set keep hold catch have bring".split())
# A verb before one of these is half of an expression: "set out", "think of", "earn back".
PARTICLES = frozenset(
    "about apart around at away back by down for forward in into of off on out over round through up".split()
)
CLAUSE_MARKS = ".,;:!?)\"'-"
ADJECTIVES = frozenset({"JJ", "JJR", "JJS"})
VERBS = frozenset({"VB", "VBD", "VBG", "VBN", "VBP", "VBZ"})
SHARED_START = 4  # letters from which on two words with hardly any others are kin: "centre" and "central"
FEW_LETTERS = 2


def are_false_friends(one: str, other: str) -> bool:
    """Whether two words must not be a pair, however well they fit.

    >>> are_false_friends("told", "said"), are_false_friends("rain", "rainfall"), are_false_friends("big", "large")
    (True, True, False)
    """
    return _look_alike(one, other) or _are_apart(one, other, _SIDES_APART)


def have_opposite_roles(one: str, other: str) -> bool:
    """Whether they name the two sides of one thing.

    >>> have_opposite_roles("tenants", "landlord"), have_opposite_roles("landlord", "owner")
    (True, False)
    """
    return _are_apart(one, other, _SIDES_OF_ROLES)


def is_half_of_expression(word: str, *, before: str, after: str) -> bool:
    """Whether a verb is followed by what may decide its meaning; other parts of speech are free of that.

    >>> is_half_of_expression("sets", before="note", after="out")
    True
    >>> is_half_of_expression("chance", before="realistic", after="of")
    False
    """
    tags = _tags(word)
    if after not in PARTICLES or not any(tag.startswith("V") for tag in tags):
        return False
    is_named = before in DETERMINERS or bool(_tags(before) & ADJECTIVES)
    return not (is_named and any(tag.startswith("N") for tag in tags))


def stands_in_expression(gap: Gap) -> bool:
    """Whether the word in the gap is half of an expression, as far as it and its neighbours tell."""
    if is_light_verb(gap.word):
        return True
    before = gap.left.split()[-1:]
    return is_half_of_expression(gap.word, before=before[0].lower() if before else "", after=following(gap))


def is_light_verb(word: str) -> bool:
    """Whether it may be a verb that means little without its object."""
    return bool(_tags(word) & VERBS and _lemmas(word) & LIGHT_VERBS)


def following(gap: Gap) -> str:
    """The next word in lower case, or nothing where a mark or the end of the sentence comes first."""
    words = gap.right.split(maxsplit=1) if gap.right.startswith(" ") else []
    return words[0].lower().rstrip(CLAUSE_MARKS) if words else ""


def _look_alike(one: str, other: str) -> bool:
    """Compounds, kin and near misspellings: no reader would take one for a free choice, and a scanner may confuse them."""
    if one in other or other in one:
        return True
    shared = 0
    while shared < min(len(one), len(other)) and one[shared] == other[shared]:
        shared += 1
    if shared >= SHARED_START and shared >= min(len(one), len(other)) - FEW_LETTERS:
        return True
    return len(one) == len(other) and sum(a != b for a, b in zip(one, other, strict=True)) == 1


def _tags(word: str) -> frozenset[str]:
    grammar = lexicon().get(word)
    return frozenset() if grammar is None else grammar.tags


def _lemmas(word: str) -> frozenset[str]:
    grammar = lexicon().get(word)
    return frozenset({word}) if grammar is None else grammar.lemmas


def _are_apart(one: str, other: str, sides: Sides) -> bool:
    facing = {(row, 1 - side) for lemma in _lemmas(other) for row, side in sides.get(lemma, ())}
    return any(place in facing for lemma in _lemmas(one) for place in sides.get(lemma, ()))


def _sides(rows: Sequence[tuple[str, str]]) -> Sides:
    sides: dict[str, tuple[tuple[int, int], ...]] = {}
    for row, both in enumerate(rows):
        for side, lemmas in enumerate(both):
            for lemma in lemmas.split():
                sides[lemma] = (*sides.get(lemma, ()), (row, side))
    return sides


_SIDES_APART, _SIDES_OF_ROLES = _sides(_APART), _sides(_OPPOSITE_ROLES)
