"""Texts made to take long: whatever reads plain text in the process that serves others takes time linear in its length."""

import time
from collections.abc import Callable
from random import Random

import pytest

from lexprint.formats.markdown_signs import count_signs
from lexprint.formats.pdf_text import as_running_text
from lexprint.formats.projection import whole_projection
from lexprint.text.protection import protected_spans
from lexprint.text.segmentation import segment
from lexprint.text.view import build_view

LETTERS = 60_000
MOST_SECONDS = 2.5  # half a second and less on an idle machine; quadratic patterns took from 5 to 90

READERS: dict[str, Callable[[str], object]] = {
    "view": build_view,
    "segmentation": segment,
    "protection": protected_spans,
    "hyphens": as_running_text,
    "signs of Markdown": count_signs,
    "addresses": whole_projection,
}


def definitions() -> str:
    """A contract that defines thousands of terms, each of which must be found wherever it stands."""
    draw = Random(1)
    terms = ("".join(draw.choices("abcdefghijklmnop", k=6)) for _ in range(12_000))
    return "".join(f'"{term}" means it. ' for term in terms)


TEXTS: dict[str, str] = {
    "one word": "a" * LETTERS,
    "one word of capitals": "A" * LETTERS,
    "one number": "1" * LETTERS,
    "one word of Hangul": "\u1100\u1161" * (LETTERS // 2),
    "marks out of order on one letter": "a" + "\u0301\u0316" * (LETTERS // 2),
    "marks in the wrong order": "a" + "\u0301" * (LETTERS // 2) + "\u0316" * (LETTERS // 2),
    "full stops": "." * LETTERS,
    "initials": "A." * (LETTERS // 2),
    "underscores": "_" * LETTERS,
    "quotation marks": '"a ' * (LETTERS // 3),
    "backticks": "`a ``b " * (LETTERS // 7),
    "brackets": "[a](" * (LETTERS // 4),
    "spaces": "part" + " " * LETTERS + "x",
    "broken words": "a-\n" * (LETTERS // 3),
    "definitions": definitions(),
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_no_text_takes_long(read: Callable[[str], object], text: str) -> None:
    """Sixty thousand letters of the worst kind are read as soon as those of a novel."""
    segment("Whatever is loaded once. Is loaded now.")
    began = time.process_time()
    read(text)
    assert time.process_time() - began < MOST_SECONDS


def test_a_letter_keeps_the_marks_that_people_write() -> None:
    """Thirty marks are more than any script puts on a letter; those beyond are not read, so that none can be slow."""
    assert build_view("e\u0301 \u1100\u1161\u11a8").text == "é 각"
    assert len(build_view("a" + "\u0316\u0301" * 5_000).text) <= 32
