"""Attacks: seeded, and each does what its name says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import product
from random import Random

import pytest

from lexprint.testing import FakeMaskedLM, fake_text
from lexprint_evaluation import attacks
from lexprint_evaluation.attack_table import ON_TRACING, by_title
from lexprint_evaluation.marked_text import MarkedText
from lexprint_evaluation.synonyms import Form, Sense, Thesaurus, WordNet

ATTACKS = by_title(ON_TRACING)
TEXT = " ".join(f"The committee read report {number} slowly. Nobody spoke for a while." for number in range(60))


@pytest.mark.parametrize("name", ATTACKS)
def test_same_seed_same_leak(name: str) -> None:
    """An attack is a function of text and seed."""
    assert ATTACKS[name](TEXT, Random(3)) == ATTACKS[name](TEXT, Random(3))


@pytest.mark.parametrize("name", ATTACKS)
def test_empty_text(name: str) -> None:
    """Nothing can be done to nothing."""
    assert ATTACKS[name]("", Random(1)) == ""


def test_share_of_deleted_words() -> None:
    """About as many words vanish as were asked for, and no others appear."""
    left = attacks.delete_words(TEXT, Random(1), share=0.1)
    assert 0.05 < 1 - len(left.split()) / len(TEXT.split()) < 0.15
    assert not Counter(left.replace(".", "").split()) - Counter(TEXT.replace(".", "").split())


def test_substitution_keeps_the_number_of_words() -> None:
    """Words give way to other words, one for one."""
    changed = attacks.substitute_words(TEXT, Random(1), share=0.3).split()
    differing = sum(one != other for one, other in zip(TEXT.split(), changed, strict=True))
    assert 0.2 < differing / len(changed) < 0.4


def test_shuffling_keeps_every_sentence() -> None:
    """The same sentences in another order."""
    shuffled = attacks.shuffle_sentences(TEXT, Random(1))
    assert shuffled != TEXT
    assert sorted(shuffled.replace(".", "").split()) == sorted(TEXT.replace(".", "").split())


def test_excerpt_is_part_of_the_text() -> None:
    """So many words in a row."""
    part = attacks.excerpt(TEXT, Random(1), words=40)
    assert part in TEXT
    assert len(part.split()) == 40


def test_buried_text_is_whole() -> None:
    """The other text goes on after it."""
    buried = attacks.bury(TEXT, Random(1), other="One two three.")
    assert TEXT in buried
    assert set(buried.replace(TEXT, "").split()) == {"One", "two", "three."}


def test_attacks_in_turn() -> None:
    """The second attack sees what the first one left."""
    both = attacks.in_turn(partial(attacks.excerpt, words=10), attacks.lose_case_and_punctuation)
    assert len(both(TEXT, Random(1)).split()) == 10
    assert both(TEXT, Random(1)).islower()


def small_thesaurus() -> Thesaurus:
    """Two senses of "read": none for the first, "scan" and "skim" for the second."""
    wordnet = WordNet(
        {
            ("read", "verb"): (Sense("verb 1", 9), Sense("verb 2", 1)),
            ("scan", "verb"): (Sense("verb 2", 1),),
            ("skim", "verb"): (Sense("verb 2", 1),),
        },
        {"verb 1": ("read",), "verb 2": ("read", "scan", "skim")},
    )
    return Thesaurus(wordnet, {word: Form(word, word, "verb", frozenset({"VB"})) for word in ("read", "scan", "skim")})


def test_synonyms_of_the_most_usual_meaning_that_has_any() -> None:
    """As many words as asked for change, each to a synonym; all others stay."""
    changed = attacks.swap_synonyms(TEXT, Random(1), share=0.04, thesaurus=small_thesaurus())
    pairs = [(one, other) for one, other in zip(TEXT.split(), changed.split(), strict=True) if one != other]
    assert len(pairs) == round(0.04 * len(TEXT.split()))
    assert {one for one, _ in pairs} == {"read"}
    assert {other for _, other in pairs} == {"scan", "skim"}


def test_a_share_beyond_all_synonyms() -> None:
    """All that have one change, and no error."""
    assert " read " not in attacks.swap_synonyms(TEXT, Random(1), share=1.0, thesaurus=small_thesaurus())


def test_what_a_model_finds_likely() -> None:
    """One for one, about as many as asked for, and the same with the same seed."""
    text = fake_text(words=300, seed=4)
    attack = partial(attacks.swap_by_model, share=0.1, masked_lm=FakeMaskedLM())
    changed = attack(text, Random(2))
    differing = sum(one != other for one, other in zip(text.split(), changed.split(), strict=True))
    assert 0.05 < differing / len(text.split()) <= 0.1
    assert changed == attack(text, Random(2)) != attack(text, Random(3))


class LastLetter:
    """Marks every word: it ends in its bit."""

    name = "last letter"

    def embed(self, text: str, bits: Sequence[int]) -> MarkedText:
        words = [f"{word[:-1]}{bit}" for word, bit in zip(text.split(), bits, strict=False)]
        return MarkedText(" ".join(words), tuple(bits[: len(words)]), ())

    def extract(self, text: str) -> tuple[int, ...]:
        return tuple(int(word[-1]) for word in text.split())


def test_a_second_mark() -> None:
    """Half of the first one's bits are gone."""
    scheme = LastLetter()
    marked = scheme.embed(TEXT, [1] * 1000)
    again = scheme.extract(attacks.remark(marked.text, Random(1), scheme=scheme))
    assert 0.4 < sum(again) / len(again) < 0.6


@pytest.mark.parametrize("prefer", [attacks.any_held, attacks.most_held, attacks.least_held])
def test_colluders_write_only_what_they_hold(prefer: attacks.Preference) -> None:
    """White space and all words that they share stay as they are."""
    copies = ["One  big house,\nand so on.", "One  large house,\nand so on.", "One  big home,\nand so on."]
    mixed = attacks.mix_copies(copies, Random(1), prefer=prefer)
    assert mixed in {f"One  {size} {place},\nand so on." for size in ("big", "large") for place in ("house", "home")}


def test_majority_and_minority() -> None:
    """What most hold, and what fewest do."""
    copies = ["a big house", "a large house", "a big home"]
    assert attacks.mix_copies(copies, Random(1), prefer=attacks.most_held) == "a big house"
    assert attacks.mix_copies(copies, Random(1), prefer=attacks.least_held) == "a large home"


@pytest.mark.parametrize("prefer", [attacks.any_held, attacks.most_held, attacks.least_held])
def test_phrases_are_mixed_whole(prefer: attacks.Preference) -> None:
    """Where copies have more words or fewer, one of what they hold stands, also at the ends of the text."""
    copies = [
        "In spite of that, he said he left because of the rain at once",
        "Despite that, he said that he left owing to the rain at once",
        "In spite of that, he said that he left due to the rain immediately",
    ]
    written = {attacks.mix_copies(copies, Random(seed), prefer=prefer) for seed in range(20)}
    places = (
        ("In spite of", "Despite"),
        ("said", "said that"),
        ("because of", "owing to", "due to"),
        ("at once", "immediately"),
    )
    possible = {
        f"{despite} that, he {said} he left {because} the rain {soon}"
        for despite, said, because, soon in product(*places)
    }
    assert written <= possible
    assert len(written) > 1 or prefer is not attacks.any_held


def test_one_copy_alone_is_itself() -> None:
    """Nobody to mix with, and nothing that differs."""
    for copies in (["a big house"], ["a big house", "a big house"]):
        assert attacks.mix_copies(copies, Random(1), prefer=attacks.any_held) == "a big house"


def test_spaces_are_no_words() -> None:
    """Other white space, the same words."""
    changed = attacks.change_spaces(TEXT, Random(1))
    assert changed != TEXT
    assert changed.split() == TEXT.split()


def test_case_and_punctuation_apart() -> None:
    """Each leaves the other alone."""
    text = "He said: “Don't go, Anna!”"
    assert attacks.lose_case(text, Random(1)) == "he said: “don't go, anna!”"
    assert attacks.lose_punctuation(text, Random(1)) == "He said Dont go Anna"


def test_unicode_changes_keep_the_look() -> None:
    """Once look-alikes are undone and what cannot be seen is dropped, nothing has changed."""
    back = {other: one for one, other in attacks.HOMOGLYPHS.items()}
    changed = attacks.change_unicode(TEXT, Random(1))
    assert changed != TEXT
    assert "".join(back.get(one, one) for one in changed if one not in attacks.ZERO_WIDTH) == TEXT


def test_share_of_noisy_letters() -> None:
    """About as many as asked for; spaces and full stops stay."""
    changed = attacks.noise_characters(TEXT, Random(1), share=0.02)
    assert len(changed.split(" ")) == len(TEXT.split(" "))
    words = zip(TEXT.split(" "), changed.split(" "), strict=True)
    differing = sum(one != other for one, other in words)
    assert 0.01 < differing / sum(map(str.isalpha, TEXT)) < 0.03
