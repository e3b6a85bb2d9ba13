"""The test for what leaks without the key."""

from random import Random

from lexprint.testing import FakeMaskedLM, fake_text
from lexprint.text.segmentation import segment
from lexprint_evaluation.twins import Seen, Twin, features, twin_row, twin_table, words_changed


def twins(*, shift: float, count: int = 200) -> list[Twin]:
    """Counts of texts that differ more between texts than between twins; marking moves the first by `shift`."""
    random = Random(1)
    found = []
    for _ in range(count):
        original = {"usage": random.gauss(0, 5), "length": random.gauss(0, 5)}
        marked = {
            "usage": original["usage"] + random.gauss(shift, 1),
            "length": original["length"] + random.gauss(0, 1),
        }
        found.append(Twin(original, marked))
    return found


def test_without_a_leak_the_answers_are_coins() -> None:
    """A classifier that learnt noise is right in half of the cases."""
    row = twin_row("none", twins(shift=0.0), words=500, changed=20, seed=1)
    assert row.twins.low < 0.5 < row.twins.high
    assert row.single.low < 0.5 < row.single.high


def test_a_leak_is_found_and_named() -> None:
    """Twins tell even what single texts hide, and the count that gives it away stands out."""
    row = twin_row("leaky", twins(shift=1.5), words=500, changed=20, seed=1)
    assert row.twins.mean > 0.85
    assert row.twins.mean > row.single.mean > 0.5
    assert row.leaks["usage"] > 0.85 > row.leaks["length"]
    table = twin_table([row])
    assert "marked twin named" in table
    assert "| usage " in table


def test_twins_that_are_equal_are_a_coin() -> None:
    """Where marking changes nothing, neither twin is named."""
    same = [Twin({"usage": float(number)}, {"usage": float(number)}) for number in range(20)]
    row = twin_row("idle", same, words=500, changed=0, seed=1)
    assert (row.twins.mean, row.leaks["usage"]) == (0.5, 0.5)


def test_features_see_words() -> None:
    """Rarer words lower the mean usage; an empty text has all counts too."""
    usual, rare = ("They bought a large house and a big car.", "They purchased a vast abode and a bulky vehicle.")
    model = FakeMaskedLM()
    one, other = features(usual, model), features(rare, model)
    assert one["mean usage"] > other["mean usage"]
    assert one["length of words"] < other["length of words"]
    assert set(features("", model)) == set(one)
    assert features(fake_text(words=80, seed=1), model)["mean log P"] < 0


def test_known_sentences_are_not_asked_about_again() -> None:
    """A twin gets the same counts, and of what both share the masked LM is asked once."""
    model = FakeMaskedLM()
    text = f"{fake_text(words=80, seed=1)} {fake_text(words=80, seed=2)}"
    twin = f"{fake_text(words=80, seed=1)} {fake_text(words=80, seed=3)}"
    known: dict[str, tuple[Seen, ...]] = {}
    features(text, model, known=known)
    before = set(known)
    assert features(twin, model, known=known) == features(twin, model)
    shared = {sentence.view for sentence in segment(twin).sentences} & before
    assert shared
    assert len(known) < len(before) + len(segment(twin).sentences)


def test_words_are_compared_one_by_one() -> None:
    """Those that are exchanged, left out or put in; a phrase may be longer than the one in its place."""
    assert words_changed("a big red house", "a large red home") == 2
    assert words_changed("in spite of the rain", "despite the rain") == 3
