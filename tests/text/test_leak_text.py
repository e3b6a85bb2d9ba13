"""Words of any text, as they are compared, with spans in the text as it came."""

import unicodedata
from time import process_time

import pytest
from hypothesis import given, strategies as st

from lexprint.text.leak_text import LONGEST_WORD, find_words, spell


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The BOARD, (will) meet!", "the board will meet"),
        ("oﬃce ﬁles Ｗｉｄｅ", "office files wide"),
        ("sес\u200bre\u00adt\ufeff", "secret"),  # Cyrillic, and three invisible characters
        ("un-\nbroken sub\u00ad\nject well-known", "unbroken subject well known"),
        ("don't don’t ‘quoted’", "dont dont quoted"),
        ("café cafe\u0301 naïve", "cafe cafe naive"),
        ("w0rd he1p 2010 3rd", "word help 2010 erd"),
        ("_emphasis_ -- … *", "emphasis"),
        ("ΒΑΝΚ НЕLР", "bank help"),  # Greek, Cyrillic: what a capital looks like is not what its small letter does
        ("ᴡᴏʀᴅ 🆆🅾🆁🅳 Ꮃᴑꭱꭰ ꓪꓳꓣꓓ køb œuvre", "word word word word kob oeuvre"),
        ("h\u3164e\u1160l\u3164p\u3164 he\x01lp heIp aII McI", "help help help all mcl"),
        ("w\u200ao\u200ar\u200ad w·o·r·d a, b c U.S.", "word word a b c us"),
        ("one_two\u3164three s_n_a", "one two three sna"),
        ("", ""),
        ("\ud800 \x00 \u200b", ""),
    ],
)
def test_words_are_spelled_alike(text: str, words: str) -> None:
    """Whatever case, ligature, accent, look-alike or invisible character was used."""
    assert " ".join(find_words(text).spelled) == words


def test_spans_are_in_the_text_as_it_came() -> None:
    """Also where a word is broken over a line or holds what is not seen."""
    text = "A se\u200bcret re-\n  port."
    found = find_words(text)
    assert [text[start:end] for start, end in zip(found.starts, found.ends, strict=True)] == [
        "A",
        "se\u200bcret",
        "re-\n  port",
    ]


@given(
    st.text(st.characters(codec=None, exclude_categories=()), max_size=200)
    | st.text("a-\n '\u00ad\u0301é1", max_size=60)
)
def test_every_text_has_words(text: str) -> None:
    """In order, apart, and each spelled as its span alone would be."""
    found = find_words(text)
    bounds = [offset for pair in zip(found.starts, found.ends, strict=True) for offset in pair]
    assert bounds == sorted(bounds)
    for word, start, end in zip(found.spelled, found.starts, found.ends, strict=True):
        assert 0 < len(word) <= LONGEST_WORD
        assert spell(text[start:end]) == word


@pytest.mark.parametrize(
    "piece", ["a", "a'", "a-\n", "a-    ", "\u200b", "\u0301", "ﷺ", "-\n", "a*", "a\u200a", "a*b**", "aa*"]
)
def test_no_text_takes_long(piece: str) -> None:
    """Time grows with the length, also where words never end or never begin."""
    start = process_time()
    find_words(piece * 200_000)
    assert process_time() - start < 5.0


def test_no_format_character_parts_a_word() -> None:
    """Python knows which characters only format; those that are seen, such as signs before numbers, may part words."""
    seen = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD, *range(0x13430, 0x13440)}
    formats = [code for code in range(0x110000) if unicodedata.category(chr(code)) in ("Cf", "Cc")]
    for code in formats:
        if code not in seen and not chr(code).isspace():
            assert find_words(f"se{chr(code)}cret").spelled == ("secret",), hex(code)
