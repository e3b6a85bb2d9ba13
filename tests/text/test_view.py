"""The view is the same for texts that differ in layout and typography only."""

import unicodedata
from typing import Literal

import pytest

from lexprint.text.span import Span
from lexprint.text.view import build_view, normalise


@pytest.mark.parametrize(
    ("text", "view"),
    [
        ("a  b\tc\u00a0d\u2009e\nf\r\ng\rh", "a b c d e f g h"),
        ("  edges \n", "edges"),
        ("one\n\ntwo", "one\n\ntwo"),
        ("one\r\n\r\ntwo", "one\n\ntwo"),
        ("one \n \t\n\n  two", "one\n\ntwo"),
        ("one\u2029two", "one\n\ntwo"),
        ("‘a’ “b” «c» „d‟ ‹e› 5′ 6″", '\'a\' "b" "c" "d" \'e\' 5\' 6"'),
        ("a—b", "a - b"),
        ("a — b", "a - b"),
        ("a --- b", "a - b"),
        ("a--b", "a - b"),
        ("a – b", "a - b"),
        ("a - b", "a - b"),
        ("a\n— b", "a - b"),
        ("— a —", "- a -"),
        ("a\n\n—b", "a\n\n- b"),
        ("— —", "-"),
        ("1914–18", "1914-18"),
        ("non‑breaking", "non-breaking"),
        ("well-\nknown", "well-known"),
        ("well- known", "well-known"),
        ("−5", "-5"),
        ("so…", "so..."),
        ("cafe\u0301", "café"),
        ("ﬁne oﬃce", "fine office"),
        ("co\u00adop\u200berate\ufeff", "cooperate"),
        ("a\x00b\x07", "ab"),
        ("\ud800", "\ufffd"),
        ("각", "각"),
        ("", ""),
        (" \n\n ", ""),
    ],
)
def test_normalise(text: str, view: str) -> None:
    """Each kind of layout or typography has one form."""
    assert normalise(text) == view


def test_case_is_kept() -> None:
    """Models are cased, and so is the view."""
    assert normalise("ABC abc Straße") == "ABC abc Straße"


def test_every_character_knows_its_origin() -> None:
    """A part of the view maps to the part of the text it was made of, its neighbours left out."""
    text = "  “Oﬃce”\r\n cafe\u0301—now"
    view = build_view(text)
    assert view.text == '"Office" café - now'
    origins = {
        part: view.original_span(Span(at := view.text.index(part), at + len(part))) for part in view.text.split()
    }
    assert {part: span.of(text) for part, span in origins.items()} == {
        '"Office"': "“Oﬃce”",
        "café": "cafe\u0301",
        "-": "—",
        "now": "now",
    }


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_canonical_forms_look_alike(form: Literal["NFC", "NFD"]) -> None:
    """Composed and decomposed letters of any script give one view."""
    text = "Ångström, 각하, हिन्दी, Việt Nam, \u0958, \u2126, q\u0323\u0307"
    assert normalise(unicodedata.normalize(form, text)) == unicodedata.normalize("NFC", text)
