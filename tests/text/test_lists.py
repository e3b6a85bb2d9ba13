"""Words that rules name are data, and the fingerprint names the data."""

from pathlib import Path

import pytest

from lexprint.text import lists


def test_a_changed_word_changes_the_digest(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Of any list; comments count too, which is no harm."""
    digests = set()
    for words in ("etc\n", "etc\nviz\n"):
        (tmp_path / "abbreviations.txt").write_text(words, "utf-8")
        monkeypatch.setattr(lists, "WORD_LISTS", tmp_path)
        digests.add(lists.lists_digest.__wrapped__())
    assert len(digests) == 2


def test_words_are_given_once() -> None:
    """In each list."""
    for path in lists.WORD_LISTS.iterdir():
        assert len(set(lists.listed(path.stem))) == len(lists.listed(path.stem)) > 0
