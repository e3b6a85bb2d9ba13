"""Which parts of a text are not English.

The models know English alone; in another language they would exchange words for nonsense. Short paragraphs tell too little
of their language to be judged: a name, an address or a heading looks like any.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from lexprint.errors import NotEnglish
from lexprint.text.span import Span

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

ENGLISH = frozenset({"en", "sco", "pcm"})  # with Scots and Pidgin, for which short English is taken
LEAST_WORDS = 8  # that tell a language
LEAST_SURE = 0.9  # of another language, by the identifier's own estimate
MOST_READ = 2_000  # characters of a paragraph; more tell nothing new
MOST_FOREIGN = 0.5  # of the words; a text with more is not English

LAST_LATIN = "\u024f"  # of letters

_BLANK_LINES = re.compile(r"\n[^\S\n]*\n\s*|[\u2029\f]")
_WORD = re.compile(r"[^\W\d_]{2,}")
_IDEOGRAPH = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")  # of scripts without spaces

NAMES = {
    "ar": "Arabic", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "es": "Spanish", "fi": "Finnish",
    "fr": "French", "he": "Hebrew", "hi": "Hindi", "hu": "Hungarian", "it": "Italian", "ja": "Japanese", "ko": "Korean",
    "la": "Latin", "nl": "Dutch", "no": "Norwegian", "nb": "Norwegian", "pl": "Polish", "pt": "Portuguese",
    "ro": "Romanian", "ru": "Russian", "sv": "Swedish", "tr": "Turkish", "uk": "Ukrainian", "zh": "Chinese",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ForeignParagraph:
    """A paragraph in another language."""

    number: int  # 1, 2, ... in the text
    span: Span
    language: str
    words: int


def foreign_paragraphs(text: str) -> tuple[ForeignParagraph, ...]:
    """Those that are long enough to tell, and surely not English.

    >>> foreign_paragraphs("Le comité s'est réuni un soir froid pour discuter du plan.")[0].language
    'French'
    """
    found = []
    for number, span in enumerate(_paragraphs(text), start=1):
        language = _foreign_language(span.of(text))
        if language is not None:
            found.append(ForeignParagraph(number, span, language, _words(span.of(text))))
    return tuple(found)


def foreign_spans(text: str) -> Iterator[Span]:
    return (paragraph.span for paragraph in foreign_paragraphs(text))


def require_english(text: str) -> None:
    """Refuse a text that is mostly in another language, also one whose paragraphs are too short to tell each by itself."""
    foreign = foreign_paragraphs(text)
    if sum(one.words for one in foreign) > MOST_FOREIGN * _words(text):
        raise NotEnglish(language=max(foreign, key=lambda one: one.words).language)
    if not foreign and (language := _foreign_language(text)) is not None:
        raise NotEnglish(language=language)


def require_english_only(text: str) -> None:
    """Refuse a text with any paragraph in another language, for marks that a reader must find in all of it."""
    require_english(text)
    if foreign := foreign_paragraphs(text):
        numbers = ", ".join(str(one.number) for one in foreign[:10])
        raise NotEnglish(language=foreign[0].language, where=f" in paragraph {numbers}")


def _foreign_language(text: str) -> str | None:
    """None where it is English, or too little to tell."""
    beginning = text[:MOST_READ]
    if _words(beginning) < LEAST_WORDS:
        return None
    language, sure = _identifier().classify(beginning)
    if language in ENGLISH or (sure < LEAST_SURE and _is_latin(beginning)):
        return None
    return NAMES.get(language, f"of the code {language}")


def _words(text: str) -> int:
    """Without those with a capital: names are of no language."""
    spaced = sum(1 for match in _WORD.finditer(text) if not match.group()[0].isupper())
    return spaced + sum(1 for _ in _IDEOGRAPH.finditer(text)) // 2


def _is_latin(text: str) -> bool:
    letters = [character for character in text if character.isalpha()]
    return 2 * sum(character <= LAST_LATIN for character in letters) > len(letters)


def _paragraphs(text: str) -> Iterator[Span]:
    start = 0
    for gap in _BLANK_LINES.finditer(text):
        if gap.start() > start:
            yield Span(start, gap.start())
        start = gap.end()
    if start < len(text):
        yield Span(start, len(text))


@cache
def _identifier() -> LanguageIdentifier:
    """Loaded when it is first asked; it takes half a second."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
