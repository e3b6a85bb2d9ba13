"""Facts never change, however sure a model is: one case, at least, for each class of the lists."""

import pytest

from lexprint.substitution.facts import are_apart, is_fixed, may_be_exchanged
from lexprint.substitution.lists import APART, FIXED, REFUSED, UNLIKE, rows

EXCHANGES = {  # class: pairs that were once exchanged in copies, or might have been
    "polarity": [("leave", "remain"), ("accepted", "refused"), ("rose", "fell"), ("buys", "sells")],
    "modality": [("allows", "requires"), ("recommended", "suggested"), ("agreed", "decided"), ("said", "denied")],
    "likelihood": [("possible", "likely"), ("probably", "certainly")],
    "degree": [("slightly", "considerably"), ("damaged", "destroyed"), ("large", "huge"), ("often", "sometimes")],
    "time": [
        ("first", "last"),
        ("firstly", "secondly"),
        ("immediately", "soon"),
        ("shipped", "delivered"),
        ("draft", "final"),
    ],
    "actors": [("landlord", "tenant"), ("teacher", "pupils"), ("doctor", "patient"), ("victim", "attacker")],
    "direction": [("imports", "exports"), ("borrowed", "lent"), ("taught", "learned")],
    "places": [("city", "town"), ("airline", "aircraft"), ("river", "lake")],
    "kinds": [("truck", "car"), ("wine", "beer"), ("rain", "snow")],
    "spelling": [("program", "programme"), ("centred", "focused"), ("approval", "authorization")],
    "style": [("use", "utilize"), ("made", "rendered")],
    "government": [("state", "province"), ("government", "parliament")],
    "legal states": [("accused", "convicted"), ("charged", "blamed")],
    "legal actors": [("prosecutors", "investigators"), ("court", "judge")],
    "operative words": [("pay", "afford"), ("breach", "violation")],
    "ranks and offices": [("director", "head")],
    "law and order": [("police", "officers")],
    "money": [("income", "revenue"), ("profit", "gain")],
    "quantity": [("majority", "most")],
    "units and measures": [("height", "length")],
    "kinship": [("children", "kids")],
    "nationality and religion": [("german", "european")],
    "health": [("death", "mortality"), ("infection", "disease")],
    "time and order": [("final", "initial"), ("immediately", "promptly")],
    "technical terms": [("server", "host")],
    "communication": [("announced", "confirmed"), ("asked", "replied")],
    "speech": [("sang", "whistled"), ("smiled", "laughed")],
    "perception": [("heard", "saw"), ("searched", "examined")],
    "motion": [("walked", "crept"), ("ran", "wandered")],
    "change": [("repaired", "replaced"), ("revised", "repealed")],
    "process": [("designed", "built"), ("attempted", "achieved")],
    "documents": [("report", "study"), ("notice", "certificate")],
    "events": [("conference", "session"), ("lecture", "workshop")],
    "weather": [("wind", "gale"), ("damp", "soaked")],
    "landscape": [("forest", "park"), ("shore", "island")],
    "buildings": [("warehouse", "factory"), ("shop", "office")],
    "clothing": [("coat", "uniform"), ("hat", "helmet")],
    "vehicles": [("train", "bus"), ("ship", "ferry")],
    "food": [("tea", "coffee"), ("sugar", "honey")],
    "animals": [("salmon", "trout")],
    "materials": [("gold", "brass"), ("rope", "chain")],
    "body": [("wrist", "elbow")],
    "injury": [("injuries", "illnesses"), ("damage", "wear")],
    "crime": [("questioned", "investigated")],
    "law": [("ratified", "proposed"), ("negotiations", "discussions"), ("enforced", "imposed")],
    "religion": [("sermon", "hymn")],
    "science": [("factor", "criterion")],
    "technology": [("phone", "radio"), ("tool", "machine")],
    "measurement": [("miles", "kilometres"), ("weeks", "months")],
    "cause": [("affected", "determined")],
    "trade": [("bought", "ordered"), ("delivered", "installed")],
    "work": [("skill", "talent")],
    "arts": [("copy", "forgery"), ("dialect", "language")],
    "defence": [("captured", "attacked")],
    "things": [("flag", "sign")],
    "ideas": [("problem", "solution")],
    "acts": [("concealed", "protected")],
    "sport": [("football", "cricket")],
}


@pytest.mark.parametrize(("one", "other"), [pair for pairs in EXCHANGES.values() for pair in pairs])
def test_what_changes_a_fact_is_never_exchanged(one: str, other: str) -> None:
    """From neither side."""
    assert not may_be_exchanged(one, other)
    assert not may_be_exchanged(other, one)


def test_every_class_has_a_case() -> None:
    """A class without one would be a promise that nobody keeps."""
    assert {name for path in (FIXED, APART) for name, _ in rows(path)} == set(EXCHANGES)


def test_what_readers_refused_is_never_exchanged() -> None:
    """Whatever a model thinks of it the next time."""
    pairs = [words.split(" | ") for _, words in rows(REFUSED)]
    assert ["small", "tiny"] in pairs
    assert not any(may_be_exchanged(one, other) or may_be_exchanged(other, one) for one, other in pairs)


def test_what_readers_call_unlike_is_never_exchanged() -> None:
    """Both words alone tell that they say different things."""
    pairs = [
        (one.strip(), other)
        for _, words in rows(UNLIKE)
        for one, others in [words.split("|")]
        for other in others.split()
    ]
    assert ("annexation", "occupation") in pairs
    assert not any(may_be_exchanged(one, other) or may_be_exchanged(other, one) for one, other in pairs)


@pytest.mark.parametrize(("one", "other"), [("big", "large"), ("started", "began"), ("quickly", "rapidly")])
def test_what_says_the_same_may_be_exchanged(one: str, other: str) -> None:
    """The lists keep words apart that are near, not those that are one."""
    assert may_be_exchanged(one, other)
    assert not are_apart(one, one)


def test_forms_share_the_fate_of_their_lemma() -> None:
    """What is said of a word holds for its inflections."""
    assert is_fixed("terminated")
    assert are_apart("leaving", "remained")


def test_no_word_stands_in_two_groups_of_a_row() -> None:
    """It would be apart from itself."""
    for name, words in rows(APART):
        groups = [set(group.split()) for group in words.split("|")]
        members = [word for group in groups for word in group]
        assert len(members) == len(set(members)), name
