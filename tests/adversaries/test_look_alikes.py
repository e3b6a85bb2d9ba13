"""Leaks whose letters were exchanged for others that look the same, traced the way a user traces them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.workflows.leaks import issue

from lexprint.registry.protocol import Registry, open_registry
from lexprint.workflows.tracing import trace

LATIN = "abcdefghijklmnopqrstuvwxyz"
ALPHABETS = {
    "Cyrillic and neighbours": "аьсԁеƒɡһіјкӏмпорԛгѕтυѵԝхуᴢ",
    "Greek and neighbours": "αβϲɗεϝցհιϳκǀϻησρգɾʂτսνωχγʐ",
    "full width": "".join(chr(0xFF41 + index) for index in range(26)),
    "mathematical bold": "".join(chr(0x1D41A + index) for index in range(26)),
    "circled": "".join(chr(0x24D0 + index) for index in range(26)),
}


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    with open_registry(str(tmp_path / "registry.db")) as opened:
        yield opened


@pytest.mark.parametrize("alphabet", ALPHABETS)
def test_every_letter_replaced_by_a_look_alike(registry: Registry, alphabet: str) -> None:
    """Finding the document and aligning with it read the same letters, so the leak names its copy."""
    issued = issue(registry)
    leak = issued.copy(17).lower().translate(str.maketrans(LATIN, ALPHABETS[alphabet]))
    assert not set(LATIN) & set(leak)
    report = trace(registry, leak)
    assert [copy.number for copy in report.accused] == [17]


def test_a_zero_width_character_after_every_letter(registry: Registry) -> None:
    """What nobody sees parts no words, neither in finding nor in aligning."""
    issued = issue(registry)
    leak = "".join(f"{letter}\u200b" if letter.isalpha() else letter for letter in issued.copy(17))
    assert [copy.number for copy in trace(registry, leak).accused] == [17]


def test_a_combining_mark_on_every_letter(registry: Registry) -> None:
    """Accents strewn over the text hide nothing."""
    issued = issue(registry)
    leak = "".join(f"{letter}\u0323" if letter.isalpha() else letter for letter in issued.copy(17))
    assert [copy.number for copy in trace(registry, leak).accused] == [17]
