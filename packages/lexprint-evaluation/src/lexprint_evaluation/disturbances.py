"""What editors, mail and copying do to a text without touching its words; bits must not notice."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Callable, Mapping
from types import MappingProxyType

COLUMNS = 60

_PARAGRAPHS = re.compile(r"(\n\s*\n)")


def reflowed(text: str) -> str:
    """Lines broken elsewhere, also after hyphens; paragraphs stay."""
    parts = _PARAGRAPHS.split(text)
    return "".join(
        part if index % 2 else "\n".join(textwrap.wrap(part, COLUMNS, break_long_words=False))
        for index, part in enumerate(parts)
    )


def typographic(text: str) -> str:
    """Quotes, apostrophes, dashes and dots as a word processor sets them."""
    text = re.sub(r'(^|[\s(\[—-])"', r"\1“", text).replace('"', "”")
    text = re.sub(r"(^|[\s(\[—-])'", r"\1‘", text).replace("'", "’")
    return text.replace("--", "—").replace("...", "…").replace(" - ", " – ")


def typewritten(text: str) -> str:
    """The same the other way."""
    for characters, plain in (("“”„«»", '"'), ("‘’‚", "'"), ("—", "--"), ("–", "-"), ("…", "...")):
        text = re.sub(f"[{characters}]", plain, text)
    return text


def decomposed(text: str) -> str:
    return unicodedata.normalize("NFD", text)


def composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def with_hard_spaces(text: str) -> str:
    return text.replace(" ", "\N{NO-BREAK SPACE}")


DISTURBANCES: Mapping[str, Callable[[str], str]] = MappingProxyType(
    {
        "re-flow": reflowed,
        "typographic": typographic,
        "typewritten": typewritten,
        "NFD": decomposed,
        "NFC": composed,
        "NBSP": with_hard_spaces,
    }
)
