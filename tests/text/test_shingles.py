"""Shingles: what a retyped copy loses does not count, what it keeps does."""

from hypothesis import given, strategies as st

from lexprint.testing import fake_text
from lexprint.text.shingles import KEPT_AT_LEAST, SHINGLE_WORDS, kept_shingles, shingles


@given(st.text())
def test_any_text_has_shingles(text: str) -> None:
    """Ordered, each once, signed numbers of 64 bits, the same every time."""
    found = shingles(text)
    assert found == sorted(set(found)) == shingles(text)
    assert all(-(2**63) <= shingle < 2**63 for shingle in found)


def test_values_are_fixed() -> None:
    """Registries outlive versions, so the hashes must never change."""
    assert shingles("One two three four five") == [-3707953515704342447, 1836196124012518098]


def test_retyping_changes_nothing(letter: str) -> None:
    """Case, quotes, dashes, line breaks, accents and soft hyphens do not count."""
    retyped = letter.upper().replace("“", '"').replace("”", "").replace(".", "").replace("\n", " \r\n ")
    assert shingles(retyped.replace("HOUSE", "HO\u00adUSE").replace("NOTE", "NÓTE")) == shingles(
        letter.replace("2.5", "25")
    )


def test_one_word_costs_few_shingles() -> None:
    """A changed word takes no more than the runs that hold it."""
    words = fake_text(words=200, seed=1).split()
    before = set(shingles(" ".join(words)))
    after = set(shingles(" ".join([*words[:100], "entirely-unknown"[:8], *words[101:]])))
    assert 0 < len(before - after) <= SHINGLE_WORDS


def test_short_texts() -> None:
    """Fewer words than a shingle has give none."""
    assert shingles("") == shingles("one two three") == []
    assert len(shingles("one two three four")) == 1


def test_kept_shingles_are_the_lowest() -> None:
    """All of a short text, a quarter of a long one; a part of a text finds those of the whole that it has."""
    short = shingles(fake_text(words=100, seed=1))
    assert kept_shingles(short) == short
    whole = shingles(fake_text(words=4000, seed=1))
    kept = kept_shingles(whole[::-1])
    assert kept == whole[: len(whole) // 4]
    assert len(kept) > KEPT_AT_LEAST
    part = shingles(" ".join(fake_text(words=4000, seed=1).split()[:1000]))
    assert len(set(part) & set(kept)) > len(part) / 8
