"""A text in pieces becomes what the whole becomes."""

from itertools import cycle, islice

from hypothesis import given, settings as budget, strategies as st
from tests.fakes import FakeEngine

from lexprint.coding.keys import MasterKey
from lexprint.scale import embed_payload_pieces, embed_pieces, extract_pieces
from lexprint.scale.streaming import cut
from lexprint.testing import fake_text
from lexprint.workflows import embed, embed_payload, extract

KEY = MasterKey.generate()
BREAKS = ("\n\n", "\r\n\r\n", "\n \t\n", "\n", " \n\n\n  ", "\n\n“", "\n\n- ", "\u2029", "\n\n\u200b", "-\n\n", "—\n\n")


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Paragraphs with all kinds of breaks between them."""
    seeds = draw(st.lists(st.integers(0, 40), min_size=1, max_size=5))
    return "".join(fake_text(words=20, seed=seed) + draw(st.sampled_from(BREAKS)) for seed in seeds)


def parts(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


@budget(max_examples=25)
@given(texts(), st.integers(1, 400), st.integers(1, 300), st.lists(st.integers(0, 1), max_size=12))
def test_pieces_are_the_whole(text: str, size: int, piece: int, bits: list[int]) -> None:
    """However the text comes and is cut, marked and read bits are those of the whole."""
    engine = FakeEngine()
    assert "".join(cut(parts(text, size), piece=piece)) == text
    site_bits = extract(engine, text).bits
    found = [site.bit for sites in extract_pieces(engine, parts(text, size), piece=piece) for site in sites]
    assert tuple(found) == site_bits
    bits = bits[: len(site_bits) // 2]
    marked = list(embed_pieces(engine, parts(text, size), bits, piece=piece))
    assert "".join(one.text for one in marked) == embed(engine, text, bits).text
    assert sum(one.bits for one in marked) == len(bits)


def test_bits_may_be_endless() -> None:
    """Every site takes one, across pieces."""
    text = "\n\n".join(fake_text(words=100, seed=seed) for seed in range(6))
    marked = list(embed_pieces(FakeEngine(), [text], cycle((1, 0, 0)), piece=300))
    assert len(marked) > 3
    assert all(one.bits == one.sites for one in marked)
    written = sum(one.bits for one in marked)
    assert extract(FakeEngine(), "".join(one.text for one in marked)).bits == tuple(islice(cycle((1, 0, 0)), written))


def test_payloads_in_pieces() -> None:
    """The same text as from the whole."""
    text = "\n\n".join(fake_text(words=300, seed=seed) for seed in range(4))
    whole = embed_payload(FakeEngine(), text, 77, bits=8, key=KEY)
    marked = embed_payload_pieces(FakeEngine(), text.splitlines(keepends=True), 77, bits=8, key=KEY, piece=2000)
    assert "".join(one.text for one in marked) == whole.text


def test_a_paragraph_is_never_cut() -> None:
    """One that does not end is held until it does."""
    lines = ["no blank line here\n"] * 50
    assert list(cut(lines, piece=10)) == ["".join(lines)]
    assert len(list(cut([*lines, "\n", *lines], piece=10))) == 2
