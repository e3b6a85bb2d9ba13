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
    "in black squares": "".join(chr(0x1F170 + index) for index in range(26)),
    "of flags": "".join(chr(0x1F1E6 + index) for index in range(26)),
    "small capitals": "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡхʏᴢ",
    "Lisu": "ꓮꓐꓚꓓꓰꓝꓖꓧꓲꓙꓗꓡꓟꓠꓳꓑԛꓣꓢꓔꓴꓦꓪꓫꓬꓜ",
    "Cherokee and neighbours": "ᎪᏴᏟᎠᎬꓝᏀᎻᎥᎫᏦᏞᎷՈᎾᏢԚᎡᏚᎢᏌᏙᎳᕽᎩᏃ",
    "turned": "ɐbɔpǝɟɓɥᴉɾʞʅɯuodbɹsʇnʌʍxʎz".translate(str.maketrans("bpuodnsxz", "ɓɖᴎɵꝺꞑʂхʐ")),
}
UNSEEN = {
    "zero-width space": "\u200b",
    "Hangul filler": "\u3164",
    "Hangul initial filler": "\u115f",
    "Hangul medial filler": "\u1160",
    "half-width filler": "\uffa0",
    "musical beam": "\U0001d173",
    "shorthand overlap": "\U0001bca0",
    "control": "\x01",
    "delete": "\x7f",
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


@pytest.mark.parametrize("unseen", UNSEEN)
def test_an_invisible_character_after_every_letter(registry: Registry, unseen: str) -> None:
    """What nobody sees parts no words and is no letter, neither in finding nor in aligning."""
    issued = issue(registry)
    leak = "".join(f"{letter}{UNSEEN[unseen]}" if letter.isalpha() else letter for letter in issued.copy(17))
    assert [copy.number for copy in trace(registry, leak).accused] == [17]


@pytest.mark.parametrize("mark", ["\u0323", "\u05b0", "\u064b", "\u0e38", "\u302a"])
def test_a_combining_mark_on_every_letter(registry: Registry, mark: str) -> None:
    """Accents strewn over the text hide nothing, whatever script they are of."""
    issued = issue(registry)
    leak = "".join(f"{letter}{mark}" if letter.isalpha() else letter for letter in issued.copy(17))
    assert [copy.number for copy in trace(registry, leak).accused] == [17]


@pytest.mark.parametrize("apart", ["\u200a", "\u2009", "\u202f", "\u2800", "\u00b7", "\ue000", "\u200a\u200a"])
def test_letters_set_apart(registry: Registry, apart: str) -> None:
    """A hair space, or any one sign, between all letters of a word leaves it that word."""
    issued = issue(registry)
    leak = " ".join(apart.join(word) for word in issued.copy(17).split())
    assert [copy.number for copy in trace(registry, leak).accused] == [17]


@pytest.mark.parametrize(
    "space", ["_", "\u3164", "\u115f", "\u1160", "\uffa0", "\u2800", "\u00a0", "\u1680", "/", "__"]
)
def test_something_else_for_every_space(registry: Registry, space: str) -> None:
    """What is blank to a reader, or a sign, parts words as a space does, though Unicode has it among the letters."""
    issued = issue(registry)
    leak = space.join(issued.copy(17).split())
    assert [copy.number for copy in trace(registry, leak).accused] == [17]


def test_a_capital_for_a_small_letter(registry: Registry) -> None:
    """An I within a small word is an l to every reader, so it is one here."""
    issued = issue(registry)
    copy = issued.copy(17)
    leak = "".join(
        "I" if one == "l" and before.islower() else one for before, one in zip(f" {copy}", copy, strict=False)
    )
    assert leak != copy
    assert [copy.number for copy in trace(registry, leak).accused] == [17]
